package sweep

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"carry/internal/controlplane"
)

// start brings the control planes up, all at once. No cells yet: all that are
// allowed.
func (s *sweep) start(ctx context.Context, todo []Cell) error {
	n := s.Workers
	if todo != nil {
		n = min(n, len(todo))
	}
	pki, err := controlplane.NewPKI()
	if err != nil {
		return err
	}
	s.config.PKI = pki
	if s.config.Dir, err = s.runs(); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "starting %d control planes\n", n)
	s.planes = make([]*plane, n)
	errs := make([]error, n)
	var group sync.WaitGroup
	for i := range n {
		port := s.Port
		if port > 0 {
			port += i
		}
		group.Go(func() { s.planes[i], errs[i] = s.startPlane(ctx, i, port) })
	}
	group.Wait()
	s.planes = slices.DeleteFunc(s.planes, func(p *plane) bool { return p == nil })
	return errors.Join(errs...)
}

func (s *sweep) runs() (string, error) {
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return "", fmt.Errorf("make folder of sweep: %w", err)
	}
	dir, err := os.MkdirTemp(s.dir, "run-")
	if err != nil {
		return "", fmt.Errorf("make folder of run: %w", err)
	}
	return dir, nil
}

// stop ends the control planes and removes what they leave.
func (s *sweep) stop() {
	var group sync.WaitGroup
	for _, p := range s.planes {
		group.Go(p.Stop)
	}
	group.Wait()
	if s.config.Dir != "" {
		_ = os.RemoveAll(s.config.Dir) // in the way of nobody
	}
}

// learn sees how starts without a fault go on these control planes, for every
// side and start that is needed, and takes the windows from them if the plan
// has none.
func (s *sweep) learn(ctx context.Context, todo []Cell) error {
	// The first start of a control plane makes what the later ones find.
	if _, err := s.runner.round(ctx, s.planes, patched, s.component.starts[0]); err != nil {
		return fmt.Errorf("warm up: %w", err)
	}
	before, count := spent(s.planes), 0
	unknown := len(s.plan.Learned) == 0
	plan := Plan{Component: s.component.kept(), Stream: s.Stream, Series: s.subject.Series}
	for _, start := range s.component.starts {
		for _, side := range sides {
			// Patched is measured by base.
			needed := slices.ContainsFunc(todo, func(c Cell) bool { return (c.Side == side || side == base) && c.Start == start })
			if !unknown && !needed {
				continue
			}
			atLeast := 1
			if unknown {
				atLeast = learnRuns
			}
			n, err := s.runner.learn(ctx, s.planes, side, start, atLeast)
			if err != nil {
				return err
			}
			s.runner.normal[side+" "+start] = n
			count += n.runs
			plan.Learned = append(plan.Learned, Learned{Side: side, Start: start, Runs: n.runs, Windows: n.windows, Rare: n.rare})
			fmt.Fprintf(s.out, "without a fault: %-7s %-7s %s\n", side, start, n)
		}
	}
	s.perStart = (spent(s.planes) - before) / time.Duration(max(count, 1))
	if unknown {
		s.plan = plan
	}
	return s.healFor(ctx, todo)
}

// healFor makes again what starts that inherit have to find, and what learning
// the others may have left out.
func (s *sweep) healFor(ctx context.Context, todo []Cell) error {
	start := s.component.inherits
	other := func(learned string) bool {
		return strings.HasPrefix(learned, patched+" ") && learned != patched+" "+start
	}
	needed := todo == nil || slices.ContainsFunc(todo, func(c Cell) bool { return c.Start == start })
	if start == "" || !needed || !slices.ContainsFunc(slices.Collect(maps.Keys(s.runner.normal)), other) {
		return nil
	}
	_, err := s.runner.round(ctx, s.planes, patched, start)
	return err
}
