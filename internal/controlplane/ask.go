package controlplane

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
)

// AskComponent gets a path of the component that was started last, and returns
// the status. With a name it asks as a front proxy does that has authenticated
// an administrator: by a client certificate of that common name, from the
// authority for request headers, and by the headers. kube-apiserver allows the
// name front-proxy and no other. The error is of the transport.
func (c *ControlPlane) AskComponent(ctx context.Context, path, frontProxy string) (code int, err error) {
	url := "https://" + c.config.Family.hostPort(int(c.componentPort.Load())) + path
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, fmt.Errorf("make request: %w", err)
	}
	// The component signs its own certificate when it starts.
	config := &tls.Config{InsecureSkipVerify: true}
	if frontProxy != "" {
		cert, err := c.pki.frontProxyClient(frontProxy)
		if err != nil {
			return 0, err
		}
		config.Certificates = []tls.Certificate{cert}
		req.Header.Set("X-Remote-User", "admin")
		req.Header.Set("X-Remote-Group", "system:masters")
	}
	transport := &http.Transport{TLSClientConfig: config}
	defer transport.CloseIdleConnections()
	resp, err := transport.RoundTrip(req)
	if err != nil {
		return 0, fmt.Errorf("GET %s of component: %w", path, err)
	}
	return resp.StatusCode, resp.Body.Close()
}

func (p *PKI) frontProxyClient(name string) (tls.Certificate, error) {
	config, err := p.front.MakeClientCertificateForDuration(commonName(name), lifetime)
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
