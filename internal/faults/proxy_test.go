package faults

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestForwardsUnchanged(t *testing.T) {
	onBoth(t, func(t *testing.T, host string) {
		got := make(chan *http.Request, 1)
		r := startRig(t, host, func(w http.ResponseWriter, q *http.Request) {
			body, _ := io.ReadAll(q.Body)
			got <- q
			w.Header().Set("Content-Encoding", "gzip")
			w.WriteHeader(http.StatusTeapot)
			_, _ = w.Write(body)
		})
		q, err := http.NewRequest("POST", r.URL()+"/apis/a%2Fb/c?watch=1&x=;", strings.NewReader("not gzip"))
		if err != nil {
			t.Fatal(err)
		}
		q.Header = http.Header{
			"Authorization": {"Bearer secret"}, "User-Agent": {"kcm/1"}, "Accept": {"a", "b"},
			"Impersonate-User": {"u"},
		}
		resp, err := r.client(true).Do(q)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil || string(body) != "not gzip" || resp.StatusCode != http.StatusTeapot || resp.ProtoMajor != 2 {
			t.Errorf("answer %s %q, %v", resp.Status, body, err)
		}
		up := <-got
		want := q.Header.Clone()
		want.Set("Content-Length", "8")
		if diff := cmp.Diff(want, up.Header); diff != "" {
			t.Errorf("headers at the upstream (-want +got):\n%s", diff)
		}
		if up.Method != "POST" || up.RequestURI != "/apis/a%2Fb/c?watch=1&x=;" || up.Host != r.hostPort() || up.ProtoMajor != 2 {
			t.Errorf("upstream saw %s %s %s, host %s", up.Method, up.RequestURI, up.Proto, up.Host)
		}
	})
}

// A dead kube-apiserver resets; it never answers 502.
func TestUpstreamDown(t *testing.T) {
	onBoth(t, func(t *testing.T, host string) {
		r := startRig(t, host, ok)
		client := r.client(true)
		r.mustGet(client, "/x")
		r.upstream.CloseClientConnections()
		r.upstream.Close()
		code, _, err := get(client, r.URL()+"/y")
		if !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("GET: %d, %v, want ECONNRESET", code, err)
		}
	})
}

func TestUpstreamBreaksOff(t *testing.T) {
	onBoth(t, func(t *testing.T, host string) {
		r := startRig(t, host, func(w http.ResponseWriter, q *http.Request) {
			if q.URL.Path != "/half" {
				return
			}
			_, _ = io.WriteString(w, "half")
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		})
		client := r.client(true)
		r.mustGet(client, "/x")
		if _, _, err := get(client, r.URL()+"/half"); !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("GET: %v, want ECONNRESET", err)
		}
		await(t, "first request", r.seen)
		await(t, "second request", r.seen)
		if len(r.seen) > 0 {
			t.Errorf("tried again: %s", <-r.seen)
		}
	})
}

// One cancelled watch leaves the other requests of its connection alone.
func TestClientCancels(t *testing.T) {
	onBoth(t, func(t *testing.T, host string) {
		f := newWatcher()
		r := startRig(t, host, f.ServeHTTP)
		client := r.client(true)
		stays, err := client.Get(r.URL() + "/stays/watch")
		if err != nil {
			t.Fatal(err)
		}
		defer stays.Body.Close()
		goes, err := client.Get(r.URL() + "/goes/watch")
		if err != nil {
			t.Fatal(err)
		}
		goes.Body.Close()
		await(t, "end of the upstream's request", f.cancelled)
		f.send(t, "event")
		if _, err := io.ReadFull(stays.Body, make([]byte, len("event"))); err != nil {
			t.Errorf("the other watch: %v", err)
		}
	})
}

