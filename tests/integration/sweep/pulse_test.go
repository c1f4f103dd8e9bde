package sweep

import (
	"testing"
	"time"
)

func TestPulse(t *testing.T) {
	t.Parallel()
	begun := time.Now()
	at := func(d time.Duration) time.Time { return begun.Add(d) }
	var p pulse
	for _, d := range []time.Duration{0, 100, 200, 3200, 3300, 3800, 3900} { // ms
		p.at(at(d * time.Millisecond))
	}
	tests := []struct {
		since time.Duration
		want  time.Duration
	}{
		{0, 3 * time.Second},
		{time.Second, 3 * time.Second}, // it was on then
		{3250 * time.Millisecond, 500 * time.Millisecond},
		{3850 * time.Millisecond, 0},
	}
	for _, test := range tests {
		if got := p.longest(at(test.since)); got != test.want {
			t.Errorf("since %s: %s, want %s", test.since, got, test.want)
		}
	}
}
