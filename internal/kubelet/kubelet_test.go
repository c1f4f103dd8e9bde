package kubelet

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// process lives for a while, or until it is stopped.
type process struct {
	done chan struct{}
	end  func()
}

func live(d time.Duration) *process {
	p := &process{done: make(chan struct{})}
	p.end = sync.OnceFunc(func() { close(p.done) })
	if d > 0 {
		time.AfterFunc(d, p.end)
	}
	return p
}

func (p *process) Done() <-chan struct{} { return p.done }
func (p *process) Stop()                 { p.end() }

// lives starts processes of the given lengths, the last length again and again; 0 is for ever.
func lives(lengths ...time.Duration) func() (Process, error) {
	n := 0
	return func() (Process, error) {
		d := lengths[min(n, len(lengths)-1)]
		n++
		return live(d), nil
	}
}

func waits(r *Report) []time.Duration {
	var all []time.Duration
	for _, e := range r.Events {
		if e.Kind == "waiting" {
			all = append(all, e.Wait)
		}
	}
	return all
}

const second = time.Second

// TestBackOff: the figures are the kubelet's own, k8s.io/client-go/util/flowcontrol/backoff.go and
// pkg/kubelet/kuberuntime doBackOff.
func TestBackOff(t *testing.T) {
	tests := []struct {
		name     string
		start    func() (Process, error)
		factor   float64
		run      time.Duration
		want     []time.Duration
		restarts int
	}{
		{"never ends", lives(0), 1, time.Hour, nil, 0},
		{"first restart is immediate", lives(second, 0), 1, time.Hour, nil, 1},
		{"doubles to 300 s", lives(second), 1, 1300 * second,
			[]time.Duration{10 * second, 20 * second, 40 * second, 80 * second, 160 * second, 300 * second, 300 * second, 300 * second, 300 * second}, 9},
		{"starts over after ten minutes", lives(second, second, second, 601*second, second), 1, 650 * second,
			[]time.Duration{10 * second, 20 * second, 10 * second, 20 * second}, 5},
		{"does not start over before", lives(second, second, second, 590*second, second), 1, 630 * second,
			[]time.Duration{10 * second, 20 * second, 40 * second}, 3},
		{"scaled by 10", lives(second), 10, 130 * second,
			[]time.Duration{10 * second, 20 * second, 40 * second, 80 * second, 160 * second, 300 * second, 300 * second, 300 * second}, 9},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), tt.run)
				defer cancel()
				r, err := (&Container{Start: tt.start, Factor: tt.factor}).Run(ctx)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(tt.want, waits(r)); diff != "" {
					t.Error(diff)
				}
				if whole := tt.name == "doubles to 300 s"; whole && r.Waited != 1290*second {
					t.Errorf("waited %s", r.Waited)
				}
				if r.Restarts != tt.restarts {
					t.Errorf("%d restarts, want %d", r.Restarts, tt.restarts)
				}
			})
		})
	}
}

func TestProbes(t *testing.T) {
	sick := errors.New("sick")
	after := func(d time.Duration, before, then error) func(context.Context) error {
		began := time.Now()
		return func(context.Context) error {
			if time.Since(began) < d {
				return before
			}
			return then
		}
	}
	hang := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	tests := []struct {
		name              string
		startup, liveness func() *Probe
		ends              time.Duration // of the first process; 0: it lives
		reason            string
	}{
		{"healthy", func() *Probe { return Startup(after(0, nil, nil)) }, func() *Probe { return Liveness(after(0, nil, nil)) }, 0, ""},
		{"never starts", func() *Probe { return Startup(after(0, nil, sick)) }, nil, 20 * second, "startup probe: failed 3 times in a row: sick"},
		{"hangs at start", func() *Probe { return Startup(hang) }, nil, 23 * second, "startup probe: failed 3 times in a row: context deadline exceeded"},
		{"starts in time", func() *Probe { return Startup(after(15*second, sick, nil)) }, nil, 0, ""},
		{"sick later", nil, func() *Probe { return Liveness(after(100*second, nil, sick)) }, 125 * second, "liveness probe: failed 3 times in a row: sick"},
		{"sick for a moment", nil, func() *Probe { return Liveness(after(60*second, sick, nil)) }, 0, ""},
		{"liveness waits for start-up", func() *Probe { return Startup(after(15*second, sick, nil)) }, func() *Probe { return Liveness(after(0, nil, nil)) }, 0, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 300*second)
				defer cancel()
				c := &Container{Start: lives(0)}
				if tt.startup != nil {
					c.Startup = tt.startup()
				}
				if tt.liveness != nil {
					c.Liveness = tt.liveness()
				}
				r, err := c.Run(ctx)
				if err != nil {
					t.Fatal(err)
				}
				var at time.Duration
				reason := ""
				for _, e := range r.Events {
					if e.Kind == "ended" {
						at, reason = e.At, e.Reason
						break
					}
				}
				if at != tt.ends || reason != tt.reason {
					t.Errorf("ended after %s: %q, want after %s: %q", at, reason, tt.ends, tt.reason)
				}
			})
		})
	}
}

func TestStartError(t *testing.T) {
	want := errors.New("no such file")
	_, err := (&Container{Start: func() (Process, error) { return nil, want }}).Run(t.Context())
	if !errors.Is(err, want) {
		t.Errorf("error %v", err)
	}
}

func TestRunLeavesNothingBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // fails by itself if a goroutine stays
		p := live(0)
		ctx, cancel := context.WithTimeout(t.Context(), second)
		defer cancel()
		if _, err := (&Container{Start: func() (Process, error) { return p, nil }}).Run(ctx); err != nil {
			t.Fatal(err)
		}
		select {
		case <-p.Done():
		default:
			t.Error("the process still runs")
		}
	})
}

// TestLost: only the waits after the return count as long as the kubelet's.
func TestLost(t *testing.T) {
	t.Parallel()
	const s = time.Second
	waitingAt := func(at, until time.Duration) []Event {
		return []Event{{At: 0, Kind: "started"}, {At: at, Kind: "waiting"}, {At: until, Kind: "started"}}
	}
	tests := []struct {
		name            string
		events          []Event
		returned, works time.Duration
		factor          float64
		want            time.Duration
	}{
		{"no wait", []Event{{At: 0, Kind: "started"}}, 10 * s, 14 * s, 20, 4 * s},
		{"wait over before the return", waitingAt(2*s, 9*s), 10 * s, 14 * s, 20, 4 * s},
		{"waits over the return", waitingAt(8*s, 13*s), 10 * s, 15 * s, 20, 3*20*s + 2*s},
		{"waits after the return", waitingAt(11*s, 13*s), 10 * s, 15 * s, 5, 2*5*s + 3*s},
		{"waits when it works, of another process", waitingAt(11*s, 13*s), 10 * s, 12 * s, 5, 1*5*s + 1*s},
		{"not scaled", waitingAt(8*s, 13*s), 10 * s, 15 * s, 1, 5 * s},
		{"still waits", []Event{{At: 8 * s, Kind: "waiting"}}, 10 * s, 12 * s, 3, 6 * s},
		{"ends and waits after the return", []Event{
			{At: 59 * s, Kind: "started"}, {At: 61 * s, Kind: "ended"}, {At: 61 * s, Kind: "waiting"}, {At: 62 * s, Kind: "started"},
		}, 60 * s, 63 * s, 20, 22 * s},
	}
	for _, test := range tests {
		if got := (&Report{Events: test.events}).Lost(test.returned, test.works, test.factor); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}
