package faults

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
)

// TestMain fails when a proxy has left a goroutine of this package behind.
func TestMain(m *testing.M) {
	code := m.Run()
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	for g := range strings.SplitSeq(string(stacks), "\n\n") {
		if strings.Contains(g, "faults.(*") {
			fmt.Fprintf(os.Stderr, "left behind:\n%s\n", g)
			code = 1
		}
	}
	os.Exit(code)
}

// onBoth runs a test on IPv4 and on IPv6, side by side.
func onBoth(t *testing.T, test func(t *testing.T, host string)) {
	t.Parallel()
	for name, host := range map[string]string{"IPv4": "127.0.0.1", "IPv6": "::1"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, host)
		})
	}
}

// rig is a proxy in front of an HTTP/2 server with TLS.
type rig struct {
	*Proxy
	t        *testing.T
	upstream *httptest.Server
	cas      *x509.CertPool
	seen     chan string // "METHOD path" of each request that reached the upstream
	log      *bytes.Buffer
}

func startRig(t *testing.T, host string, handler http.HandlerFunc) *rig {
	t.Helper()
	r := &rig{t: t, seen: make(chan string, 1000), log: &bytes.Buffer{}, cas: x509.NewCertPool()}
	l, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		t.Fatal(err)
	}
	r.upstream = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		r.seen <- q.Method + " " + q.URL.Path
		handler(w, q)
	}))
	_ = r.upstream.Listener.Close()
	r.upstream.Listener = l
	r.upstream.EnableHTTP2 = true
	r.upstream.StartTLS()
	t.Cleanup(r.upstream.Close)
	r.cas.AddCert(r.upstream.Certificate())
	u, err := url.Parse(r.upstream.URL)
	if err != nil {
		t.Fatal(err)
	}
	r.Proxy, err = Start(Config{
		Listen: net.JoinHostPort(host, "0"), Cert: r.upstream.TLS.Certificates[0],
		Upstream: u, UpstreamCAs: r.cas, Log: r.log,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Errorf("close proxy: %v", err)
		}
	})
	return r
}

// client has connections of its own; h2 or HTTP/1.1.
func (r *rig) client(h2 bool) *http.Client {
	tr := &http.Transport{
		TLSClientConfig:    &tls.Config{RootCAs: r.cas},
		ForceAttemptHTTP2:  h2,
		DisableCompression: true,
	}
	r.t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr, Timeout: 20 * time.Second}
}

func (r *rig) hostPort() string { return strings.TrimPrefix(r.URL(), "https://") }

// get gives the status and the body, as far as both came.
func get(c *http.Client, url string) (int, string, error) {
	resp, err := c.Get(url)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(body), err
}

func (r *rig) mustGet(c *http.Client, path string) string {
	r.t.Helper()
	code, body, err := get(c, r.URL()+path)
	if err != nil || code != http.StatusOK {
		r.t.Fatalf("GET %s: status %d, error %v", path, code, err)
	}
	return body
}

// await fails the test when an event does not come.
func await[T any](t *testing.T, what string, event <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-event:
	case <-time.After(20 * time.Second):
		t.Fatalf("%s: not within 20 s", what)
	}
	return v
}

func (r *rig) config() *rest.Config {
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: r.upstream.Certificate().Raw})
	return &rest.Config{Host: r.URL(), BearerToken: "secret", TLSClientConfig: rest.TLSClientConfig{CAData: ca}}
}

func (r *rig) discovery() *discovery.DiscoveryClient {
	r.t.Helper()
	d, err := discovery.NewDiscoveryClientForConfig(r.config())
	if err != nil {
		r.t.Fatal(err)
	}
	return d
}

// ok answers with the path.
func ok(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.URL.Path) }

// watcher answers paths that end in /watch as kube-apiserver answers a watch: at once with a
// header, and then with what is sent to events. Other paths are answered by ok.
type watcher struct {
	events    chan string
	cancelled chan struct{}
}

func newWatcher() *watcher {
	return &watcher{events: make(chan string), cancelled: make(chan struct{}, 10)}
}

func (f *watcher) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.HasSuffix(r.URL.Path, "/watch") {
		ok(w, r)
		return
	}
	w.WriteHeader(http.StatusOK)
	w.(http.Flusher).Flush()
	for {
		select {
		case e := <-f.events:
			_, _ = io.WriteString(w, e)
			w.(http.Flusher).Flush()
		case <-r.Context().Done():
			f.cancelled <- struct{}{}
			return
		}
	}
}

// send lets a watch receive something.
func (f *watcher) send(t *testing.T, event string) {
	t.Helper()
	select {
	case f.events <- event:
	case <-time.After(20 * time.Second):
		t.Fatal("no watch takes the event")
	}
}

func background(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}
