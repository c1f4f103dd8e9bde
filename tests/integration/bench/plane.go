package bench

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"path/filepath"
	"strings"
	"time"

	"carry/internal/controlplane"
	"carry/internal/faults"
)

const (
	startLimit = 3 * time.Minute // for a control plane, and for a start to be functional
	accounts   = "/api/v1/namespaces/kube-system/serviceaccounts"
	lease      = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/" + kcm
)

// longLease are library-go's values, which outlast a wait of the bench. A
// process that has no lease yet runs with OpenShift's: its next attempt comes
// in seconds.
var longLease = []string{
	"--leader-elect-lease-duration=137s", "--leader-elect-renew-deadline=107s", "--leader-elect-retry-period=26s",
}

// plane is an etcd and a kube-apiserver that runs one start after the other.
type plane struct {
	*controlplane.ControlPlane
	component  controlplane.ComponentConfig // what is the same in every start
	starts     int
	namespaces int
	// undone says that the last start has not done what there was to do, which
	// the next one would find.
	undone bool
}

// startPlane brings up the n-th control plane below the directory.
func startPlane(ctx context.Context, c controlplane.Config, n int) (*plane, error) {
	c.Dir = filepath.Join(c.Dir, fmt.Sprintf("plane-%d", n))
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	cp, err := controlplane.Start(ctx, c)
	if err != nil {
		return nil, err
	}
	return &plane{ControlPlane: cp}, nil
}

// demand is what a start has to do before it counts as functional: provide for
// a young namespace and finalise an old one that has content.
type demand struct{ young, old string }

// clear takes away what decides how a start goes: the lease of the last one
// and, for a fresh start, the service accounts of the controllers.
func (p *plane) clear(ctx context.Context, start string) error {
	if err := p.Want(ctx, http.MethodDelete, lease, "", http.StatusOK, http.StatusNotFound); err != nil {
		return err
	}
	if start == fresh {
		return p.Want(ctx, http.MethodDelete, accounts, "", http.StatusOK)
	}
	return nil
}

// demand makes a namespace and deletes the one of the demand before, so that
// every start finds as many.
func (p *plane) demand(ctx context.Context) (demand, error) {
	old := p.name()
	if err := p.namespace(ctx); err != nil {
		return demand{}, err
	}
	err := p.Want(ctx, http.MethodDelete, "/api/v1/namespaces/"+old, "", http.StatusOK)
	return demand{young: p.name(), old: old}, err
}

func (p *plane) name() string { return fmt.Sprintf("bench-%d", p.namespaces) }

// namespace makes the next one, with content.
func (p *plane) namespace(ctx context.Context) error {
	p.namespaces++
	return p.NamespaceWithContent(ctx, p.name())
}

// A way is the proxy before a control plane, and its port.
type way struct {
	*faults.Proxy
	port uint16
}

func (p *plane) way() (way, error) {
	proxy, err := faults.Start(faults.Config{
		Listen: "[::1]:0", Cert: p.PKI().Server, Upstream: p.URL, UpstreamCAs: p.PKI().Pool,
	})
	if err != nil {
		return way{}, fmt.Errorf("start proxy: %w", err)
	}
	address, err := netip.ParseAddrPort(strings.TrimPrefix(proxy.URL(), "https://"))
	if err != nil {
		return way{}, errors.Join(fmt.Errorf("read address of proxy: %w", err), proxy.Close())
	}
	return way{proxy, address.Port()}, nil
}

// ready gives a start what it needs: a demand to meet, and a way.
func (p *plane) ready(ctx context.Context, start string) (demand, way, error) {
	p.undone = true
	if err := p.clear(ctx, start); err != nil {
		return demand{}, way{}, err
	}
	d, err := p.demand(ctx)
	if err != nil {
		return demand{}, way{}, err
	}
	w, err := p.way()
	return d, w, err
}

// launch starts the component on a way.
func (p *plane) launch(binary string, w way, flags ...string) (*controlplane.Process, error) {
	p.starts++
	config := p.component
	config.Path, config.Server, config.Flags = binary, w.URL(), flags
	config.Start = p.starts + 1 // the first has no number in its name
	return p.StartComponent(config)
}

// functional waits until the component itself has met the demand: the way must
// have seen its writes succeed. Time-outs name what is missing.
func functional(ctx context.Context, w way, d demand, running ...*controlplane.Process) error {
	watch, cancel := context.WithCancel(ctx)
	defer cancel()
	var missing string
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, write := range d.writes() {
			missing = write.text
			if err = succeeded(watch, w, write.match); err != nil {
				return
			}
		}
	}()
	late := controlplane.WaitEvent(ctx, done, "the component to be functional", running...)
	cancel()
	<-done
	switch {
	case late != nil:
		return fmt.Errorf("%s: %w", missing, late)
	case ctx.Err() != nil: // both at once
		return fmt.Errorf("%s: %w", missing, ctx.Err())
	}
	return err
}

type write struct {
	match faults.Match
	text  string // what is missing without it
}

func (d demand) writes() []write {
	young, old := "/api/v1/namespaces/"+d.young, "/api/v1/namespaces/"+d.old
	return []write{
		{faults.Match{Method: http.MethodPost, Path: young + "/serviceaccounts"}, "no service account in a namespace"},
		{faults.Match{Method: http.MethodPost, Path: young + "/configmaps"}, "no root CA config map in a namespace"},
		{faults.Match{Method: http.MethodPut, Path: old + "/finalize"}, "a deleted namespace did not go away"},
	}
}

func succeeded(ctx context.Context, w way, m faults.Match) error {
	for m.N = 1; ; m.N++ {
		r, err := w.WaitRequest(ctx, 0, m)
		if err != nil {
			return err
		}
		if r.Code/100 == 2 {
			return nil
		}
	}
}

// gone checks in the API that the namespace controller's last word was true.
func (p *plane) gone(ctx context.Context, d demand) error {
	return controlplane.Poll(ctx, "namespace "+d.old+" to be gone", 50*time.Millisecond,
		func(ctx context.Context) (bool, string, error) {
			code, _, err := p.Request(ctx, http.MethodGet, "/api/v1/namespaces/"+d.old, nil)
			return code == http.StatusNotFound, fmt.Sprint(code), err
		})
}
