package sweep

import (
	"time"
)

// wave is a group of cells: one kind and length, in every window or in one of
// each family.
type wave struct {
	kind   string
	length time.Duration
	sides  []string
	every  bool
}

// waves says what is swept.
func waves(stream string) []wave {
	const long = 12 * time.Second
	one := []string{patched}
	if stream != "1.37" {
		return []wave{{"refused", long, sides, true}, {"unavailable", long, one, true}}
	}
	all := []wave{
		{"refused", long, sides, true}, {"unavailable", long, sides, true}, {"refused", time.Second, one, true},
		{"refused", 6 * time.Second, one, false},
	}
	for _, k := range kinds[2:] {
		all = append(all, wave{k.name, long, one, k.only != nil})
	}
	return all
}
