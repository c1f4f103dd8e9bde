package faults

// silent lets new connections in and never answers on them, not even the TLS handshake.
type silent struct {
	mute
	name string
}

func (f silent) Name() string { return f.name }

func (f silent) admits(c *conn) bool {
	c.freeze(f.name)
	return true
}

// resetFrozenLocked resets what a fault of this name has frozen.
func (p *Proxy) resetFrozenLocked(fault string) {
	for c := range p.conns {
		if c.raw.shutBy() == fault {
			c.reset()
			delete(p.conns, c)
		}
	}
}
