package kubelet

import (
	"context"
	"fmt"
	"time"
)

// Probe asks a component how it is. A zero Period, Timeout or Failures means the kubelet's default: 10 s, 1 s, 3.
type Probe struct {
	Check        func(context.Context) error
	InitialDelay time.Duration // from the start of the process, or, for liveness, from the end of start-up if that is later
	Period       time.Duration
	Timeout      time.Duration // of one try
	Failures     int           // in a row that end the container
}

// Startup is the startup probe of OpenShift's kube-controller-manager pods: about 30 s to answer for the first time.
// Source: FACTS-openshift section 5, bindata and bootstrap manifests of cluster-kube-controller-manager-operator.
func Startup(check func(context.Context) error) *Probe {
	return &Probe{Check: check, Timeout: 3 * time.Second}
}

// Liveness is the liveness probe of the same pods.
func Liveness(check func(context.Context) error) *Probe {
	return &Probe{Check: check, InitialDelay: 45 * time.Second, Timeout: 10 * time.Second}
}

// probe gives an error when a probe has failed for good, or when ctx has ended.
func (r *run) probe(ctx context.Context) error {
	started := time.Now()
	if r.Container.Startup != nil {
		if err := r.Container.Startup.until(ctx, started, true); err != nil {
			return fmt.Errorf("startup probe: %w", err)
		}
	}
	if r.Container.Liveness == nil {
		<-ctx.Done()
		return ctx.Err()
	}
	if err := r.Container.Liveness.until(ctx, started, false); err != nil {
		return fmt.Errorf("liveness probe: %w", err)
	}
	return nil
}

// until tries the probe period by period: to its first success, if that is enough, or for as long as it does not
// fail too often in a row.
func (p *Probe) until(ctx context.Context, started time.Time, once bool) error {
	period, limit := or(p.Period, 10*time.Second), p.Failures
	if limit == 0 {
		limit = 3
	}
	next := time.NewTimer(time.Until(started.Add(p.InitialDelay)))
	defer next.Stop()
	for failed := 0; ; {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-next.C:
		}
		next.Reset(period)
		err := p.try(ctx)
		if err == nil && once {
			return nil
		}
		if failed++; err == nil {
			failed = 0
		}
		if failed >= limit {
			return fmt.Errorf("failed %d times in a row: %w", failed, err)
		}
	}
}

func (p *Probe) try(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, or(p.Timeout, time.Second))
	defer cancel()
	return p.Check(ctx)
}

func or(d, otherwise time.Duration) time.Duration {
	if d == 0 {
		return otherwise
	}
	return d
}
