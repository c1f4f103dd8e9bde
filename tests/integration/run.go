package integration

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"time"

	"carry/internal/controlplane"
	"carry/internal/faults"
)

// Deadlines. They end runs that went wrong; none of them paces one that does
// not.
const (
	startLimit = 2 * time.Minute // for the control plane, on a crowded machine
	pollTick   = 100 * time.Millisecond

	// For one verb. In a long scenario it may have to wait for the end of a
	// lease of 137 s, and for a retry after it.
	shortWait = time.Minute
	longWait  = 4 * time.Minute

	// A process that is asked to end must be gone by then (K7), and one that is
	// not to give an answer is not waited for any longer (K1).
	terminateLimit = time.Second
	answerLimit    = 3 * time.Second

	// One that holds the lease may look for the API for 5 s more (V1).
	leaderTerminateLimit = 6 * time.Second
)

// run is one scenario on one side of one stream, with a control plane of its
// own.
type run struct {
	layout   layout
	target   target
	scenario scenario
	side     side
	family   family
	binaries binaries
	dir      string // keeps what the processes leave

	ctx   context.Context
	plane *controlplane.ControlPlane
	proxy *faults.Proxy

	network *network // nil: everything is where the rig is

	component *controlplane.Process // the last one started; nil before
	starts    int
	ended     bool          // the script knows that the component has ended
	faults    []*armedFault // in order of refuse
	detail    string        // the line that shows what the scenario is about
	state     []string      // what both sides must have in the end
	faultFree time.Duration // of a start, measured by the kubelet verb; 0: not yet
	events    []event       // what happened, in order
	err       error         // of the verb that failed
	seen      func() error  // called at the end of a run that passed, before anything is stopped; nil: nothing
	proxyLog  *os.File
}

type armedFault struct {
	name  string
	armed armed
	timed bool // it ends by itself
	pace  pace
}

// armed is a fault, of the proxy or of the network, that waits for its
// trigger, or is on, or was. Allow returns once it has ended.
type armed interface {
	Begun() <-chan struct{}
	Ended() <-chan struct{}
	Allow()
}

// event is something that a verb saw happen.
type event struct {
	time time.Time
	verb string
	args []string
	text string // what there is to tell; depends on the verb
}

// start brings up the control plane and the proxy before it.
func (r *run) start(ctx context.Context, pki *controlplane.PKI) error {
	r.ctx = ctx
	limited, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	var err error
	if r.network, err = newNetwork(r.scenario.network); err != nil {
		return err
	}
	r.plane, err = controlplane.Start(limited, controlplane.Config{
		Dir: r.dir, Etcd: r.binaries.etcd, APIServer: r.binaries.apiserver, Family: r.family.address, PKI: pki,
		ComponentNetwork: r.network.atComponent(),
	})
	if err != nil {
		return err
	}
	if r.target.component == operator {
		if err := PrepareOperator(limited, r.plane, r.layout.root, r.target.stream); err != nil {
			return err
		}
	}
	if r.proxyLog, err = os.Create(filepath.Join(r.dir, "proxy.log")); err != nil {
		return fmt.Errorf("keep log of proxy: %w", err)
	}
	return r.startProxy(pki, r.plane.URL)
}

// startProxy lets the proxy listen where the component will look for it.
func (r *run) startProxy(pki *controlplane.PKI, upstream *url.URL) error {
	err := r.network.atAPI(func() (err error) {
		r.proxy, err = faults.Start(faults.Config{
			Listen:   net.JoinHostPort(r.network.listen(r.family.address), "0"),
			Cert:     pki.Server,
			Upstream: upstream, UpstreamCAs: pki.Pool,
			Log: r.proxyLog,
		})
		return err
	})
	if err != nil {
		return fmt.Errorf("start proxy: %w", err)
	}
	return nil
}

// stop ends everything that start and the script began.
func (r *run) stop() error {
	if r.component != nil {
		r.component.Stop()
	}
	var err error
	for _, f := range r.faults {
		err = errors.Join(err, f.allow())
	}
	if r.proxy != nil {
		err = errors.Join(err, r.proxy.Close())
	}
	if r.plane != nil {
		r.plane.Stop()
	}
	if r.proxyLog != nil {
		err = errors.Join(err, r.proxyLog.Close())
	}
	r.network.close()
	return err
}

// finish checks what holds at the end of every script, said or not.
func (r *run) finish() error {
	for _, f := range r.faults {
		select {
		case <-f.armed.Begun():
		default:
			return fmt.Errorf("fault %s never began: its trigger was not reached", f.name)
		}
	}
	if err := errors.Join(r.plane.Running(), r.network.finish()); err != nil {
		return err
	}
	if r.component == nil {
		return errors.New("the script never started the component")
	}
	if r.scenario.base == "fails" && r.side == base && r.detail == "" {
		return errors.New("base fails here, but no line that shows it was recorded: use -detail")
	}
	if r.ended {
		return nil
	}
	return r.component.Running()
}

// result is what is recorded of the run, which has failed or not.
func (r *run) result(failed bool) (result, error) {
	series, err := seriesHash(r.layout.patches(r.target))
	if err != nil {
		return result{}, err
	}
	is := r.identity()
	is.Outcome, is.Detail, is.Series = r.outcome(failed), r.detail, series
	return is, nil
}

// identity is the part of its result that is known before.
func (r *run) identity() result {
	return result{
		Component: r.target.component, Stream: r.target.stream, Scenario: r.scenario.name,
		Title: r.scenario.title, Report: r.scenario.report, Expect: r.scenario.base,
		Side: string(r.side), Family: r.family.name,
	}
}

// key names the run among results.
func (r *run) key() string { return r.identity().key() }

// outcome tells apart what the scenario says, an answer that is not what it
// says, and the three ways in which there was no answer.
func (r *run) outcome(failed bool) string {
	var wrong *wrongError
	switch {
	case !failed:
		return passed
	case r.err == nil, errors.As(r.err, &wrong):
		return "failed" // a comparison of the script's
	}
	return string(controlplane.OutcomeOf(r.err))
}

// wrongError is an answer that is not the one the script wants.
type wrongError struct{ text string }

func (e *wrongError) Error() string { return e.text }

func wrongf(format string, args ...any) error {
	return &wrongError{fmt.Sprintf(format, args...)}
}

// limited is the context of one verb.
func (r *run) limited() (context.Context, context.CancelFunc) {
	return context.WithTimeout(r.ctx, r.waitLimit())
}

func (r *run) waitLimit() time.Duration {
	if r.scenario.length == "long" {
		return longWait
	}
	return shortWait
}

// note records what a verb saw happen.
func (r *run) note(verb string, args []string, text string) {
	r.events = append(r.events, event{time.Now(), verb, args, text})
}

// expected are the processes that the script knows to run: the end of one of
// them makes waiting pointless.
func (r *run) expected() []*controlplane.Process {
	expected := []*controlplane.Process{r.plane.Etcd, r.plane.APIServer}
	if r.component != nil && !r.ended {
		expected = append(expected, r.component)
	}
	return expected
}

// wait waits for an event while all expected processes run.
func (r *run) wait(ctx context.Context, event <-chan struct{}, waiting string) error {
	return controlplane.WaitEvent(ctx, event, waiting, r.expected()...)
}

func (r *run) fault(name string) (*armedFault, error) {
	i := slices.IndexFunc(r.faults, func(f *armedFault) bool { return f.name == name })
	if i < 0 {
		return nil, fmt.Errorf("no fault is called %s", name)
	}
	return r.faults[i], nil
}
