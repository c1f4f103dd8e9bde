package faults

import (
	"io"
	"net/http"
)

type unhealthy struct{ inert }

// Unhealthy is a kube-apiserver that says so: /healthz, /livez and /readyz answer 500 in
// kube-apiserver's words. Everything else goes through.
func Unhealthy() Fault { return unhealthy{} }

func (unhealthy) Name() string { return "unhealthy" }

func (unhealthy) meets(r *http.Request) bool {
	switch r.URL.Path {
	case "/healthz", "/livez", "/readyz":
		return true
	}
	return false
}

func (unhealthy) serve(w http.ResponseWriter, r *http.Request, _ http.Handler) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(http.StatusInternalServerError)
	_, _ = io.WriteString(w, "[+]ping ok\n[-]etcd failed: reason withheld\n"+r.URL.Path[1:]+" check failed\n")
}
