package bench

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"carry/internal/controlplane"
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
	Dials    int     `json:"dials,omitempty"` // while the API was away; 0: not counted
	Burst    int     `json:"burst,omitempty"` // the most of them within burstTime
}

func (r GatedRecovery) say() string {
	return fmt.Sprintf("gated namespace %.2f s after the return, %d restarts", r.Seconds, r.Restarts)
}

// look is how often the bench looks at the API, past the proxy.
const look = 20 * time.Millisecond

// recovery runs one side through an outage. Restarts are a figure; that nothing
// is applied in the end is an error.
func (b *operatorBench) recovery(ctx context.Context, p *plane, outage time.Duration, side string) (r GatedRecovery, err error) {
	ctx, cancel := context.WithTimeout(ctx, outage+operatorLimit)
	defer cancel()
	if err := integration.ResetOperator(ctx, p.ControlPlane, techPreview); err != nil {
		return r, err
	}
	if err := p.Want(ctx, http.MethodGet, gatedPath, "", http.StatusNotFound); err != nil {
		return r, fmt.Errorf("the namespace of the run before is there: %w", err)
	}
	w, err := p.way()
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	o, err := b.outlast(ctx, p, w, absence{outage, 1}, side, func(ctx context.Context) error { return p.there(ctx, gatedPath) })
	if err != nil {
		return r, err
	}
	return GatedRecovery{
		Side: side, Outage: outage.Seconds(), Seconds: o.lost, Restarts: o.report.Restarts,
		Lines: o.last.Log().Count(waitingLine), Dials: len(o.dials), Burst: burstOf(o.dials),
	}, nil
}

// burstTime is a second, less what a busy machine may take off it.
const burstTime = 900 * time.Millisecond

// burstOf is the most times, in order, that lie within burstTime.
func burstOf(times []time.Time) (most int) {
	for first, last := 0, 0; last < len(times); last++ {
		for times[last].Sub(times[first]) >= burstTime {
			first++
		}
		most = max(most, last-first+1)
	}
	return most
}

// there waits for an object.
func (p *plane) there(ctx context.Context, path string) error {
	return controlplane.Poll(ctx, path+" to be there", look, func(ctx context.Context) (bool, string, error) {
		code, answer, err := p.Request(ctx, http.MethodGet, path, nil)
		return code == http.StatusOK, string(answer), err
	}, p.Etcd, p.APIServer)
}
