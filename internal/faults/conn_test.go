package faults

import (
	"crypto/tls"
	"log"
	"net"
	"net/http"
	"testing"
)

// closeNotifier is an answer whose last frame is written, into the server's buffer, when the
// channel says so.
type closeNotifier struct {
	http.ResponseWriter
	closed chan bool
}

func (c closeNotifier) CloseNotify() <-chan bool { return c.closed }

// The stream's end does not mean that its last frame has left the server: delivery asks for a
// GOAWAY and waits for the write that carries it. (Without, one answer in a thousand is cut.)
func TestDeliveryWaitsForTheFlush(t *testing.T) {
	onBoth(t, func(t *testing.T, host string) {
		r := startRig(t, host, ok) // for its certificates
		l, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		client, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		raw, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		defer raw.Close()
		go func() { _ = tls.Client(client, &tls.Config{RootCAs: r.cas, ServerName: host}).Handshake() }()
		c := newConn(raw.(*net.TCPConn), r.tls, log.Default())
		c.h2 = true
		goAway := make(chan struct{})
		c.http.RegisterOnShutdown(func() { close(goAway) })
		if _, err := c.Write([]byte("earlier")); err != nil {
			t.Fatal(err)
		}

		end, delivered := make(chan bool, 1), make(chan struct{})
		wait := c.delivery(closeNotifier{closed: end})
		go func() {
			wait()
			close(delivered)
		}()
		end <- true
		await(t, "GOAWAY", goAway)
		select {
		case <-delivered:
			t.Error("delivered before the flush")
		default:
		}
		if _, err := c.Write([]byte("last")); err != nil {
			t.Fatal(err)
		}
		await(t, "delivery", delivered)
	})
}
