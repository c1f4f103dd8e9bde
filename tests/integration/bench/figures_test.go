package bench

import (
	"testing"
	"time"
)

func TestBound(t *testing.T) {
	t.Parallel()
	startup := newStartup([]Pair{{Base: 2, Patched: 4}, {Base: 2, Patched: 5}}, Requests{}, 1)
	if got := bound(startup, false); got != 7.5 {
		t.Errorf("bound %v, want 4.5 + 3", got)
	}
	if got := bound(startup, true); got != 14.1 {
		t.Errorf("bound after a missed lease %v, want 4.5 + 3 + 2.2 * 3", got)
	}
	if got := bound(nil, true); got != 0 {
		t.Errorf("bound without a start-up %v", got)
	}
}

// TestStartupTakesRatiosOfPairs: the median of the ratios, not the ratio of the
// medians, which is 1 here.
func TestStartupTakesRatiosOfPairs(t *testing.T) {
	t.Parallel()
	s := newStartup([]Pair{{Base: 1, Patched: 2}, {Base: 2, Patched: 4}, {Base: 4, Patched: 1}}, Requests{}, 1)
	if s.Ratio != 2 || s.Base != 2 || s.Patched != 2 {
		t.Errorf("ratio %v, base %v, patched %v; want 2 of each", s.Ratio, s.Base, s.Patched)
	}
}

func TestPeak(t *testing.T) {
	t.Parallel()
	begin := time.Now()
	var times []time.Time
	for _, ms := range []int{2500, 0, 900, 1000, 1100, 1800, 5000} {
		times = append(times, begin.Add(time.Duration(ms)*time.Millisecond))
	}
	if got := peak(times, time.Second); got != 4 { // 900 to 1800
		t.Errorf("peak %d, want 4", got)
	}
	if got := peak(times, 3*time.Second); got != 6 { // 0 to 2500
		t.Errorf("peak of three seconds %d, want 6", got)
	}
	if got := peak(nil, time.Second); got != 0 {
		t.Errorf("peak of nothing %d", got)
	}
}

func TestLeaseTrouble(t *testing.T) {
	t.Parallel()
	tests := []struct {
		line string
		want bool
	}{
		{`E0101 00:00:00.0 1 leaderelection.go:330] error retrieving resource lock kube-system/kube-controller-manager: Get ...`, true},
		{`E0101 00:00:00.0 1 leaderelection.go:452] "Error retrieving lease lock" err="..." lock="kube-system/kube-controller-manager"`, true},
		{`E0101 00:00:00.0 1 leaderelection.go:488] "Failed to update lease" err="..."`, true},
		{`I0101 00:00:00.0 1 leaderelection.go:258] "Attempting to acquire leader lease..." lock="kube-system/kube-controller-manager"`, false},
		{`I0101 00:00:00.0 1 leaderelection.go:272] "Successfully acquired lease" lock="kube-system/kube-controller-manager"`, false},
	}
	for _, test := range tests {
		if got := leaseTrouble.MatchString(test.line); got != test.want {
			t.Errorf("%v, want %v: %s", got, test.want, test.line)
		}
	}
}
