package faults

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"strings"

	apidiscovery "k8s.io/api/apidiscovery/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type partialDiscovery struct {
	inert
	group string
}

// PartialDiscovery is an aggregated API whose server is down: what lies below /apis/<group> answers
// 503, aggregated discovery shows the group's versions as stale and without resources, and legacy
// discovery still lists the group. There is no Retry-After, as kube-apiserver sends none here: with
// one, client-go would try ten times, a second apart, before it believed the answer.
func PartialDiscovery(group string) Fault { return partialDiscovery{group: group} }

func (f partialDiscovery) Name() string { return "partial-discovery " + f.group }

func (f partialDiscovery) meets(r *http.Request) bool {
	root, ok := discoveryRoot(r.URL.Path)
	aggregated := ok && root == "/apis" && aggregatedVersion(r.Header.Get("Accept")) != ""
	return aggregated || f.below(r.URL.Path)
}

func (f partialDiscovery) below(path string) bool {
	return strings.HasPrefix(path+"/", "/apis/"+f.group+"/")
}

func (f partialDiscovery) serve(w http.ResponseWriter, r *http.Request, next http.Handler) {
	if f.below(r.URL.Path) {
		writeJSON(w, http.StatusServiceUnavailable, plainJSON, metav1.Status{
			TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
			Status:   metav1.StatusFailure,
			Message:  "the server is currently unable to handle the request",
			Reason:   metav1.StatusReasonServiceUnavailable,
			Code:     http.StatusServiceUnavailable,
		})
		return
	}
	whole := r.Clone(r.Context())
	whole.Header.Del("Accept-Encoding") // the answer must be readable here
	whole.Header.Del("If-None-Match")   // and be there
	answer := &buffer{header: http.Header{}}
	next.ServeHTTP(answer, whole)
	f.pass(w, answer)
}

// pass sends the answer on with the group made stale. An answer in another form than was asked for,
// or an error, goes through as it is.
func (f partialDiscovery) pass(w http.ResponseWriter, answer *buffer) {
	maps.Copy(w.Header(), answer.header)
	contentType := answer.header.Get("Content-Type")
	if answer.code != http.StatusOK || aggregatedVersion(contentType) == "" {
		w.WriteHeader(answer.code)
		_, _ = w.Write(answer.Bytes())
		return
	}
	var list apidiscovery.APIGroupDiscoveryList // v2beta1 has the same shape
	if json.Unmarshal(answer.Bytes(), &list) != nil {
		panic(http.ErrAbortHandler)
	}
	f.makeStale(list.Items)
	w.Header().Del("Etag") // of the whole document
	writeJSON(w, answer.code, contentType, list)
}

func (f partialDiscovery) makeStale(groups []apidiscovery.APIGroupDiscovery) {
	for _, g := range groups {
		if g.Name != f.group {
			continue
		}
		for i := range g.Versions {
			g.Versions[i].Freshness = apidiscovery.DiscoveryFreshnessStale
			g.Versions[i].Resources = nil
		}
	}
}

// buffer is an answer that is kept.
type buffer struct {
	bytes.Buffer
	header http.Header
	code   int
}

func (b *buffer) Header() http.Header { return b.header }

func (b *buffer) WriteHeader(code int) {
	if code >= http.StatusOK {
		b.code = code
	}
}
