package faults

import (
	"encoding/json"
	"mime"
	"net/http"
	"strconv"
	"strings"
)

const (
	aggregatedGroup = "apidiscovery.k8s.io"
	aggregatedKind  = "APIGroupDiscoveryList"
	plainJSON       = "application/json"
)

// aggregatedVersion is the version of aggregated discovery that a media type, or the first of a
// list of them, names; "" where it is legacy discovery.
func aggregatedVersion(accept string) string {
	first, _, _ := strings.Cut(accept, ",")
	_, params, err := mime.ParseMediaType(first)
	if err != nil || params["g"] != aggregatedGroup || params["as"] != aggregatedKind {
		return ""
	}
	return params["v"]
}

func aggregatedType(version string) string {
	return plainJSON + ";g=" + aggregatedGroup + ";v=" + version + ";as=" + aggregatedKind
}

// discoveryRoot is "/api" or "/apis" where the path is one of these.
func discoveryRoot(path string) (root string, ok bool) {
	root = strings.TrimSuffix(path, "/")
	return root, root == "/api" || root == "/apis"
}

func writeJSON(w http.ResponseWriter, code int, contentType string, object any) {
	b, err := json.Marshal(object)
	if err != nil {
		panic(http.ErrAbortHandler) // the API's own types always marshal
	}
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", strconv.Itoa(len(b)))
	w.WriteHeader(code)
	_, _ = w.Write(b)
}
