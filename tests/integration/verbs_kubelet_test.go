package integration

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"carry/internal/kubelet"
)

func TestSeen(t *testing.T) {
	t.Parallel()
	const s = time.Second
	began := time.Now()
	tests := []struct {
		name            string
		report          kubelet.Report
		returned, works time.Duration
		lines           string
		sentence        string
	}{
		{
			"held", kubelet.Report{Events: []kubelet.Event{{Kind: "started"}}}, 60 * s, 74*s + 600*time.Millisecond,
			"restarts: 0\nlongest back-off: 0s\nwaited: 0s\nlost after the return: 15s\nbound of recovery: 15s\nwithin the bound: yes\n",
			"0 restarts, no back-off, works 15s after the return of the API (bound 15s)",
		},
		{
			"held for too long", kubelet.Report{Events: []kubelet.Event{{Kind: "started"}}}, 60 * s, 74*s + 601*time.Millisecond,
			"restarts: 0\nlongest back-off: 0s\nwaited: 0s\nlost after the return: 15s\nbound of recovery: 15s\nwithin the bound: no\n",
			"0 restarts, no back-off, works 15s after the return of the API (bound 15s)",
		},
		{
			"restarted", kubelet.Report{
				Restarts: 9, Longest: 300 * s, Waited: 1210 * s,
				Events: []kubelet.Event{{At: 51 * s, Kind: "waiting"}, {At: 66 * s, Kind: "started"}},
			}, 60 * s, 71 * s,
			"restarts: 9\nlongest back-off: 5m0s\nwaited: 20m10s\nlost after the return: 2m5s\nbound of recovery: 15s\nwithin the bound: no\n",
			"9 restarts, back-off up to 5m0s, works 2m5s after the return of the API (bound 15s)",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			k := kept{report: &test.report, began: began, returned: began.Add(test.returned), works: began.Add(test.works)}
			got := k.seen(20, 5*s)
			if diff := cmp.Diff(test.lines, got.lines()); diff != "" {
				t.Errorf("lines (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.sentence, got.sentence()); diff != "" {
				t.Errorf("sentence (-want +got):\n%s", diff)
			}
		})
	}
}

// TestSeenWithoutBound: a script that has not measured a start cannot ask for
// the bound.
func TestSeenWithoutBound(t *testing.T) {
	t.Parallel()
	const s = time.Second
	began := time.Now()
	k := kept{report: &kubelet.Report{}, began: began, returned: began.Add(60 * s), works: began.Add(61 * s)}
	got := k.seen(20, 0)
	if got.lines() != "restarts: 0\nlongest back-off: 0s\nwaited: 0s\nlost after the return: 1s\nbound of recovery: unknown\nwithin the bound: unknown\n" {
		t.Errorf("lines: %s", got.lines())
	}
	if got.sentence() != "0 restarts, no back-off, works 1s after the return of the API" {
		t.Errorf("sentence: %s", got.sentence())
	}
}

func TestKubeletMisuse(t *testing.T) {
	t.Parallel()
	for arg, want := range map[string]string{"0": "want a number above 0", "fast": "want a number above 0", "20": "no fault is called absent"} {
		r := &run{ctx: t.Context()}
		wantError(t, r.kubelet(call{args: []string{arg, "absent", "/x"}}), want)
	}
}
