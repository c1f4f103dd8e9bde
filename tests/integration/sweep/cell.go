package sweep

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"carry/internal/faults"
)

// runner is what all cells of a sweep share.
type runner struct {
	component component
	binaries  map[string]string // by side
	normal    map[string]normal // by side and start
	kept      string            // directory for the logs of what did not survive
	pulse     pulse
}

// most starts of a cell: a request that was not made this time may come the
// next, and nothing has been injected until then.
const (
	mostStarts     = 3
	mostStartsRare = 5
)

// onPlane runs a cell, and says whether the control plane has outlived it.
func (r *runner) onPlane(ctx context.Context, p *plane, c Cell) (Result, error) {
	result := r.run(ctx, p, c)
	return result, p.Running()
}

// run gives a cell its starts.
func (r *runner) run(ctx context.Context, p *plane, c Cell) Result {
	most := mostStarts
	if c.Rare {
		most = mostStartsRare
	}
	var result Result
	for n := 1; n <= most; n++ {
		begun := time.Now()
		result = r.once(ctx, p, c)
		result.Stall = r.pulse.longest(begun).Seconds()
		result.Cell, result.Rare, result.Starts = c.Name(), c.Rare, n
		if result.Outcome != notReached || ctx.Err() != nil {
			break
		}
	}
	return result
}

// once is one start of a cell.
func (r *runner) once(ctx context.Context, p *plane, c Cell) Result {
	k, err := kindNamed(c.Kind)
	if err != nil {
		return Result{Outcome: broken, Detail: err.Error()}
	}
	var armed *faults.Armed
	var second faults.Fault
	a, err := r.begin(ctx, p, c, func(a *attempt) error {
		first, then, err := k.faults()
		if err != nil {
			return err
		}
		trigger := faults.Trigger{At: c.Window.match(a.old), For: c.Length}
		if then != nil {
			trigger.For = 0 // ended here, once the second is on
		}
		armed, second = a.proxy.Refuse(first, trigger), then
		return nil
	})
	if err != nil {
		return Result{Outcome: broken, Detail: err.Error()}
	}
	result := r.observe(ctx, a, c, k, armed, second)
	result.Open = a.proxy.Connections()
	result = a.felt(result, c.Window)
	if err := errors.Join(a.end(), p.keep(r.logs(c, result))); err != nil && ctx.Err() == nil {
		return Result{Outcome: broken, Detail: err.Error()}
	}
	return result
}

// logs is where those of a start stay; empty: nowhere.
func (r *runner) logs(c Cell, result Result) string {
	if result.Outcome == survived || result.Outcome == exited && c.Side == base {
		return ""
	}
	name := strings.NewReplacer("/", "_", " ", "_", "#", "").Replace(c.Name())
	dir := fmt.Sprintf("%s/%s", r.kept, name)
	if os.MkdirAll(dir, 0o755) != nil {
		return "" // then they cannot be kept
	}
	return dir
}
