package integration

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"carry/internal/controlplane"
	"carry/internal/kubelet"
)

// kubelet runs the component as the kubelet does: restarts, back-off, probes.
// What the kubelet waits for is FACTOR times as fast. It ends when a fault has
// ended and the component works: one object is there, another is gone. It tells
// on stdout what people see of that. Without a fault it measures the start that
// the bound of recovery is made of; the bound is unknown to a script that has not
// done so before.
func (r *run) kubelet(c call) error {
	factor, err := strconv.ParseFloat(c.args[0], 64)
	if err != nil || factor <= 0 {
		return fmt.Errorf("factor %s: want a number above 0", c.args[0])
	}
	if c.args[1] == "none" {
		return r.keptWithoutFault(c, factor)
	}
	fault, err := r.fault(c.args[1])
	if err != nil {
		return err
	}
	k, err := r.keepThrough(factor, func() (time.Time, error) {
		return r.outlast(fault)
	}, c.args[2:])
	if err != nil {
		return err
	}
	seen := k.seen(factor, r.faultFree)
	if c.has("-detail") {
		r.detail = seen.sentence()
	}
	r.note("kubelet", c.args, fmt.Sprintf("%d restarts", seen.restarts))
	_, err = fmt.Fprint(c.stdout, seen.lines())
	return err
}

// keptWithoutFault measures a start from its first request until the component
// works.
func (r *run) keptWithoutFault(c call, factor float64) error {
	before := len(r.proxy.Requests())
	k, err := r.keepThrough(factor, func() (time.Time, error) { return time.Now(), nil }, c.args[2:])
	if err != nil {
		return err
	}
	first := r.proxy.Requests()[before] // there is one, since it worked
	r.faultFree = k.works.Sub(first.Time)
	_, err = fmt.Fprintf(c.stdout, "restarts: %d\nwithout a fault: %s\n", k.report.Restarts, r.faultFree.Round(time.Second))
	return err
}

// kept is a component's time under the kubelet.
type kept struct {
	report                 *kubelet.Report
	began, returned, works time.Time
}

// keepThrough keeps the component until the API has returned and the component
// works, and ends it.
func (r *run) keepThrough(factor float64, outlast func() (returned time.Time, err error), objects []string) (kept, error) {
	ctx, cancel := context.WithCancel(r.ctx)
	defer cancel()
	kubelet := r.keep(ctx, factor)
	k := kept{began: time.Now()}
	var err error
	if k.returned, err = outlast(); err == nil {
		err = r.works(objects)
	}
	k.works = time.Now()
	cancel()
	result := <-kubelet
	r.ended = true // by the kubelet
	k.report = result.report
	return k, errors.Join(err, result.err)
}

type keptResult struct {
	report *kubelet.Report
	err    error
}

// keep runs the component until the context ends; the run's own fields are its
// until it has sent the result.
func (r *run) keep(ctx context.Context, factor float64) <-chan keptResult {
	container := kubelet.Container{Start: r.startKept, Factor: factor}
	if r.target.component != operator { // which has no probes
		container.Startup, container.Liveness = kubelet.Startup(r.healthy), kubelet.Liveness(r.healthy)
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

// outlast waits for the end of the fault, and returns it.
func (r *run) outlast(fault *armedFault) (returned time.Time, err error) {
	ctx, cancel := r.limited()
	defer cancel()
	err = controlplane.WaitEvent(ctx, fault.armed.Ended(), "fault "+fault.name+" to end", r.plane.Etcd, r.plane.APIServer)
	return time.Now(), err
}

// works waits for what only a component that works brings about: the object at
// the first path is there, and that at the second, if there is one, is gone.
func (r *run) works(objects []string) error {
	ctx, cancel := r.limited()
	defer cancel()
	if err := r.poll(ctx, objects[0]+" to be there", r.there(objects[0])); err != nil || len(objects) == 1 {
		return err
	}
	return r.poll(ctx, objects[1]+" to be gone", r.gone(objects[1]))
}

func (r *run) poll(ctx context.Context, waiting string, met controlplane.Condition) error {
	return controlplane.Poll(ctx, waiting, pollTick, met, r.plane.Etcd, r.plane.APIServer)
}

func (r *run) there(path string) controlplane.Condition {
	return func(ctx context.Context) (bool, string, error) {
		code, answer, err := r.plane.Request(ctx, http.MethodGet, path, nil)
		return code == http.StatusOK, fmt.Sprintf("%s %v", answer, err), nil
	}
}
