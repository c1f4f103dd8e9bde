package bench

import (
	"context"
	"errors"
	"time"

	"carry/internal/controlplane"
	"carry/internal/faults"
	"carry/tests/integration"
)

// operatorStrains: an API that answers 503, which a dial does not tell; and none, which the others are compared with.
var operatorStrains = []strain{{atStart, ""}, {atStart, "unavailable"}, {running, "unavailable"}}

// start is a single start without a fault in a cluster that has asked for tech preview before; it gives the time from
// its first request to the namespace that needs the gate, and the requests until then.
func (b *operatorBench) start(ctx context.Context, p *plane, side string) (took time.Duration, seen []faults.Request, err error) {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	w, process, err := b.launched(ctx, p, side, "")
	if err != nil {
		return 0, nil, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	defer process.Stop()
	if err := p.there(ctx, gatedPath); err != nil {
		return 0, nil, err
	}
	works := time.Now()
	seen = before(w.Requests(), works)
	return works.Sub(seen[0].Time), seen, nil
}

// launched starts the operator, as in an installation, on a way of its own, which has this fault from the start on.
func (b *operatorBench) launched(ctx context.Context, p *plane, side, fault string) (w way, process *controlplane.Process, err error) {
	if err := integration.ResetOperator(ctx, p.ControlPlane, techPreview); err != nil {
		return w, nil, err
	}
	if w, err = p.way(); err != nil {
		return w, nil, err
	}
	if fault != "" {
		err = w.strain(fault)
	}
	if err == nil {
		process, err = p.launch(b.binaries[side], w)
	}
	if err != nil {
		return w, nil, errors.Join(err, w.Close())
	}
	return w, process, nil
}

// load runs one side under a strain. That it ends is a figure: base does so when it finds out that it has decided
// wrongly.
func (b *operatorBench) load(ctx context.Context, p *plane, s strain, side string) (l Load, err error) {
	ctx, cancel := context.WithTimeout(ctx, 2*startLimit)
	defer cancel()
	l = Load{Side: side, Phase: s.phase, Fault: s.fault}
	first := ""
	if s.phase == atStart {
		first = s.fault
	}
	w, process, err := b.launched(ctx, p, side, first)
	if err != nil {
		return l, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	defer process.Stop()
	begin := time.Now()
	if s.phase == running {
		if err := p.applied(ctx, process); err != nil {
			return l, err
		}
		begin = time.Now()
		if err := w.strain(s.fault); err != nil {
			return l, err
		}
	}
	if s.fault != "" {
		if err := l.waited(ctx, w, process, begin); err != nil || l.Exit != "" {
			return l, err
		}
	}
	return l, l.watched(ctx, p, w, process)
}

// strain puts a fault, in the words of faults.ParseFault, on the way until it is allowed.
func (w way) strain(fault string) error {
	f, err := faults.ParseFault(fault)
	if err != nil {
		return err
	}
	w.Refuse(f, faults.Trigger{})
	return nil
}

// waited lasts as long as the outage, or the process, and ends the outage.
func (l *Load) waited(ctx context.Context, w way, process *controlplane.Process, begin time.Time) error {
	err := lasts(ctx, process, begin.Add(waiting))
	if err != nil {
		return err
	}
	end := time.Now()
	l.Wait = rounded(end.Sub(begin).Seconds())
	l.Requests = rounded(float64(len(within(w.Requests(), begin, end))) / end.Sub(begin).Seconds())
	if exit, ended := process.Exit(); ended {
		l.Exit = exit.String()
	}
	w.Allow()
	return nil
}

// watched waits for the namespace that needs the gate, and for the end of the busiest stretch; from the return on or,
// without an outage, from the first request on.
func (l *Load) watched(ctx context.Context, p *plane, w way, process *controlplane.Process) error {
	from := time.Now()
	if l.Fault == "" {
		first, err := w.WaitRequest(ctx, 0, faults.Match{})
		if err != nil {
			return err
		}
		from = first.Time
	}
	if err := p.there(ctx, gatedPath); err != nil {
		return err
	}
	l.Seconds = rounded(time.Since(from).Seconds())
	l.RSSFunctional = rounded(rss(process.PID()))
	if err := lasts(ctx, process, from.Add(window)); err != nil {
		return err
	}
	times := within(w.Requests(), from, time.Now())
	l.After, l.Peak = peak(times, window), peak(times, time.Second)
	if exit, ended := process.Exit(); ended {
		l.Exit = exit.String()
	}
	return nil
}

// lasts waits until a time, or the end of the process.
func lasts(ctx context.Context, process *controlplane.Process, until time.Time) error {
	timer := time.NewTimer(time.Until(until))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-process.Done():
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}
