package controlplane

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"syscall"
	"testing"
)

func testNamespace(t *testing.T) *Namespace {
	t.Helper()
	n, err := NewNamespace()
	if err == nil {
		t.Cleanup(n.Close)
		return n
	}
	if !errors.Is(err, syscall.EPERM) || os.Getenv("CI") != "" {
		t.Fatal(err)
	}
	t.Skipf("not run: %v: be root", err)
	return nil
}

// network is how the kernel calls the network of the calling thread.
func network(t *testing.T) string {
	t.Helper()
	name, err := os.Readlink("/proc/thread-self/ns/net")
	if err != nil {
		t.Error(err)
	}
	return name
}

func TestNamespace(t *testing.T) {
	t.Parallel()
	n := testNamespace(t)
	rig := network(t)
	var inside string
	if err := n.Do(func() error { inside = network(t); return nil }); err != nil {
		t.Fatal(err)
	}
	if inside == rig {
		t.Errorf("the namespace is the rig's own, %s", rig)
	}
	p, err := StartProcess(Command{
		Name: "readlink", Path: "/usr/bin/readlink", Args: []string{"/proc/self/ns/net"}, Dir: t.TempDir(), Network: n,
	})
	if err != nil {
		t.Fatal(err)
	}
	<-p.Done()
	if got := strings.Join(p.Log().Last(9), "\n"); got != inside {
		t.Errorf("the process is in %s, want %s", got, inside)
	}
	want := errors.New("why")
	if err := n.Do(func() error { return want }); err != want {
		t.Errorf("error %v", err)
	}
	// No thread that ran there runs anything else, and the main one never did.
	for range 100 {
		if err := n.Do(func() error { return nil }); err != nil {
			t.Fatal(err)
		}
		if got, err := os.Readlink("/proc/self/ns/net"); got != rig {
			t.Fatalf("the main thread is in %s, want %s: %v", got, rig, err)
		}
		done := make(chan string)
		go func() { done <- network(t) }()
		if got := <-done; got != rig {
			t.Fatalf("a goroutine is in %s, want %s", got, rig)
		}
	}
}

func TestNamespaceDial(t *testing.T) {
	t.Parallel()
	n := testNamespace(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	for _, in := range []*Namespace{nil, n} {
		conn, err := in.Dial(context.Background(), "tcp", l.Addr().String())
		switch {
		case in == nil && err != nil:
			t.Errorf("in the rig's own network: %v", err)
		case in != nil && !errors.Is(err, syscall.ENETUNREACH): // its loopback is not up
			t.Errorf("elsewhere: %v, want unreachable", err)
		}
		if conn != nil {
			conn.Close()
		}
	}
	(*Namespace)(nil).Close()
}

// TestAskComponentElsewhere: the server is where the rig is, the component is
// not, so the question must not get there.
func TestAskComponentElsewhere(t *testing.T) {
	t.Parallel()
	n := testNamespace(t)
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	for _, in := range []*Namespace{nil, n} {
		c := &ControlPlane{config: Config{Family: IPv4, ComponentNetwork: in}}
		c.componentPort.Store(int64(server.Listener.Addr().(*net.TCPAddr).Port))
		code, err := c.AskComponent(t.Context(), "/", "")
		if in == nil && code != http.StatusNotFound || in != nil && !errors.Is(err, syscall.ENETUNREACH) {
			t.Errorf("in %v: %d, %v", in, code, err)
		}
	}
}

// TestNamespaceIsLeftByNobody: a rig that is killed leaves no network behind,
// because the kernel ends its children, and the namespace with the last of them.
func TestNamespaceIsLeftByNobody(t *testing.T) {
	t.Parallel()
	testNamespace(t)
	rig := startHelper(t, "rig elsewhere")
	child := pidOf(t, rig)
	if err := syscall.Kill(rig.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	gone(t, child)
}
