package bench

import (
	"math/rand/v2"
	"slices"
)

// resamples of a bootstrap: the interval's ends then vary by less than the
// figures themselves.
const resamples = 10_000

// median of no values is 0.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

// interval is the 95% percentile bootstrap interval of the median. The same
// seed gives the same interval; no values give 0 and 0.
func interval(values []float64, seed uint64) (low, high float64) {
	if len(values) == 0 {
		return 0, 0
	}
	random := rand.New(rand.NewPCG(seed, uint64(len(values))))
	medians := make([]float64, resamples)
	sample := make([]float64, len(values))
	for i := range medians {
		for j := range sample {
			sample[j] = values[random.IntN(len(values))]
		}
		medians[i] = median(sample)
	}
	slices.Sort(medians)
	return medians[resamples/40], medians[resamples-1-resamples/40]
}

// order says for each pair whether the base starts first: half of them, in an
// order that the seed decides, so that neither side always comes to a control
// plane that the other has warmed.
func order(pairs int, seed uint64) []bool {
	first := make([]bool, pairs)
	for i := range first {
		first[i] = i%2 == 0
	}
	random := rand.New(rand.NewPCG(seed, 0))
	random.Shuffle(pairs, func(i, j int) { first[i], first[j] = first[j], first[i] })
	return first
}
