package sweep

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"carry/internal/controlplane"
	"carry/tests/integration"
)

// sweep is one run of the command.
type sweep struct {
	Options
	choice  Choice
	subject Subject
	config  controlplane.Config
	dir     string
	planes  []*plane
	runner  *runner
	plan    Plan // empty until learned
	out     io.Writer
}

// Run sweeps, reports, and gives an error when something is bad or missing.
func Run(ctx context.Context, o Options, out io.Writer) error {
	s, err := prepare(o, out)
	if err != nil {
		return err
	}
	if o.Merge != "" {
		return s.merged()
	}
	if o.Names {
		return s.list()
	}
	store, err := openStore(filepath.Join(s.dir, "results.jsonl"), s.subject)
	if err != nil {
		return err
	}
	defer store.Close()
	defer s.stop()
	todo, planned, err := s.cells(ctx, store)
	if err == nil {
		err = s.sweep(ctx, todo, store)
	}
	interrupted := ctx.Err() != nil // whatever that has become on its way here
	switch {
	case interrupted && planned == nil:
		return errors.New("interrupted before the plan was learned: nothing to keep")
	case err != nil && !interrupted:
		return err
	}
	return s.report(planned, store.all, interrupted)
}

// prepare checks everything that can be checked before something is started.
func prepare(o Options, out io.Writer) (*sweep, error) {
	choice, err := o.choice()
	if err != nil {
		return nil, err
	}
	if o.Root, err = filepath.Abs(o.Root); err != nil {
		return nil, fmt.Errorf("find repository: %w", err)
	}
	if err := o.checkStream(); err != nil {
		return nil, err
	}
	if o.Cell != "" {
		c, err := parseCell(o.Cell)
		if err != nil {
			return nil, err
		}
		if c.Stream != o.Stream {
			return nil, fmt.Errorf("cell %q is of another stream than %s", o.Cell, o.Stream)
		}
	}
	s := &sweep{Options: o, choice: choice, out: out, runner: &runner{
		stream: o.Stream, binaries: map[string]string{}, normal: map[string]normal{},
	}}
	for _, side := range sides {
		b, err := integration.FindBinaries(o.Root, component, o.Stream, side)
		if err != nil {
			return nil, err
		}
		s.runner.binaries[side] = b.Component
		s.config.Etcd, s.config.APIServer = b.Etcd, b.APIServer
	}
	s.subject.Stream = o.Stream
	if s.subject.Series, err = integration.BuiltSeries(o.Root, component, o.Stream); err != nil {
		return nil, err
	}
	s.dir = o.out(s.subject)
	s.runner.kept = filepath.Join(s.dir, "logs")
	return s, s.findPlan()
}

// findPlan finds the windows without learning them, if it can.
func (s *sweep) findPlan() (err error) {
	switch {
	case s.Subset != "":
		if s.Stream != "1.37" {
			return fmt.Errorf("the short subset is of stream 1.37, not %s", s.Stream)
		}
		s.plan, err = shortPlan(s.subject.Series)
		return err
	case s.Plan != "":
		s.plan, err = readPlan(s.Plan, s.Stream)
		return err
	}
	s.plan, err = readPlan(s.planFile(), s.Stream)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

func (s *sweep) planFile() string { return filepath.Join(s.dir, "plan.json") }

// cells starts the control planes, learns and gives what is planned, and what
// of it has no result yet.
func (s *sweep) cells(ctx context.Context, store *Store) (todo, planned []Cell, err error) {
	known := len(s.plan.Learned) > 0
	if known {
		if planned, err = s.planned(); err != nil {
			return nil, nil, err
		}
		if todo = s.todo(planned, store); len(todo) == 0 {
			return nil, planned, nil
		}
	}
	if err := s.start(ctx, todo); err != nil {
		return nil, planned, err
	}
	if err := s.learn(ctx, todo); err != nil {
		return nil, planned, err
	}
	if !known {
		if err := writePlan(s.planFile(), s.plan); err != nil {
			return nil, nil, err
		}
		if planned, err = s.planned(); err != nil {
			return nil, nil, err
		}
		todo = s.todo(planned, store)
	}
	return todo, planned, nil
}

func (s *sweep) planned() ([]Cell, error) {
	if s.Cell != "" {
		c, err := s.plan.Find(s.Cell)
		return []Cell{c}, err
	}
	if s.Subset != "" {
		return shortCells(s.plan), nil
	}
	return s.plan.Cells(s.choice), nil
}

// todo leaves out what is known; a cell that is asked for by name, and the
// subset, run each time.
func (s *sweep) todo(planned []Cell, store *Store) []Cell {
	if s.Again || s.Cell != "" || s.Subset != "" {
		return planned
	}
	return slices.DeleteFunc(slices.Clone(planned), func(c Cell) bool { return store.Known(c.Name()) })
}

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
		group.Go(func() { s.planes[i], errs[i] = startPlane(ctx, s.config, i, port) })
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
	if _, err := s.runner.round(ctx, s.planes, patched, restart); err != nil {
		return fmt.Errorf("warm up: %w", err)
	}
	unknown := len(s.plan.Learned) == 0
	plan := Plan{Stream: s.Stream, Series: s.subject.Series}
	for _, start := range starts {
		for _, side := range sides {
			needed := slices.ContainsFunc(todo, func(c Cell) bool { return c.Side == side && c.Start == start })
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
			plan.Learned = append(plan.Learned, Learned{Side: side, Start: start, Runs: n.runs, Windows: n.windows, Rare: n.rare})
			fmt.Fprintf(s.out, "without a fault: %-7s %-7s %d starts, %d windows in all, %d rare; functional after %.1f s\n",
				side, start, n.runs, len(n.windows), len(n.rare), n.functional.Seconds())
		}
	}
	if unknown {
		s.plan = plan
	}
	return s.healFor(ctx, todo)
}

// healFor makes the service accounts again that learning fresh starts may have
// left out, for restarts to find.
func (s *sweep) healFor(ctx context.Context, todo []Cell) error {
	_, learned := s.runner.normal[patched+" "+fresh]
	if todo != nil && !slices.ContainsFunc(todo, func(c Cell) bool { return c.Start == restart }) || !learned {
		return nil
	}
	_, err := s.runner.round(ctx, s.planes, patched, restart)
	return err
}

func (s *sweep) list() error {
	if len(s.plan.Learned) == 0 {
		return errors.New("no plan of this series is there to list\nnext: run the sweep, or name a file with -plan")
	}
	cells, err := s.planned()
	for _, c := range cells {
		fmt.Fprintln(s.out, c.Name())
	}
	return err
}
