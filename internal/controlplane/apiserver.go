package controlplane

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"k8s.io/client-go/rest"
)

// readyTick is how often /readyz is asked while kube-apiserver starts: it has
// no event that says "all hooks have run".
const readyTick = 100 * time.Millisecond

// apiserverArgv serves on a held port, trusts bearer tokens and has what a
// component looks up: without --client-ca-file and the --requestheader flags
// there is no configmap extension-apiserver-authentication.
func apiserverArgv(pki string, f Family, etcd string, port int) Argv {
	file := func(name string) string { return pki + "/" + name }
	return Argv{
		"--etcd-servers=" + etcd,
		"--bind-address=" + f.Loopback(),
		fmt.Sprintf("--secure-port=%d", port),
		"--permit-port-sharing",
		"--advertise-address=" + f.advertise(),
		"--endpoint-reconciler-type=none", // would write the advertised address, and there is only one server
		"--service-cluster-ip-range=" + f.serviceRange(),
		"--tls-cert-file=" + file(serverCert),
		"--tls-private-key-file=" + file(serverKey),
		"--client-ca-file=" + file(caCert),
		"--requestheader-client-ca-file=" + file(frontProxyCert),
		"--requestheader-allowed-names=front-proxy",
		"--requestheader-username-headers=X-Remote-User",
		"--requestheader-group-headers=X-Remote-Group",
		"--requestheader-extra-headers-prefix=X-Remote-Extra-",
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + file(accountKey),
		"--service-account-signing-key-file=" + file(accountKey),
		"--token-auth-file=" + file(tokenFile),
		"--authorization-mode=RBAC",
		"--v=1",
	}
}

func (c *ControlPlane) startAPIServer(ctx context.Context) error {
	port, err := c.hold(nil)
	if err != nil {
		return err
	}
	c.URL = &url.URL{Scheme: "https", Host: c.config.Family.hostPort(port)}
	c.client, err = rest.HTTPClientFor(c.adminConfig())
	if err != nil {
		return fmt.Errorf("make admin client: %w", err)
	}
	c.APIServer, err = StartProcess(Command{
		Name: "kube-apiserver",
		Path: c.config.APIServer,
		Args: apiserverArgv(c.pkiDir(), c.config.Family, c.EtcdURL, port),
		Env:  c.config.Env,
		Dir:  c.config.Dir,
	})
	if err != nil {
		return err
	}
	if err := Poll(ctx, "kube-apiserver to be ready", readyTick, c.ready, c.Etcd, c.APIServer); err != nil {
		return fmt.Errorf("wait for kube-apiserver: %w", err)
	}
	return nil
}

// ready reports whether /readyz answers 200, and else what it answered.
func (c *ControlPlane) ready(ctx context.Context) (bool, string, error) {
	code, body, err := c.Request(ctx, http.MethodGet, "/readyz", nil)
	if err != nil {
		return false, err.Error(), nil // refused until it listens
	}
	return code == http.StatusOK, fmt.Sprintf("%d %s", code, body), nil
}

func (c *ControlPlane) adminConfig() *rest.Config {
	return &rest.Config{
		Host:            c.URL.String(),
		BearerToken:     c.pki.adminToken,
		TLSClientConfig: rest.TLSClientConfig{CAData: c.pki.caPEM},
	}
}

// accept is JSON, and on /api and /apis the aggregated form of discovery, which
// also tells when a group that was added has come so far.
const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"

// Request asks kube-apiserver as a member of system:masters, straight and not
// through a proxy. A nil body sends none. The error is of the transport: an
// HTTP status is never an error here.
func (c *ControlPlane) Request(ctx context.Context, method, path string, body io.Reader) (code int, answer []byte, err error) {
	req, err := http.NewRequestWithContext(ctx, method, c.URL.String()+path, body)
	if err != nil {
		return 0, nil, fmt.Errorf("make request: %w", err)
	}
	req.Header.Set("Accept", accept)
	if body != nil {
		req.Header.Set("Content-Type", "application/yaml") // of which JSON is a part
		if method == http.MethodPatch {
			req.Header.Set("Content-Type", "application/merge-patch+json")
		}
	}
	resp, err := c.client.Do(req)
	if err != nil {
		return 0, nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	defer resp.Body.Close()
	answer, err = io.ReadAll(resp.Body)
	if err != nil {
		return 0, nil, fmt.Errorf("read answer to %s %s: %w", method, path, err)
	}
	return resp.StatusCode, answer, nil
}

// Want asks as an administrator, with a body that may be empty, and wants one of the status codes. Its error holds what
// kube-apiserver says of another one.
func (c *ControlPlane) Want(ctx context.Context, method, path, body string, codes ...int) error {
	var r io.Reader
	if body != "" {
		r = strings.NewReader(body)
	}
	code, answer, err := c.Request(ctx, method, path, r)
	if err != nil || slices.Contains(codes, code) {
		return err
	}
	var status struct{ Message string }
	_ = json.Unmarshal(answer, &status) // what is no Status has no message
	return fmt.Errorf("%s %s: %d %s", method, path, code, status.Message)
}
