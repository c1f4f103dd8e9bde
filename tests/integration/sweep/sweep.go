package sweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"carry/internal/controlplane"
)

// sweep is one run of the command.
type sweep struct {
	Options
	component component
	choice    Choice
	subject   Subject
	config    controlplane.Config
	dir       string
	planes    []*plane
	runner    *runner
	plan      Plan                                                // empty until learned
	perStart  time.Duration                                       // CPU time of a start without a fault, as learned
	runCell   func(context.Context, *plane, Cell) (Result, error) // an error is of the control plane
	out       io.Writer
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
	if err != nil && (planned == nil || ctx.Err() == nil) {
		return cmp.Or(interrupted(ctx), err)
	}
	return s.finish(ctx, todo, planned, store)
}

// interrupted is what an interrupt leaves that came before the plan; nil
// without one.
func interrupted(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return errors.New("interrupted before the plan was learned: nothing to keep")
}

// finish runs the cells and reports, also after an interrupt, which keeps what
// there is.
func (s *sweep) finish(ctx context.Context, todo, planned []Cell, store *Store) error {
	if ctx.Err() == nil {
		todo, planned = s.fit(todo, planned)
		if err := s.sweep(ctx, todo, store); err != nil && ctx.Err() == nil {
			return err
		}
	}
	return s.report(planned, store.all, store.took, ctx.Err() != nil)
}

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
