package bench

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"sync"
	"time"

	"carry/internal/controlplane"
	"carry/internal/faults"
	"carry/internal/kubelet"
)

// absences are the outages, and how many times as fast as they are, with the
// kubelet's back-off, they are run: so that all take about a minute, and those
// that run side by side do not end together.
var absences = []absence{
	{time.Second, 1}, {15 * time.Second, 1}, {time.Minute, 1}, {5 * time.Minute, 5}, {20 * time.Minute, 16},
}

type absence struct {
	length time.Duration
	factor float64
}

// Recovery is one outage as the kubelet runs the component through it.
type Recovery struct {
	Side   string  `json:"side"`
	Outage float64 `json:"outage"` // seconds, as people would see it
	Factor float64 `json:"factor"` // how many times as fast the outage and the kubelet's waits were
	// Seconds from the API's return to functional, as people would have seen
	// them: the kubelet's waits times the factor, and the rest.
	Seconds        float64 `json:"seconds"`
	Restarts       int     `json:"restarts"`
	LongestBackOff float64 `json:"longestBackOff"` // seconds, as the kubelet would name it
	LeaseMissed    bool    `json:"leaseMissed"`    // an attempt at the lease failed in the outage
	Lines          int     `json:"lines"`          // that the last process has logged of waiting
	// Bound is what the contract allows patched; 0: none, or the start-up that
	// it comes from was not measured.
	Bound float64 `json:"bound,omitempty"`
}

func recoveryName(outage float64, side string) string {
	return fmt.Sprintf("recovery from %.0f s, %s", outage, side)
}

const (
	grace       = 3 * time.Second
	retryPeriod = 3 * time.Second // OpenShift's, as it runs here
)

// bound is a start's own time without a fault, and what the contract adds.
func bound(startup *Startup, leaseMissed bool) float64 {
	if startup == nil {
		return 0
	}
	d := grace
	if leaseMissed {
		d += retryPeriod * 22 / 10
	}
	return rounded(startup.Patched + d.Seconds())
}

// recovery runs one side through an outage. A patched process that ends is an
// error, as is a component that does not work in the end.
func (b *kcmBench) recovery(ctx context.Context, p *plane, a absence, side string) (r Recovery, err error) {
	limit := time.Duration(float64(a.length)/a.factor) + startLimit + 5*time.Minute
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	d, w, err := p.ready(ctx, b.Start)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	o, err := b.outlast(ctx, p, w, a, side, func(ctx context.Context) error {
		return functional(ctx, w, d, p.Etcd, p.APIServer)
	})
	if err != nil {
		return r, err
	}
	p.undone = false
	if i := slices.IndexFunc(o.report.Events, func(e kubelet.Event) bool { return e.Kind == "ended" }); i >= 0 && side == patched {
		return r, fmt.Errorf("patched ended after %s: %s", o.report.Events[i].At.Round(time.Millisecond), o.report.Events[i].Reason)
	}
	_, missed := o.last.Log().Find(leaseTrouble)
	return Recovery{
		Side: side, Outage: a.length.Seconds(), Factor: a.factor,
		Seconds: o.lost, Restarts: o.report.Restarts, LongestBackOff: o.report.Longest.Seconds(),
		LeaseMissed: missed, Lines: o.last.Log().Count(waitingLine),
	}, p.gone(ctx, d)
}

// outlasted is an outage that a component has been kept through.
type outlasted struct {
	report *kubelet.Report
	last   *controlplane.Process // its log is whole
	lost   float64               // seconds from the API's return until it worked, as people would have seen them
	dials  []time.Time           // while the API was away; none where they cannot be counted
}

