package integration

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"carry/internal/controlplane"
	"carry/internal/kubelet"
)

// kubelet runs the component as the kubelet does: restarts, back-off, probes.
// What the kubelet waits for is FACTOR times as fast. It ends when a fault has
// ended and an object is there that the component makes, and tells on stdout
// what people see of that.
func (r *run) kubelet(c call) error {
	factor, err := strconv.ParseFloat(c.args[0], 64)
	if err != nil || factor <= 0 {
		return fmt.Errorf("factor %s: want a number above 0", c.args[0])
	}
	fault, err := r.fault(c.args[1])
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(r.ctx)
	defer cancel()
	kept := r.keep(ctx, factor)
	began := time.Now()
	returned, err := r.outlast(fault, c.args[2])
	works := time.Since(began)
	cancel()
	k := <-kept
	r.ended = true // by the kubelet
	switch {
	case err != nil:
		return err
	case k.err != nil:
		return k.err
	}
	if c.has("-detail") {
		r.detail = fmt.Sprintf("longest back-off: %s", k.report.Longest)
	}
	gone := lost(k.report.Events, returned.Sub(began), works, factor)
	r.note("kubelet", c.args, fmt.Sprintf("%d restarts", k.report.Restarts))
	_, err = fmt.Fprintf(c.stdout, "restarts: %d\nlongest back-off: %s\nwaited: %s\nlost after the return: %s\n",
		k.report.Restarts, k.report.Longest, k.report.Waited, gone.Round(time.Second))
	return err
}

type keptResult struct {
	report *kubelet.Report
	err    error
}

// keep runs the component until the context ends; the run's own fields are its
// until it has sent the result.
func (r *run) keep(ctx context.Context, factor float64) <-chan keptResult {
	container := kubelet.Container{
		Start:   r.startKept,
		Startup: kubelet.Startup(r.healthy), Liveness: kubelet.Liveness(r.healthy),
		Factor: factor,
	}
	result := make(chan keptResult, 1)
	go func() {
		report, err := container.Run(ctx)
		result <- keptResult{report, err}
	}()
	return result
}

type keptProcess struct{ *controlplane.Process }

func (p keptProcess) Stop() { p.Process.Stop() }

func (r *run) startKept() (kubelet.Process, error) {
	r.ended = true // the one before
	if err := r.startComponent(call{}); err != nil {
		return nil, err
	}
	return keptProcess{r.component}, nil
}

func (r *run) healthy(ctx context.Context) error {
	code, err := r.plane.AskComponent(ctx, "/healthz", "")
	if err == nil && code != http.StatusOK {
		err = fmt.Errorf("status %d", code)
	}
	return err
}

// outlast waits for the end of the fault, which it returns, and for the object.
func (r *run) outlast(fault *armedFault, path string) (returned time.Time, err error) {
	plane := []*controlplane.Process{r.plane.Etcd, r.plane.APIServer}
	ctx, cancel := context.WithTimeout(r.ctx, startLimit)
	defer cancel()
	if err := controlplane.WaitEvent(ctx, fault.armed.Ended(), "fault "+fault.name+" to end", plane...); err != nil {
		return time.Time{}, err
	}
	returned = time.Now()
	there := func(ctx context.Context) (bool, string, error) {
		code, answer, err := r.plane.Request(ctx, http.MethodGet, path, nil)
		return code == http.StatusOK, fmt.Sprintf("%s %v", answer, err), nil
	}
	return returned, controlplane.Poll(ctx, path+" to be there", pollTick, there, plane...)
}

// lost is the time between the return of the API and a working component as
// people would have seen it: the back-off in it counts as long as the kubelet's.
func lost(events []kubelet.Event, returned, works time.Duration, factor float64) time.Duration {
	var waited time.Duration
	for i, e := range events {
		if e.Kind != "waiting" {
			continue
		}
		end := works
		if i+1 < len(events) {
			end = min(events[i+1].At, works)
		}
		waited += max(0, end-max(e.At, returned))
	}
	return time.Duration(float64(waited)*factor) + works - returned - waited
}
