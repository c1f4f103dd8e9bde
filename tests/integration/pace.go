package integration

import (
	"context"
	"fmt"
	"time"

	"carry/internal/controlplane"
)

const (
	// pacedDials is how many dials tell the pace.
	pacedDials = 10
	// leastPace is what they take at least: no more than one a second, but for
	// the first of each of three transports, which come when they come.
	leastPace = (pacedDials - 3) * time.Second
)

// pace tells how fast the component dials while a fault is on.
type pace struct {
	since time.Time
	dials int // before
}

// begin is a no-op where dials are not counted.
func (p *pace) begin(n *network) error {
	if n == nil || n.kind != localhost {
		return nil
	}
	var err error
	p.since = time.Now()
	p.dials, err = n.dials()
	return err
}

// check waits for some dials and wants them not to have come too fast.
func (p *pace) check(ctx context.Context, n *network, expected ...*controlplane.Process) error {
	dialled := func(context.Context) (bool, string, error) {
		dials, err := n.dials()
		return dials-p.dials >= pacedDials, fmt.Sprintf("%d dials", dials-p.dials), err
	}
	if err := controlplane.Poll(ctx, fmt.Sprintf("%d dials", pacedDials), pollTick, dialled, expected...); err != nil {
		return err
	}
	if took := time.Since(p.since); took < leastPace {
		return wrongf("%d dials in %s, want one a second", pacedDials, took.Round(time.Millisecond))
	}
	return nil
}