// outlast runs the component of a plane as the kubelet does, refused from its
// start on, until it works again.
func (b *bench) outlast(ctx context.Context, p *plane, w way, a absence, side string, works func(context.Context) error) (o outlasted, err error) {
	ctx, fail := context.WithCancel(ctx)
	defer fail()
	dials, err := countDials(w.port)
	if err != nil {
		b.cannotCount(err)
	}
	defer func() { err = errors.Join(err, dials.Close()) }()
	k := &keeper{plane: p, binary: b.binaries[side], way: w, fail: fail}
	armed := w.Refuse(faults.Refused(), faults.Trigger{})
	began := time.Now()
	k.run(ctx, a.factor)
	go a.end(ctx, armed, dials)
	err = controlplane.WaitEvent(ctx, armed.Ended(), "the end of the outage", p.Etcd, p.APIServer)
	returned := time.Now()
	if err == nil {
		err = works(ctx)
	}
	worked := time.Now()
	var kept error
	o.report, o.last, kept = k.stop()
	if err := errors.Join(err, kept); err != nil {
		return o, err
	}
	o.lost = rounded(o.report.Lost(returned.Sub(began), worked.Sub(began), a.factor).Seconds())
	o.dials = dials.between(began, returned)
	return o, nil
}

// end lets the API return when it has been away for as long from the
// component's first dial on: one that takes its time to start would not meet a
// short outage.
func (a absence) end(ctx context.Context, armed *faults.Armed, dials *dialCounter) {
	dials.waitFirst(ctx)
	timer := time.NewTimer(time.Duration(float64(a.length) / a.factor))
	defer timer.Stop()
	select {
	case <-timer.C:
		armed.Allow()
	case <-ctx.Done(): // the proxy ends it
	}
}

// A keeper runs the component as the kubelet does.
type keeper struct {
	plane  *plane
	binary string
	way    way
	fail   context.CancelFunc // called when a process cannot be started
	cancel context.CancelFunc // ends the component
	kept   chan struct{}      // closed when it is gone
	report *kubelet.Report    // once kept is closed, as err
	err    error

	mu   sync.Mutex
	last *controlplane.Process
}

func (k *keeper) run(ctx context.Context, factor float64) {
	ctx, k.cancel = context.WithCancel(ctx)
	k.kept = make(chan struct{})
	container := kubelet.Container{Start: k.start, Factor: factor}
	if k.plane.component.Component != operator { // which has no probes
		container.Startup, container.Liveness = kubelet.Startup(k.plane.healthy), kubelet.Liveness(k.plane.healthy)
	}
	go func() {
		defer close(k.kept)
		if k.report, k.err = container.Run(ctx); k.err != nil {
			k.fail()
		}
	}()
}

// stop ends the component, and gives its last process.
func (k *keeper) stop() (report *kubelet.Report, last *controlplane.Process, err error) {
	k.cancel()
	<-k.kept
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.report, k.last, k.err
}

// leaseTrouble is what the leader election says of an attempt that failed, in
// either stream.
var leaseTrouble = regexp.MustCompile(`leaderelection\.go:\d+\] "?([Ee]rror|Failed to update)`)

// waitingLine is one of either of patched's ways to wait, in either component.
var waitingLine = regexp.MustCompile(`API server( \S+)?( still)? (cannot be reached|can be reached again|gives no lasting answer|answers again)`)

// linesWithin says whether that many lines of waiting are what the contract allows in so many seconds: one when it
// begins, one when it ends, and one for each 30 s between.
func linesWithin(lines int, seconds float64) bool {
	return lines >= 2 && float64(lines) <= 2+seconds/lineInterval
}

const lineInterval = 30.0 // seconds between two lines of waiting

type keptProcess struct{ *controlplane.Process }

func (p keptProcess) Stop() { p.Process.Stop() }

func (k *keeper) start() (kubelet.Process, error) {
	process, err := k.plane.launch(k.binary, k.way)
	if err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.last = process
	return keptProcess{process}, nil
}

// healthy asks the component that was started last.
func (p *plane) healthy(ctx context.Context) error {
	code, err := p.AskComponent(ctx, "/healthz", "")
	if err == nil && code != http.StatusOK {
		err = fmt.Errorf("status %d", code)
	}
	return err
}
