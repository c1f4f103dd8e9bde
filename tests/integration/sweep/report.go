package sweep

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Report is all that is shown of a sweep. The same results give the same
// bytes.
type Report struct {
	Component string   `json:"component,omitempty"` // empty: kube-controller-manager
	Stream    string   `json:"stream"`
	Series    string   `json:"series"`
	Seed      int64    `json:"seed"`
	Thin      bool     `json:"thin,omitempty"` // base's fresh, or default, starts in one window of each family only
	Planned   int      `json:"planned"`
	Missing   []string `json:"missing"` // planned cells without a result
	Totals    []Total  `json:"totals"`
	Results   []Result `json:"results"`
}

// Total counts the outcomes of one side, start, kind and length. Rare windows
// are counted neither way.
type Total struct {
	Side       string `json:"side"`
	Start      string `json:"start"`
	Kind       string `json:"kind"`
	Cells      int    `json:"cells"`
	Survived   int    `json:"survived"`
	Exited     int    `json:"exited"`
	Stuck      int    `json:"stuck"`
	Wrong      int    `json:"wrong,omitempty"`
	NotReached int    `json:"notReached"`
	Unknown    int    `json:"unknown"`
}

// newReport takes the results of the planned cells.
func newReport(subject Subject, seed int64, planned []Cell, results map[string]Result) Report {
	r := Report{Component: subject.Component, Stream: subject.Stream, Series: subject.Series, Seed: seed, Planned: len(planned), Missing: []string{}, Results: []Result{}}
	totals := map[[3]string]*Total{}
	for _, c := range planned {
		result, ok := results[c.Name()]
		if !ok {
			r.Missing = append(r.Missing, c.Name())
			continue
		}
		r.Results = append(r.Results, result)
		if c.Rare {
			continue
		}
		key := [3]string{c.Side, c.Start, c.column()}
		if totals[key] == nil {
			totals[key] = &Total{Side: c.Side, Start: c.Start, Kind: c.column()}
		}
		totals[key].count(result)
	}
	for _, t := range totals {
		r.Totals = append(r.Totals, *t)
	}
	slices.Sort(r.Missing)
	slices.SortFunc(r.Results, func(a, b Result) int { return cmp.Compare(a.Cell, b.Cell) })
	slices.SortFunc(r.Totals, func(a, b Total) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(b.Start, a.Start), cmp.Compare(a.Side, b.Side))
	})
	return r
}

func (t *Total) count(r Result) {
	t.Cells++
	switch r.Outcome {
	case survived:
		t.Survived++
	case exited:
		t.Exited++
	case stuck:
		t.Stuck++
	case wrong:
		t.Wrong++
	case notReached:
		t.NotReached++
	default:
		t.Unknown++
	}
}

func (t Total) String() string {
	return fmt.Sprintf("%-8s %-8s %-28s %4d cells: %d survived, %d exited, %d stuck, %d wrong, %d not reached, %d unknown",
		t.Side, t.Start, t.Kind, t.Cells, t.Survived, t.Exited, t.Stuck, t.Wrong, t.NotReached, t.Unknown)
}

// Name is the component's.
func (r Report) Name() string { return named(r.Component).name }

// Decides says that the component can decide wrongly.
func (r Report) Decides() bool { return named(r.Component).decides }

// Thinned says what Thin has left out.
func (r Report) Thinned() string { return strings.TrimPrefix(named(r.Component).thinned(), "base") }

// Stalled are the cells in which the machine let nothing run for too long.
func (r Report) Stalled() []Result {
	return slices.DeleteFunc(slices.Clone(r.Results), func(r Result) bool { return !r.stalled() })
}

// write puts the three forms into a folder that it makes.
func (r Report) write(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make folder of report: %w", err)
	}
	page, err := r.html()
	if err != nil {
		return err
	}
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("encode report: %w", err)
	}
	suites, err := r.junit()
	if err != nil {
		return err
	}
	for name, content := range map[string][]byte{"sweep.json": append(data, '\n'), "sweep.xml": suites, "sweep.html": page} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			return fmt.Errorf("write report: %w", err)
		}
	}
	return nil
}
