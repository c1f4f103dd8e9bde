package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"carry/internal/controlplane"
	"carry/internal/faults"
)

const (
	waiting = 15 * time.Second // how long the API is away
	window  = 10 * time.Second // the busiest one is looked for after that

	healthTick = 50 * time.Millisecond
)

// A strain is a trouble, and when it comes.
type strain struct {
	phase string
	fault string // in the words of faults.ParseFault; empty: none
}

const (
	atStart = "start" // the component starts into it
	running = "running"
)

// strains: a port that refuses, one that accepts and never shakes hands, and
// an API that answers 503; and none, which the others are compared with.
var strains = []strain{
	{atStart, ""},
	{atStart, "refused"}, {atStart, "tls-hang"}, {atStart, "unavailable"},
	{running, "refused"}, {running, "tls-hang"}, {running, "unavailable"},
}

// Load is what one process does, and takes, while the API is away and right
// after.
type Load struct {
	Side  string  `json:"side"`
	Phase string  `json:"phase"`           // start: the process starts into the outage; running: it comes later
	Fault string  `json:"fault,omitempty"` // empty: no outage
	Wait  float64 `json:"wait"`            // seconds that the process met the outage
	Exit  string  `json:"exit,omitempty"`  // how it ended; empty: it did not

	// Healthy is seconds from the start of the process to the first 200 of its
	// /healthz; 0: there was none before it ended or worked, or the trouble came later.
	Healthy float64 `json:"healthy,omitempty"`

	Dials    *Dials  `json:"dials,omitempty"` // in the outage; nil: could not be counted
	Requests float64 `json:"requests"`        // per second of the outage, as far as they reached the proxy
	// After counts the requests of the busiest 10 s from the return on, without
	// an outage from the first request on, to the end of the first 10 s or to
	// functional, whichever is later; Peak those of the busiest second. Both are
	// 0 where the process had ended.
	After int `json:"after"`
	Peak  int `json:"peak"`
	// Seconds from the return, or the first request, to functional.
	Seconds float64 `json:"seconds"`

	RSSWaiting    float64 `json:"rssWaiting,omitempty"`    // MiB at the end of the outage
	RSSFunctional float64 `json:"rssFunctional,omitempty"` // MiB
	Connections   int     `json:"connections,omitempty"`   // open to the API when functional
}

func (s strain) String() string {
	switch {
	case s.fault == "":
		return "no fault"
	case s.phase == running:
		return s.fault + " while running"
	}
	return s.fault + " at start"
}

func (s strain) name(side string) string { return fmt.Sprintf("load, %s, %s", s, side) }

func (l Load) strain() strain { return strain{l.Phase, l.Fault} }

// spell is one process under one strain.
type spell struct {
	plane   *plane
	way     way
	dials   *dialCounter // nil: cannot be counted
	process *controlplane.Process
	demand  demand
	load    Load
}

// load runs one side under a strain. That base ends is a figure, that patched
// does is an error.
func (b *kcmBench) load(ctx context.Context, p *plane, s strain, side string) (l Load, err error) {
	ctx, cancel := context.WithTimeout(ctx, 2*startLimit)
	defer cancel()
	sp := &spell{plane: p, load: Load{Side: side, Phase: s.phase, Fault: s.fault}}
	if sp.demand, sp.way, err = p.ready(ctx, b.Start); err != nil {
		return l, err
	}
	defer func() { err = errors.Join(err, sp.way.Close()) }()
	if sp.dials, err = countDials(sp.way.port); err != nil {
		b.cannotCount(err)
	}
	defer func() { err = errors.Join(err, sp.dials.Close()) }()
	if err := sp.run(ctx, b.binaries[side], s); err != nil {
		var exit *controlplane.ExitedError
		if side == patched || !errors.As(err, &exit) || exit.Name != sp.process.Name() {
			return l, err
		}
		sp.load.Exit = exit.Exit.String()
		return sp.load, nil
	}
	p.undone = false
	return sp.load, nil
}

// run takes the process through it, from its start to the end of the window.
func (sp *spell) run(ctx context.Context, binary string, s strain) (err error) {
	var armed *faults.Armed
	if s.fault != "" && s.phase == atStart {
		if armed, err = sp.refuse(s.fault); err != nil {
			return err
		}
	}
	var flags []string
	if s.phase == running {
		flags = longLease
	}
	begin := time.Now()
	if sp.process, err = sp.plane.launch(binary, sp.way, flags...); err != nil {
		return err
	}
	defer sp.process.Stop()
	if s.phase == atStart {
		defer sp.untilHealthy(ctx, begin)()
	}
	switch {
	case s.fault == "":
		return sp.plain(ctx)
	case s.phase == running:
		if armed, begin, err = sp.untilRunning(ctx, s.fault); err != nil {
			return err
		}
	}
	err = sp.wait(ctx, begin)
	armed.Allow()
	if err != nil {
		return err
	}
	return sp.watch(ctx, time.Now())
}

