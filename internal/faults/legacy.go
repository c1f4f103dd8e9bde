package faults

import "net/http"

type legacy struct{ Fault }

// Legacy is another fault at a server that does not know aggregated discovery: /api and /apis are
// answered in legacy form whatever was asked for, so that client-go asks for each group by itself.
func Legacy(f Fault) Fault { return legacy{f} }

func (f legacy) Name() string { return "legacy-" + f.Fault.Name() }

func (f legacy) meets(r *http.Request) bool {
	_, root := discoveryRoot(r.URL.Path)
	return root || f.Fault.meets(r)
}

func (f legacy) serve(w http.ResponseWriter, r *http.Request, next http.Handler) {
	if _, root := discoveryRoot(r.URL.Path); root {
		r = r.Clone(r.Context())
		r.Header.Set("Accept", plainJSON)
		r.Header.Del("If-None-Match") // of a document in the other form
	}
	if f.Fault.meets(r) {
		f.Fault.serve(w, r, next)
		return
	}
	next.ServeHTTP(w, r)
}
