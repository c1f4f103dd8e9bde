package faults

import (
	"net/http"
	"strings"

	apidiscovery "k8s.io/api/apidiscovery/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type emptyDiscovery struct {
	inert
	path string // /api or /apis; empty: both
}

// EmptyDiscovery answers /api and /apis with well-formed lists of nothing, in the form that was
// asked for: aggregated or legacy. Everything else goes through.
func EmptyDiscovery() Fault { return emptyDiscovery{} }

// HalfEmptyDiscovery does so on one of the two paths only. client-go makes such an answer of a 403 or 404 there.
func HalfEmptyDiscovery(path string) Fault { return emptyDiscovery{path: path} }

func (e emptyDiscovery) Name() string { return strings.TrimSpace("empty-discovery " + e.path) }

func (e emptyDiscovery) meets(r *http.Request) bool {
	root, ok := discoveryRoot(r.URL.Path)
	return ok && (e.path == "" || e.path == root)
}

func (emptyDiscovery) serve(w http.ResponseWriter, r *http.Request, _ http.Handler) {
	root, _ := discoveryRoot(r.URL.Path)
	version := aggregatedVersion(r.Header.Get("Accept"))
	switch {
	case version != "":
		writeJSON(w, http.StatusOK, aggregatedType(version), apidiscovery.APIGroupDiscoveryList{
			TypeMeta: metav1.TypeMeta{Kind: aggregatedKind, APIVersion: aggregatedGroup + "/" + version},
			Items:    []apidiscovery.APIGroupDiscovery{},
		})
	case root == "/api":
		writeJSON(w, http.StatusOK, plainJSON, metav1.APIVersions{
			TypeMeta:                   metav1.TypeMeta{Kind: "APIVersions"},
			Versions:                   []string{},
			ServerAddressByClientCIDRs: []metav1.ServerAddressByClientCIDR{},
		})
	default:
		writeJSON(w, http.StatusOK, plainJSON, metav1.APIGroupList{
			TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"},
			Groups:   []metav1.APIGroup{},
		})
	}
}
