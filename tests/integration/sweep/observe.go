package sweep

import (
	"context"
	"errors"
	"fmt"
	"time"

	"carry/internal/controlplane"
	"carry/internal/faults"
)

// beforeFault is the phase of a component that did not need one to exit.
const beforeFault = "before the fault"

// observe waits for the fault's begin and end, and then for the component.
func (r *runner) observe(ctx context.Context, a *attempt, c Cell, k kind, armed *faults.Armed, second faults.Fault) Result {
	normal := r.normal[c.Side+" "+c.Start]
	if err := reached(ctx, a, armed, 2*normal.begun+15*time.Second); err != nil {
		armed.Allow()
		var late *controlplane.TimeoutError
		if errors.As(err, &late) {
			return Result{Outcome: notReached}
		}
		return r.judge(err, beforeFault)
	}
	if err := r.outage(ctx, a, c, armed, second); err != nil {
		return r.judge(err, "in the outage")
	}
	returned := time.Now()
	limit, cancel := context.WithTimeout(ctx, 2*(normal.functional+r.grace(a, c, k)))
	defer cancel()
	if err := r.healed(limit, a, c, k, normal); err != nil {
		return r.judge(err, fmt.Sprintf("%.1f s after the return", time.Since(returned).Seconds()))
	}
	return Result{Outcome: survived, Seconds: float64(time.Since(returned).Milliseconds()) / 1000}
}

// reached waits for the window. A start that has done what it does without a
// fault has a while more for it; on a machine that does not let it run, that
// takes as long as it takes.
func reached(ctx context.Context, a *attempt, armed *faults.Armed, more time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	go func() {
		if a.plane.component.over(ctx, a) == nil {
			time.AfterFunc(more, cancel)
		}
	}()
	return controlplane.WaitEvent(ctx, armed.Begun(), "the window", a.process)
}

// outage waits until the API is back, after a second fault if there is one.
func (r *runner) outage(ctx context.Context, a *attempt, c Cell, armed *faults.Armed, second faults.Fault) error {
	limit, cancel := context.WithTimeout(ctx, c.Length+time.Minute)
	defer cancel()
	if second != nil {
		timer := time.NewTimer(c.Length)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-a.process.Done():
			return a.process.Running()
		case <-ctx.Done():
			return ctx.Err()
		}
		next := a.proxy.Refuse(second, faults.Trigger{For: after})
		armed.Allow()
		armed = next
	}
	return controlplane.WaitEvent(limit, armed.Ended(), "the end of the fault", a.process)
}

// healed wants the component to be functional and, beyond that, as it is
// without a fault.
func (r *runner) healed(ctx context.Context, a *attempt, c Cell, k kind, normal normal) error {
	if err := r.functional(ctx, a, normal.asked); err != nil {
		return err
	}
	if err := sameEnd(ctx, a.plane.objects, a.process, normal.objects); err != nil {
		return err
	}
	if c.Side == base {
		return nil
	}
	most := r.normal[base+" "+c.Start]
	if err := fewConnections(ctx, a.proxy.Connections, a.process, most.connections+a.apart(k)); err != nil {
		return err
	}
	if r.component.goroutines == nil {
		return nil
	}
	goroutines := func(ctx context.Context) (int, error) { return r.component.goroutines(ctx, a.plane) }
	return fewGoroutines(ctx, goroutines, a.process, most.goroutines+k.more)
}

// functional wants the component to do what it is for, and to read everything
// that it reads.
func (r *runner) functional(ctx context.Context, a *attempt, asked []string) error {
	if err := r.component.works(ctx, a); err != nil {
		return err
	}
	return nothingSkipped(ctx, a, asked)
}
