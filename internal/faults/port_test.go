package faults

import (
	"errors"
	"net"
	"net/netip"
	"sync/atomic"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func listenAndHold(t *testing.T, host string) (*net.TCPListener, netip.AddrPort) {
	t.Helper()
	l, err := listen(netip.AddrPortFrom(netip.MustParseAddr(host), 0))
	if err != nil {
		t.Fatal(err)
	}
	addr := netip.MustParseAddrPort(l.Addr().String())
	holder, err := hold(addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = holder.Close() })
	return l, addr
}

func TestHoldRefusesAndKeepsThePort(t *testing.T) {
	onBoth(t, func(t *testing.T, host string) {
		l, addr := listenAndHold(t, host)
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := net.Dial("tcp", addr.String()); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("dial held port: %v, want ECONNREFUSED", err)
		}
		if l, err := net.Listen("tcp", addr.String()); !errors.Is(err, syscall.EADDRINUSE) {
			t.Errorf("listen on held port: %v, %v, want EADDRINUSE", l, err)
		}
	})
}

func TestClosingTheListenerResetsTheAcceptQueue(t *testing.T) {
	onBoth(t, func(t *testing.T, host string) {
		l, addr := listenAndHold(t, host)
		queued, err := net.Dial("tcp", addr.String())
		if err != nil {
			t.Fatal(err)
		}
		defer queued.Close()
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := queued.Read(make([]byte, 1)); !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("read: %v, want ECONNRESET", err)
		}
	})
}

// Nobody can take the port, whatever the options they set: not while the proxy listens, nor while
// it refuses, nor in between.
func TestPortIsNeverFree(t *testing.T) {
	onBoth(t, func(t *testing.T, host string) {
		r := startRig(t, host, ok)
		family, to := sockaddr(r.addr)
		stop, thief := make(chan struct{}), make(chan error, 1)
		var tries atomic.Int64
		go func() {
			for ; ; tries.Add(1) {
				select {
				case <-stop:
					thief <- nil
					return
				default:
				}
				if err := steal(family, to); !errors.Is(err, unix.EADDRINUSE) {
					thief <- errors.Join(errors.New("bound the proxy's port"), err)
					return
				}
			}
		}()
		for n := 0; n < 100 || tries.Load() < 100 && len(thief) == 0; n++ {
			r.Refuse(Refused(), Trigger{}).Allow()
		}
		close(stop)
		if err := await(t, "thief", thief); err != nil {
			t.Error(err)
		}
		r.mustGet(r.client(true), "/x")
	})
}

func steal(family int, to unix.Sockaddr) error {
	fd, err := unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1); err != nil {
		return err
	}
	return unix.Bind(fd, to)
}

func TestCloseFreesThePort(t *testing.T) {
	onBoth(t, func(t *testing.T, host string) {
		r := startRig(t, host, ok)
		r.mustGet(r.client(true), "/x")
		r.Refuse(Refused(), Trigger{})
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		l, err := net.Listen("tcp", r.hostPort())
		if err != nil {
			t.Fatal(err)
		}
		_ = l.Close()
	})
}
