package faults

import (
	"net/http"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type emptyGroupVersion struct {
	inert
	groupVersion string // as certificates.k8s.io/v1
}

// EmptyGroupVersion answers /apis/<group>/<version> with a well-formed list of no resources: the group
// is there, and has nothing in it. Everything else goes through, the resources and /apis too.
func EmptyGroupVersion(groupVersion string) Fault {
	return emptyGroupVersion{groupVersion: groupVersion}
}

// emptyDiscoveryAt is one of the two roots of discovery, or one version of a group.
func emptyDiscoveryAt(path string) Fault {
	if groupVersion, ok := strings.CutPrefix(path, "/apis/"); ok {
		return EmptyGroupVersion(groupVersion)
	}
	return HalfEmptyDiscovery(path)
}

func (f emptyGroupVersion) path() string { return "/apis/" + f.groupVersion }

func (f emptyGroupVersion) Name() string { return "empty-discovery " + f.path() }

func (f emptyGroupVersion) meets(r *http.Request) bool {
	return strings.TrimSuffix(r.URL.Path, "/") == f.path()
}

func (f emptyGroupVersion) serve(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
	writeJSON(w, http.StatusOK, plainJSON, metav1.APIResourceList{
		TypeMeta:     metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"},
		GroupVersion: f.groupVersion,
		APIResources: []metav1.APIResource{},
	})
}
