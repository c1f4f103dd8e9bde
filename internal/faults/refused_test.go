package faults

import (
	"bufio"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestRefusedDials(t *testing.T) {
	onBoth(t, func(t *testing.T, host string) {
		r := startRig(t, host, ok)
		url := r.URL()
		for range 3 {
			r.mustGet(r.client(true), "/before")
			a := r.Refuse(Refused(), Trigger{})
			await(t, "begun", a.Begun())
			if _, err := net.Dial("tcp", r.hostPort()); !errors.Is(err, syscall.ECONNREFUSED) {
				t.Errorf("dial: %v, want ECONNREFUSED", err)
			}
			if _, _, err := get(r.client(true), r.URL()+"/during"); !errors.Is(err, syscall.ECONNREFUSED) {
				t.Errorf("GET: %v, want ECONNREFUSED", err)
			}
			if _, err := r.discovery().ServerPreferredNamespacedResources(); !errors.Is(err, syscall.ECONNREFUSED) {
				t.Errorf("discovery: %v, want ECONNREFUSED", err)
			}
			a.Allow()
			await(t, "ended", a.Ended())
			r.mustGet(r.client(true), "/after")
			if r.URL() != url {
				t.Errorf("URL is %s, was %s", r.URL(), url)
			}
		}
		for range 6 {
			await(t, "upstream", r.seen)
		}
		if len(r.seen) > 0 {
			t.Errorf("upstream saw %s", <-r.seen)
		}
	})
}

func TestRefusedResetsOpenConnections(t *testing.T) {
	onBoth(t, func(t *testing.T, host string) {
		r := startRig(t, host, ok)
		silent, err := net.Dial("tcp", r.hostPort()) // no handshake yet
		if err != nil {
			t.Fatal(err)
		}
		defer silent.Close()
		idle, err := tls.Dial("tcp", r.hostPort(), &tls.Config{RootCAs: r.cas})
		if err != nil {
			t.Fatal(err)
		}
		defer idle.Close()
		r.Refuse(Refused(), Trigger{})
		for name, c := range map[string]net.Conn{"silent": silent, "idle": idle} {
			if _, err := io.Copy(io.Discard, c); !errors.Is(err, syscall.ECONNRESET) {
				t.Errorf("read from %s connection: %v, want ECONNRESET", name, err)
			}
		}
	})
}

func TestRefusedCutsWatches(t *testing.T) {
	onBoth(t, func(t *testing.T, host string) {
		for _, h2 := range []bool{true, false} {
			f := newWatcher()
			r := startRig(t, host, f.ServeHTTP)
			watch, err := r.client(h2).Get(r.URL() + "/watch")
			if err != nil {
				t.Fatal(err)
			}
			defer watch.Body.Close()
			f.send(t, "event")
			if _, err := io.ReadFull(watch.Body, make([]byte, len("event"))); err != nil {
				t.Fatal(err) // buffered on the way: the watch goes on, so nothing else would flush it
			}
			r.Refuse(Refused(), Trigger{})
			if _, err := watch.Body.Read(make([]byte, 1)); !errors.Is(err, syscall.ECONNRESET) {
				t.Errorf("read from watch (HTTP/2: %v): %v, want ECONNRESET", h2, err)
			}
			await(t, "end of the upstream's request", f.cancelled)
			if got := r.Requests()[0]; got.Code != http.StatusOK || got.Fault != "refused" {
				t.Errorf("noted %+v, want status 200 and fault refused", got)
			}
		}
	})
}

func TestRefusedAt(t *testing.T) {
	onBoth(t, func(t *testing.T, host string) {
		r := startRig(t, host, ok)
		client := r.client(true)
		a := r.Refuse(Refused(), Trigger{At: &Match{Method: "GET", Path: "/a/{}", N: 2}})
		r.mustGet(client, "/a/1")
		r.mustGet(client, "/b")
		if _, _, err := get(client, r.URL()+"/a/2"); !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("the request that sets it off: %v, want ECONNRESET", err)
		}
		await(t, "begun", a.Begun())
		if _, _, err := get(client, r.URL()+"/a/3"); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("the next: %v, want ECONNREFUSED", err)
		}
		a.Allow()
		r.mustGet(client, "/a/4")
		for _, want := range []string{"GET /a/1", "GET /b", "GET /a/4"} {
			if got := await(t, "upstream", r.seen); got != want {
				t.Errorf("upstream saw %s, want %s", got, want)
			}
		}
		if got := r.Requests()[2]; got.Code != 0 || got.Fault != "refused" {
			t.Errorf("noted %+v, want code 0 and fault refused", got)
		}
	})
}

// A request that was read before its connection was cut, and gets to run when all is over, fails all
// the same: the client has seen it fail.
func TestRefusedLateRequest(t *testing.T) {
	onBoth(t, func(t *testing.T, host string) {
		r := startRig(t, host, ok)
		client, err := tls.Dial("tcp", r.hostPort(), &tls.Config{RootCAs: r.cas})
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		var c *conn
		r.mu.Lock()
		for c = range r.conns {
		}
		r.mu.Unlock()
		r.Refuse(Refused(), Trigger{}).Allow()
		defer func() {
			if e := recover(); e != http.ErrAbortHandler {
				t.Errorf("handler ended with %v, want an abort", e)
			}
			if len(r.seen) > 0 {
				t.Errorf("upstream saw %s", <-r.seen)
			}
		}()
		r.handle(c, httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), "GET", "/late", nil))
	})
}

