package faults

import (
	"crypto/tls"
	"net"
	"sync"
)

// A gate is the TCP connection below TLS. It can be shut for what goes out: its bytes are then held
// back, as those of a server that hangs, until the connection is closed. The kernel goes on
// acknowledging what comes in.
type gate struct {
	*net.TCPConn
	closed chan struct{}
	once   sync.Once
	config func(*tls.ClientHelloInfo) (*tls.Config, error) // set before the handshake; nil: the proxy's own

	mu    sync.Mutex
	fault string // that has shut it; "": open
}

func newGate(raw *net.TCPConn) *gate { return &gate{TCPConn: raw, closed: make(chan struct{})} }

func (g *gate) shut(fault string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.fault = fault
}

func (g *gate) shutBy() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.fault
}

func (g *gate) Write(b []byte) (int, error) {
	if g.shutBy() != "" {
		<-g.closed
		return 0, net.ErrClosed
	}
	return g.TCPConn.Write(b)
}

func (g *gate) Close() error {
	g.once.Do(func() { close(g.closed) })
	return g.TCPConn.Close()
}

// otherConfig is for tls.Config's GetConfigForClient.
func otherConfig(hello *tls.ClientHelloInfo) (*tls.Config, error) {
	if g := hello.Conn.(*gate); g.config != nil {
		return g.config(hello)
	}
	return nil, nil // the one that this is called from
}

func (g *gate) isClosed() bool {
	select {
	case <-g.closed:
		return true
	default:
		return false
	}
}
