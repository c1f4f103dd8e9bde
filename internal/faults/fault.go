package faults

import (
	"fmt"
	"net/http"
	"strings"
)

// A Fault is one kind of trouble. Its value holds no state and can be armed many times.
type Fault interface {
	Name() string // the form that ParseFault reads

	// begin and end change what lies below HTTP. They are called with the proxy's lock held.
	begin(*Proxy)
	end(*Proxy)
	// strike is what happens to each open connection when it begins; nil: nothing.
	strike() func(c *conn, fault string)
	// admits says whether a new connection is served, or does something else with it. It is called
	// with the proxy's lock held.
	admits(c *conn) bool
	// meets says whether it concerns a request; serve then answers in place of next, or with it.
	meets(*http.Request) bool
	serve(w http.ResponseWriter, r *http.Request, next http.Handler)
}

// inert is a fault without effect, for kinds to embed and override.
type inert struct{}

func (inert) Name() string                { return "" }
func (inert) begin(*Proxy)                {}
func (inert) end(*Proxy)                  {}
func (inert) strike() func(*conn, string) { return nil }
func (inert) admits(*conn) bool           { return true }
func (inert) meets(*http.Request) bool    { return false }
func (inert) serve(w http.ResponseWriter, r *http.Request, next http.Handler) {
	next.ServeHTTP(w, r)
}

// mute answers no request: those that come in beside the begin of a fault that cuts connections wait
// for their own to be cut.
type mute struct{ inert }

func (mute) meets(*http.Request) bool { return true }
func (mute) serve(_ http.ResponseWriter, r *http.Request, _ http.Handler) {
	<-r.Context().Done()
	panic(http.ErrAbortHandler)
}

// resets is the strike of faults that cut open connections.
func resets(c *conn, _ string) { c.reset() }

var kinds = []struct {
	usage string
	make  func(args []string) Fault
}{
	{"refused", func([]string) Fault { return Refused() }},
	{"reset", func([]string) Fault { return Reset() }},
	{"reset-after", func([]string) Fault { return ResetAfter() }},
	{"blackhole", func([]string) Fault { return Blackhole() }},
	{"half-open", func([]string) Fault { return HalfOpen() }},
	{"tls-hang", func([]string) Fault { return TLSHang() }},
	{"wrong-ca", func([]string) Fault { return WrongCA() }},
	{"unavailable", func([]string) Fault { return Unavailable() }},
	{"too-many-requests", func([]string) Fault { return TooManyRequests() }},
	{"forbidden", func([]string) Fault { return Forbidden() }},
	{"unauthorized", func([]string) Fault { return Unauthorized() }},
	{"unhealthy", func([]string) Fault { return Unhealthy() }},
	{"apis-refused", func([]string) Fault { return APIsRefused() }},
	{"partial-discovery GROUP", func(args []string) Fault { return PartialDiscovery(args[0]) }},
	{"empty-discovery", func([]string) Fault { return EmptyDiscovery() }},
	{"empty-discovery PATH", func(args []string) Fault { return emptyDiscoveryAt(args[0]) }},
	{"legacy-apis-refused", func([]string) Fault { return Legacy(APIsRefused()) }},
	{"legacy-partial-discovery GROUP", func(args []string) Fault { return Legacy(PartialDiscovery(args[0])) }},
	{"legacy-empty-discovery", func([]string) Fault { return Legacy(EmptyDiscovery()) }},
}

// ParseFault reads a fault's name, as "refused" or "partial-discovery example.com".
func ParseFault(s string) (Fault, error) {
	words := strings.Fields(s)
	var usages []string
	for _, k := range kinds {
		usage := strings.Fields(k.usage)
		if len(words) == len(usage) && words[0] == usage[0] {
			return k.make(words[1:]), nil
		}
		usages = append(usages, k.usage)
	}
	return nil, fmt.Errorf("parse fault %q: want one of: %s", s, strings.Join(usages, ", "))
}