// client-go tries a GET again when its connection is reset, and then reports the refused dial.
func TestRefusedAtAsClientGoSeesIt(t *testing.T) {
	onBoth(t, func(t *testing.T, host string) {
		r := startRig(t, host, ok)
		r.Refuse(Refused(), Trigger{At: &Match{Path: "/version"}})
		_, err := r.discovery().ServerVersion()
		if !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("GET /version: %v, want ECONNREFUSED", err)
		}
		if len(r.seen) > 0 {
			t.Errorf("upstream saw %s", <-r.seen)
		}
	})
}

// The answer arrives whole however long it is and however slowly it is read, also beside a watch on
// the same connection; from then on nothing gets through.
func TestRefusedAfter(t *testing.T) {
	long := strings.Repeat("0123456789abcdef", 1<<16)
	for _, h2 := range []bool{true, false} {
		for name, body := range map[string]string{"none": "", "short": "x", "long": long} {
			t.Run(fmt.Sprintf("h2=%v/%s", h2, name), func(t *testing.T) {
				onBoth(t, func(t *testing.T, host string) {
					f := newWatcher()
					r := startRig(t, host, func(w http.ResponseWriter, q *http.Request) {
						if q.URL.Path != "/answer" {
							f.ServeHTTP(w, q)
							return
						}
						_, _ = io.WriteString(w, body)
					})
					client := r.client(h2)
					for range 10 {
						refusedAfter(t, r, f, client, body)
					}
				})
			})
		}
	}
}

func refusedAfter(t *testing.T, r *rig, f *watcher, client *http.Client, body string) {
	t.Helper()
	watch, err := client.Get(r.URL() + "/watch")
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Body.Close()
	a := r.Refuse(Refused(), Trigger{After: &Match{Path: "/answer"}})
	resp, err := client.Get(r.URL() + "/answer")
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err != nil || string(got) != body {
		t.Fatalf("answer: %d of %d bytes, %v", len(got), len(body), err)
	}
	if _, _, err := get(client, r.URL()+"/next"); err == nil {
		t.Error("next request: answered")
	}
	await(t, "begun", a.Begun())
	if _, _, err := get(client, r.URL()+"/next"); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("request after it began: %v, want ECONNREFUSED", err)
	}
	if _, err := io.ReadAll(watch.Body); err == nil {
		t.Error("watch: ended well")
	}
	await(t, "end of the upstream's request", f.cancelled)
	a.Allow()
	for range 2 {
		if path := await(t, "upstream", r.seen); path == "GET /next" {
			t.Error("upstream saw the next request")
		}
	}
}

// A RST throws away what the client's kernel had no room for yet, so it waits for a slow reader.
func TestRefusedAfterSlowReader(t *testing.T) {
	onBoth(t, func(t *testing.T, host string) {
		const size = 1 << 20 // fits the sender's buffer, not the reader's
		r := startRig(t, host, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", fmt.Sprint(size))
			_, _ = w.Write(make([]byte, size))
		})
		raw, err := net.Dial("tcp", r.hostPort())
		if err != nil {
			t.Fatal(err)
		}
		defer raw.Close()
		if err := raw.(*net.TCPConn).SetReadBuffer(128 << 10); err != nil {
			t.Fatal(err)
		}
		c := tls.Client(raw, &tls.Config{RootCAs: r.cas, ServerName: host})
		a := r.Refuse(Refused(), Trigger{After: &Match{}})
		if _, err := io.WriteString(c, "GET / HTTP/1.1\r\nHost: a\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		pollRefused(t, r.hostPort())
		body := bufio.NewReader(c)
		resp, err := http.ReadResponse(body, nil)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := io.Copy(io.Discard, resp.Body); n != size || err != nil {
			t.Errorf("answer: %d of %d bytes, %v", n, size, err)
		}
		await(t, "begun", a.Begun())
		if _, err := body.ReadByte(); !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("read on: %v, want ECONNRESET", err)
		}
	})
}

// pollRefused returns when dials are refused. The kernel has no event for that.
func pollRefused(t *testing.T, hostPort string) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; {
		c, err := net.Dial("tcp", hostPort)
		if errors.Is(err, syscall.ECONNREFUSED) {
			return
		}
		if err == nil {
			_ = c.Close()
		}
		if time.Now().After(deadline) {
			t.Fatalf("dial: %v after 20 s, want ECONNREFUSED", err)
		}
	}
}

func TestRefusedFor(t *testing.T) {
	onBoth(t, func(t *testing.T, host string) {
		r := startRig(t, host, ok)
		const long = 50 * time.Millisecond
		start := time.Now()
		a := r.Refuse(Refused(), Trigger{For: long})
		await(t, "ended", a.Ended())
		if took := time.Since(start); took < long {
			t.Errorf("ended after %v, want %v at least", took, long)
		}
		r.mustGet(r.client(true), "/x")
	})
}

// Two overlap: the port opens with the end of the last.
func TestRefusedTwice(t *testing.T) {
	onBoth(t, func(t *testing.T, host string) {
		r := startRig(t, host, ok)
		a, b := r.Refuse(Refused(), Trigger{}), r.Refuse(Refused(), Trigger{})
		a.Allow()
		a.Allow()
		if _, err := net.Dial("tcp", r.hostPort()); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("dial: %v, want ECONNREFUSED", err)
		}
		b.Allow()
		r.mustGet(r.client(true), "/x")
	})
}
