package sweep

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"carry/internal/controlplane"
	"carry/internal/faults"
	"carry/tests/integration"
)

// Outcomes of a cell.
const (
	survived   = "survived"
	exited     = "exited"
	stuck      = "stuck"       // runs, but has not done in time what it does without a fault
	notReached = "not reached" // the window did not come: unknown
	broken     = "unknown"     // the rig itself failed
)

// Result is what one cell showed.
type Result struct {
	Cell    string  `json:"cell"`
	Outcome string  `json:"outcome"`
	Exit    string  `json:"exit,omitempty"`    // "code 1"
	Phase   string  `json:"phase,omitempty"`   // when it exited: before the fault, in it, or after the return
	Detail  string  `json:"detail,omitempty"`  // the last error line, or what is missing
	Felt    int     `json:"felt"`              // requests that met the fault
	Starts  int     `json:"starts"`            // until the window was reached
	Seconds float64 `json:"seconds,omitempty"` // from the API's return to functional
	Rare    bool    `json:"rare,omitempty"`
}

// runner is what all cells of a sweep share.
type runner struct {
	stream   string
	binaries map[string]string // by side
	normal   map[string]normal // by side and start
	kept     string            // directory for the logs of what did not survive
}

// attempt is one start of the component under its own proxy.
type attempt struct {
	plane   *plane
	proxy   *faults.Proxy
	process *controlplane.Process
	old     string // namespace from before the start
}

// begin resets the plane, arms what is given and starts the component.
func (r *runner) begin(ctx context.Context, p *plane, c Cell, arm func(*attempt) error) (*attempt, error) {
	if err := p.reset(ctx, c.Start); err != nil {
		return nil, fmt.Errorf("reset control plane: %w", err)
	}
	a := &attempt{plane: p, old: fmt.Sprintf("sweep-%d-old", p.starts)}
	if err := p.namespace(ctx, a.old); err != nil {
		return nil, fmt.Errorf("make namespace: %w", err)
	}
	var err error
	if a.proxy, err = p.proxy(); err != nil {
		return nil, err
	}
	if err := arm(a); err != nil {
		return nil, errors.Join(err, a.proxy.Close())
	}
	if a.process, err = p.launch(r.stream, r.binaries[c.Side], a.proxy, c.shortLease()); err != nil {
		return nil, errors.Join(err, a.proxy.Close())
	}
	return a, nil
}

func (a *attempt) end() error {
	a.process.Stop()
	return a.proxy.Close()
}

// most starts of a cell: a request that was not made this time may come the
// next, and nothing has been injected until then.
const (
	mostStarts     = 3
	mostStartsRare = 5
)

// run gives a cell its starts.
func (r *runner) run(ctx context.Context, p *plane, c Cell) Result {
	most := mostStarts
	if c.Rare {
		most = mostStartsRare
	}
	var result Result
	for n := 1; n <= most; n++ {
		result = r.once(ctx, p, c)
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
	for _, request := range a.proxy.Requests() {
		if request.Fault != "" {
			result.Felt++
		}
	}
	if err := errors.Join(a.end(), p.keep(r.logs(c, result))); err != nil && ctx.Err() == nil {
		return Result{Outcome: broken, Detail: err.Error()}
	}
	return result
}

// observe waits for the fault's begin and end, and then for the component.
func (r *runner) observe(ctx context.Context, a *attempt, c Cell, k kind, armed *faults.Armed, second faults.Fault) Result {
	normal := r.normal[c.Side+" "+c.Start]
	reach, cancel := context.WithTimeout(ctx, 2*normal.begun+15*time.Second)
	defer cancel()
	if err := controlplane.WaitEvent(reach, armed.Begun(), "window "+c.Window.String(), a.process); err != nil {
		armed.Allow()
		var late *controlplane.TimeoutError
		if errors.As(err, &late) {
			return Result{Outcome: notReached}
		}
		return r.judge(err, "before the fault")
	}
	if err := r.outage(ctx, a, c, armed, second); err != nil {
		return r.judge(err, "in the outage")
	}
	returned := time.Now()
	limit, cancel := context.WithTimeout(ctx, 2*(normal.functional+r.grace(a, c, k)))
	defer cancel()
	if err := r.functional(limit, a, normal.asked); err != nil {
		return r.judge(err, fmt.Sprintf("%.1f s after the return", time.Since(returned).Seconds()))
	}
	return Result{Outcome: survived, Seconds: float64(time.Since(returned).Milliseconds()) / 1000}
}

// outage waits until the API is back, after a second fault if there is one.
func (r *runner) outage(ctx context.Context, a *attempt, c Cell, armed *faults.Armed, second faults.Fault) error {
	limit, cancel := context.WithTimeout(ctx, c.Length+time.Minute)
	defer cancel()
	if second != nil {
		timer := time.NewTimer(c.Length)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-a.process.Done():
			return a.process.Running()
		case <-ctx.Done():
			return ctx.Err()
		}
		next := a.proxy.Refuse(second, faults.Trigger{For: after})
		armed.Allow()
		armed = next
	}
	return controlplane.WaitEvent(limit, armed.Ended(), "the end of the fault", a.process)
}

