package sweep

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// Sides and starts, in the order of reports.
const (
	base    = "base"
	patched = "patched"
	restart = "restart" // the controllers' service accounts exist
	fresh   = "fresh"   // they do not, as in an installation
)

var (
	sides  = []string{base, patched}
	starts = []string{restart, fresh}
)

// Cell is one start with one fault.
type Cell struct {
	Stream string
	Side   string
	Start  string
	Kind   string
	Length time.Duration
	Window Window
	Rare   bool // some learned runs had the window and some had not
}

// Name is stable, and names the cell in results and in -cell.
func (c Cell) Name() string {
	return strings.Join([]string{c.Stream, c.Side, c.Start, c.column(), c.Window.String()}, "/")
}

// column is the kind and the length.
func (c Cell) column() string { return fmt.Sprintf("%s-%s", c.Kind, c.Length) }

// shortLease is OpenShift's lease of 15 s, which an outage of 12 s would
// rightly end; those meet library-go's.
func (c Cell) shortLease() bool { return c.Length == 6*time.Second }

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

// Plan is what a sweep is made of. The same one and the same seed give the
// same cells.
type Plan struct {
	Stream  string
	Series  string // hash of the patch files it was learned with
	Learned []Learned
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
	Thin   bool // base in one window of each family
	Shard  int  // from 0
	Shards int  // 0 is 1
}

// Cells gives the cells in the order in which they run. Restarts come first,
// since a fresh start takes away what they need.
func (p Plan) Cells(choice Choice) []Cell {
	var cells []Cell
	for _, start := range starts {
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
	for _, w := range waves(p.Stream) {
		if !slices.Contains(w.sides, l.Side) || !chosen(choice.Kinds, w.kind) {
			continue
		}
		windows := l.Windows
		if !w.every || choice.Thin && l.Side == base {
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

// Find gives the cell of a name, also one that no choice has.
func (p Plan) Find(name string) (Cell, error) {
	for _, c := range p.Cells(Choice{}) {
		if c.Name() == name {
			return c, nil
		}
	}
	c, err := parseCell(name)
	if err != nil {
		return Cell{}, err
	}
	for _, l := range p.Learned {
		if c.Stream == p.Stream && l.Side == c.Side && l.Start == c.Start &&
			(slices.Contains(l.Windows, c.Window) || slices.Contains(l.Rare, c.Window)) {
			return c, nil
		}
	}
	return Cell{}, fmt.Errorf("no cell %q: this plan has no such window", name)
}

// parseCell reads a name.
func parseCell(name string) (Cell, error) {
	bad := func(what string) (Cell, error) {
		return Cell{}, fmt.Errorf("no cell %q: %s", name, what)
	}
	parts := strings.SplitN(name, "/", 5)
	if len(parts) != 5 {
		return bad(`want STREAM/SIDE/START/KIND-LENGTH/METHOD /path #N`)
	}
	c := Cell{Stream: parts[0], Side: parts[1], Start: parts[2]}
	if !slices.Contains(sides, c.Side) || !slices.Contains(starts, c.Start) {
		return bad("side is base or patched, start is restart or fresh")
	}
	i := strings.LastIndex(parts[3], "-")
	if i < 0 {
		return bad("want a kind and a length, as refused-12s")
	}
	var err error
	if c.Length, err = time.ParseDuration(parts[3][i+1:]); err != nil || c.Length <= 0 {
		return bad("want a length, as 12s")
	}
	k, err := kindNamed(parts[3][:i])
	if err != nil {
		return bad(err.Error())
	}
	if c.Window, err = parseWindow(parts[4]); err != nil {
		return bad(err.Error())
	}
	c.Kind = k.name
	return c, nil
}
