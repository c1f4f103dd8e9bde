package sweep

import (
	"fmt"
	"path/filepath"
	"strings"
)

// merged reports what several results files have together.
func (s *sweep) merged() error {
	if len(s.plan.Learned) == 0 {
		return fmt.Errorf("merge results: no plan\nnext: name the shards' plan with -plan")
	}
	planned, err := s.planned()
	if err != nil {
		return err
	}
	all := map[string]Result{}
	took, err := merge(all, s.subject, strings.Split(s.Merge, ","))
	if err != nil {
		return err
	}
	return s.report(planned, all, took, false)
}

// report writes and sums up, and gives an error for what is bad or missing.
func (s *sweep) report(planned []Cell, results map[string]Result, took Took, interrupted bool) error {
	r := newReport(s.subject, s.choice.Seed, planned, results)
	r.Thin = s.choice.Thin
	if s.Cell != "" { // a look at one cell leaves the report of all as it is
		for _, result := range r.Results {
			fmt.Fprintf(s.out, "%s: %s\n", result.Cell, result.say())
		}
	} else if err := r.write(s.dir); err != nil {
		return err
	}
	if s.Record != "" && !interrupted {
		if err := r.record(s.Record, took); err != nil {
			return err
		}
	}
	for _, t := range r.Totals {
		fmt.Fprintln(s.out, t)
	}
	if took.Cells > 0 {
		fmt.Fprintf(s.out, "in all, %s\n", took)
	}
	if n := len(r.Stalled()); n > 0 {
		fmt.Fprintf(s.out, "warning: in %d cells the machine stalled for more than 2 s; the page names them\n", n)
	}
	if s.Cell == "" {
		fmt.Fprintln(s.out, "report:", filepath.Join(s.dir, "sweep.html"))
	}
	switch {
	case interrupted:
		return fmt.Errorf("interrupted: %d of %d cells have no result, the first is %s\nnext: the same command goes on",
			len(r.Missing), r.Planned, first(r.Missing))
	case len(r.Missing) > 0:
		return fmt.Errorf("%d of %d cells have no result, the first is %s", len(r.Missing), r.Planned, first(r.Missing))
	case r.badCount() > 0:
		return fmt.Errorf("%d of %d cells are bad\nnext: run one again with -cell NAME; logs: %s", r.badCount(), r.Planned, s.runner.kept)
	}
	return nil
}

func first(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return names[0]
}
