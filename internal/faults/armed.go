package faults

import (
	"net/http"
	"slices"
	"sync"
	"time"
)

// Trigger says when a fault goes on, and for how long. At most one of At and After is set; with
// neither it goes on at once.
type Trigger struct {
	At    *Match        // on from this request on: the request itself already meets the fault
	After *Match        // on once the answer to this request has been delivered whole; N counts whole answers
	For   time.Duration // how long; 0: until Allow
}

// Armed is a fault that waits for its trigger, or is on, or was.
type Armed struct {
	proxy   *Proxy
	fault   Fault
	trigger Trigger
	begun   chan struct{}
	ended   chan struct{}
	allow   sync.Once

	// The proxy's lock guards these.
	state state
	met   int // how many requests have matched the trigger
	timer *time.Timer
}

type state int

const (
	waiting state = iota
	on
	off
)

// Refuse arms a fault. With the zero Trigger the fault is on when Refuse returns.
func (p *Proxy) Refuse(f Fault, t Trigger) *Armed {
	a := &Armed{proxy: p, fault: f, trigger: t, begun: make(chan struct{}), ended: make(chan struct{})}
	p.mu.Lock()
	p.armed = append(p.armed, a)
	closed := p.closed
	p.mu.Unlock()
	switch {
	case closed:
		a.Allow()
	case t.At == nil && t.After == nil:
		a.begin(nil, nil)
	}
	return a
}

// Allow ends every fault, as Armed.Allow does.
func (p *Proxy) Allow() {
	p.mu.Lock()
	armed := slices.Clone(p.armed)
	p.mu.Unlock()
	for _, a := range armed {
		a.Allow()
	}
}

// Begun is closed when the fault has gone on, which includes what it does to open connections. Never, if it is disarmed before.
func (a *Armed) Begun() <-chan struct{} { return a.begun }

// Ended is closed when the fault is off again, or disarmed.
func (a *Armed) Ended() <-chan struct{} { return a.ended }

// Allow ends the fault, or disarms it. The proxy serves again when it returns, unless another fault
// is on. Further calls do nothing but wait for the first.
func (a *Armed) Allow() { a.allow.Do(a.end) }

func (a *Armed) end() {
	defer close(a.ended)
	p := a.proxy
	p.mu.Lock()
	was := a.state
	if was == waiting {
		a.removeLocked()
	}
	p.mu.Unlock()
	if was == waiting {
		return
	}
	<-a.begun
	p.mu.Lock()
	defer p.mu.Unlock()
	a.removeLocked()
	a.fault.end(p)
	p.journal.fault("end", a.fault.Name())
}

func (a *Armed) removeLocked() {
	a.state = off
	if a.timer != nil {
		a.timer.Stop()
	}
	a.proxy.armed = slices.DeleteFunc(a.proxy.armed, func(b *Armed) bool { return a == b })
}

// due gives the faults whose moment has come with this request.
func (p *Proxy) due(x *exchange, moment func(Trigger) *Match) []*Armed {
	p.mu.Lock()
	defer p.mu.Unlock()
	var due []*Armed
	for _, a := range p.armed {
		m := moment(a.trigger)
		if a.state != waiting || m == nil || !m.matcher()(x.Request) {
			continue
		}
		if a.met++; a.met == m.nth() {
			due = append(due, a)
		}
	}
	return due
}

// begin switches the fault on. From then on requests and dials meet it; what is open is struck
// before begin returns, where the fault does that. The connection that carries the answer to w, if
// there is one, is struck later, when the client has that answer.
func (a *Armed) begin(answering *conn, w http.ResponseWriter) {
	p, name := a.proxy, a.fault.Name()
	p.mu.Lock()
	if a.state != waiting {
		p.mu.Unlock()
		return
	}
	a.state = on
	a.fault.begin(p)
	p.journal.fault("begin", name)
	p.mu.Unlock()
	strike := a.fault.strike()
	if strike == nil {
		a.felt()
		return
	}
	p.strike(name, strike, answering)
	if answering == nil {
		a.felt()
		return
	}
	delivered := answering.delivery(w)
	p.busy.Go(func() {
		delivered()
		p.strike(name, strike, nil)
		a.felt()
	})
}

// felt starts the time that the fault lasts.
func (a *Armed) felt() {
	a.proxy.mu.Lock()
	defer a.proxy.mu.Unlock()
	if a.trigger.For > 0 {
		a.timer = time.AfterFunc(a.trigger.For, a.Allow)
	}
	close(a.begun)
}
