package sweep

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestPhases: what has the short lease comes last, and few at once.
func TestPhases(t *testing.T) {
	t.Parallel()
	cells := examplePlan(t).Cells(Choice{Sides: []string{patched}, Kinds: []string{"refused"}})
	tests := []struct {
		planes int
		widths []int
	}{{12, []int{12, narrow}}, {2, []int{2, 2}}}
	for _, test := range tests {
		var widths []int
		n := 0
		for i, p := range phases(cells, test.planes) {
			widths = append(widths, p.width)
			n += len(p.cells)
			for _, c := range p.cells {
				if c.shortLease() != (i == 1) {
					t.Errorf("phase %d has %s", i, c.Name())
				}
			}
		}
		if fmt.Sprint(widths) != fmt.Sprint(test.widths) || n != len(cells) {
			t.Errorf("%d planes: widths %v and %d cells, want %v and %d", test.planes, widths, n, test.widths, len(cells))
		}
	}
	if got := phases(nil, 2); len(got) != 0 {
		t.Errorf("of nothing: %v", got)
	}
}

// estimating is a sweep that has learned.
func estimating(t *testing.T, limit time.Duration, planes int) (*sweep, *bytes.Buffer) {
	t.Helper()
	var out bytes.Buffer
	s := &sweep{Options: Options{Limit: limit}, plan: examplePlan(t), planes: make([]*plane, planes), out: &out, runner: &runner{}, component: kcm()}
	s.perStart = 2 * time.Second
	return s, &out
}

func TestEstimate(t *testing.T) {
	t.Parallel()
	s, _ := estimating(t, 0, 2)
	cell := func(side, kind string) Cell {
		return Cell{Side: side, Start: restart, Kind: kind, Length: 12 * time.Second}
	}
	few := cell(patched, "refused")
	few.Length = 6 * time.Second
	tests := []struct {
		name     string
		cells    []Cell
		perStart time.Duration
		want     time.Duration
	}{
		{"one", []Cell{cell(patched, "refused")}, 2 * time.Second, 18 * time.Second}, // 12 + 2 + 2 x 2
		{"base does not heal", []Cell{cell(base, "refused")}, 2 * time.Second, 16 * time.Second},
		{"side by side", []Cell{cell(base, "refused"), cell(base, "refused")}, 2 * time.Second, 16 * time.Second},
		{"two faults", []Cell{cell(base, "refused-forbidden")}, 2 * time.Second, 19 * time.Second},
		{"two phases", []Cell{cell(base, "refused"), few}, time.Second, 25 * time.Second}, // 15 + 10
	}
	for _, test := range tests {
		s.perStart = test.perStart
		if got := s.estimate(test.cells); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// TestEstimateOfCPU: where all could wait side by side, the cores decide.
func TestEstimateOfCPU(t *testing.T) {
	t.Parallel()
	cells := slices.Repeat([]Cell{{Side: base, Start: restart, Kind: "refused", Length: 12 * time.Second}}, 20*runtime.NumCPU())
	s, _ := estimating(t, 0, len(cells))
	s.perStart = 10 * time.Second
	if got, want := s.estimate(cells), 20*14*time.Second; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestFit: only base is thinned, and only where it must be.
func TestFit(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		limit time.Duration
		thin  bool
	}{{"no limit", 0, false}, {"enough", 10 * time.Hour, false}, {"too little", time.Minute, true}}
	for _, test := range tests {
		s, out := estimating(t, test.limit, 2)
		all := s.plan.Cells(Choice{})
		todo, planned := s.fit(all, all)
		if thinned := len(planned) < len(all); thinned != test.thin || s.choice.Thin != test.thin || len(todo) != len(planned) {
			t.Errorf("%s: %d and %d of %d cells", test.name, len(todo), len(planned), len(all))
		}
		of := func(cells []Cell, side string) int {
			return strings.Count(strings.Join(names(cells), "\n"), "/"+side+"/")
		}
		if of(planned, patched) != of(all, patched) {
			t.Errorf("%s: patched has been thinned", test.name)
		}
		if want := len(s.plan.Cells(Choice{Thin: test.thin})); len(planned) != want {
			t.Errorf("%s: %d cells, want %d", test.name, len(planned), want)
		}
		if said := strings.Contains(out.String(), "base's fresh starts in one window of each family only"); said != test.thin {
			t.Errorf("%s: said %q", test.name, out)
		}
	}
}

// TestFitOfShards: each thins its own part, and together they are the thin plan.
func TestFitOfShards(t *testing.T) {
	t.Parallel()
	n := 0
	for i := range 3 {
		s, _ := estimating(t, time.Minute, 1)
		s.choice = Choice{Shard: i, Shards: 3}
		mine := s.plan.Cells(s.choice)
		_, planned := s.fit(mine, mine)
		n += len(planned)
	}
	if want := len(examplePlan(t).Cells(Choice{Thin: true})); n != want {
		t.Errorf("%d cells, want %d", n, want)
	}
}
