package faults

type blackhole struct{ silent }

// Blackhole is a server that hangs: dials succeed, and nothing is ever answered, on open connections
// and on new ones. Its end resets them all.
func Blackhole() Fault { return blackhole{silent{name: "blackhole"}} }

func (f blackhole) strike() func(*conn, string) { return (*conn).freeze }
func (f blackhole) end(p *Proxy)                { p.resetFrozenLocked(f.name) }
