package sweep

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// examplePlan has three windows in two families, and a rare one.
func examplePlan(t *testing.T) Plan {
	t.Helper()
	ws := windowsNamed(t, "GET /api #1", "GET "+accounts+"/a #1", "GET "+accounts+"/b #1")
	rare := windowsNamed(t, "GET /apis #3")
	p := Plan{Stream: "1.37", Series: "abc"}
	for _, start := range kcm().starts {
		for _, side := range sides {
			p.Learned = append(p.Learned, Learned{Side: side, Start: start, Runs: 5, Windows: ws, Rare: rare})
		}
	}
	return p
}

func names(cells []Cell) []string {
	var all []string
	for _, c := range cells {
		all = append(all, c.Name())
	}
	return all
}

func TestCellsOfASeed(t *testing.T) {
	t.Parallel()
	p := examplePlan(t)
	one, again, other := names(p.Cells(Choice{Seed: 1})), names(p.Cells(Choice{Seed: 1})), names(p.Cells(Choice{Seed: 2}))
	if diff := cmp.Diff(one, again); diff != "" {
		t.Errorf("the same seed gives another plan:\n%s", diff)
	}
	if slices.Equal(one, other) {
		t.Error("another seed gives the same order")
	}
	if sorted := slices.Sorted(slices.Values(one)); len(slices.Compact(sorted)) != len(one) {
		t.Error("a name stands for two cells")
	}
	i := slices.IndexFunc(one, func(name string) bool { return strings.Contains(name, "/fresh/") })
	if slices.ContainsFunc(one[i:], func(name string) bool { return strings.Contains(name, "/restart/") }) {
		t.Error("a restart comes after a fresh start")
	}
}

func TestCellsOfKinds(t *testing.T) {
	t.Parallel()
	tests := []struct {
		kind string
		side string
		want int
	}{
		{"refused", patched, (3 + 1 + 3 + 2) * 2}, // 12 s everywhere, and where it is rare; 1 s everywhere; 6 s in families
		{"refused", base, 3 * 2},
		{"unavailable", base, 3 * 2},
		{"reset", patched, 2 * 2},
		{"reset", base, 0},
		{"empty-discovery", patched, 1 * 2}, // meets nothing else
		{"legacy-empty-discovery", patched, 1 * 2},
		{"reset-after", patched, 0}, // none of them writes
		{"unhealthy", patched, 0},
	}
	for _, test := range tests {
		got := names(examplePlan(t).Cells(Choice{Sides: []string{test.side}, Kinds: []string{test.kind}}))
		if len(got) != test.want {
			t.Errorf("%s on %s: %d cells, want %d:\n%s", test.kind, test.side, len(got), test.want, strings.Join(got, "\n"))
		}
	}
	if got := len(examplePlan(t).Cells(Choice{Sides: []string{base}, Kinds: []string{"refused"}, Thin: true})); got != 3+2 {
		t.Errorf("thin: %d cells, want 5", got)
	}
}

func TestShardsAreTheWhole(t *testing.T) {
	t.Parallel()
	p := examplePlan(t)
	var parts []string
	for i := range 3 {
		parts = append(parts, names(p.Cells(Choice{Shard: i, Shards: 3}))...)
	}
	whole := names(p.Cells(Choice{}))
	slices.Sort(parts)
	slices.Sort(whole)
	if diff := cmp.Diff(whole, parts); diff != "" {
		t.Errorf("shards (-whole +parts):\n%s", diff)
	}
}

func TestCellNames(t *testing.T) {
	t.Parallel()
	p := examplePlan(t)
	for _, c := range p.Cells(Choice{}) {
		got, err := p.Find(c.Name())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.Name(), diff)
		}
	}
	tests := []struct{ name, wantErr string }{
		{"nonsense", "want STREAM/SIDE/START"},
		{"1.37/neither/restart/refused-12s/GET /api #1", "side is base or patched"},
		{"1.37/base/restart/refused/GET /api #1", "want a kind and a length"},
		{"1.37/base/restart/refused-x/GET /api #1", "want a length"},
		{"1.37/base/restart/refused--1s/GET /api #1", "no kind"},
		{"1.37/base/restart/bored-12s/GET /api #1", `no kind "bored"`},
		{"1.37/base/restart/refused-12s/api", "parse window"},
		{"1.37/base/restart/refused-12s/GET /api #9", "no such window"},
		{"1.23/base/restart/refused-12s/GET /api #1", "no such window"},
	}
	for _, test := range tests {
		_, err := p.Find(test.name)
		wantError(t, err, test.wantErr)
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: more than a line: %v", test.name, err)
		}
	}
	if _, err := p.Find("1.37/base/restart/reset-3s/GET /api #1"); err != nil {
		t.Errorf("a cell that no wave has: %v", err)
	}
}

func wantError(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
}

func TestPlanFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "some", "plan.json")
	want := examplePlan(t)
	if err := writePlan(file, want); err != nil {
		t.Fatal(err)
	}
	got, err := readPlan(file, Subject{Stream: "1.37"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("plan (-want +got):\n%s", diff)
	}
	_, err = readPlan(file, Subject{Stream: "1.23"})
	wantError(t, err, `is of stream "1.37", not 1.23`)
	if err := os.WriteFile(file, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = readPlan(file, Subject{Stream: "1.37"})
	wantError(t, err, "read plan "+file)
}

func TestResultsAreJSON(t *testing.T) {
	t.Parallel()
	data, err := json.Marshal(Result{Cell: "c", Outcome: survived, Felt: 1, Starts: 1, Seconds: 2.5})
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"cell":"c","outcome":"survived","felt":1,"starts":1,"seconds":2.5}`; string(data) != want {
		t.Errorf("%s, want %s", data, want)
	}
}
