package integration

import (
	"errors"
	"sync"
	"time"

	"carry/internal/controlplane"
	"carry/internal/faults"
)

// A cut is a fault of the network: it keeps the component from the API's
// address.
type cut struct {
	in       func(*network) *controlplane.Namespace
	do, undo []string // lines of ip(8)
	forget   bool     // the component forgets who on the link has the address
}

var cuts = map[string]cut{
	// Dials fail at once, with ENETUNREACH.
	"route-removed": {
		in:   func(n *network) *controlplane.Namespace { return n.component },
		do:   []string{"route del " + apiRange + " dev api"},
		undo: []string{"route add " + apiRange + " dev api"},
	},
	// Dials fail with EHOSTUNREACH, after three seconds in which nobody on the
	// link says that it has the address.
	"address-removed": {
		in:     func(n *network) *controlplane.Namespace { return n.api },
		do:     []string{"addr del " + apiAddress + "/64 dev component"},
		undo:   []string{"addr add " + apiAddress + "/64 dev component nodad"},
		forget: true,
	},
}

func (c cut) begin(n *network) error {
	if err := ip(c.in(n), nil, c.do...); err != nil || !c.forget {
		return err
	}
	return ip(n.component, nil, "neigh flush dev api")
}

func (c cut) end(n *network) error { return ip(c.in(n), nil, c.undo...) }

// armedCut is a cut that waits for its trigger, or is on, or was.
type armedCut struct {
	begun, allowed, ended chan struct{}
	allow                 sync.Once
	err                   error // of ip(8); to be read once ended is closed
}

// armCut arms a cut. When its time has come the proxy falls silent, then the
// network is cut, then all connections are reset: whoever dials because of
// that meets the cut and nothing else.
func (r *run) armCut(c cut, trigger faults.Trigger) (armed, error) {
	if r.network == nil || r.network.kind != namespaces {
		return nil, errors.New("its scenario must say # network: " + namespaces)
	}
	a := &armedCut{begun: make(chan struct{}), allowed: make(chan struct{}), ended: make(chan struct{})}
	long := trigger.For
	trigger.For = 0
	go a.live(c, r.network, r.proxy.Refuse(faults.Blackhole(), trigger))
	if trigger.At == nil && trigger.After == nil {
		<-a.begun
	}
	allowAfter(a, long)
	return a, nil
}

func (a *armedCut) live(c cut, n *network, silence *faults.Armed) {
	defer close(a.ended)
	select {
	case <-silence.Begun():
	case <-a.allowed:
		silence.Allow()
		return
	}
	a.err = c.begin(n)
	silence.Allow()
	close(a.begun)
	<-a.allowed
	a.err = errors.Join(a.err, c.end(n))
}

func (a *armedCut) Begun() <-chan struct{} { return a.begun }
func (a *armedCut) Ended() <-chan struct{} { return a.ended }

func (a *armedCut) Allow() {
	a.allow.Do(func() { close(a.allowed) })
	<-a.ended
}

// failure may be called once the cut has ended.
func (a *armedCut) failure() error { return a.err }

// elsewhere is a fault of a proxy that listens in another network than the
// rig's. Where the end of a fault lets the proxy listen again, it does so in
// the network of whoever ends it: the proxy must not do so by itself.
type elsewhere struct {
	*faults.Armed
	network *network

	mu  sync.Mutex
	err error // of the network
}

func (r *run) armElsewhere(fault faults.Fault, trigger faults.Trigger) armed {
	long := trigger.For
	trigger.For = 0
	a := &elsewhere{Armed: r.proxy.Refuse(fault, trigger), network: r.network}
	allowAfter(a, long)
	return a
}

func (e *elsewhere) Allow() {
	err := e.network.atAPI(func() error { e.Armed.Allow(); return nil })
	e.mu.Lock()
	defer e.mu.Unlock()
	e.err = errors.Join(e.err, err)
}

func (e *elsewhere) failure() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.err
}

// allowAfter ends a fault some time after its begin; 0 is never.
func allowAfter(a armed, long time.Duration) {
	if long == 0 {
		return
	}
	go func() {
		select {
		case <-a.Begun():
		case <-a.Ended():
			return
		}
		timer := time.NewTimer(long)
		defer timer.Stop()
		select {
		case <-timer.C:
			a.Allow()
		case <-a.Ended():
		}
	}()
}
