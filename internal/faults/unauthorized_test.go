package faults

import (
	"net/http"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// knows answers 401 to every token but the one that client-go sends here, as kube-apiserver does.
func knows(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "Bearer secret" {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	ok(w, r)
}

func TestUnauthorized(t *testing.T) {
	onBoth(t, func(t *testing.T, host string) {
		r := startRig(t, host, knows)
		get := func() error {
			return r.discovery().RESTClient().Get().AbsPath("/version").Do(background(t)).Error()
		}
		if err := get(); err != nil {
			t.Errorf("before: %v", err)
		}
		a := r.Refuse(Unauthorized(), Trigger{})
		if err := get(); !apierrors.IsUnauthorized(err) {
			t.Errorf("while it is on: %v, want 401", err)
		}
		a.Allow()
		if err := get(); err != nil {
			t.Errorf("after: %v", err)
		}
		rs := r.Requests()
		if len(rs) != 3 || len(r.seen) != 3 {
			t.Fatalf("%d requests, %d at the upstream, want 3", len(rs), len(r.seen))
		}
		if met := rs[1]; met.Code != http.StatusUnauthorized || met.Fault != "unauthorized" || met.Authenticated != rs[0].Authenticated {
			t.Errorf("noted %+v, want the token of %+v", met, rs[0])
		}
	})
}
