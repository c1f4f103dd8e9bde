package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"time"

	"carry/internal/controlplane"
	"carry/internal/faults"
	"carry/tests/integration"
)

// Handover is a shutdown of an operator that leads, and the start of the next.
type Handover struct {
	Side  string `json:"side"`
	Run   int    `json:"run"`
	Meets string `json:"meets"` // what the shutdown meets
	// InFlight says that the renewal that was met was still going on when the
	// shutdown was asked for.
	InFlight bool    `json:"inFlight"`
	Code     int     `json:"code"`    // exit code
	Exit     float64 `json:"exit"`    // seconds from SIGTERM to the exit
	Free     bool    `json:"free"`    // nobody held either half of the lock after the exit
	Seconds  float64 `json:"seconds"` // from the next process's start until it leads
}

func (h Handover) say() string {
	return fmt.Sprintf("%s: ended with code %d after %.2f s, the next leads %.2f s after its start", h.Meets, h.Code, h.Exit, h.Seconds)
}

// A meeting is what the shutdown finds of a renewal.
type meeting struct {
	name  string
	fault faults.Fault // nil: none
	at    faults.Match // the request of the renewal that the fault meets, or that the shutdown follows
	long  time.Duration
	over  bool // the shutdown waits for the end of the fault
}

// meetings: a renewal that client-go is to repeat in a second, one whose write
// has been carried out without an answer, and one that goes on by itself.
var meetings = []meeting{
	{"a renewal that is repeated", faults.Unavailable(), faults.Match{Method: http.MethodGet, Path: lockMap}, 2 * time.Second, false},
	{"a write that has landed unanswered", faults.ResetAfter(), faults.Match{Method: http.MethodPut, Path: lockMap}, 100 * time.Millisecond, true},
	{"a renewal under way", nil, faults.Match{Method: http.MethodGet, Path: lockMap}, 0, false},
}

var (
	leads     = regexp.MustCompile(`successfully acquired lease`)
	completed = []byte(`"Completed"`)
)

// handover lets one operator lead, apply its payload and meet a renewal, ends
// it, and starts the next.
func (b *operatorBench) handover(ctx context.Context, p *plane, side string, m meeting) (h Handover, err error) {
	ctx, cancel := context.WithTimeout(ctx, operatorLimit)
	defer cancel()
	if err := integration.ResetOperator(ctx, p.ControlPlane, ""); err != nil {
		return h, err
	}
	w, err := p.way()
	if err != nil {
		return h, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	first, err := p.launch(b.binaries[side], w)
	if err != nil {
		return h, err
	}
	defer first.Stop()
	if err := p.applied(ctx, first); err != nil {
		return h, err
	}
	met, err := m.meet(ctx, w, first)
	if err != nil {
		return h, err
	}
	h = Handover{Side: side, Meets: m.name, InFlight: !m.over && !renewed(w.Requests()[met:])}
	asked := time.Now()
	first.Terminate()
	exit, err := first.WaitExit(ctx)
	if err != nil {
		return h, err
	}
	h.Exit, h.Code = rounded(time.Since(asked).Seconds()), exit.Code
	w.Allow()
	if h.Free, err = p.free(ctx); err != nil {
		return h, err
	}
	begun := time.Now()
	next, err := p.launch(b.binaries[side], w)
	if err != nil {
		return h, err
	}
	defer next.Stop()
	_, err = next.WaitLine(ctx, leads)
	h.Seconds = rounded(time.Since(begun).Seconds())
	return h, err
}

// meet waits for the next renewal, and gives the number of the request that the
// shutdown follows.
func (m meeting) meet(ctx context.Context, w way, process *controlplane.Process) (seq int, err error) {
	before := len(w.Requests())
	if m.fault == nil {
		watch, cancel := context.WithCancel(ctx)
		defer cancel()
		go func() {
			select {
			case <-process.Done():
				cancel()
			case <-watch.Done():
			}
		}()
		r, err := w.WaitRequest(watch, before+1, m.at)
		return r.Seq, errors.Join(process.Running(), err)
	}
	armed := w.Refuse(m.fault, faults.Trigger{At: &m.at, For: m.long})
	event := armed.Begun()
	if m.over {
		event = armed.Ended()
	}
	if err := controlplane.WaitEvent(ctx, event, m.name, process); err != nil {
		return 0, err
	}
	for _, r := range w.Requests()[before:] { // the last one of its kind
		if r.Method == m.at.Method && r.Path == m.at.Path {
			seq = r.Seq
		}
	}
	return seq, nil
}

// renewed says that requests hold a whole renewal: the second half of the lock
// was written, and that answered.
func renewed(requests []faults.Request) bool {
	for _, r := range requests {
		if r.Method == http.MethodPut && r.Path == lockLease && r.Code == http.StatusOK {
			return true
		}
	}
	return false
}

// applied waits until the operator has reported that its payload is.
func (p *plane) applied(ctx context.Context, process *controlplane.Process) error {
	return controlplane.Poll(ctx, "the payload to be applied", look, func(ctx context.Context) (bool, string, error) {
		_, answer, err := p.Request(ctx, http.MethodGet, versionPath, nil)
		return bytes.Contains(answer, completed), string(answer), err
	}, process, p.Etcd, p.APIServer)
}

// free says whether nobody holds either half of the lock.
func (p *plane) free(ctx context.Context) (bool, error) {
	var half struct {
		Metadata struct{ Annotations map[string]string }
		Spec     struct{ HolderIdentity string }
	}
	for _, path := range []string{lockMap, lockLease} {
		code, answer, err := p.Request(ctx, http.MethodGet, path, nil)
		if err == nil && code != http.StatusOK {
			err = fmt.Errorf("GET %s: %d %s", path, code, answer)
		}
		if err == nil {
			err = json.Unmarshal(answer, &half)
		}
		if err != nil {
			return false, fmt.Errorf("look at the lock: %w", err)
		}
	}
	record := half.Metadata.Annotations["control-plane.alpha.kubernetes.io/leader"] // as client-go's leader election has it
	var held struct{ HolderIdentity string }
	if err := json.Unmarshal([]byte(record), &held); err != nil {
		return false, fmt.Errorf("decode lock %q: %w", record, err)
	}
	return held.HolderIdentity == "" && half.Spec.HolderIdentity == "", nil
}
