package integration

import (
	"context"
	"errors"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"carry/internal/controlplane"
	"carry/internal/faults"
)

// testNetwork is a run with a network and with nothing else but a proxy.
func testNetwork(t *testing.T, kind string) *run {
	t.Helper()
	network, err := newNetwork(kind)
	if err != nil {
		notRun(t, err)
	}
	r := &run{network: network, family: family{address: controlplane.IPv6}}
	pki, err := controlplane.NewPKI(apiAddress)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.startProxy(pki, &url.URL{Scheme: "https", Host: "[::1]:1"}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.stop(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// notRun skips a test for want of namespaces, which is an error in CI.
func notRun(t *testing.T, why error) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf("in CI nothing may be missing: %v", why)
	}
	t.Skipf("not run: %v", why)
}

// dial connects to the proxy as the component would.
func (r *run) dial() error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	conn, err := r.network.component.Dial(ctx, "tcp", strings.TrimPrefix(r.proxy.URL(), "https://"))
	if err != nil {
		return err
	}
	return conn.Close()
}

func TestCuts(t *testing.T) {
	t.Parallel()
	for fault, want := range map[string]error{
		"route-removed": syscall.ENETUNREACH, "address-removed": syscall.EHOSTUNREACH, "refused": syscall.ECONNREFUSED,
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			r := testNetwork(t, namespaces)
			if !strings.HasPrefix(r.proxy.URL(), "https://["+apiAddress+"]:") {
				t.Errorf("the proxy is %s", r.proxy.URL())
			}
			for range 2 {
				if err := r.dial(); err != nil {
					t.Fatalf("before: %v", err)
				}
				a, err := r.arm(fault, faults.Trigger{})
				if err != nil {
					t.Fatal(err)
				}
				if err := r.dial(); !errors.Is(err, want) {
					t.Errorf("dial: %v, want %v", err, want)
				}
				a.Allow()
				a.Allow()
				if err := r.dial(); err != nil {
					t.Fatalf("after: %v", err)
				}
			}
		})
	}
}

// TestCutResetsConnections looks at a connection that was there before. It ends
// at once, and not when TCP or HTTP/2 give it up; who dials again because of
// that meets the cut.
func TestCutResetsConnections(t *testing.T) {
	t.Parallel()
	for fault, want := range map[string]error{"route-removed": syscall.ENETUNREACH, "address-removed": syscall.EHOSTUNREACH} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			r := testNetwork(t, namespaces)
			conn, err := r.network.component.Dial(t.Context(), "tcp", strings.TrimPrefix(r.proxy.URL(), "https://"))
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			again := make(chan error, 1)
			go func() {
				_, err := conn.Read(make([]byte, 1))
				if errors.Is(err, syscall.ECONNRESET) {
					err = r.dial()
				}
				again <- err
			}()
			a, err := r.arm(fault, faults.Trigger{})
			if err != nil {
				t.Fatal(err)
			}
			select {
			case err := <-again:
				if !errors.Is(err, want) {
					t.Errorf("dial after the reset: %v, want %v", err, want)
				}
			case <-time.After(20 * time.Second):
				t.Error("the connection was not reset, or the dial hangs")
			}
			a.Allow()
		})
	}
}

