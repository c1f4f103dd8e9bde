package faults

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"
)

// A Request is one request the proxy saw: forwarded, or answered or cut by a fault.
type Request struct {
	Seq           int       `json:"seq"` // 1 is the first
	Time          time.Time `json:"time"`
	Method        string    `json:"method"`
	Path          string    `json:"path"`
	Query         string    `json:"query,omitempty"`
	UserAgent     string    `json:"userAgent,omitempty"`
	Authenticated string    `json:"authenticated,omitempty"` // start of the SHA-256 of the bearer token; "": none sent
	Code          int       `json:"code"`                    // status sent; 0: not yet, or cut before
	Fault         string    `json:"fault,omitempty"`         // name of the fault that met it, also within its answer; "": none
}

// exchange is a Request on its way; the proxy's lock guards it.
type exchange struct {
	Request
	conn    *conn
	settled bool // nothing will change in Request any more, but for a cut within the answer
}

// Requests are those seen up to now, in order of arrival.
func (p *Proxy) Requests() []Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	rs := make([]Request, len(p.seen))
	for i, x := range p.seen {
		rs[i] = x.Request
	}
	return rs
}

// WaitRequest waits for the m.N-th request that matches, counted from the one with number fromSeq
// on (0 or 1: from the first). It returns when the status of its answer is being sent, or when it
// is cut. The error is the context's, or net.ErrClosed after Close.
func (p *Proxy) WaitRequest(ctx context.Context, fromSeq int, m Match) (Request, error) {
	for {
		p.mu.Lock()
		x := p.find(fromSeq, m)
		var r Request
		if x != nil && x.settled {
			r = x.Request
		}
		news := p.news.wait()
		p.mu.Unlock()
		if r.Seq > 0 {
			return r, nil
		}
		select {
		case <-news:
		case <-p.done:
			return Request{}, fmt.Errorf("wait for request %s: %w", m, net.ErrClosed)
		case <-ctx.Done():
			return Request{}, fmt.Errorf("wait for request %s: %w", m, context.Cause(ctx))
		}
	}
}

func (p *Proxy) find(fromSeq int, m Match) *exchange {
	n, matches := 0, m.matcher()
	for i := max(fromSeq, 1) - 1; i < len(p.seen); i++ {
		if matches(p.seen[i].Request) {
			if n++; n == m.nth() {
				return p.seen[i]
			}
		}
	}
	return nil
}

// arrive numbers a request. It gives nil for one that was read just before its connection was cut:
// the fault may be over by now, and kube-apiserver must not see what the client saw fail.
func (p *Proxy) arrive(c *conn, r *http.Request) *exchange {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, alive := p.conns[c]; !alive {
		return nil
	}
	p.busy.Add(1)
	x := &exchange{conn: c, Request: Request{
		Seq: len(p.seen) + 1, Time: time.Now(), Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery,
		UserAgent: r.UserAgent(), Authenticated: tokenHash(r.Header.Get("Authorization")),
	}}
	p.seen = append(p.seen, x)
	p.open[x] = struct{}{}
	return x
}

func tokenHash(authorization string) string {
	token, ok := strings.CutPrefix(authorization, "Bearer ")
	if !ok {
		return ""
	}
	return fmt.Sprintf("%x", sha256.Sum256([]byte(token)))[:12]
}

// settle notes the status that is about to be sent, or 0 for none.
func (p *Proxy) settle(x *exchange, code int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !x.settled {
		x.Code, x.settled = code, true
		p.news.ring()
	}
}

func (p *Proxy) leave(x *exchange) {
	p.settle(x, 0)
	p.mu.Lock()
	delete(p.open, x)
	r := x.Request
	p.mu.Unlock()
	p.journal.line(struct {
		Event string `json:"event"`
		Request
	}{"request", r})
	p.busy.Done()
}
