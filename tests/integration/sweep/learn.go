package sweep

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"carry/internal/faults"
)

// learnRuns is how many starts without a fault a plan is learned from.
const learnRuns = 5

// normal is how starts of one side and kind go without a fault, as many at
// once as the sweep has workers.
type normal struct {
	begun       time.Duration // from the first request to the last of the start
	functional  time.Duration // from the first request to functional
	asked       []string      // what all runs read
	objects     []string      // what all runs left
	connections int           // the most that a run had open at its end
	goroutines  int           // the most that a run had at its end; 0 where they are not counted
	runs        int
	windows     []Window
	rare        []Window
}

func (n normal) String() string {
	text := fmt.Sprintf("%d starts, %d windows in all, %d rare; functional after %.1f s, %d connections",
		n.runs, len(n.windows), len(n.rare), n.functional.Seconds(), n.connections)
	if n.goroutines > 0 {
		text += fmt.Sprintf(", %d goroutines", n.goroutines)
	}
	return text
}

// learned is one such start.
type learned struct {
	begun, functional time.Duration
	requests          []faults.Request // of the start alone
	objects           []string
	connections       int
	goroutines        int
}

// learn runs starts without a fault on all planes at once, at least as many as
// asked for.
func (r *runner) learn(ctx context.Context, planes []*plane, side, start string, atLeast int) (normal, error) {
	var runs []learned
	for len(runs) == 0 || len(runs) < atLeast {
		some, err := r.round(ctx, planes, side, start)
		if err != nil {
			return normal{}, fmt.Errorf("learn %s %s: %w", side, start, err)
		}
		runs = append(runs, some...)
	}
	return r.summarise(runs), nil
}

func (r *runner) round(ctx context.Context, planes []*plane, side, start string) ([]learned, error) {
	runs := make([]learned, len(planes))
	errs := make([]error, len(planes))
	var group sync.WaitGroup
	for i, p := range planes {
		group.Go(func() { runs[i], errs[i] = r.learnOne(ctx, p, Cell{Side: side, Start: start}) })
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return runs, nil
}

// learnOne is the start of a cell whose fault never comes. Its requests are
// those until it has done what a start does and calm has come; what it is asked
// for then is no part of a start.
func (r *runner) learnOne(ctx context.Context, p *plane, c Cell) (l learned, err error) {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	a, err := r.begin(ctx, p, c, func(*attempt) error { return nil })
	if err != nil {
		return learned{}, err
	}
	defer func() {
		if e := a.end(); err == nil {
			err = e
		}
		if e := p.keep(""); err == nil {
			err = e
		}
	}()
	if err := r.component.over(ctx, a); err != nil {
		return learned{}, err
	}
	ready := time.Now()
	if err := calm(ctx, a.proxy, a.process); err != nil {
		return learned{}, err
	}
	l.requests = a.proxy.Requests()
	first, last := l.requests[0].Time, l.requests[len(l.requests)-1].Time
	l.begun = last.Sub(first)
	asked := time.Now()
	if err := r.functional(ctx, a, nil); err != nil {
		return learned{}, err
	}
	l.functional = ready.Sub(first) + time.Since(asked)
	l.connections = a.proxy.Connections()
	if r.component.goroutines != nil {
		if l.goroutines, err = r.component.goroutines(ctx, p); err != nil {
			return learned{}, err
		}
	}
	l.objects, err = p.objects(ctx)
	return l, err
}

// summarise takes the times of the slowest, since the others of a crowd are no
// promise to it.
func (r *runner) summarise(runs []learned) normal {
	n := normal{runs: len(runs)}
	var windows [][]Window
	var asked, objects [][]string
	for _, run := range runs {
		n.begun = max(n.begun, run.begun)
		n.functional = max(n.functional, run.functional)
		windows = append(windows, r.component.windowsOf(run.requests))
		n.connections = max(n.connections, run.connections)
		n.goroutines = max(n.goroutines, run.goroutines)
		asked = append(asked, r.component.answered(run.requests))
		objects = append(objects, run.objects)
	}
	n.windows, n.rare = share(windows)
	n.asked, n.objects = common(asked), common(objects)
	return n
}

// common are the strings that all of the sorted lists have.
func common(lists [][]string) []string {
	var all []string
	for _, s := range lists[0] {
		in := func(list []string) bool { _, found := slices.BinarySearch(list, s); return found }
		if !slices.ContainsFunc(lists, func(list []string) bool { return !in(list) }) {
			all = append(all, s)
		}
	}
	return all
}
