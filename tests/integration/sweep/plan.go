package sweep

import (
	"math/rand/v2"
	"slices"
	"time"
)

// Plan is what a sweep is made of. The same one and the same seed give the
// same cells.
type Plan struct {
	Component string `json:",omitempty"` // empty: kube-controller-manager
	Stream    string
	Series    string // hash of the patch files it was learned with
	Learned   []Learned
}

// Learned are the windows of one side and start.
type Learned struct {
	Side    string
	Start   string
	Runs    int
	Windows []Window // every run had them
	Rare    []Window // some had them
}

// Choice narrows a plan. Empty fields choose everything.
type Choice struct {
	Seed   int64
	Sides  []string
	Kinds  []string
	Thin   bool // base's starts of one kind in one window of each family: another holds every exit that they hold
	Shard  int  // from 0
	Shards int  // 0 is 1
}

// Cells gives the cells in the order in which they run, one kind of start after
// the other.
func (p Plan) Cells(choice Choice) []Cell {
	var cells []Cell
	for _, start := range named(p.Component).starts {
		var some []Cell
		for _, l := range p.Learned {
			if l.Start == start {
				some = append(some, p.cellsOf(l, choice)...)
			}
		}
		random := rand.New(rand.NewPCG(uint64(choice.Seed), 1))
		random.Shuffle(len(some), func(i, j int) { some[i], some[j] = some[j], some[i] })
		cells = append(cells, some...)
	}
	return shard(cells, choice)
}

// shard deals the cells out in turn, so that each shard gets of everything.
func shard(cells []Cell, choice Choice) []Cell {
	if choice.Shards <= 1 {
		return cells
	}
	var some []Cell
	for i, c := range cells {
		if i%choice.Shards == choice.Shard {
			some = append(some, c)
		}
	}
	return some
}

func (p Plan) cellsOf(l Learned, choice Choice) []Cell {
	if !chosen(choice.Sides, l.Side) {
		return nil
	}
	var cells []Cell
	of := named(p.Component)
	for _, w := range of.waves(p.Stream) {
		if !slices.Contains(w.sides, l.Side) || !chosen(choice.Kinds, w.kind) {
			continue
		}
		windows := l.Windows
		if !w.every || choice.Thin && l.Side == base && l.Start == of.thin {
			windows = onePerFamily(windows, choice.Seed)
		}
		cell := Cell{Stream: p.Stream, Side: l.Side, Start: l.Start, Kind: w.kind, Length: w.length}
		cells = append(cells, cellsAt(cell, windows)...)
		if w.kind == "refused" && w.length == 12*time.Second && l.Side == patched {
			cell.Rare = true
			cells = append(cells, cellsAt(cell, l.Rare)...)
		}
	}
	return cells
}

func cellsAt(cell Cell, windows []Window) []Cell {
	k, err := kindNamed(cell.Kind)
	if err != nil {
		return nil // waves names none that is not there
	}
	var cells []Cell
	for _, w := range windows {
		if cell.Window = w; k.meets(w) {
			cells = append(cells, cell)
		}
	}
	return cells
}

// onePerFamily picks by the seed.
func onePerFamily(windows []Window, seed int64) []Window {
	random := rand.New(rand.NewPCG(uint64(seed), 2))
	families := map[string][]Window{}
	var order []string
	for _, w := range windows {
		if families[w.family()] == nil {
			order = append(order, w.family())
		}
		families[w.family()] = append(families[w.family()], w)
	}
	var picked []Window
	for _, name := range order {
		picked = append(picked, families[name][random.IntN(len(families[name]))])
	}
	return picked
}

func chosen(some []string, one string) bool { return len(some) == 0 || slices.Contains(some, one) }