func TestCutHasItsTime(t *testing.T) {
	t.Parallel()
	r := testNetwork(t, namespaces)
	match, err := faults.ParseMatch("GET /api")
	if err != nil {
		t.Fatal(err)
	}
	a, err := r.arm("route-removed", faults.Trigger{At: &match, For: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.dial(); err != nil {
		t.Errorf("while it waits: %v", err)
	}
	a.Allow()
	select {
	case <-a.Begun():
		t.Error("it began when it was disarmed")
	case <-a.Ended():
	}
	a, err = r.arm("route-removed", faults.Trigger{For: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	<-a.Ended()
	if err := r.dial(); err != nil {
		t.Errorf("after its time: %v", err)
	}
	for _, r := range []*run{{}, {network: &network{kind: localhost}}} {
		_, err := r.arm("route-removed", faults.Trigger{})
		wantError(t, err, "must say # network: namespaces")
	}
}

func TestLocalhost(t *testing.T) {
	t.Parallel()
	r := testNetwork(t, localhost)
	dir := t.TempDir()
	hosts, err := r.network.hosts(dir)
	if err != nil {
		t.Fatal(err)
	}
	seen, err := controlplane.StartProcess(controlplane.Command{
		Name: "cat", Path: "/bin/cat", Args: []string{"/etc/hosts"}, Dir: dir, Network: r.network.component, Hosts: hosts,
	})
	if err != nil {
		t.Fatal(err)
	}
	<-seen.Done()
	if got := strings.Join(seen.Log().Last(9), "\n"); got != "::1 localhost\n127.0.0.1 localhost" {
		t.Errorf("/etc/hosts is\n%s", got)
	}
	if machine, err := os.ReadFile("/etc/hosts"); err == nil && string(machine) == "::1 localhost\n127.0.0.1 localhost\n" {
		t.Error("the machine's /etc/hosts is the run's")
	}
	if entries, err := filepath.Glob(filepath.Join(dir, "hosts")); err != nil || len(entries) != 1 {
		t.Errorf("hosts: %v, %v", entries, err)
	}

	server, err := r.network.server(r.proxy.URL())
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(r.proxy.URL(), "https://"))
	if err != nil || server != "https://localhost:"+port {
		t.Errorf("server %s, %v", server, err)
	}
	wantError(t, r.network.finish(), "never tried the first address")
	var p pace
	if err := p.begin(r.network); err != nil {
		t.Fatal(err)
	}
	if err := r.dial(); err != nil {
		t.Errorf("the second address: %v", err)
	}
	for range 2*pacedDials - 1 { // of the two addresses; the one above is the other of the first
		_, err = r.network.component.Dial(t.Context(), "tcp", "[::1]:"+port)
		if !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("the first address: %v, want refused", err)
		}
	}
	if err := r.network.finish(); err != nil {
		t.Error(err)
	}
	for began, want := range map[time.Duration]string{leastPace - time.Second: "10 dials in 6", leastPace: ""} {
		p.since = time.Now().Add(-began)
		wantError(t, p.check(t.Context(), r.network), want)
	}
	p.dials++
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	wantError(t, p.check(ctx, r.network), "timed out after 0s waiting for 10 dials")
}

// TestNoNetwork is the ordinary run: all is where the rig is.
func TestNoNetwork(t *testing.T) {
	t.Parallel()
	n, err := newNetwork("")
	if n != nil || err != nil {
		t.Fatalf("network %v, %v", n, err)
	}
	defer n.close()
	server, err := n.server("https://[::1]:1")
	if err != nil || server != "https://[::1]:1" {
		t.Errorf("server %s, %v", server, err)
	}
	if hosts, err := n.hosts("/none"); hosts != "" || err != nil {
		t.Errorf("hosts %q, %v", hosts, err)
	}
	if got := n.listen(controlplane.IPv4); got != "127.0.0.1" {
		t.Errorf("listens on %s", got)
	}
	if err := n.finish(); err != nil {
		t.Error(err)
	}
	wantError(t, new(pace).check(t.Context(), n), "counted at # network: localhost only")
}

func TestCounter(t *testing.T) {
	t.Parallel()
	const snmp = "Ip: A B\nIp: 1 2\nTcp: A ActiveOpens\nTcp: 3 4\n"
	if got, err := counter(snmp, "Tcp:", "ActiveOpens"); got != 4 || err != nil {
		t.Errorf("got %d, %v", got, err)
	}
	for _, name := range []string{"B", "Tcp:"} {
		if _, err := counter(snmp, "Udp:", name); err == nil {
			t.Errorf("no error for Udp %s", name)
		}
	}
	_, err := counter(snmp, "Tcp:", "B")
	wantError(t, err, "no counter Tcp: B")
}

func TestRunnable(t *testing.T) {
	missing := errors.New("no ip")
	with, without := &run{scenario: scenario{network: localhost}}, &run{}
	tests := []struct {
		name    string
		ci      string
		missing error
		runs    []*run
		want    int
		wantErr string
	}{
		{name: "all there", ci: "true", runs: []*run{with, without}, want: 2},
		{name: "missing", missing: missing, runs: []*run{with, without}, want: 1},
		{name: "missing in CI", ci: "true", missing: missing, runs: []*run{with, without}, wantErr: "1 runs cannot be, and in CI nothing may be missing: no ip"},
		{name: "missing and not needed", ci: "true", missing: missing, runs: []*run{without}, want: 1},
	}
	for _, test := range tests {
		t.Setenv("CI", test.ci)
		got, err := runnable(test.runs, test.missing)
		if wantError(t, err, test.wantErr) && len(got) != test.want {
			t.Errorf("%s: %d runs, want %d", test.name, len(got), test.want)
		}
	}
}
