package faults

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"syscall"
	"testing"
	"time"
)

// moment is how long silence is listened to. It can only let a fault pass that answers late.
const moment = 100 * time.Millisecond

// wantSilence wants a connection that is neither answered nor ended.
func wantSilence(t *testing.T, what string, c net.Conn) {
	t.Helper()
	if err := c.SetReadDeadline(time.Now().Add(moment)); err != nil {
		t.Fatal(err)
	}
	if n, err := c.Read(make([]byte, 1)); n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("read from %s: %d bytes, %v, want silence", what, n, err)
	}
	if err := c.SetReadDeadline(time.Time{}); err != nil {
		t.Fatal(err)
	}
}

func wantReset(t *testing.T, what string, c net.Conn) {
	t.Helper()
	if err := c.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, c); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("read from %s: %v, want ECONNRESET", what, err)
	}
}

// hello dials and begins a TLS handshake.
func (r *rig) hello() net.Conn {
	r.t.Helper()
	c, err := net.Dial("tcp", r.hostPort())
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = c.Close() })
	first := &recorder{}
	_ = tls.Client(first, &tls.Config{RootCAs: r.cas, ServerName: "x"}).Handshake() // which gets no answer
	if _, err := c.Write(first.sent.Bytes()); err != nil && !errors.Is(err, syscall.ECONNRESET) && !errors.Is(err, syscall.EPIPE) {
		r.t.Fatal(err)
	}
	return c
}

// recorder is a connection that keeps what is written.
type recorder struct {
	net.Conn
	sent bytes.Buffer
}

func (r *recorder) Write(b []byte) (int, error) { return r.sent.Write(b) }
func (r *recorder) Read([]byte) (int, error)    { return 0, io.EOF }

// wantSilentRequest wants a request that has come to the proxy to end with its own context only.
func (r *rig) wantSilentRequest(client *http.Client, path string) {
	r.t.Helper()
	ctx, cancel := context.WithCancel(background(r.t))
	defer cancel()
	done := get1(ctx, client, r.URL()+path)
	tick := time.NewTicker(time.Millisecond) // an arrival has no event of its own
	defer tick.Stop()
	for !slices.ContainsFunc(r.Requests(), func(q Request) bool { return q.Path == path }) {
		select {
		case err := <-done:
			r.t.Errorf("GET %s: %v, want silence", path, err)
			return
		case <-tick.C:
		}
	}
	wantNothing(r.t, "GET "+path, done)
	cancel()
	if err := await(r.t, "GET "+path, done); !errors.Is(err, context.Canceled) {
		r.t.Errorf("GET %s: %v, want silence", path, err)
	}
}

func get1(ctx context.Context, client *http.Client, url string) <-chan error {
	done := make(chan error, 1)
	go func() {
		q, err := http.NewRequestWithContext(ctx, "GET", url, nil)
		if err == nil {
			_, err = client.Do(q)
		}
		done <- err
	}()
	return done
}

func wantNothing(t *testing.T, what string, done <-chan error) {
	t.Helper()
	select {
	case err := <-done:
		t.Errorf("%s: %v, want silence", what, err)
	case <-time.After(moment):
	}
}

// opened gives a TLS connection that was there before a fault, and a client with another one.
func (r *rig) opened(h2 bool) (net.Conn, *http.Client) {
	r.t.Helper()
	client := r.client(h2)
	r.mustGet(client, "/before")
	idle, err := tls.Dial("tcp", r.hostPort(), &tls.Config{RootCAs: r.cas})
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = idle.NetConn().Close() })
	return idle, client
}

