package sweep

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"carry/internal/controlplane"
	"carry/internal/faults"
)

const (
	component  = "kube-controller-manager"
	startLimit = 3 * time.Minute // for a control plane, on a crowded machine
	accounts   = "/api/v1/namespaces/kube-system/serviceaccounts"
	leases     = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases"
)

// plane is an etcd and a kube-apiserver that run one start after the other.
type plane struct {
	*controlplane.ControlPlane
	dir    string
	port   int // of its proxies; 0: any
	starts int
	left   []string // namespaces of the last start
	log    *os.File // of the last proxy; nil before the first
}

// startPlane brings up the n-th control plane below dir.
func startPlane(ctx context.Context, c controlplane.Config, n, port int) (*plane, error) {
	c.Dir = filepath.Join(c.Dir, fmt.Sprintf("plane-%d", n))
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	cp, err := controlplane.Start(ctx, c)
	if err != nil {
		return nil, err
	}
	return &plane{ControlPlane: cp, dir: c.Dir, port: port}, nil
}

// proxy starts a proxy before the plane's kube-apiserver. It writes down what
// it sees for as long as there is a reader's interest: until the next one.
func (p *plane) proxy() (*faults.Proxy, error) {
	log, err := os.Create(filepath.Join(p.dir, proxyLog))
	if err != nil {
		return nil, fmt.Errorf("keep log of proxy: %w", err)
	}
	proxy, err := faults.Start(faults.Config{
		Listen: fmt.Sprintf("[::1]:%d", p.port),
		Cert:   p.PKI().Server, Upstream: p.URL, UpstreamCAs: p.PKI().Pool,
		Log: log,
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start proxy: %w", err), log.Close())
	}
	if p.log != nil {
		_ = p.log.Close() // of a proxy that has been closed
	}
	p.log = log
	return proxy, nil
}

const proxyLog = "proxy.log"

// launch starts the component through a proxy.
func (p *plane) launch(stream, binary string, proxy *faults.Proxy, shortLease bool) (*controlplane.Process, error) {
	p.starts++
	var flags []string
	if !shortLease { // library-go's, which outlast an outage of 12 s
		flags = []string{
			"--leader-elect-lease-duration=137s", "--leader-elect-renew-deadline=107s", "--leader-elect-retry-period=26s",
		}
	}
	return p.StartComponent(controlplane.ComponentConfig{
		Component: component, Stream: stream, Path: binary,
		Server: proxy.URL(), Start: p.starts + 1, Flags: flags, // the first has no number in its name
	})
}

// processName is that of the last start.
func (p *plane) processName() string { return fmt.Sprintf("%s-%d", component, p.starts+1) }

// keep moves the log of the last start into a directory, or removes it where
// that is empty, with what else the start has left.
func (p *plane) keep(dir string) error {
	name := p.processName()
	for _, what := range []string{"log", "argv", "env"} {
		file := filepath.Join(p.dir, name+"."+what)
		var err error
		if dir == "" {
			err = os.Remove(file)
		} else {
			err = os.Rename(file, filepath.Join(dir, component+"."+what))
		}
		if err != nil {
			return fmt.Errorf("keep %s of %s: %w", what, name, err)
		}
	}
	if dir == "" {
		return nil
	}
	if err := os.Rename(filepath.Join(p.dir, proxyLog), filepath.Join(dir, proxyLog)); err != nil {
		return fmt.Errorf("keep log of proxy: %w", err)
	}
	return nil
}