// functional wants what the component does for namespaces, and everything it
// reads.
func (r *runner) functional(ctx context.Context, a *attempt, asked []string) error {
	young := strings.TrimSuffix(a.old, "old") + "new"
	if err := a.plane.namespace(ctx, young); err != nil {
		return err
	}
	if err := a.plane.want(ctx, "DELETE", "/api/v1/namespaces/"+a.old, "", 200); err != nil {
		return err
	}
	if err := met(ctx, a.proxy, a.process, append(provided(young), finalised(a.old))...); err != nil {
		return err
	}
	if err := a.plane.gone(ctx, a.old); err != nil {
		return err
	}
	return nothingSkipped(ctx, a.proxy, a.process, asked)
}

// grace is what the bound adds to a start without a fault: 3 s, what a client
// needs to notice, and 2.2 retry periods where an attempt at the lease met the
// fault, or would have without waiting.
func (r *runner) grace(a *attempt, c Cell, k kind) time.Duration {
	d := 3*time.Second + k.slack
	if !leaseMissed(a) {
		return d
	}
	period := 26 * time.Second
	if c.shortLease() {
		period = 3 * time.Second
	}
	return d + period*22/10
}

var leaseTrouble = regexp.MustCompile(`(?i)(retrieving|creating|update|acquire|renew).*(lease|resource lock)`)

func leaseMissed(a *attempt) bool {
	held := false
	for _, request := range a.proxy.Requests() {
		if isLease(request.Path) && request.Fault != "" {
			return true
		}
		held = held || isLease(request.Path) && request.Method != "GET" && request.Code/100 == 2
	}
	_, found := a.process.Log().Find(leaseTrouble)
	return found || !held
}

// judge turns what ended the wait into an outcome.
func (r *runner) judge(err error, phase string) Result {
	var exit *controlplane.ExitedError
	var late *stuckError
	var timeout *controlplane.TimeoutError
	switch {
	case errors.As(err, &exit):
		return Result{Outcome: exited, Exit: exit.Exit.String(), Phase: phase, Detail: lastError(exit.Exit.Last)}
	case errors.As(err, &late):
		return Result{Outcome: stuck, Detail: late.missing}
	case errors.As(err, &timeout):
		return Result{Outcome: stuck, Detail: timeout.Waiting}
	}
	return Result{Outcome: broken, Detail: err.Error()}
}

var (
	errorLine   = regexp.MustCompile(`^[EF]\d{4} |^panic:|^Error`)
	consequence = regexp.MustCompile(`leaderelection lost`) // said at every end of the leader, whatever the cause
	leaseLost   = regexp.MustCompile(`Failed to renew lease`)
)

// lastError is the last line that tells of an error and not only of the end of
// the leader, unless losing the lease is the cause; else the last line.
func lastError(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	lost := slices.ContainsFunc(lines, leaseLost.MatchString)
	said := lines[len(lines)-1]
	for _, line := range slices.Backward(lines) {
		if !errorLine.MatchString(line) {
			continue
		}
		if said = line; lost || !consequence.MatchString(line) {
			break
		}
	}
	return integration.WithoutChance(said)
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
