package faults

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// listen listens on addr (port 0 picks one) in a way that leaves room for hold.
func listen(addr netip.AddrPort) (*net.TCPListener, error) {
	lc := net.ListenConfig{Control: func(_, _ string, raw syscall.RawConn) error {
		var opt error
		err := raw.Control(func(fd uintptr) { opt = set(int(fd), unix.SOL_SOCKET, unix.SO_REUSEPORT) })
		return errors.Join(err, opt)
	}}
	// Go listens with MPTCP where it can; plain TCP is what these tricks are known to work for.
	lc.SetMultipathTCP(false)
	network := "tcp6"
	if addr.Addr().Is4() {
		network = "tcp4"
	}
	l, err := lc.Listen(context.Background(), network, addr.String())
	if err != nil {
		return nil, err
	}
	return l.(*net.TCPListener), nil
}

// hold binds a socket to addr that never listens. While it is open the port is ours: the kernel
// answers dials with ECONNREFUSED unless a socket from listen is there too. Closing that one refuses
// at once, with no moment in which somebody else could take the port.
func hold(addr netip.AddrPort) (*os.File, error) {
	family, to := sockaddr(addr)
	fd, err := unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	// Two sockets share a port when both set SO_REUSEPORT before bind. SO_REUSEADDR stays off: with
	// it any process that sets it too, and every Go server does, could take a port without listener.
	err = set(fd, unix.SOL_SOCKET, unix.SO_REUSEPORT)
	if err == nil && family == unix.AF_INET6 {
		err = set(fd, unix.IPPROTO_IPV6, unix.IPV6_V6ONLY) // as Go does for tcp6
	}
	if err == nil {
		err = os.NewSyscallError("bind", unix.Bind(fd, to))
	}
	holder := os.NewFile(uintptr(fd), "holder of "+addr.String())
	if err != nil {
		return nil, errors.Join(err, holder.Close())
	}
	return holder, nil
}

func set(fd, level, option int) error {
	return os.NewSyscallError("setsockopt", unix.SetsockoptInt(fd, level, option, 1))
}

func sockaddr(addr netip.AddrPort) (family int, to unix.Sockaddr) {
	if addr.Addr().Is4() {
		return unix.AF_INET, &unix.SockaddrInet4{Port: int(addr.Port()), Addr: addr.Addr().As4()}
	}
	return unix.AF_INET6, &unix.SockaddrInet6{Port: int(addr.Port()), Addr: addr.Addr().As16()}
}
