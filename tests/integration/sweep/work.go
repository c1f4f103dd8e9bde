package sweep

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// sweep runs the phases.
func (s *sweep) sweep(ctx context.Context, todo []Cell, store *Store) (err error) {
	if len(todo) == 0 {
		return ctx.Err()
	}
	go s.runner.pulse.beat(ctx)
	p := newProgress(s.out, len(todo), s.planes)
	defer func() { err = errors.Join(err, store.AddTook(p.end())) }()
	for i, phase := range phases(todo, len(s.planes)) {
		planes := s.planes[:phase.width]
		if start := phase.cells[0].Start; i > 0 && start == s.component.inherits { // after others
			if _, err := s.runner.round(ctx, planes, patched, start); err != nil {
				return err
			}
		}
		if err := s.crowd(ctx, planes, phase.cells, store, p); err != nil {
			return err
		}
	}
	return nil
}

// crowd hands cells to control planes, one at a time to each.
func (s *sweep) crowd(ctx context.Context, planes []*plane, todo []Cell, store *Store, p *progress) error {
	cells := make(chan Cell)
	errs := make(chan error, len(planes))
	var group sync.WaitGroup
	for _, plane := range planes {
		group.Go(func() {
			if err := s.work(ctx, plane, cells, store, p); err != nil {
				errs <- err
			}
		})
	}
	finished := make(chan struct{})
	go func() { group.Wait(); close(finished) }()
	s.deal(ctx, todo, cells, finished)
	<-finished
	close(errs)
	for err := range errs {
		return err
	}
	return ctx.Err()
}

// deal gives the cells away in order, until there is nobody to take them.
func (s *sweep) deal(ctx context.Context, todo []Cell, cells chan<- Cell, finished <-chan struct{}) {
	defer close(cells)
	for _, c := range todo {
		select {
		case cells <- c:
		case <-finished:
			return
		case <-ctx.Done():
			return
		}
	}
}

// work runs cells on one control plane while that lives. What an interrupt
// broke off is no result.
func (s *sweep) work(ctx context.Context, plane *plane, cells <-chan Cell, store *Store, p *progress) error {
	for c := range cells {
		r, broke := s.runCell(ctx, plane, c)
		if ctx.Err() != nil {
			return nil
		}
		if err := store.Add(r); err != nil {
			return err
		}
		p.done(r)
		if broke != nil {
			return fmt.Errorf("control plane: %w", broke)
		}
	}
	return nil
}
