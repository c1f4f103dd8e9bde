package faults

import (
	"net/http"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// TestRefusals: one request met and one that is not, as net/http sees them, before, during and after.
func TestRefusals(t *testing.T) {
	tests := []struct {
		fault      Fault
		met, other string // other "": all are met
		code       int
		retryAfter string
		body       string
	}{
		{Unavailable(), "/version", "", 503, "1", `"reason":"ServiceUnavailable","details":{"retryAfterSeconds":1},"code":503`},
		{TooManyRequests(), "/version", "", 429, "1", `"reason":"TooManyRequests","details":{"retryAfterSeconds":1},"code":429`},
		{Forbidden(), "/healthz", "", 403, "", `"reason":"Forbidden","code":403`},
		{Unhealthy(), "/healthz", "/healthz/ping", 500, "", "healthz check failed"},
		{Unhealthy(), "/livez", "/version", 500, "", "livez check failed"},
		{Unhealthy(), "/readyz", "/api", 500, "", "readyz check failed"},
		{APIsRefused(), "/apis", "/api", 503, "", `"code":503`},
		{APIsRefused(), "/apis/", "/apis/apps/v1", 503, "", `"code":503`},
	}
	for _, test := range tests {
		t.Run(test.fault.Name()+strings.ReplaceAll(test.met, "/", "_"), func(t *testing.T) {
			onBoth(t, func(t *testing.T, host string) {
				r := startRig(t, host, ok)
				client := r.client(true)
				r.mustGet(client, test.met)
				a := r.Refuse(test.fault, Trigger{})
				resp, err := client.Get(r.URL() + test.met)
				if err != nil {
					t.Fatal(err)
				}
				defer resp.Body.Close()
				_, body, _ := get(client, r.URL()+test.met)
				if resp.StatusCode != test.code || resp.Header.Get("Retry-After") != test.retryAfter || !strings.Contains(body, test.body) {
					t.Errorf("status %d, Retry-After %q, body %s", resp.StatusCode, resp.Header.Get("Retry-After"), body)
				}
				want := []string{"GET " + test.met, "GET " + test.met}
				if test.other != "" {
					r.mustGet(client, test.other)
					want = []string{"GET " + test.met, "GET " + test.other, "GET " + test.met}
				}
				a.Allow()
				r.mustGet(client, test.met)
				for _, w := range want {
					if got := await(t, "upstream", r.seen); got != w {
						t.Errorf("upstream saw %s, want %s", got, w)
					}
				}
				if got := r.Requests()[1]; got.Code != test.code || got.Fault != test.fault.Name() {
					t.Errorf("noted %+v", got)
				}
			})
		})
	}
}

// client-go tells the kinds apart, and tries those with Retry-After again until they end.
func TestRefusalsAsClientGoSeesThem(t *testing.T) {
	onBoth(t, func(t *testing.T, host string) {
		r := startRig(t, host, serveDiscovery)
		forbidden := r.Refuse(Forbidden(), Trigger{})
		if _, err := r.discovery().ServerVersion(); !apierrors.IsForbidden(err) {
			t.Errorf("forbidden: %v", err)
		}
		forbidden.Allow()
		apis := r.Refuse(APIsRefused(), Trigger{})
		if _, err := r.discovery().ServerGroups(); !apierrors.IsServiceUnavailable(err) {
			t.Errorf("apis-refused: %v", err)
		}
		if err := r.discovery().RESTClient().Get().AbsPath("/apis/apps/v1").Do(background(t)).Error(); err != nil {
			t.Errorf("below /apis: %v", err)
		}
		apis.Allow()
		for _, f := range []Fault{Unavailable(), TooManyRequests()} {
			from := len(r.Requests()) + 1
			a := r.Refuse(f, Trigger{})
			done := make(chan error, 1)
			go func() { done <- r.discovery().RESTClient().Get().AbsPath("/api").Do(background(t)).Error() }()
			if _, err := r.WaitRequest(background(t), from, Match{Path: "/api", N: 2}); err != nil {
				t.Errorf("%s: %v", f.Name(), err)
			}
			a.Allow()
			if err := await(t, "the answer", done); err != nil {
				t.Errorf("%s: %v", f.Name(), err)
			}
		}
	})
}

// An answer that has begun goes on.
func TestUnavailableLeavesWatches(t *testing.T) {
	onBoth(t, func(t *testing.T, host string) {
		f := newWatcher()
		r := startRig(t, host, f.ServeHTTP)
		client := r.client(true)
		watch, err := client.Get(r.URL() + "/watch")
		if err != nil {
			t.Fatal(err)
		}
		defer watch.Body.Close()
		r.Refuse(Unavailable(), Trigger{})
		if code, _, err := get(client, r.URL()+"/x"); code != http.StatusServiceUnavailable {
			t.Errorf("GET: %d, %v", code, err)
		}
		f.send(t, "event")
		if n, err := watch.Body.Read(make([]byte, 10)); n != len("event") {
			t.Errorf("watch: %d bytes, %v", n, err)
		}
	})
}
