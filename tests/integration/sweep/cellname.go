package sweep

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Sides, in the order of reports.
const (
	base    = "base"
	patched = "patched"
)

var sides = []string{base, patched}

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
	if starts := allStarts(); !slices.Contains(sides, c.Side) || !slices.Contains(starts, c.Start) {
		return bad("side is base or patched, start is one of " + strings.Join(starts, ", "))
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
