package faults

import "net/http"

type refused struct{}

// Refused is a kube-apiserver that is gone: the kernel answers dials with ECONNREFUSED, so the
// proxy does not see them, and open connections are reset.
func Refused() Fault { return refused{} }

func (refused) Name() string             { return "refused" }
func (refused) begin(p *Proxy)           { p.shutLocked() }
func (refused) end(p *Proxy)             { p.unshutLocked() }
func (refused) cuts() bool               { return true }
func (refused) meets(*http.Request) bool { return true }

// serve lets a request that came in beside the reset wait for it.
func (refused) serve(_ http.ResponseWriter, r *http.Request, _ http.Handler) {
	<-r.Context().Done()
	panic(http.ErrAbortHandler)
}
