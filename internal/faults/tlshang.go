package faults

type tlsHang struct{ silent }

// TLSHang is a server that came up with a port and no more: open connections are reset, dials
// succeed, and their TLS handshakes get no answer. Its end resets those.
func TLSHang() Fault { return tlsHang{silent{name: "tls-hang"}} }

func (tlsHang) strike() func(*conn, string) { return resets }
func (f tlsHang) end(p *Proxy)              { p.resetFrozenLocked(f.name) }
