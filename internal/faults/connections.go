package faults

// Connections counts the clients' connections that are open, and not cut by a fault. One that the
// client has closed counts until the proxy has read that.
func (p *Proxy) Connections() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.conns)
}
