package integration

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"carry/internal/controlplane"
)

// suite is what all runs of one test binary share.
type suite struct {
	layout  layout
	family  family
	pki     *controlplane.PKI
	dir     string // of all runs
	results *results

	mu     sync.Mutex
	states map[string][]string // in the end of a scenario's first side, by its name without the side
}

// newSuite makes the directory that keeps what failed runs leave.
func newSuite(root string, family family, results *results) (*suite, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, fmt.Errorf("find repository: %w", err)
	}
	pki, err := controlplane.NewPKI(apiAddress)
	if err != nil {
		return nil, err
	}
	kept := filepath.Join(root, "out", "report", "integration")
	if err := os.MkdirAll(kept, 0o755); err != nil {
		return nil, fmt.Errorf("make directory of runs: %w", err)
	}
	dir, err := os.MkdirTemp(kept, "run-") // another suite may run at once
	if err != nil {
		return nil, fmt.Errorf("make directory of runs: %w", err)
	}
	return &suite{
		layout: layout{root}, family: family, pki: pki, dir: dir, results: results, states: map[string][]string{},
	}, nil
}

// planned are all runs of the scenarios that are there; short leaves the long
// ones out. None at all is an error: a suite that runs nothing proves nothing.
func (s *suite) planned(short bool) ([]*run, error) {
	targets, err := s.layout.targets()
	if err != nil {
		return nil, err
	}
	var runs []*run
	for _, t := range targets {
		files, err := s.layout.scenarios(t.component)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			scenario, err := readScenario(file)
			if err != nil {
				return nil, err
			}
			if short && scenario.length == "long" || scenario.stream != "" && scenario.stream != t.stream {
				continue
			}
			for _, side := range scenario.sides() {
				runs = append(runs, s.run(t, scenario, side))
			}
		}
	}
	if len(runs) == 0 {
		return nil, errors.New("no scenarios found")
	}
	return runs, nil
}

// runnable leaves out the runs with a network of their own where there can be
// none, and says so. In CI nothing may be missing.
func runnable(runs []*run, missing error) ([]*run, error) {
	if missing == nil {
		return runs, nil
	}
	can := slices.DeleteFunc(slices.Clone(runs), func(r *run) bool { return r.scenario.network != "" })
	cannot := len(runs) - len(can)
	switch {
	case cannot == 0:
	case os.Getenv("CI") != "":
		return nil, fmt.Errorf("%d runs cannot be, and in CI nothing may be missing: %w", cannot, missing)
	default:
		fmt.Printf("not run: %d runs in a network of their own: %v\n", cannot, missing)
	}
	return can, nil
}

func (s *suite) run(t target, scenario scenario, side side) *run {
	scenario.network = cmp.Or(scenario.network, s.family.network)
	r := &run{layout: s.layout, target: t, scenario: scenario, side: side, family: s.family}
	r.dir = filepath.Join(s.dir, strings.ReplaceAll(r.name(), "/", "_"))
	return r
}

// name is the run's name as a subtest.
func (r *run) name() string {
	return r.target.component + "/" + r.target.stream + "/" + r.scenario.name + "/" + string(r.side)
}

// execute runs a scenario within a test, and records its result.
func (s *suite) execute(t *testing.T, r *run) {
	t.Helper()
	var err error
	if r.binaries, err = s.layout.binaries(r.target, r.side); err == nil && r.scenario.binaryOf(r.side) != "" {
		r.binaries.component, err = s.layout.special(r.target, r.scenario.binaryOf(r.side))
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(r.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	defer s.conclude(t, r)
	// The test's own context ends before its cleanups, not before its defers.
	if r.err = r.start(t.Context(), s.pki); r.err != nil {
		t.Fatal(r.err)
	}
	testscript.RunT(inPlace{t}, testscript.Params{
		Files:               []string{r.scenario.file},
		WorkdirRoot:         r.dir,
		RequireUniqueNames:  true,
		RequireExplicitExec: true,
		Cmds:                r.commands(),
		Condition:           r.condition,
		Setup:               r.setup,
	})
	r.err = errors.Join(r.finish(), s.compare(r))
	if r.err == nil && r.seen != nil {
		r.err = r.seen()
	}
	if r.err != nil {
		t.Fatal(r.err)
	}
}

// compare holds a run's state against the other side's, which may yet have to
// run, or be left out of this test.
func (s *suite) compare(r *run) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := filepath.Dir(r.name())
	other, ok := s.states[name]
	if !ok {
		s.states[name] = r.state
		return nil
	}
	if diff := gocmp.Diff(other, r.state); diff != "" {
		return wrongf("etcd -same: the two sides differ (-other +%s):\n%s", r.side, diff)
	}
	return nil
}

// conclude is deferred, so that it also runs after a script that failed.
func (s *suite) conclude(t *testing.T, r *run) {
	if err := r.stop(); err != nil {
		t.Errorf("stop: %v", err)
	}
	result, err := r.result(t.Failed())
	if err != nil {
		t.Errorf("record result: %v", err)
	}
	s.results.add(result)
	if t.Failed() {
		t.Logf("outcome: %s\nlogs, argv and requests: %s", result.Outcome, s.layout.relative(r.dir))
		return
	}
	if err := os.RemoveAll(r.dir); err != nil {
		t.Errorf("remove what the run left: %v", err)
	}
}

// close removes the directory of all runs, unless a failed one left something.
func (s *suite) close() { _ = os.Remove(s.dir) }

// condition knows [base], [patched] and [stream:VERSION].
func (r *run) condition(text string) (bool, error) {
	switch text {
	case string(base), string(patched), string(control):
		return text == string(r.side), nil
	}
	if version, ok := strings.CutPrefix(text, "stream:"); ok {
		return version == r.target.stream, nil
	}
	return false, fmt.Errorf("want base, patched or stream:VERSION")
}
