package sweep

import (
	"context"
	"errors"
	"fmt"

	"carry/internal/controlplane"
	"carry/internal/faults"
)

// attempt is one start of the component under its own proxy.
type attempt struct {
	plane   *plane
	proxy   *faults.Proxy
	process *controlplane.Process
	start   string // which kind of start it is
	old     string // namespace from before the start; empty: none
}

// begin arranges the plane, arms what is given and starts the component.
func (r *runner) begin(ctx context.Context, p *plane, c Cell, arm func(*attempt) error) (*attempt, error) {
	a := &attempt{plane: p, start: c.Start}
	if err := p.component.arrange(ctx, a); err != nil {
		return nil, fmt.Errorf("reset control plane: %w", err)
	}
	var err error
	if a.proxy, err = p.proxy(); err != nil {
		return nil, err
	}
	if err := arm(a); err != nil {
		return nil, errors.Join(err, a.proxy.Close())
	}
	if a.process, err = p.launch(r.binaries[c.Side], a.proxy, c.shortLease()); err != nil {
		return nil, errors.Join(err, a.proxy.Close())
	}
	return a, nil
}

// end stops the component and its proxy.
func (a *attempt) end() error {
	a.process.Stop()
	return a.proxy.Close()
}

// struck counts the requests that have met the fault so far.
func (a *attempt) struck() int {
	n := 0
	for _, request := range a.proxy.Requests() {
		if request.Fault != "" {
			n++
		}
	}
	return n
}

// apart is how many connections more than the first one the kind leaves: when
// a dead connection is given up, net/http dials once for each request that was
// on it, and uses them all.
func (a *attempt) apart(k kind) int {
	if !k.apart {
		return 0
	}
	return max(0, a.struck()-1)
}

// felt counts the requests that met the fault. The one that set it off is
// among them, whatever the kernel answered to the dials that came after it:
// without that nothing has been shown.
func (a *attempt) felt(result Result, w Window) Result {
	if !result.known() || result.Phase == beforeFault {
		return result
	}
	result.Felt = a.struck()
	now, cancel := context.WithCancel(context.Background())
	cancel() // it has been answered, or cut, long ago
	own, err := a.proxy.WaitRequest(now, 0, *w.match(a.old))
	if err != nil || own.Fault == "" {
		return Result{Outcome: broken, Detail: "not felt: the request of the window did not meet the fault"}
	}
	return result
}
