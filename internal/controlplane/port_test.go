package controlplane

import (
	"context"
	"errors"
	"net"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// sharing lets a listener do what --permit-port-sharing does.
var sharing = net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) error {
	var err error
	return errors.Join(c.Control(func(fd uintptr) {
		err = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEPORT, 1)
	}), err)
}}

func TestHoldPort(t *testing.T) {
	t.Parallel()
	for _, family := range []Family{IPv6, IPv4} {
		t.Run(string(family), func(t *testing.T) {
			t.Parallel()
			p, err := HoldPort(family.Loopback())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(p.Close)
			address := family.hostPort(p.Number)
			if l, err := net.Listen("tcp", address); !errors.Is(err, syscall.EADDRINUSE) {
				t.Errorf("a stranger listened on %v: %v", l, err)
			}
			if _, err := net.Dial("tcp", address); !errors.Is(err, syscall.ECONNREFUSED) {
				t.Errorf("dial while nobody listens: %v, want refused", err)
			}
			l, err := sharing.Listen(context.Background(), "tcp", address)
			if err != nil {
				t.Fatalf("the child cannot listen: %v", err)
			}
			t.Cleanup(func() { l.Close() })
			// All connections reach the child, none the socket that holds.
			for range 20 {
				c, err := net.Dial("tcp", address)
				if err != nil {
					t.Fatal(err)
				}
				c.Close()
			}
		})
	}
}

func TestHeldPortsDiffer(t *testing.T) {
	t.Parallel()
	seen := map[int]bool{}
	for range 200 {
		p, err := HoldPort("::1")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.Close)
		if seen[p.Number] {
			t.Fatalf("port %d was given twice", p.Number)
		}
		seen[p.Number] = true
	}
}

func TestClosedPortIsFree(t *testing.T) {
	t.Parallel()
	p, err := HoldPort("::1")
	if err != nil {
		t.Fatal(err)
	}
	p.Close()
	p.Close()
	(*Port)(nil).Close()
	if _, err := HoldPort("localhost"); err == nil {
		t.Error("a name is no literal address")
	}
}
