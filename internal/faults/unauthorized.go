package faults

import "net/http"

type unauthorized struct{ inert }

// Unauthorized is a credential that has expired: every request goes on with a bearer token that was
// never issued in place of its own, and kube-apiserver itself refuses it with 401.
func Unauthorized() Fault { return unauthorized{} }

func (unauthorized) Name() string             { return "unauthorized" }
func (unauthorized) meets(*http.Request) bool { return true }

func (unauthorized) serve(w http.ResponseWriter, r *http.Request, next http.Handler) {
	expired := r.Clone(r.Context())
	expired.Header.Set("Authorization", "Bearer expired")
	next.ServeHTTP(w, expired)
}