func TestRequestsAndLog(t *testing.T) {
	onBoth(t, func(t *testing.T, host string) {
		r := startRig(t, host, ok)
		q, err := http.NewRequest("GET", r.URL()+"/x?a=b", nil)
		if err != nil {
			t.Fatal(err)
		}
		q.Header.Set("User-Agent", "kcm")
		q.Header.Set("Authorization", "Bearer secret")
		client := r.client(true)
		resp, err := client.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		r.Refuse(EmptyDiscovery(), Trigger{})
		r.mustGet(client, "/api")
		want := []Request{
			{Seq: 1, Method: "GET", Path: "/x", Query: "a=b", UserAgent: "kcm", Authenticated: "2bb80d537b1d", Code: 200},
			{Seq: 2, Method: "GET", Path: "/api", UserAgent: "Go-http-client/2.0", Code: 200, Fault: "empty-discovery"},
		}
		noTime := cmpopts.IgnoreFields(Request{}, "Time")
		if diff := cmp.Diff(want, r.Requests(), noTime); diff != "" {
			t.Errorf("requests (-want +got):\n%s", diff)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		var events []string
		for line := range strings.Lines(r.log.String()) {
			var v struct{ Event, Path, Fault string }
			if err := json.Unmarshal([]byte(line), &v); err != nil {
				t.Fatalf("log line %s: %v", line, err)
			}
			events = append(events, strings.TrimSpace(v.Event+" "+v.Path+" "+v.Fault))
		}
		wantEvents := []string{"begin  empty-discovery", "end  empty-discovery", "request /api empty-discovery", "request /x"}
		if diff := cmp.Diff(wantEvents, events, cmpopts.SortSlices(func(a, b string) bool { return a < b })); diff != "" {
			t.Errorf("log (-want +got):\n%s", diff)
		}
	})
}

func TestWaitRequest(t *testing.T) {
	onBoth(t, func(t *testing.T, host string) {
		r := startRig(t, host, ok)
		client := r.client(true)
		r.mustGet(client, "/a")
		type result struct {
			r   Request
			err error
		}
		came := make(chan result)
		go func() {
			got, err := r.WaitRequest(background(t), 2, Match{Path: "/a", N: 2})
			came <- result{got, err}
		}()
		for range 2 {
			r.mustGet(client, "/b")
			r.mustGet(client, "/a")
		}
		if got := await(t, "request", came); got.err != nil || got.r.Seq != 5 || got.r.Code != http.StatusOK {
			t.Errorf("waited for %+v, %v, want number 5 with 200", got.r, got.err)
		}
		if got, err := r.WaitRequest(background(t), 0, Match{Path: "/a"}); err != nil || got.Seq != 1 {
			t.Errorf("waited for %+v, %v, want number 1", got, err)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(io.EOF)
		if _, err := r.WaitRequest(ctx, 0, Match{Path: "/never"}); !errors.Is(err, io.EOF) {
			t.Errorf("wait that was given up: %v", err)
		}
		go func() {
			_, err := r.WaitRequest(background(t), 0, Match{Path: "/never"})
			came <- result{err: err}
		}()
		_ = r.Close()
		if got := await(t, "end of wait", came); !errors.Is(got.err, net.ErrClosed) {
			t.Errorf("wait on a closed proxy: %v", got.err)
		}
	})
}

// A request that is still without an answer is waited for.
func TestWaitRequestForTheAnswer(t *testing.T) {
	onBoth(t, func(t *testing.T, host string) {
		answer := make(chan struct{})
		r := startRig(t, host, func(http.ResponseWriter, *http.Request) { <-answer })
		client, done := r.client(true), make(chan struct{})
		go func() {
			defer close(done)
			_, _, _ = get(client, r.URL()+"/x")
		}()
		await(t, "request", r.seen)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if got, err := r.WaitRequest(ctx, 0, Match{Path: "/x"}); !errors.Is(err, context.Canceled) {
			t.Errorf("waited for %+v, %v, want a wait that was given up", got, err)
		}
		close(answer)
		if got, err := r.WaitRequest(background(t), 0, Match{Path: "/x"}); err != nil || got.Code != http.StatusOK {
			t.Errorf("waited for %+v, %v, want 200", got, err)
		}
		await(t, "client", done)
	})
}

func TestDisarm(t *testing.T) {
	onBoth(t, func(t *testing.T, host string) {
		r := startRig(t, host, ok)
		a := r.Refuse(Refused(), Trigger{At: &Match{Path: "/x"}})
		b := r.Refuse(Refused(), Trigger{After: &Match{Path: "/x"}})
		r.Allow()
		await(t, "ended", a.Ended())
		await(t, "ended", b.Ended())
		r.mustGet(r.client(true), "/x")
		r.mustGet(r.client(true), "/x")
	})
}

func TestCloseEndsFaults(t *testing.T) {
	onBoth(t, func(t *testing.T, host string) {
		f := newWatcher()
		r := startRig(t, host, f.ServeHTTP)
		watch, err := r.client(true).Get(r.URL() + "/watch")
		if err != nil {
			t.Fatal(err)
		}
		defer watch.Body.Close()
		begun := r.Refuse(EmptyDiscovery(), Trigger{})
		armed := r.Refuse(Refused(), Trigger{At: &Match{Path: "/x"}})
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		late := r.Refuse(Refused(), Trigger{})
		for _, a := range []*Armed{begun, armed, late} {
			await(t, "ended", a.Ended())
		}
		if _, err := io.ReadAll(watch.Body); err == nil {
			t.Error("watch: ended well")
		}
		if err := r.Close(); err != nil {
			t.Errorf("second close: %v", err)
		}
	})
}

func TestStartRejects(t *testing.T) {
	t.Parallel()
	good := &url.URL{Scheme: "https", Host: "[::1]:1"}
	tests := []struct {
		name string
		in   Config
		want string
	}{
		{"name", Config{Listen: "localhost:0", Upstream: good}, "listen address"},
		{"zone", Config{Listen: "[fe80::1%lo]:0", Upstream: good}, "without zone"},
		{"not ours", Config{Listen: "192.0.2.1:0", Upstream: good}, "bind"},
		{"no upstream", Config{Listen: "[::1]:0"}, "upstream"},
		{"plain upstream", Config{Listen: "[::1]:0", Upstream: &url.URL{Scheme: "http"}}, "upstream"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if _, err := Start(tt.in); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}
