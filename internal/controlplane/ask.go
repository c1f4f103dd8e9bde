package controlplane

import (
	"context"
	"crypto/tls"
	"fmt"
	"maps"
	"net/http"

	"github.com/openshift/library-go/pkg/crypto"
)

// AskComponent gets a path of the component that was started last, and returns
// the status. With a name it asks as a front proxy does that has authenticated
// an administrator: by a client certificate of that common name, from the
// authority for request headers, and by the headers. kube-apiserver allows the
// name front-proxy and no other. The error is of the transport.
func (c *ControlPlane) AskComponent(ctx context.Context, path, frontProxy string) (code int, err error) {
	if frontProxy == "" {
		return c.askComponent(ctx, path, nil, &tls.Config{})
	}
	return c.askAs(ctx, path, frontProxy, c.pki.front)
}

// AskComponentForged asks as somebody who only claims to be a front proxy: by
// the headers, and with a name by a certificate of that common name from an
// authority of his own.
func (c *ControlPlane) AskComponentForged(ctx context.Context, path, frontProxy string) (code int, err error) {
	if frontProxy == "" {
		return c.askComponent(ctx, path, administrator, &tls.Config{})
	}
	own, err := newCA("carry-rig-front-proxy") // the name is no secret
	if err != nil {
		return 0, err
	}
	return c.askAs(ctx, path, frontProxy, own)
}

// administrator is who a front proxy says has asked it.
var administrator = http.Header{"X-Remote-User": {"admin"}, "X-Remote-Group": {"system:masters"}}

func (c *ControlPlane) askAs(ctx context.Context, path, frontProxy string, by *crypto.CA) (code int, err error) {
	cert, err := frontProxyClient(by, frontProxy)
	if err != nil {
		return 0, err
	}
	// Sent whatever authorities the component names: a forger would.
	always := func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &cert, nil }
	return c.askComponent(ctx, path, administrator, &tls.Config{GetClientCertificate: always})
}

func (c *ControlPlane) askComponent(ctx context.Context, path string, header http.Header, config *tls.Config) (code int, err error) {
	url := "https://" + c.config.Family.hostPort(int(c.componentPort.Load())) + path
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, fmt.Errorf("make request: %w", err)
	}
	maps.Copy(req.Header, header)
	config.InsecureSkipVerify = true // the component signs its own certificate when it starts
	transport := &http.Transport{TLSClientConfig: config, DialContext: c.config.ComponentNetwork.Dial}
	defer transport.CloseIdleConnections()
	resp, err := transport.RoundTrip(req)
	if err != nil {
		return 0, fmt.Errorf("GET %s of component: %w", path, err)
	}
	return resp.StatusCode, resp.Body.Close()
}

func frontProxyClient(by *crypto.CA, name string) (tls.Certificate, error) {
	config, err := by.MakeClientCertificateForDuration(commonName(name), lifetime)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("make certificate of front proxy: %w", err)
	}
	cert, key, err := config.GetPEMBytes()
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("encode certificate of front proxy: %w", err)
	}
	return tls.X509KeyPair(cert, key)
}

// commonName is a user without groups.
type commonName string

func (n commonName) GetName() string             { return string(n) }
func (commonName) GetUID() string                { return "" }
func (commonName) GetGroups() []string           { return nil }
func (commonName) GetExtra() map[string][]string { return nil }
