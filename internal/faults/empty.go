package faults

import (
	"net/http"

	apidiscovery "k8s.io/api/apidiscovery/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type emptyDiscovery struct{ inert }

// EmptyDiscovery answers /api and /apis with well-formed lists of nothing, in the form that was
// asked for: aggregated or legacy. Everything else goes through.
func EmptyDiscovery() Fault { return emptyDiscovery{} }

func (emptyDiscovery) Name() string { return "empty-discovery" }

func (emptyDiscovery) meets(r *http.Request) bool {
	_, ok := discoveryRoot(r.URL.Path)
	return ok
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
