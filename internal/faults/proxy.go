package faults

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"os"
	"sync"
	"syscall"

	"golang.org/x/net/http2"
)

// Config says where a proxy listens and what it forwards to.
type Config struct {
	Listen      string          // literal address and port, as "[::1]:0"; port 0 picks one
	Cert        tls.Certificate // what the proxy serves as
	Upstream    *url.URL        // https://address:port of the real kube-apiserver
	UpstreamCAs *x509.CertPool  // trusts the real kube-apiserver; nil: the system's
	Log         io.Writer       // gets a JSON line for each request and each begin and end of a fault; nil: none
}

// Proxy is a running proxy. Its methods may be called from many goroutines.
type Proxy struct {
	addr      netip.AddrPort
	tls       *tls.Config
	transport *http.Transport
	forward   http.Handler
	holder    *os.File
	journal   journal
	done      chan struct{}  // closed when Close begins
	busy      sync.WaitGroup // accept loops, connections, handlers and faults on their way

	mu       sync.Mutex
	listener *net.TCPListener   // nil while the port is shut
	shut     int                // how many faults keep the port shut
	conns    map[*conn]struct{} // those that have not been cut
	armed    []*Armed           // waiting or on, oldest first
	seen     []*exchange
	open     map[*exchange]struct{} // those of seen whose handler still runs
	news     bell                   // rings when something about seen has changed
	closed   bool
}

// Start returns a proxy that is listening.
func Start(c Config) (*Proxy, error) {
	addr, err := netip.ParseAddrPort(c.Listen)
	if err != nil || addr.Addr().Zone() != "" {
		return nil, fmt.Errorf("listen address %q: want a literal address without zone, and a port", c.Listen)
	}
	if c.Upstream == nil || c.Upstream.Scheme != "https" {
		return nil, fmt.Errorf("upstream %v: want a https URL", c.Upstream)
	}
	p := &Proxy{
		tls: &tls.Config{
			Certificates: []tls.Certificate{c.Cert}, NextProtos: []string{http2.NextProtoTLS, "http/1.1"},
			GetConfigForClient: otherConfig,
		},
		transport: &http.Transport{
			TLSClientConfig:    &tls.Config{RootCAs: c.UpstreamCAs},
			ForceAttemptHTTP2:  true,
			DisableCompression: true, // the client's own Accept-Encoding goes through instead
		},
		journal: journal{to: json.NewEncoder(cmp.Or(c.Log, io.Discard))},
		done:    make(chan struct{}),
		conns:   map[*conn]struct{}{},
		open:    map[*exchange]struct{}{},
	}
	p.forward = p.forwardTo(c.Upstream)
	l, err := listen(addr)
	if err != nil {
		return nil, err
	}
	p.addr = netip.AddrPortFrom(addr.Addr(), l.Addr().(*net.TCPAddr).AddrPort().Port())
	if p.holder, err = hold(p.addr); err != nil {
		return nil, errors.Join(fmt.Errorf("hold %s: %w", p.addr, err), l.Close())
	}
	p.acceptFrom(l)
	return p, nil
}

// URL is https://address:port, the same for the proxy's life.
func (p *Proxy) URL() string { return "https://" + p.addr.String() }

// Close resets what is open, ends every fault, frees the port and waits for the proxy's goroutines.
// Its error also holds what went wrong earlier and had no caller to be told.
func (p *Proxy) Close() error {
	p.mu.Lock()
	first := !p.closed
	p.closed = true
	if first {
		close(p.done)
		p.shutLocked()
	}
	p.mu.Unlock()
	p.strike("", resets, nil)
	p.Allow()
	p.busy.Wait()
	p.transport.CloseIdleConnections()
	if !first {
		return nil
	}
	return errors.Join(append(p.journal.kept, p.holder.Close())...)
}

// forwardTo passes requests on unchanged, and answers as they come: those without a length, as
// watches, are flushed at each write. It adds no retries of its own. Where kube-apiserver gives no
// answer, or breaks off within one, the client is not told a made-up one but reset.
func (p *Proxy) forwardTo(upstream *url.URL) http.Handler {
	return &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(upstream)
			r.Out.Host = r.In.Host
			r.Out.URL.RawQuery = r.In.URL.RawQuery // ReverseProxy drops what it cannot parse
		},
		Transport: p.transport,
		ErrorLog:  log.New(&p.journal, "", 0),
		ErrorHandler: func(_ http.ResponseWriter, r *http.Request, err error) {
			if r.Context().Err() == nil {
				p.journal.trouble(err)
			}
			panic(http.ErrAbortHandler)
		},
	}
}

// shutLocked stops listening. Connections that the kernel has accepted and the proxy has not are
// reset by the kernel. A child that this process forks at this moment has the listener until it
// executes its program, and dials would get through to it: ForkLock is held while there is one.
func (p *Proxy) shutLocked() {
	p.shut++
	if p.listener != nil {
		syscall.ForkLock.RLock()
		_ = p.listener.Close()
		syscall.ForkLock.RUnlock()
		p.listener = nil
	}
}

// unshutLocked takes back one shutLocked.
func (p *Proxy) unshutLocked() {
	if p.shut--; p.shut > 0 {
		return
	}
	l, err := listen(p.addr)
	if err != nil {
		p.journal.keep(err)
		return
	}
	p.acceptFrom(l)
}

func (p *Proxy) acceptFrom(l *net.TCPListener) {
	p.listener = l
	p.busy.Go(func() { p.accept(l) })
}

func (p *Proxy) accept(l *net.TCPListener) {
	for {
		raw, err := l.AcceptTCP()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // out of descriptors, say
			p.journal.keep(err)
			return
		}
		p.admit(l, raw)
	}
}

// admit serves a connection, unless the port was shut between its accept and now.
func (p *Proxy) admit(l *net.TCPListener, raw *net.TCPConn) {
	c := newConn(raw, p.tls, log.New(&p.journal, "", 0))
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.listener != l {
		c.reset()
		return
	}
	for _, a := range p.armed {
		if a.state == on && !a.fault.admits(c) {
			return
		}
	}
	p.conns[c] = struct{}{}
	p.busy.Go(func() {
		c.serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { p.handle(c, w, r) }))
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.conns, c)
	})
}

// strike does something to every open connection but one (nil: every one), and notes which fault
// the unfinished requests on them have met.
func (p *Proxy) strike(fault string, do func(c *conn, fault string), but *conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for x := range p.open {
		if x.conn != but {
			x.Fault, x.settled = cmp.Or(fault, x.Fault), true
		}
	}
	p.news.ring()
	for c := range p.conns {
		if c != but {
			do(c, fault)
		}
	}
	maps.DeleteFunc(p.conns, func(c *conn, _ struct{}) bool { return c.raw.isClosed() })
}
