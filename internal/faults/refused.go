package faults

type refused struct{ mute }

// Refused is a kube-apiserver that is gone: the kernel answers dials with ECONNREFUSED, so the
// proxy does not see them, and open connections are reset.
func Refused() Fault { return refused{} }

func (refused) Name() string                { return "refused" }
func (refused) begin(p *Proxy)              { p.shutLocked() }
func (refused) end(p *Proxy)                { p.unshutLocked() }
func (refused) strike() func(*conn, string) { return resets }
