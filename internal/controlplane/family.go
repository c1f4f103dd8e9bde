package controlplane

import (
	"fmt"
	"net"
	"strconv"
)

// Family is the address family of everything in one control plane. The empty
// value means IPv6.
type Family string

const (
	IPv6 Family = "ipv6"
	IPv4 Family = "ipv4"
)

// ParseFamily takes "ipv6" or "ipv4".
func ParseFamily(text string) (Family, error) {
	switch family := Family(text); family {
	case IPv6, IPv4:
		return family, nil
	}
	return "", fmt.Errorf("parse address family %q: want %s or %s", text, IPv6, IPv4)
}

// Loopback returns the address everything listens on.
func (f Family) Loopback() string {
	if f == IPv4 {
		return "127.0.0.1"
	}
	return "::1"
}

// hostPort returns the loopback address and port as one.
func (f Family) hostPort(port int) string {
	return net.JoinHostPort(f.Loopback(), strconv.Itoa(port))
}

// advertise returns an address that kube-apiserver accepts as its own: it
// must be of the family of the service range and must not be loopback. Nothing
// ever connects to it, since no endpoints are reconciled.
func (f Family) advertise() string {
	if f == IPv4 {
		return "192.0.2.1"
	}
	return "fd00::1"
}

func (f Family) serviceRange() string {
	if f == IPv4 {
		return "10.96.0.0/16"
	}
	return "fd00:1::/112"
}

func (f Family) clusterRange() string {
	if f == IPv4 {
		return "10.128.0.0/14"
	}
	return "fd01::/48"
}
