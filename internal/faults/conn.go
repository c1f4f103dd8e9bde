package faults

import (
	"context"
	"crypto/tls"
	"log"
	"net"
	"net/http"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/sys/unix"
)

// ackLimit bounds the wait for a client that has stopped reading.
const ackLimit = 5 * time.Second

// A conn is one client connection, with an HTTP server of its own, so that it alone can be told to
// go away. To that server it is a net.Conn of plain text.
type conn struct {
	*tls.Conn
	raw   *gate
	http  *http.Server
	h2    bool
	wrote bell          // rings when a Write has ended
	idle  bell          // HTTP/1.1: rings when an answer is out or the connection is closed
	over  chan struct{} // closed when nothing is served on it any more
}

func newConn(raw *net.TCPConn, config *tls.Config, errors *log.Logger) *conn {
	g := newGate(raw)
	return &conn{Conn: tls.Server(g, config), raw: g, http: &http.Server{ErrorLog: errors}, over: make(chan struct{})}
}

// serve answers requests until the connection ends.
func (c *conn) serve(handler http.Handler) {
	defer close(c.over)
	defer c.Close()
	if c.Handshake() != nil {
		return
	}
	c.http.Handler = handler
	c.h2 = c.ConnectionState().NegotiatedProtocol == http2.NextProtoTLS
	if !c.h2 {
		c.serveHTTP1()
		return
	}
	//lint:ignore SA1019 net/http serves HTTP/2 only on listeners of its own; this is one given connection
	server := &http2.Server{MaxConcurrentStreams: 100} // kube-apiserver's: as many connections as there
	//lint:ignore SA1019 as above
	if err := http2.ConfigureServer(c.http, server); err != nil {
		c.http.ErrorLog.Print(err)
		return
	}
	//lint:ignore SA1019 as above
	server.ServeConn(c, &http2.ServeConnOpts{BaseConfig: c.http, Handler: handler})
}

func (c *conn) serveHTTP1() {
	closed := make(chan struct{})
	c.http.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateIdle || s == http.StateClosed {
			c.idle.ring()
		}
		if s == http.StateClosed || s == http.StateHijacked {
			close(closed)
		}
	}
	_ = c.http.Serve(&single{conn: c, closed: closed}) // ends with net.ErrClosed
}

// Write is called by the HTTP server with whole or part frames.
func (c *conn) Write(b []byte) (int, error) {
	defer c.wrote.take()()
	return c.Conn.Write(b)
}

// reset ends the connection with a RST: linger 0 throws away what was not sent yet. It goes past
// TLS, whose own Close would say goodbye first.
func (c *conn) reset() {
	_ = c.raw.SetLinger(0)
	_ = c.raw.Close()
}

// freeze lets nothing out any more, for the rest of the connection's life. What comes in is still
// read, so that the proxy sees the requests that meet the fault.
func (c *conn) freeze(fault string) { c.raw.shut(fault) }

// Close says no goodbye on a frozen connection.
func (c *conn) Close() error {
	if c.raw.shutBy() != "" {
		return c.raw.Close()
	}
	return c.Conn.Close()
}

// delivery is called before a handler returns. The function it gives blocks until the client's
// kernel has the whole answer; from there a RST cannot take it back, as what has been received is
// read before the error is. Only a connection that is to be reset may go through this.
func (c *conn) delivery(w http.ResponseWriter) (wait func()) {
	if !c.h2 {
		idle := c.idle.wait()
		return func() {
			c.await(idle)
			c.waitAcked()
		}
	}
	// The request's context ends with the handler; only the (old) CloseNotify tells that the frame
	// with END_STREAM has been written. That frame may still sit in the server's buffer. GOAWAY
	// comes after it in that buffer and empties it, so the first Write from here on carries both,
	// or carries END_STREAM if it did not go before.
	closed := w.(interface{ CloseNotify() <-chan bool }).CloseNotify()
	return func() {
		<-closed
		wrote := c.wrote.wait()
		_ = c.http.Shutdown(context.Background()) // this server knows only one HTTP/2 connection: GOAWAY
		c.await(wrote)
		c.waitAcked()
	}
}

func (c *conn) await(event <-chan struct{}) {
	select {
	case <-event:
	case <-c.over:
	}
}

// waitAcked polls, as there is no event for an acknowledged byte.
func (c *conn) waitAcked() {
	tick, limit := time.NewTicker(time.Millisecond), time.NewTimer(ackLimit)
	defer tick.Stop()
	defer limit.Stop()
	for c.unacked() > 0 {
		select {
		case <-tick.C:
		case <-c.over:
			return
		case <-limit.C:
			return
		}
	}
}

// unacked counts the bytes that the client's kernel has not acknowledged; 0 for a closed connection.
func (c *conn) unacked() int {
	raw, err := c.raw.SyscallConn()
	if err != nil {
		return 0
	}
	n := 0
	_ = raw.Control(func(fd uintptr) { n, _ = unix.IoctlGetInt(int(fd), unix.SIOCOUTQ) })
	return n
}

// single is a listener of one connection, and ends with it.
type single struct {
	*conn
	taken  bool
	closed <-chan struct{}
}

func (s *single) Accept() (net.Conn, error) {
	if !s.taken {
		s.taken = true
		return s.conn, nil
	}
	<-s.closed
	return nil, net.ErrClosed
}

func (s *single) Addr() net.Addr { return s.LocalAddr() }
