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
	// cuts says whether open connections are reset when it begins.
	cuts() bool
	// meets says whether it concerns a request; serve then answers in place of next, or with it.
	meets(*http.Request) bool
	serve(w http.ResponseWriter, r *http.Request, next http.Handler)
}

// inert is a fault without effect, for kinds to embed and override.
type inert struct{}

func (inert) Name() string             { return "" }
func (inert) begin(*Proxy)             {}
func (inert) end(*Proxy)               {}
func (inert) cuts() bool               { return false }
func (inert) meets(*http.Request) bool { return false }
func (inert) serve(w http.ResponseWriter, r *http.Request, next http.Handler) {
	next.ServeHTTP(w, r)
}

var kinds = []struct {
	usage string
	make  func(args []string) Fault
}{
	{"refused", func([]string) Fault { return Refused() }},
	{"partial-discovery GROUP", func(args []string) Fault { return PartialDiscovery(args[0]) }},
	{"empty-discovery", func([]string) Fault { return EmptyDiscovery() }},
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
