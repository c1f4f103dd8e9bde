package controlplane

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"
)

// Config says which control plane to start.
type Config struct {
	Dir       string   // this control plane's own; made if it is not there
	Etcd      string   // path of the binary
	APIServer string   // path of the binary
	Family    Family   // of every address; empty means IPv6
	PKI       *PKI     // nil means one of its own
	Env       []string // NAME=VALUE, the environment of both processes; empty means an empty one

	ComponentNetwork *Namespace // where components run; nil means where the control plane does
}

// ControlPlane is an etcd and a kube-apiserver that runs on it.
type ControlPlane struct {
	Etcd      *Process
	APIServer *Process
	EtcdURL   string   // http://host:port of etcd's clients
	URL       *url.URL // https://host:port of kube-apiserver

	config Config
	pki    *PKI
	client *http.Client
	ports  []*Port

	componentPort atomic.Int64 // of the component that was started last
}

// Start returns once kube-apiserver is ready. When it returns an error nothing
// is left running.
func Start(ctx context.Context, config Config) (*ControlPlane, error) {
	if config.Family == "" {
		config.Family = IPv6
	}
	c := &ControlPlane{config: config, pki: config.PKI}
	if err := c.start(ctx); err != nil {
		c.Stop()
		return nil, fmt.Errorf("start control plane: %w", err)
	}
	return c, nil
}

func (c *ControlPlane) start(ctx context.Context) error {
	var err error
	if c.config.Dir, err = filepath.Abs(c.config.Dir); err != nil {
		return fmt.Errorf("find directory: %w", err)
	}
	if c.pki == nil {
		if c.pki, err = NewPKI(); err != nil {
			return err
		}
	}
	if err := c.pki.write(c.pkiDir()); err != nil {
		return err
	}
	if err := c.startEtcd(ctx); err != nil {
		return err
	}
	return c.startAPIServer(ctx)
}

// PKI returns what the control plane proves itself with.
func (c *ControlPlane) PKI() *PKI { return c.pki }

// Running returns nil while both processes run, else an ExitedError.
func (c *ControlPlane) Running() error {
	if err := c.Etcd.Running(); err != nil {
		return err
	}
	return c.APIServer.Running()
}

// Stop ends both processes and removes etcd's data; logs and the like stay.
// They are gone when it returns.
func (c *ControlPlane) Stop() {
	// The one that depends on the other goes first; it would else spend its
	// last seconds looking for etcd.
	for _, p := range []*Process{c.APIServer, c.Etcd} {
		if p != nil {
			p.Stop()
		}
	}
	if c.client != nil {
		c.client.CloseIdleConnections()
	}
	for _, port := range c.ports {
		port.Close()
	}
	// A leftover is in the way of nobody: it lies in the scenario's directory.
	_ = os.RemoveAll(filepath.Join(c.config.Dir, "etcd"))
}

// hold takes a port of the loopback address in a network.
func (c *ControlPlane) hold(in *Namespace) (int, error) {
	var port *Port
	err := in.Do(func() (err error) {
		port, err = HoldPort(c.config.Family.Loopback())
		return err
	})
	if err != nil {
		return 0, err
	}
	c.ports = append(c.ports, port)
	return port.Number, nil
}

func (c *ControlPlane) pkiDir() string { return filepath.Join(c.config.Dir, "pki") }
