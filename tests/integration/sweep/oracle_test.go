package sweep

import (
	"context"
	"crypto/tls"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"carry/internal/controlplane"
	"carry/internal/faults"
)

// rig is an API that answers everything with one code, a proxy before it and a
// component that does nothing by itself.
type rig struct {
	api     *httptest.Server
	proxy   *faults.Proxy
	client  *http.Client
	process *controlplane.Process
}

func newRig(t *testing.T, code int, script string) rig {
	t.Helper()
	pki, err := controlplane.NewPKI()
	if err != nil {
		t.Fatal(err)
	}
	var r rig
	r.api = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }))
	r.api.TLS = &tls.Config{Certificates: []tls.Certificate{pki.Server}}
	r.api.StartTLS()
	t.Cleanup(r.api.Close)
	upstream, err := url.Parse(r.api.URL)
	if err != nil {
		t.Fatal(err)
	}
	r.proxy, err = faults.Start(faults.Config{Listen: "[::1]:0", Cert: pki.Server, Upstream: upstream, UpstreamCAs: pki.Pool})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.proxy.Close(); err != nil {
			t.Error(err)
		}
	})
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pki.Pool}, ForceAttemptHTTP2: true}
	t.Cleanup(transport.CloseIdleConnections)
	r.client = &http.Client{Transport: transport}
	r.process, err = controlplane.StartProcess(controlplane.Command{
		Name: kcmName, Path: "/bin/sh", Args: []string{"-c", script}, Dir: t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.process.Stop() })
	return r
}

// attempt is a start of the rig's component as if it were this one.
func (r rig) attempt(c component) *attempt {
	return &attempt{plane: &plane{component: c}, proxy: r.proxy, process: r.process, start: c.starts[0], old: "old"}
}

// provide writes what the oracle looks for, through a server.
func (r rig) provide(t *testing.T, server, namespace string) {
	t.Helper()
	for _, e := range provided(namespace) {
		resp, err := r.client.Post(server+e.match.Path, "application/json", strings.NewReader("{}"))
		if err != nil {
			t.Error(err)
			return
		}
		resp.Body.Close()
	}
}

const lives, dies = "exec sleep 60", "exit 3"

// TestOnlyOwnWritesCount: the same write past the proxy, or without success,
// is none.
func TestOnlyOwnWritesCount(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		code   int
		past   bool
		script string
		want   string // of judge
	}{
		{"own", http.StatusCreated, false, lives, ""},
		{"past the proxy", http.StatusCreated, true, lives, stuck},
		{"without success", http.StatusConflict, false, lives, stuck},
		{"and gone", http.StatusConflict, false, dies, exited},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, test.code, test.script)
			server := r.proxy.URL()
			if test.past {
				server = r.api.URL
			}
			r.provide(t, server, "new")
			wait := 10 * time.Second
			if test.want == stuck {
				wait = 200 * time.Millisecond
			}
			ctx, cancel := context.WithTimeout(t.Context(), wait)
			defer cancel()
			err := met(ctx, r.proxy, r.process, provided("new")...)
			if test.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			got := (&runner{}).judge(err, "now")
			if got.Outcome != test.want {
				t.Errorf("%+v (%v), want %s", got, err, test.want)
			}
		})
	}
}

func TestNothingSkipped(t *testing.T) {
	t.Parallel()
	r := newRig(t, http.StatusOK, lives)
	resp, err := r.client.Get(r.proxy.URL() + "/api/v1/pods")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	const agent = "Go-http-client/2.0 "
	if err := nothingSkipped(ctx, r.attempt(kcm()), []string{agent + "/api/v1/pods"}); err != nil {
		t.Error(err)
	}
	err = nothingSkipped(ctx, r.attempt(kcm()), []string{agent + "/api/v1/nodes", agent + "/api/v1/pods"})
	var late *stuckError
	if !errors.As(err, &late) || late.missing != "never asked: "+agent+"/api/v1/nodes" {
		t.Errorf("error %v", err)
	}
}
