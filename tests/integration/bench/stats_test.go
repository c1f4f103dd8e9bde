package bench

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMedian(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		values []float64
		want   float64
	}{
		{"none", nil, 0},
		{"one", []float64{3}, 3},
		{"odd", []float64{9, 1, 5}, 5},
		{"even", []float64{8, 1, 2, 4}, 3},
	}
	for _, test := range tests {
		if got := median(test.values); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
	values := []float64{3, 1, 2}
	median(values)
	if diff := cmp.Diff([]float64{3, 1, 2}, values); diff != "" {
		t.Errorf("median has sorted what it was given:\n%s", diff)
	}
}

// TestIntervalOfKnownValues holds the interval against what can be computed:
// the median of a resample of 1..n is at most k where more than half of n draws
// are, each with probability k/n. For n = 9 that is 0.1% for k = 1 and 3.0% for
// k = 2, so the 2.5% point is 2, and by symmetry the 97.5% point is 8. For n =
// 21 it is 1.8% for k = 6 and 5.6% for k = 7: from 7 to 15.
func TestIntervalOfKnownValues(t *testing.T) {
	t.Parallel()
	tests := []struct {
		n         int
		low, high float64
	}{{1, 1, 1}, {9, 2, 8}, {21, 7, 15}}
	for _, test := range tests {
		var values []float64
		for i := range test.n {
			values = append(values, float64(i*4%test.n+1)) // 1 to n, not in order
		}
		for seed := range uint64(5) {
			low, high := interval(values, seed)
			if low != test.low || high != test.high {
				t.Errorf("1 to %d, seed %d: %v to %v, want %v to %v", test.n, seed, low, high, test.low, test.high)
			}
		}
	}
}

func TestIntervalOfSeed(t *testing.T) {
	t.Parallel()
	values := []float64{0.93, 0.97, 1.01, 1.04, 1.11, 0.99, 1.02, 1.6}
	low, high := interval(values, 7)
	againLow, againHigh := interval(values, 7)
	if low != againLow || high != againHigh {
		t.Error("the same seed gives another interval")
	}
	if m := median(values); low >= m || high <= m || low < 0.93 || high >= 1.6 {
		t.Errorf("%v to %v around %v", low, high, m)
	}
	if low, high := interval(nil, 1); low != 0 || high != 0 {
		t.Errorf("of nothing: %v to %v", low, high)
	}
}

func TestOrder(t *testing.T) {
	t.Parallel()
	one, again, other := order(20, 1), order(20, 1), order(20, 2)
	if !cmp.Equal(one, again) {
		t.Error("the same seed gives another order")
	}
	if cmp.Equal(one, other) {
		t.Error("another seed gives the same order")
	}
	first := 0
	for _, b := range one {
		if b {
			first++
		}
	}
	if first != 10 {
		t.Errorf("base starts first in %d of 20 pairs", first)
	}
}
