package bench

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"time"

	"carry/internal/controlplane"
	"carry/internal/faults"
	"carry/tests/integration"
)

// GatedRecovery is one outage from the operator's start on, as the kubelet runs
// it, in a cluster that has asked for tech preview before.
type GatedRecovery struct {
	Side     string  `json:"side"`
	Outage   float64 `json:"outage"` // seconds, from the first dial on
	Run      int     `json:"run"`
	Seconds  float64 `json:"seconds"` // from the API's return to the namespace that needs the gate
	Restarts int     `json:"restarts"`
	Lines    int     `json:"lines"`           // that the last process has logged of waiting
	Dials    *Dials  `json:"dials,omitempty"` // while the API was away; nil: not counted
}

func (r GatedRecovery) say() string {
	return fmt.Sprintf("gated namespace %.2f s after the return, %d restarts", r.Seconds, r.Restarts)
}

// look is how often the bench looks at the API, past the proxy.
const look = 20 * time.Millisecond

var waitingLine = regexp.MustCompile(`API server .* (cannot be reached, holding|still cannot be reached|can be reached again|gives no lasting answer|answers again)`)

// recovery runs one side through an outage. Restarts are a figure; that nothing
// is applied in the end is an error.
func (b *operatorBench) recovery(ctx context.Context, p *plane, outage time.Duration, side string) (r GatedRecovery, err error) {
	ctx, cancel := context.WithTimeout(ctx, outage+operatorLimit)
	defer cancel()
	if err := integration.ResetOperator(ctx, p.ControlPlane, techPreview); err != nil {
		return r, err
	}
	w, err := p.way()
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	ctx, fail := context.WithCancel(ctx)
	defer fail()
	dials, err := countDials(w.port)
	if err != nil {
		b.cannotCount(err)
	}
	defer func() { err = errors.Join(err, dials.Close()) }()
	k := &keeper{plane: p, binary: b.binaries[side], way: w, fail: fail}
	armed := w.Refuse(faults.Refused(), faults.Trigger{})
	began := time.Now()
	k.run(ctx, 1)
	go absence{outage, 1}.end(ctx, armed, dials)
	err = controlplane.WaitEvent(ctx, armed.Ended(), "the end of the outage", p.Etcd, p.APIServer)
	returned := time.Now()
	if err == nil {
		err = p.there(ctx, gatedPath)
	}
	works := time.Now()
	lines := k.count(waitingLine)
	report, _, kept := k.stop()
	if err := errors.Join(err, kept); err != nil {
		return r, err
	}
	r = GatedRecovery{
		Side: side, Outage: outage.Seconds(), Restarts: report.Restarts, Lines: lines,
		Seconds: rounded(report.Lost(returned.Sub(began), works.Sub(began), 1).Seconds()),
	}
	if dials != nil {
		r.Dials = dialsOf(dials.between(began, returned), returned)
	}
	return r, nil
}

// there waits for an object.
func (p *plane) there(ctx context.Context, path string) error {
	return controlplane.Poll(ctx, path+" to be there", look, func(ctx context.Context) (bool, string, error) {
		code, answer, err := p.Request(ctx, http.MethodGet, path, nil)
		return code == http.StatusOK, string(answer), err
	}, p.Etcd, p.APIServer)
}
