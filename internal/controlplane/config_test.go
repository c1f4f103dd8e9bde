package controlplane

import (
	"crypto/x509"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/tools/clientcmd"
)

func TestArgvWith(t *testing.T) {
	t.Parallel()
	argv := Argv{"--controllers=*,-ttl", "--v=2", "--flag"}
	tests := []struct {
		name  string
		flags []string
		want  Argv
	}{
		{"none", nil, argv},
		{"in place, not added to", []string{"--controllers=namespace"}, Argv{"--controllers=namespace", "--v=2", "--flag"}},
		{"new", []string{"--vmodule=a=5"}, Argv{"--controllers=*,-ttl", "--v=2", "--flag", "--vmodule=a=5"}},
		{"without a value", []string{"--flag=false"}, Argv{"--controllers=*,-ttl", "--v=2", "--flag=false"}},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, argv.With(test.flags...)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
	if argv[0] != "--controllers=*,-ttl" {
		t.Error("With changed what it was called on")
	}
}

func TestFamily(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"ipv6", "ipv4"} {
		f, err := ParseFamily(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, address := range []string{f.Loopback(), f.advertise()} {
			if v4 := net.ParseIP(address).To4() != nil; v4 != (f == IPv4) {
				t.Errorf("%s: %s is of the other family", f, address)
			}
		}
		if net.ParseIP(f.advertise()).IsLoopback() {
			t.Errorf("%s: kube-apiserver refuses to advertise %s", f, f.advertise())
		}
		for _, cidr := range []string{f.serviceRange(), f.clusterRange()} {
			ip, _, err := net.ParseCIDR(cidr)
			if err != nil || (ip.To4() != nil) != (f == IPv4) {
				t.Errorf("%s: range %s: %v", f, cidr, err)
			}
		}
	}
	if _, err := ParseFamily("ipv5"); err == nil {
		t.Error("ipv5 is no family")
	}
}

func TestControllers(t *testing.T) {
	t.Parallel()
	for stream, want := range map[string]bool{"1.23": false, "1.9": false, "1.32": true, "1.37": true} {
		if got := strings.Contains(controllers(stream), "selinux"); got != want {
			t.Errorf("%s: SELinux warnings %v, want %v", stream, got, want)
		}
	}
}

func TestPKI(t *testing.T) {
	t.Parallel()
	p, err := NewPKI("fd00::1", "api.example.com")
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(p.Server.Certificate[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"::1", "127.0.0.1", "localhost", "fd00::1", "api.example.com"} {
		if _, err := cert.Verify(x509.VerifyOptions{DNSName: name, Roots: p.Pool}); err != nil {
			t.Errorf("serving as %s: %v", name, err)
		}
	}
	dir := filepath.Join(t.TempDir(), "pki")
	if err := p.write(dir); err != nil {
		t.Fatal(err)
	}
	tokens, err := os.ReadFile(filepath.Join(dir, tokenFile))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(tokens)) {
		master := strings.Contains(line, "system:masters")
		component := strings.Contains(line, componentUser) || strings.Contains(line, operatorUser)
		if component == master {
			t.Errorf("components, and only they, are no masters: %s", line)
		}
	}
}

func TestKubeconfig(t *testing.T) {
	t.Parallel()
	p, err := NewPKI()
	if err != nil {
		t.Fatal(err)
	}
	c := ControlPlane{config: Config{Dir: t.TempDir()}, pki: p}
	path, err := c.writeKubeconfig("https://[::1]:6443", p.token)
	if err != nil {
		t.Fatal(err)
	}
	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		t.Fatal(err)
	}
	if config.Host != "https://[::1]:6443" || config.BearerToken != p.token || string(config.CAData) != string(p.caPEM) {
		t.Errorf("kubeconfig for %s", config.Host)
	}
}

func TestComponentsAreKnown(t *testing.T) {
	t.Parallel()
	c := ControlPlane{config: Config{Dir: t.TempDir()}}
	_, err := c.StartComponent(ComponentConfig{Component: "kubelet"})
	if err == nil || !strings.Contains(err.Error(), "start component kubelet: ") {
		t.Errorf("error %v", err)
	}
}
