package sweep

import "time"

// wave is a group of cells: one kind and length, in every window or in one of
// each family.
type wave struct {
	kind   string
	length time.Duration
	sides  []string
	every  bool
}
