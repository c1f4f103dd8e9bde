package controlplane

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
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
	for name, want := range map[string]string{"": "/metrics  ", "front-proxy": "/metrics admin system:masters front-proxy <nil>"} {
		code, err := c.AskComponent(t.Context(), "/metrics", name)
		if err != nil || code != http.StatusTeapot || asked != want {
			t.Errorf("as %q: %d, %v, asked %q, want %q", name, code, err, asked, want)
		}
	}
	server.Close()
	if _, err := c.AskComponent(t.Context(), "/metrics", ""); err == nil {
		t.Error("no error of a server that is gone")
	}
}
