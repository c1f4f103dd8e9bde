package sweep

import (
	"net/http"
	"testing"

	"carry/internal/faults"
)

// TestFelt: a result counts when the request of the window has met the fault.
func TestFelt(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		window string
		in     Result
		want   Result
	}{
		{"felt", "GET /x #2", Result{Outcome: survived}, Result{Outcome: survived, Felt: 2}},
		{"another request", "GET /x #1", Result{Outcome: survived}, Result{Outcome: broken}},
		{"not made", "GET /y #1", Result{Outcome: stuck}, Result{Outcome: broken}},
		{"before it", "GET /y #1", Result{Outcome: exited, Phase: beforeFault}, Result{Outcome: exited, Phase: beforeFault}},
		{"not reached", "GET /y #1", Result{Outcome: notReached}, Result{Outcome: notReached}},
	}
	r := newRig(t, http.StatusOK, lives)
	at := Window{Method: http.MethodGet, Path: "/x", N: 2}.match("")
	r.proxy.Refuse(mustFault(t, "unavailable"), faults.Trigger{At: at})
	for range 3 {
		resp, err := r.client.Get(r.proxy.URL() + "/x")
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
	}
	for _, test := range tests {
		w, err := parseWindow(test.window)
		if err != nil {
			t.Fatal(err)
		}
		got := (&attempt{proxy: r.proxy}).felt(test.in, w)
		if got.Outcome == broken {
			got.Detail = ""
		}
		if got != test.want {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
	}
	a := &attempt{proxy: r.proxy} // two requests have met it
	for _, test := range []struct {
		kind string
		want int
	}{{"half-open", 1}, {"refused", 0}} {
		k, err := kindNamed(test.kind)
		if err != nil {
			t.Fatal(err)
		}
		if got := a.apart(k); got != test.want {
			t.Errorf("%s: %d connections more, want %d", test.kind, got, test.want)
		}
	}
}

func mustFault(t *testing.T, name string) faults.Fault {
	t.Helper()
	f, err := faults.ParseFault(name)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