func TestReset(t *testing.T) {
	onBoth(t, func(t *testing.T, host string) {
		r := startRig(t, host, ok)
		idle, _ := r.opened(true)
		a := r.Refuse(Reset(), Trigger{})
		wantReset(t, "an open connection", idle)
		dialled, err := net.Dial("tcp", r.hostPort())
		if err == nil {
			defer dialled.Close()
			wantReset(t, "a new connection", dialled)
		} else if !errors.Is(err, syscall.ECONNRESET) { // so soon that the dial has it
			t.Errorf("dial: %v, want ECONNRESET", err)
		}
		if _, _, err := get(r.client(true), r.URL()+"/during"); !errors.Is(err, syscall.ECONNRESET) && !errors.Is(err, syscall.EPIPE) {
			t.Errorf("GET: %v, want ECONNRESET", err)
		}
		version := r.discovery().RESTClient().Get().AbsPath("/version")
		if err := version.MaxRetries(0).Do(background(t)).Error(); !errors.Is(err, syscall.ECONNRESET) && !errors.Is(err, syscall.EPIPE) {
			t.Errorf("client-go: %v, want ECONNRESET", err)
		}
		a.Allow()
		r.mustGet(r.client(true), "/after")
	})
}

func TestBlackhole(t *testing.T) {
	onBoth(t, func(t *testing.T, host string) {
		for _, h2 := range []bool{true, false} {
			r := startRig(t, host, ok)
			idle, client := r.opened(h2)
			a := r.Refuse(Blackhole(), Trigger{})
			dialled := r.hello()
			wantSilence(t, "a new connection", dialled)
			wantSilence(t, "an open connection", idle)
			r.wantSilentRequest(client, "/during")
			a.Allow()
			wantReset(t, "an open connection", idle)
			wantReset(t, "a new connection", dialled)
			r.mustGet(r.client(h2), "/after")
			await(t, "upstream", r.seen)
			if got := await(t, "upstream", r.seen); got != "GET /after" {
				t.Errorf("upstream saw %s", got)
			}
			if got := r.Requests()[1]; got.Path != "/during" || got.Code != 0 || got.Fault != "blackhole" {
				t.Errorf("noted %+v", got)
			}
		}
	})
}

// What was asked for before is not answered any more, and a watch says nothing, until the end.
func TestBlackholeCutsAnswers(t *testing.T) {
	onBoth(t, func(t *testing.T, host string) {
		f := newWatcher()
		r := startRig(t, host, f.ServeHTTP)
		watch, err := r.client(true).Get(r.URL() + "/watch")
		if err != nil {
			t.Fatal(err)
		}
		defer watch.Body.Close()
		a := r.Refuse(Blackhole(), Trigger{})
		f.send(t, "event")
		read := make(chan error, 1)
		go func() {
			_, err := watch.Body.Read(make([]byte, 1))
			read <- err
		}()
		select {
		case err := <-read:
			t.Errorf("watch: %v, want silence", err)
		case <-time.After(moment):
			a.Allow()
			if err := await(t, "end of the watch", read); !errors.Is(err, syscall.ECONNRESET) {
				t.Errorf("watch: %v, want ECONNRESET", err)
			}
		}
		if got := r.Requests()[0]; got.Code != http.StatusOK || got.Fault != "blackhole" {
			t.Errorf("noted %+v", got)
		}
	})
}

// The request that sets it off is not answered and never reaches the upstream; client-go gets a reset
// in the end, and tries again.
func TestBlackholeAt(t *testing.T) {
	onBoth(t, func(t *testing.T, host string) {
		r := startRig(t, host, serveDiscovery)
		a := r.Refuse(Blackhole(), Trigger{At: &Match{Path: "/api"}})
		done := make(chan error, 1)
		go func() { done <- r.discovery().RESTClient().Get().AbsPath("/api").Do(background(t)).Error() }()
		await(t, "begun", a.Begun())
		if len(r.seen) > 0 {
			t.Errorf("upstream saw %s", <-r.seen)
		}
		a.Allow()
		if err := await(t, "the answer", done); err != nil {
			t.Error(err)
		}
	})
}

