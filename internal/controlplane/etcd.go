package controlplane

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
)

var etcdReady = regexp.MustCompile(`"msg":"ready to serve client requests"`)

// etcdArgv is a single member on held ports.
func etcdArgv(dir string, f Family, client, peer int) Argv {
	clientURL := "http://" + f.hostPort(client)
	peerURL := "http://" + f.hostPort(peer)
	return Argv{
		"--name=rig",
		"--data-dir=" + filepath.Join(dir, "etcd"),
		"--unsafe-no-fsync", // the data never outlives the run
		"--socket-reuse-port",
		"--listen-client-urls=" + clientURL,
		"--advertise-client-urls=" + clientURL,
		"--listen-peer-urls=" + peerURL,
		"--initial-advertise-peer-urls=" + peerURL,
		"--initial-cluster=rig=" + peerURL,
	}
}

func (c *ControlPlane) startEtcd(ctx context.Context) error {
	client, err := c.hold(nil)
	if err != nil {
		return err
	}
	peer, err := c.hold(nil)
	if err != nil {
		return err
	}
	c.EtcdURL = "http://" + c.config.Family.hostPort(client)
	c.Etcd, err = StartProcess(Command{
		Name: "etcd",
		Path: c.config.Etcd,
		Args: etcdArgv(c.config.Dir, c.config.Family, client, peer),
		Env:  c.config.Env,
		Dir:  c.config.Dir,
	})
	if err != nil {
		return err
	}
	if _, err := c.Etcd.WaitLine(ctx, etcdReady); err != nil {
		return fmt.Errorf("wait for etcd: %w", err)
	}
	return nil
}
