package controlplane

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestAskComponent(t *testing.T) {
	t.Parallel()
	pki, err := NewPKI()
	if err != nil {
		t.Fatal(err)
	}
	front := x509.NewCertPool()
	front.AppendCertsFromPEM(pki.files[frontProxyCert])
	var asked string
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.URL.Path + " " + r.Header.Get("X-Remote-User") + " " + r.Header.Get("X-Remote-Group")
		for _, cert := range r.TLS.PeerCertificates {
			_, err := cert.Verify(x509.VerifyOptions{Roots: front, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
			asked += fmt.Sprintf(" %s %v", cert.Subject.CommonName, err)
		}
		w.WriteHeader(http.StatusTeapot)
	}))
	server.TLS = &tls.Config{ClientAuth: tls.RequestClientCert}
	server.StartTLS()
	defer server.Close()
	c := &ControlPlane{config: Config{Family: IPv4}, pki: pki}
	c.componentPort.Store(int64(server.Listener.Addr().(*net.TCPAddr).Port))
	const unknown = "x509: certificate signed by unknown authority"
	tests := []struct {
		name, front string
		ask         func(context.Context, string, string) (int, error)
		want        string
	}{
		{"nobody", "", c.AskComponent, "/metrics  "},
		{"front proxy", "front-proxy", c.AskComponent, "/metrics admin system:masters front-proxy <nil>"},
		{"forged headers", "", c.AskComponentForged, "/metrics admin system:masters"},
		{"forged certificate", "front-proxy", c.AskComponentForged, "/metrics admin system:masters front-proxy " + unknown},
	}
	for _, test := range tests {
		code, err := test.ask(t.Context(), "/metrics", test.front)
		asked, _, _ := strings.Cut(asked, " (possibly") // the authority has the known one's name
		if err != nil || code != http.StatusTeapot || asked != test.want {
			t.Errorf("%s: %d, %v, asked %q, want %q", test.name, code, err, asked, test.want)
		}
	}
	server.Close()
	if _, err := c.AskComponent(t.Context(), "/metrics", ""); err == nil {
		t.Error("no error of a server that is gone")
	}
}