// untilHealthy asks for the health of the process until it is good; the function
// that it gives ends that.
func (sp *spell) untilHealthy(ctx context.Context, began time.Time) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		err := controlplane.Poll(ctx, "/healthz to answer 200", healthTick, func(ctx context.Context) (bool, string, error) {
			err := sp.plane.healthy(ctx)
			return err == nil, fmt.Sprint(err), nil
		}, sp.process)
		if err == nil {
			sp.load.Healthy = rounded(time.Since(began).Seconds())
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

func (sp *spell) refuse(fault string) (*faults.Armed, error) {
	f, err := faults.ParseFault(fault)
	if err != nil {
		return nil, err
	}
	return sp.way.Refuse(f, faults.Trigger{}), nil
}

// plain watches a start without a fault from its first request on.
func (sp *spell) plain(ctx context.Context) error {
	first, err := sp.way.WaitRequest(ctx, 0, faults.Match{})
	if err != nil {
		return fmt.Errorf("wait for the first request: %w", errors.Join(err, sp.process.Running()))
	}
	return sp.watch(ctx, first.Time)
}

// untilRunning lets the process meet a first demand and refuses it then, with
// a new one to meet when the API is back.
func (sp *spell) untilRunning(ctx context.Context, fault string) (armed *faults.Armed, begin time.Time, err error) {
	if err := sp.functional(ctx); err != nil {
		return nil, begin, err
	}
	if err := sp.plane.gone(ctx, sp.demand); err != nil {
		return nil, begin, err
	}
	begin = time.Now()
	if armed, err = sp.refuse(fault); err != nil {
		return nil, begin, err
	}
	sp.demand, err = sp.plane.demand(ctx)
	return armed, begin, err
}

func (sp *spell) functional(ctx context.Context) error {
	return functional(ctx, sp.way, sp.demand, sp.process, sp.plane.Etcd, sp.plane.APIServer)
}

// wait lasts as long as the outage, or the process, and takes the figures of
// that time.
func (sp *spell) wait(ctx context.Context, begin time.Time) error {
	if err := lasts(ctx, sp.process, begin.Add(waiting)); err != nil {
		return err
	}
	end := time.Now()
	sp.load.Wait = rounded(end.Sub(begin).Seconds())
	if sp.dials != nil {
		sp.load.Dials = dialsOf(sp.dials.between(begin, end), end)
	}
	sp.load.Requests = rounded(float64(len(within(sp.way.Requests(), begin, end))) / end.Sub(begin).Seconds())
	sp.load.RSSWaiting = rounded(rss(sp.process.PID()))
	return sp.process.Running()
}

// watch waits until the process is functional, and for the end of the window.
func (sp *spell) watch(ctx context.Context, returned time.Time) error {
	if err := sp.functional(ctx); err != nil {
		return err
	}
	sp.load.Seconds = rounded(time.Since(returned).Seconds())
	sp.load.RSSFunctional = rounded(rss(sp.process.PID()))
	var err error
	if sp.load.Connections, err = connections(sp.way.port); err != nil {
		return err
	}
	if err := errors.Join(lasts(ctx, sp.process, returned.Add(window)), sp.process.Running()); err != nil {
		return err
	}
	times := within(sp.way.Requests(), returned, time.Now())
	sp.load.After, sp.load.Peak = peak(times, window), peak(times, time.Second)
	return sp.plane.gone(ctx, sp.demand)
}

// within are the times of the requests from one time to another.
func within(requests []faults.Request, from, to time.Time) []time.Time {
	var times []time.Time
	for _, r := range requests {
		if !r.Time.Before(from) && r.Time.Before(to) {
			times = append(times, r.Time)
		}
	}
	return times
}

// peak is the most that came within any stretch of this length.
func peak(times []time.Time, length time.Duration) int {
	slices.SortFunc(times, time.Time.Compare)
	most, first := 0, 0
	for i, t := range times {
		for !t.Before(times[first].Add(length)) {
			first++
		}
		most = max(most, i-first+1)
	}
	return most
}
