package controlplane

import (
	"fmt"
	"net/netip"

	"golang.org/x/sys/unix"
)

// A Port is a TCP port that the rig holds for one of its children, from before
// the child starts until after it has ended. The rig's socket is bound with
// SO_REUSEPORT and never listens: the kernel gives its number to nobody else,
// neither to a bind to port 0 nor to an outgoing connection, while a child
// that sets the same option (etcd --socket-reuse-port, Kubernetes
// --permit-port-sharing) can listen on it. Many control planes can so start at
// once without ever meeting on a port.
type Port struct {
	Number int
	fd     int
}

// HoldPort takes a free port of a literal address.
func HoldPort(address string) (*Port, error) {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return nil, fmt.Errorf("hold port: %w", err)
	}
	domain, any := socketAddress(ip)
	fd, err := unix.Socket(domain, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("hold port of %s: socket: %w", address, err)
	}
	number, err := bindShared(fd, any)
	if err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("hold port of %s: %w", address, err)
	}
	return &Port{Number: number, fd: fd}, nil
}

// Close gives the port back. Closing twice, or a nil port, is fine.
func (p *Port) Close() {
	if p == nil || p.fd < 0 {
		return
	}
	// A socket that never listened has nothing to lose in closing.
	_ = unix.Close(p.fd)
	p.fd = -1
}

func socketAddress(ip netip.Addr) (int, unix.Sockaddr) {
	if ip.Is4() {
		return unix.AF_INET, &unix.SockaddrInet4{Addr: ip.As4()}
	}
	return unix.AF_INET6, &unix.SockaddrInet6{Addr: ip.As16()}
}

func bindShared(fd int, any unix.Sockaddr) (int, error) {
	if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEPORT, 1); err != nil {
		return 0, fmt.Errorf("set SO_REUSEPORT: %w", err)
	}
	if err := unix.Bind(fd, any); err != nil {
		return 0, fmt.Errorf("bind: %w", err)
	}
	name, err := unix.Getsockname(fd)
	if err != nil {
		return 0, fmt.Errorf("getsockname: %w", err)
	}
	switch name := name.(type) {
	case *unix.SockaddrInet4:
		return name.Port, nil
	case *unix.SockaddrInet6:
		return name.Port, nil
	}
	return 0, fmt.Errorf("getsockname: unexpected %T", name)
}
