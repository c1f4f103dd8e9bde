package sweep

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"carry/internal/controlplane"
	"carry/internal/faults"
)

// TestReached: a window that has not come is waited for until the start is
// over, and a while more.
func TestReached(t *testing.T) {
	t.Parallel()
	const more = 300 * time.Millisecond
	tests := []struct {
		name   string
		script string
		over   bool // the start is, before the window comes
		comes  bool
		want   string // the error's type
	}{
		{"comes", lives, false, true, ""},
		{"comes in the while", lives, true, true, ""},
		{"does not", lives, true, false, "late"},
		{"exits", dies, false, false, "exited"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, http.StatusCreated, test.script)
			armed := r.proxy.Refuse(mustFault(t, "unavailable"), faults.Trigger{At: &faults.Match{Path: "/window"}})
			if test.over {
				r.provide(t, r.proxy.URL(), "old")
			}
			if test.comes {
				time.AfterFunc(more/3, func() {
					if resp, err := r.client.Get(r.proxy.URL() + "/window"); err == nil {
						_ = resp.Body.Close()
					}
				})
			}
			err := reached(t.Context(), r.attempt(kcm()), armed, more)
			var late *controlplane.TimeoutError
			var exit *controlplane.ExitedError
			got := ""
			switch {
			case errors.As(err, &late):
				got = "late"
			case errors.As(err, &exit):
				got = "exited"
			case err != nil:
				got = err.Error()
			}
			if got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}
