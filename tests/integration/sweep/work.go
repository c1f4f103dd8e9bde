package sweep

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
)

// sweep hands the cells to the control planes, one at a time to each.
func (s *sweep) sweep(ctx context.Context, todo []Cell, store *Store) error {
	if len(todo) == 0 {
		return ctx.Err()
	}
	p := newProgress(s.out, len(todo), s.planes)
	cells := make(chan Cell)
	errs := make(chan error, len(s.planes)+1)
	var group sync.WaitGroup
	for _, plane := range s.planes {
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
	p.end()
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
		r := s.runner.run(ctx, plane, c)
		if ctx.Err() != nil {
			return nil
		}
		if err := store.Add(r); err != nil {
			return err
		}
		p.done(r)
		if err := plane.Running(); err != nil {
			return fmt.Errorf("control plane: %w", err)
		}
	}
	return nil
}

// progressTick is how often the count is printed.
const progressTick = 15 * time.Second

// progress tells how far a sweep is.
type progress struct {
	out    io.Writer
	total  int
	planes []*plane
	begun  time.Time
	cpu    time.Duration

	mu       sync.Mutex
	finished int
	printed  time.Time
	measured bool
}

func newProgress(out io.Writer, total int, planes []*plane) *progress {
	now := time.Now()
	fmt.Fprintf(out, "%d cells on %d control planes\n", total, len(planes))
	return &progress{out: out, total: total, planes: planes, begun: now, printed: now, cpu: spent(planes)}
}

func (p *progress) done(r Result) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.finished++
	if bad(r) {
		fmt.Fprintf(p.out, "BAD %s: %s\n", r.Cell, r.say())
	}
	if !p.measured && p.finished >= 2*len(p.planes) { // the first ones all start at once
		p.measured = true
		fmt.Fprintf(p.out, "CPU per cell: %.1f s, %d cores; all cells need %s of CPU\n",
			p.perCell(), runtime.NumCPU(), (time.Duration(p.perCell()*float64(p.total)) * time.Second).Round(time.Second))
	}
	if time.Since(p.printed) >= progressTick {
		p.printed = time.Now()
		left := time.Duration(float64(time.Since(p.begun)) / float64(p.finished) * float64(p.total-p.finished))
		fmt.Fprintf(p.out, "%d/%d cells, about %s left\n", p.finished, p.total, left.Round(time.Second))
	}
}

func (p *progress) perCell() float64 {
	return (spent(p.planes) - p.cpu).Seconds() / float64(max(p.finished, 1))
}

func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintf(p.out, "%d/%d cells in %s, %.1f s of CPU per cell\n",
		p.finished, p.total, time.Since(p.begun).Round(time.Second), p.perCell())
}

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
	if err := merge(all, s.subject, strings.Split(s.Merge, ",")); err != nil {
		return err
	}
	return s.report(planned, all, false)
}

// report writes and sums up, and gives an error for what is bad or missing.
func (s *sweep) report(planned []Cell, results map[string]Result, interrupted bool) error {
	r := newReport(s.subject, s.choice.Seed, planned, results)
	if s.Cell != "" { // a look at one cell leaves the report of all as it is
		for _, result := range r.Results {
			fmt.Fprintf(s.out, "%s: %s\n", result.Cell, result.say())
		}
	} else if err := r.write(s.dir); err != nil {
		return err
	}
	for _, t := range r.Totals {
		fmt.Fprintln(s.out, t)
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
