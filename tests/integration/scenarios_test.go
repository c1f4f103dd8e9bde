package integration

import (
	"flag"
	"testing"

	"carry/internal/controlplane"
)

var (
	familyFlag  = flag.String("family", string(controlplane.IPv6), "address family of everything: ipv6, ipv4, or ipv6-netns, in which component and API are in network namespaces of their own")
	resultsFlag = flag.String("results", "", "FILE.json for the results, or a folder that gets scenarios-FAMILY.json; empty: none")
)

// recorded outlives one run of a test, for -count.
var recorded results

// TestScenarios runs every scenario of every stream on both sides.
func TestScenarios(t *testing.T) {
	s := testSuite(t)
	runs, err := s.planned(testing.Short())
	if err != nil {
		t.Fatal(err)
	}
	if runs, err = runnable(runs, tryNetwork()); err != nil {
		t.Fatal(err)
	}
	if *resultsFlag != "" {
		recordResults(t, s, runs)
	}
	for _, r := range runs {
		t.Run(r.name(), func(t *testing.T) {
			t.Parallel()
			s.execute(t, r)
		})
	}
}

// recordResults writes the results when all runs have finished, of patched
// binaries that are what they are said to be.
func recordResults(t *testing.T, s *suite, runs []*run) {
	t.Helper()
	for _, r := range runs {
		if err := s.layout.checkBuilt(r.target); err != nil {
			t.Fatal(err)
		}
	}
	all, err := s.planned(false)
	if err != nil {
		t.Fatal(err)
	}
	exists := map[string]bool{}
	for _, r := range all {
		exists[r.key()] = true
	}
	t.Cleanup(func() {
		if err := s.results.write(*resultsFlag, s.family.name, exists); err != nil {
			t.Error(err)
		}
	})
}

func testSuite(t *testing.T) *suite {
	t.Helper()
	family, err := parseFamily(*familyFlag)
	if err != nil {
		t.Fatal(err)
	}
	s, err := newSuite("../..", family, &recorded)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.close)
	return s
}
