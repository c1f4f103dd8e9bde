package integration

import (
	"testing"
	"time"

	"carry/internal/kubelet"
)

func TestLost(t *testing.T) {
	t.Parallel()
	const s = time.Second
	tests := []struct {
		name            string
		events          []kubelet.Event
		returned, works time.Duration
		want            time.Duration
	}{
		{"never waited", []kubelet.Event{{Kind: "started"}}, 60 * s, 64 * s, 4 * s},
		{"waits at the return", []kubelet.Event{
			{At: 50 * s, Kind: "waiting"}, {At: 65 * s, Kind: "started"},
		}, 60 * s, 68 * s, 103 * s},
		{"waited before", []kubelet.Event{
			{At: 40 * s, Kind: "waiting"}, {At: 55 * s, Kind: "started"},
		}, 60 * s, 61 * s, s},
		{"waits after", []kubelet.Event{
			{At: 59 * s, Kind: "started"}, {At: 61 * s, Kind: "ended"}, {At: 61 * s, Kind: "waiting"}, {At: 62 * s, Kind: "started"},
		}, 60 * s, 63 * s, 22 * s},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := lost(test.events, test.returned, test.works, 20); got != test.want {
				t.Errorf("lost %s, want %s", got, test.want)
			}
		})
	}
}