// An answer arrives whole before its connection falls silent.
func TestBlackholeAfter(t *testing.T) {
	onBoth(t, func(t *testing.T, host string) {
		for _, h2 := range []bool{true, false} {
			r := startRig(t, host, ok)
			client := r.client(h2)
			a := r.Refuse(Blackhole(), Trigger{After: &Match{Path: "/answer"}})
			if got := r.mustGet(client, "/answer"); got != "/answer" {
				t.Errorf("answer %q", got)
			}
			await(t, "begun", a.Begun())
			if h2 { // it has been told to go away
				wantNothing(t, "next request", get1(background(t), client, r.URL()+"/next"))
			} else {
				r.wantSilentRequest(client, "/next")
			}
			a.Allow()
			r.mustGet(r.client(h2), "/after")
		}
	})
}

func TestHalfOpen(t *testing.T) {
	onBoth(t, func(t *testing.T, host string) {
		for _, h2 := range []bool{true, false} {
			r := startRig(t, host, ok)
			idle, client := r.opened(h2)
			a := r.Refuse(HalfOpen(), Trigger{})
			dialled := r.hello()
			wantSilence(t, "a new connection", dialled)
			if h2 {
				r.wantSilentRequest(client, "/during") // HTTP/1.1 closes its connection with the request
			}
			a.Allow()
			wantSilence(t, "an open connection", idle)
			wantSilence(t, "a connection made while it was on", dialled)
			if h2 {
				r.wantSilentRequest(client, "/still")
				if got := r.Requests()[2]; got.Path != "/still" || got.Code != 0 || got.Fault != "half-open" {
					t.Errorf("noted %+v", got)
				}
			}
			r.mustGet(r.client(h2), "/after")
			await(t, "upstream", r.seen)
			if got := await(t, "upstream", r.seen); got != "GET /after" {
				t.Errorf("upstream saw %s", got)
			}
		}
	})
}

// A client that gives a dead connection up leaves nothing behind in the proxy.
func TestHalfOpenGivenUp(t *testing.T) {
	onBoth(t, func(t *testing.T, host string) {
		r := startRig(t, host, ok)
		idle, _ := r.opened(true)
		var c *conn
		r.mu.Lock()
		for c = range r.conns {
			if c.RemoteAddr().String() == idle.LocalAddr().String() {
				break
			}
		}
		r.mu.Unlock()
		r.Refuse(HalfOpen(), Trigger{}).Allow()
		if err := idle.(*tls.Conn).NetConn().Close(); err != nil {
			t.Fatal(err)
		}
		await(t, "end of the connection", c.over)
	})
}

func TestTLSHang(t *testing.T) {
	onBoth(t, func(t *testing.T, host string) {
		r := startRig(t, host, ok)
		idle, _ := r.opened(true)
		a := r.Refuse(TLSHang(), Trigger{})
		wantReset(t, "an open connection", idle)
		dialled := r.hello()
		wantSilence(t, "a new connection", dialled)
		client := r.client(true)
		client.Transport.(*http.Transport).TLSHandshakeTimeout = moment
		var late net.Error
		if _, _, err := get(client, r.URL()+"/during"); !errors.As(err, &late) || !late.Timeout() {
			t.Errorf("GET: %v, want a time-out of the handshake", err)
		}
		a.Allow()
		wantReset(t, "a new connection", dialled)
		r.mustGet(r.client(true), "/after")
	})
}

func TestWrongCA(t *testing.T) {
	onBoth(t, func(t *testing.T, host string) {
		r := startRig(t, host, ok)
		idle, _ := r.opened(true)
		a := r.Refuse(WrongCA(), Trigger{})
		wantReset(t, "an open connection", idle)
		var unknown x509.UnknownAuthorityError
		if _, _, err := get(r.client(true), r.URL()+"/during"); !errors.As(err, &unknown) {
			t.Errorf("GET: %v, want an unknown authority", err)
		}
		if _, err := r.discovery().ServerVersion(); !errors.As(err, &unknown) {
			t.Errorf("discovery: %v, want an unknown authority", err)
		}
		a.Allow()
		r.mustGet(r.client(true), "/after")
	})
}
