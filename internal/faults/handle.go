package faults

import (
	"net/http"
	"slices"
)

// handle takes one request through the triggers and the faults that are on.
func (p *Proxy) handle(c *conn, w http.ResponseWriter, r *http.Request) {
	x := p.arrive(c, r)
	if x == nil {
		panic(http.ErrAbortHandler)
	}
	defer p.leave(x)
	defer resetOnAbort(c, r)
	at := p.due(x, func(t Trigger) *Match { return t.At })
	for _, a := range at {
		a.begin(nil, nil)
	}
	p.meet(x, r, at).serve(&answer{ResponseWriter: w, proxy: p, exchange: x}, r, p.forward)
	for _, a := range p.due(x, func(t Trigger) *Match { return t.After }) {
		a.begin(c, w)
	}
}

// resetOnAbort resets the connection of a request that has no answer, or half of one, through no
// doing of the client's.
func resetOnAbort(c *conn, r *http.Request) {
	if e := recover(); e != nil {
		if r.Context().Err() == nil && c.raw.shutBy() == "" {
			c.reset()
		}
		panic(e)
	}
}

// meet gives the fault that a request meets: one that it has itself set off, even if that is over
// by now, or one that is on, or one without effect. On a frozen connection it is the one that has
// frozen it.
func (p *Proxy) meet(x *exchange, r *http.Request, own []*Armed) Fault {
	p.mu.Lock()
	defer p.mu.Unlock()
	if fault := x.conn.raw.shutBy(); fault != "" {
		x.Fault = fault
		return mute{}
	}
	for _, a := range append(own, p.armed...) {
		if (a.state == on || slices.Contains(own, a)) && a.fault.meets(r) {
			x.Fault = a.fault.Name()
			return a.fault
		}
	}
	return inert{}
}

// answer notes the status that is sent.
type answer struct {
	http.ResponseWriter
	proxy    *Proxy
	exchange *exchange
}

// Unwrap lets http.ResponseController flush.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

func (a *answer) WriteHeader(code int) {
	if code >= http.StatusOK {
		a.proxy.settle(a.exchange, code)
	}
	a.ResponseWriter.WriteHeader(code)
}
