// Package kubelet runs a component the way the kubelet runs a container: it starts it again when it ends, after a
// back-off that grows, and ends it when probes fail. It turns a process that dies of a refused API into what people
// see of it: restarts, and minutes that nothing happens.
package kubelet

import (
	"context"
	"fmt"
	"time"

	"k8s.io/client-go/util/flowcontrol"
)

// The kubelet's restart back-off: the first restart is immediate, then 10 s, doubling to 300 s. It starts over for a
// container that ended more than twice the maximum, 10 minutes, after its last start.
const (
	initialBackOff = 10 * time.Second
	maxBackOff     = 300 * time.Second
)

// Process is one run of the component.
type Process interface {
	// Done is closed when the process has ended.
	Done() <-chan struct{}
	// Stop ends it, by force if it has to, and returns when it is gone.
	Stop()
}

// Container says what to run and how to look after it.
type Container struct {
	Start func() (Process, error)
	// Startup is tried until it succeeds once; Liveness after that. nil: no such probe.
	Startup, Liveness *Probe
	// Factor divides the back-off and its reset, so that a story of minutes takes seconds; 0 means 1. Probes and the
	// component's own time are not scaled.
	Factor float64
	// Observe is told every event as it happens; nil: not wanted.
	Observe func(Event)
}

// Event is one step in a container's life.
type Event struct {
	At     time.Duration // real time since Run began
	Kind   string        // started, ended, startup, unhealthy (a probe failed for good), waiting
	Reason string        // why it ended or is unhealthy
	Wait   time.Duration // for waiting: the back-off as the kubelet would name it, unscaled
}

// Report is what happened until Run ended.
type Report struct {
	Events   []Event
	Restarts int
	// Waited is the sum of the back-offs, unscaled: the time in which the component was down and not trying.
	Waited time.Duration
	// Longest is the longest single back-off, unscaled.
	Longest time.Duration
}

// Lost is the time from the API's return to a component that works, as people would have seen it: the back-off in it
// counts as long as the kubelet's. Both moments are real times since Run began; factor is the container's.
func (r *Report) Lost(returned, works time.Duration, factor float64) time.Duration {
	var waited time.Duration
	for i, e := range r.Events {
		if e.Kind != "waiting" {
			continue
		}
		end := works
		if i+1 < len(r.Events) {
			end = min(r.Events[i+1].At, works)
		}
		waited += max(0, end-max(e.At, returned))
	}
	return time.Duration(float64(waited)*factor) + works - returned - waited
}

// Run looks after the container until ctx ends; the process is gone then. The error is one of starting it.
func (c *Container) Run(ctx context.Context) (*Report, error) {
	r := &run{Container: c, report: &Report{}, began: time.Now(), factor: c.Factor}
	if r.factor == 0 {
		r.factor = 1
	}
	r.backOff = flowcontrol.NewBackOff(r.scaled(initialBackOff), r.scaled(maxBackOff))
	for {
		ended, err := r.once(ctx)
		if err != nil || ctx.Err() != nil {
			return r.report, err
		}
		if !r.wait(ctx, ended) {
			return r.report, nil
		}
		r.report.Restarts++
	}
}

type run struct {
	*Container
	report  *Report
	began   time.Time
	factor  float64
	backOff *flowcontrol.Backoff
}

// id is the one container that the back-off knows.
const id = "container"

func (r *run) scaled(d time.Duration) time.Duration { return time.Duration(float64(d) / r.factor) }

func (r *run) observe(e Event) {
	e.At = time.Since(r.began)
	r.report.Events = append(r.report.Events, e)
	if r.Observe != nil {
		r.Observe(e)
	}
}

// once runs the process until it ends or is ended, and gives the time at which it was gone.
func (r *run) once(ctx context.Context) (time.Time, error) {
	p, err := r.Start()
	if err != nil {
		return time.Time{}, fmt.Errorf("start container: %w", err)
	}
	defer p.Stop()
	r.observe(Event{Kind: "started"})
	life, stop := context.WithCancel(ctx)
	defer stop()
	unhealthy := make(chan error, 1)
	go func() { unhealthy <- r.probe(life) }()
	reason := "exited"
	select {
	case <-p.Done():
	case <-ctx.Done():
		return time.Time{}, nil
	case err := <-unhealthy:
		if ctx.Err() != nil {
			return time.Time{}, nil
		}
		reason = err.Error()
		r.observe(Event{Kind: "unhealthy", Reason: reason})
		p.Stop()
	}
	ended := time.Now()
	r.observe(Event{Kind: "ended", Reason: reason})
	return ended, nil
}

// wait sits out the back-off of a container that ended; false when ctx ended first.
func (r *run) wait(ctx context.Context, ended time.Time) bool {
	if r.backOff.IsInBackOffSince(id, ended) {
		delay := r.backOff.Get(id)
		unscaled := time.Duration(float64(delay) * r.factor).Round(time.Second)
		defer func() { r.report.Waited += time.Duration(float64(time.Since(ended)) * r.factor).Round(time.Second) }()
		r.report.Longest = max(r.report.Longest, unscaled)
		r.observe(Event{Kind: "waiting", Wait: unscaled})
		timer := time.NewTimer(delay - time.Since(ended))
		defer timer.Stop()
		select {
		case <-ctx.Done():
			return false
		case <-timer.C:
		}
	}
	r.backOff.Next(id, ended)
	return true
}
