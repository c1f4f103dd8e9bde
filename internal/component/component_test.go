package component

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"carry/internal/series"
)

func TestStreamOrder(t *testing.T) {
	got := []string{"1.37", "4.11", "1.9", "1.10", "1", "1.9.1"}
	slices.SortFunc(got, func(a, b string) int {
		switch {
		case older(a, b):
			return -1
		case older(b, a):
			return 1
		}
		return 0
	})
	if diff := cmp.Diff([]string{"1", "1.9", "1.9.1", "1.10", "1.37", "4.11"}, got); diff != "" {
		t.Error(diff)
	}
}

// TestPinsOfThisProject reads every pin that is checked in: a new stream is covered by being there.
func TestPinsOfThisProject(t *testing.T) {
	root, err := FindRoot(".")
	if err == nil {
		t.Fatalf("found a project at %s from a relative path without parents", root)
	}
	root, err = FindRoot(repoRoot(t))
	if err != nil {
		t.Fatal(err)
	}
	all, err := Select(root, "", "")
	if err != nil {
		t.Fatal(err)
	}
	versions := map[string]string{}
	for _, s := range all {
		v, err := s.BaseVersion()
		if err != nil {
			t.Error(err)
		}
		versions[s.String()] = v
		if _, err := s.Pin.sum(s.Pin.Version); err != nil {
			t.Errorf("%s: %v", s, err)
		}
		if !slices.Contains(s.Pin.Tools, s.Module+"/"+s.Package) {
			t.Errorf("%s: no tool line for %s/%s", s, s.Module, s.Package)
		}
	}
	want := map[string]string{
		"kube-controller-manager 1.37": "v1.37.2", "kube-controller-manager 1.23": "v1.23.5",
		"cluster-version-operator 4.11": "4.11.0-0.20230322131514.c659e6ccaca7",
	}
	for name, version := range want {
		if versions[name] != version {
			t.Errorf("%s: version %q, want %q", name, versions[name], version)
		}
	}
	if pins, err := RigPins(root); err != nil || len(pins) == 0 {
		t.Errorf("rig pins: %d, %v", len(pins), err)
	}
}

func TestDescribed(t *testing.T) {
	for in, want := range map[string]string{
		"v1.2.3": "v1.2.3", "v1.2.3-14-gabcdef012345": "v1.2.3-14.gabcdef012345",
		"v1.2.3-rc.1-14-gabcdef012345": "v1.2.3-rc.1-14.gabcdef012345", "v1.2.3-rc.1": "v1.2.3-rc.1",
	} {
		if got := described(in); got != want {
			t.Errorf("described(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestStagingModules(t *testing.T) {
	p, err := series.Load(repoRoot(t) + "/cmd/carry/testdata/project/patches/kube-controller-manager/1.37")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"k8s.io/client-go"}, stagingModules(p)); diff != "" {
		t.Error(diff)
	}
}

func TestKeyKeepsPartsApart(t *testing.T) {
	if key("ab", "c") == key("a", "bc") || key("a") == key("a", "") {
		t.Error("different parts, same key")
	}
}

func TestWorse(t *testing.T) {
	base := outcomes{"p": "fail", "p A": "pass", "p B": "fail", "p C": "pass", "p D": "pass"}
	patched := outcomes{"p": "fail", "p A": "pass", "p B": "pass", "p C": "fail", "p New": "pass", "p NewToo": "fail"}
	want := []string{
		"p C: pass on base, fail on patched", "p D: pass on base, missing on patched", "p NewToo: fail on patched, not on base at all",
	}
	var got []string
	for _, d := range worse(base, patched) {
		got = append(got, d.String())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(TestCounts{Passed: 3, Failed: []string{"p", "p B"}}, counts(base)); diff != "" {
		t.Error(diff)
	}
}
