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

const startLimit = 3 * time.Minute // for a control plane, on a crowded machine

// plane is an etcd and a kube-apiserver that run one start after the other.
type plane struct {
	*controlplane.ControlPlane
	component component
	stream    string
	root      string // of the repository
	dir       string
	port      int // of its proxies; 0: any
	starts    int
	left      []string // namespaces of the last start
	log       *os.File // of the last proxy; nil before the first
}

// startPlane brings up the n-th control plane below dir, and makes it one that
// the component can run in.
func (s *sweep) startPlane(ctx context.Context, n, port int) (*plane, error) {
	c := s.config
	c.Dir = filepath.Join(c.Dir, fmt.Sprintf("plane-%d", n))
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	cp, err := controlplane.Start(ctx, c)
	if err != nil {
		return nil, err
	}
	p := &plane{ControlPlane: cp, component: s.component, stream: s.Stream, root: s.Root, dir: c.Dir, port: port}
	if s.component.prepare == nil {
		return p, nil
	}
	if err := s.component.prepare(ctx, p); err != nil {
		p.Stop()
		return nil, err
	}
	return p, nil
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
func (p *plane) launch(binary string, proxy *faults.Proxy, shortLease bool) (*controlplane.Process, error) {
	p.starts++
	config := p.component.config(p, shortLease)
	config.Component, config.Stream, config.Path = p.component.name, p.stream, binary
	config.Server, config.Start = proxy.URL(), p.starts+1 // the first has no number in its name
	config.Env = append(config.Env, lessGC)
	return p.StartComponent(config)
}

// processName is that of the last start.
func (p *plane) processName() string { return fmt.Sprintf("%s-%d", p.component.name, p.starts+1) }

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
			err = os.Rename(file, filepath.Join(dir, p.component.name+"."+what))
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

// namespace makes one with content.
func (p *plane) namespace(ctx context.Context, name string) error {
	p.left = append(p.left, name)
	return p.NamespaceWithContent(ctx, name)
}
