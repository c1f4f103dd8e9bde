package sweep

import (
	"fmt"
	"runtime"
	"slices"
	"time"
)

// narrow is how many cells with OpenShift's short lease run at once, after all
// the others: in a crowd a machine stalls for longer than such a lease allows.
const narrow = 6

// phase is a part of a sweep with as many cells at once.
type phase struct {
	cells []Cell
	width int
}

// phases splits cells, in their order.
func phases(cells []Cell, planes int) []phase {
	var crowd, few []Cell
	for _, c := range cells {
		if c.shortLease() {
			few = append(few, c)
		} else {
			crowd = append(crowd, c)
		}
	}
	all := []phase{{crowd, planes}, {few, min(narrow, planes)}}
	return slices.DeleteFunc(all, func(p phase) bool { return len(p.cells) == 0 })
}

// around is what a cell takes beside the fault and the start: its namespaces,
// and the end of its process.
const around = 2 * time.Second

// lasts is about how long a cell takes of which nothing is waited for but
// CPU: that of a start, and of what patched, which survives, does after it.
func (s *sweep) lasts(c Cell) time.Duration {
	d := s.perStart + c.Length + around
	if k, err := kindNamed(c.Kind); err == nil && k.then != "" {
		d += after
	}
	if c.Side == patched {
		d += s.perStart
	}
	return d
}

// healing is by how much more of the cores a cell takes than a start without a
// fault: 1.2 for what it does after the return, and 1.2 for the time in which
// too few cells have something to do.
const healing = 1.4

// estimate is about how long cells take: what their waits make, or what their
// CPU does, whichever is more.
func (s *sweep) estimate(cells []Cell) time.Duration {
	var all time.Duration
	for _, p := range phases(cells, len(s.planes)) {
		var waits, longest time.Duration
		for _, c := range p.cells {
			d := s.lasts(c)
			waits, longest = waits+d, max(longest, d)
		}
		cpu := time.Duration(healing*float64(s.perStart)) * time.Duration(len(p.cells)) / time.Duration(runtime.NumCPU())
		all += max(waits/time.Duration(p.width), longest, cpu)
	}
	return all
}

// fit prints what the cells will take, and thins base where that is more than
// the limit; patched is never thinned.
func (s *sweep) fit(todo, planned []Cell) (less, plannedLess []Cell) {
	if len(todo) == 0 {
		return todo, planned
	}
	takes := s.estimate(todo)
	fmt.Fprintf(s.out, "a start takes %.1f s of CPU, of %d cores; %d cells take about %s\n",
		s.perStart.Seconds(), runtime.NumCPU(), len(todo), takes.Round(time.Minute))
	if s.Limit == 0 || takes <= s.Limit || s.choice.Thin || s.Cell != "" || s.Subset != "" {
		return todo, planned
	}
	s.choice.Thin = true
	whole := s.choice
	whole.Shard, whole.Shards = 0, 1 // a shard keeps what it has been dealt
	thin := map[string]bool{}
	for _, c := range s.plan.Cells(whole) {
		thin[c.Name()] = true
	}
	out := func(c Cell) bool { return !thin[c.Name()] }
	less, plannedLess = slices.DeleteFunc(slices.Clone(todo), out), slices.DeleteFunc(slices.Clone(planned), out)
	fmt.Fprintf(s.out, "that is more than %s: %s; %d cells take about %s\n",
		s.Limit, s.component.thinned(), len(less), s.estimate(less).Round(time.Minute))
	return less, plannedLess
}
