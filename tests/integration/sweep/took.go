package sweep

import (
	"fmt"
	"time"
)

// Took is what cells have taken, learning not counted. Where they ran in parts, after an
// interrupt or in shards, it is the parts' sum.
type Took struct {
	Cells   int     `json:"cells"`
	Seconds float64 `json:"seconds"`
	CPU     float64 `json:"cpu"`   // seconds, of the rig and of the component
	Cores   int     `json:"cores"` // the fewest that a part had
}

func (t Took) plus(more Took) Took {
	sum := Took{Cells: t.Cells + more.Cells, Seconds: t.Seconds + more.Seconds, CPU: t.CPU + more.CPU, Cores: t.Cores}
	if t.Cores == 0 || more.Cores != 0 && more.Cores < t.Cores {
		sum.Cores = more.Cores
	}
	return sum
}

func (t Took) String() string {
	return fmt.Sprintf("%d cells took %s on %d cores, %.1f s of CPU each",
		t.Cells, time.Duration(t.Seconds*float64(time.Second)).Round(time.Second), t.Cores, t.CPU/float64(max(t.Cells, 1)))
}
