package faults

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apidiscovery "k8s.io/api/apidiscovery/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
)

// forms are the two ways in which client-go asks.
var forms = map[string]func(*discovery.DiscoveryClient){
	"aggregated": func(*discovery.DiscoveryClient) {},
	"legacy":     func(d *discovery.DiscoveryClient) { d.UseLegacyDiscovery = true },
}

// onForms runs a test on both address families and with both forms of discovery.
func onForms(t *testing.T, test func(t *testing.T, r *rig, d *discovery.DiscoveryClient)) {
	for name, set := range forms {
		t.Run(name, func(t *testing.T) {
			onBoth(t, func(t *testing.T, host string) {
				r := startRig(t, host, serveDiscovery)
				d := r.discovery()
				set(d)
				test(t, r, d)
			})
		})
	}
}

var groupVersions = []schema.GroupVersion{
	{Version: "v1"},
	{Group: "apps", Version: "v1"},
	{Group: "example.com", Version: "v1"},
	{Group: "example.com", Version: "v1beta1"},
	{Group: "example.com.other", Version: "v1"},
}

// serveDiscovery is the discovery of a kube-apiserver, with the resource "things" in each group.
func serveDiscovery(w http.ResponseWriter, r *http.Request) {
	root, isRoot := discoveryRoot(r.URL.Path)
	version := aggregatedVersion(r.Header.Get("Accept"))
	switch {
	case isRoot && version != "":
		serveAggregated(w, r, aggregatedType(version), aggregated(root, version))
	case isRoot && root == "/api":
		writeJSON(w, http.StatusOK, plainJSON, metav1.APIVersions{Versions: []string{"v1"}})
	case isRoot:
		writeJSON(w, http.StatusOK, plainJSON, legacyGroups())
	default:
		gv := strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, "/apis/"), "/api/")
		writeJSON(w, http.StatusOK, plainJSON, metav1.APIResourceList{
			TypeMeta:     metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"},
			GroupVersion: gv,
			APIResources: []metav1.APIResource{{Name: "things", Kind: "Thing", Namespaced: true, Verbs: metav1.Verbs{"list"}}},
		})
	}
}

// serveAggregated makes use of what the client allows: tags and compression.
func serveAggregated(w http.ResponseWriter, r *http.Request, contentType string, list apidiscovery.APIGroupDiscoveryList) {
	w.Header().Set("Etag", `"1"`)
	w.Header().Set("Content-Type", contentType)
	if r.Header.Get("If-None-Match") == `"1"` {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	out := io.Writer(w)
	if r.Header.Get("Accept-Encoding") == "gzip" {
		w.Header().Set("Content-Encoding", "gzip")
		zip := gzip.NewWriter(w)
		defer zip.Close()
		out = zip
	}
	_ = json.NewEncoder(out).Encode(list)
}

func aggregated(root, version string) apidiscovery.APIGroupDiscoveryList {
	list := apidiscovery.APIGroupDiscoveryList{TypeMeta: metav1.TypeMeta{Kind: aggregatedKind, APIVersion: aggregatedGroup + "/" + version}}
	for _, gv := range groupVersions {
		if (root == "/api") != (gv.Group == "") {
			continue
		}
		v := apidiscovery.APIVersionDiscovery{Version: gv.Version, Freshness: apidiscovery.DiscoveryFreshnessCurrent}
		v.Resources = []apidiscovery.APIResourceDiscovery{{
			Resource: "things", Scope: apidiscovery.ScopeNamespace, Verbs: []string{"list"},
			ResponseKind: &metav1.GroupVersionKind{Group: gv.Group, Version: gv.Version, Kind: "Thing"},
		}}
		last := len(list.Items) - 1
		if last < 0 || list.Items[last].Name != gv.Group {
			list.Items = append(list.Items, apidiscovery.APIGroupDiscovery{ObjectMeta: metav1.ObjectMeta{Name: gv.Group}})
			last++
		}
		list.Items[last].Versions = append(list.Items[last].Versions, v)
	}
	return list
}

func legacyGroups() metav1.APIGroupList {
	var list metav1.APIGroupList
	for _, gv := range groupVersions[1:] {
		v := metav1.GroupVersionForDiscovery{GroupVersion: gv.String(), Version: gv.Version}
		last := len(list.Groups) - 1
		if last < 0 || list.Groups[last].Name != gv.Group {
			list.Groups = append(list.Groups, metav1.APIGroup{Name: gv.Group, PreferredVersion: v})
			last++
		}
		list.Groups[last].Versions = append(list.Groups[last].Versions, v)
	}
	return list
}

// things are the group versions in which discovery finds "things".
func things(lists []*metav1.APIResourceList) []string {
	var found []string
	for _, l := range lists {
		for _, r := range l.APIResources {
			found = append(found, l.GroupVersion+" "+r.Name)
		}
	}
	slices.Sort(found)
	return found
}

var allThings = []string{"apps/v1 things", "example.com.other/v1 things", "example.com/v1 things", "v1 things"}

func TestDiscoveryWhole(t *testing.T) {
	onForms(t, func(t *testing.T, _ *rig, d *discovery.DiscoveryClient) {
		got, err := d.ServerPreferredNamespacedResources()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(allThings, things(got)); diff != "" {
			t.Errorf("resources (-want +got):\n%s", diff)
		}
	})
}

func TestPartialDiscovery(t *testing.T) {
	onForms(t, func(t *testing.T, r *rig, d *discovery.DiscoveryClient) {
		a := r.Refuse(PartialDiscovery("example.com"), Trigger{})
		got, err := d.ServerPreferredNamespacedResources()
		failed, ok := discovery.GroupDiscoveryFailedErrorGroups(err)
		if !ok {
			t.Fatalf("discovery: %v, want ErrGroupDiscoveryFailed", err)
		}
		if len(failed) != 2 || failed[groupVersions[2]] == nil || failed[groupVersions[3]] == nil {
			t.Errorf("failed: %v, want both versions of example.com", failed)
		}
		rest := slices.DeleteFunc(slices.Clone(allThings), func(s string) bool { return strings.HasPrefix(s, "example.com/") })
		if diff := cmp.Diff(rest, things(got)); diff != "" {
			t.Errorf("resources (-want +got):\n%s", diff)
		}
		a.Allow()
		got, err = d.ServerPreferredNamespacedResources()
		if diff := cmp.Diff(allThings, things(got)); diff != "" || err != nil {
			t.Errorf("after: %v, resources (-want +got):\n%s", err, diff)
		}
	})
}

// What is asked of the group is answered 503 on the spot; its neighbours, and the legacy list that
// still names it, go through.
func TestPartialDiscoveryOnTheWire(t *testing.T) {
	onBoth(t, func(t *testing.T, host string) {
		r := startRig(t, host, serveDiscovery)
		r.Refuse(PartialDiscovery("example.com"), Trigger{})
		tests := []struct {
			path, accept, contentType, fault string
			code                             int
			want                             string
		}{
			{"/apis/example.com", "", plainJSON, "partial-discovery example.com", 503, `"reason":"ServiceUnavailable"`},
			{"/apis/example.com/v1/namespaces/a/things", "", plainJSON, "partial-discovery example.com", 503, `"kind":"Status"`},
			{"/apis/example.com.other/v1", "", plainJSON, "", 200, "things"},
			{"/apis", "", plainJSON, "", 200, "example.com/v1beta1"},
			{"/apis", discovery.AcceptV2, discovery.AcceptV2, "partial-discovery example.com", 200, `"version":"v1beta1","freshness":"Stale"}`},
			{"/apis", discovery.AcceptV2Beta1, discovery.AcceptV2Beta1, "partial-discovery example.com", 200, `"apiVersion":"apidiscovery.k8s.io/v2beta1"`},
			{"/api", discovery.AcceptV2, discovery.AcceptV2, "", 304, ""},
		}
		for i, tt := range tests {
			resp, body := r.ask(tt.path, tt.accept)
			if resp.StatusCode != tt.code || resp.Header.Get("Content-Type") != tt.contentType || !strings.Contains(body, tt.want) {
				t.Errorf("GET %s: %s, %s, want %q in:\n%s", tt.path, resp.Status, resp.Header.Get("Content-Type"), tt.want, body)
			}
			if got := r.Requests()[i].Fault; got != tt.fault {
				t.Errorf("GET %s: noted fault %q, want %q", tt.path, got, tt.fault)
			}
			if tag := resp.Header.Get("Etag"); tag != "" && tt.fault != "" {
				t.Errorf("GET %s: a changed document has the tag %s", tt.path, tag)
			}
		}
	})
}

func (r *rig) ask(path, accept string) (*http.Response, string) {
	r.t.Helper()
	q, err := http.NewRequest("GET", r.URL()+path, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	q.Header.Set("Accept", accept)
	q.Header.Set("Accept-Encoding", "gzip")
	q.Header.Set("If-None-Match", `"1"`)
	resp, err := r.client(true).Do(q)
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return resp, string(body)
}

func TestEmptyDiscovery(t *testing.T) {
	onForms(t, func(t *testing.T, r *rig, d *discovery.DiscoveryClient) {
		a := r.Refuse(EmptyDiscovery(), Trigger{})
		got, err := d.ServerPreferredNamespacedResources()
		if err != nil || len(got) > 0 {
			t.Errorf("discovery: %v, %v, want an empty list and no error", got, err)
		}
		if len(r.seen) > 0 {
			t.Errorf("upstream saw %s", <-r.seen)
		}
		a.Allow()
		got, err = d.ServerPreferredNamespacedResources()
		if diff := cmp.Diff(allThings, things(got)); diff != "" || err != nil {
			t.Errorf("after: %v, resources (-want +got):\n%s", err, diff)
		}
	})
}

func TestHalfEmptyDiscovery(t *testing.T) {
	for _, path := range []string{"/api", "/apis"} {
		t.Run(path, func(t *testing.T) {
			onForms(t, func(t *testing.T, r *rig, d *discovery.DiscoveryClient) {
				r.Refuse(HalfEmptyDiscovery(path), Trigger{})
				got, err := d.ServerPreferredNamespacedResources()
				if err != nil || len(got) == 0 {
					t.Fatalf("discovery: %v, %v, want the other half and no error", got, err)
				}
				for _, list := range got {
					if core := list.GroupVersion == "v1"; core == (path == "/api") {
						t.Errorf("discovery has %s", list.GroupVersion)
					}
				}
			})
		})
	}
}

func TestEmptyDiscoveryOnTheWire(t *testing.T) {
	onBoth(t, func(t *testing.T, host string) {
		r := startRig(t, host, serveDiscovery)
		r.Refuse(EmptyDiscovery(), Trigger{})
		old := "application/vnd.kubernetes.protobuf,application/json"
		tests := []struct{ path, accept, contentType, want string }{
			{"/api", "*/*", plainJSON, `{"kind":"APIVersions","versions":[],"serverAddressByClientCIDRs":[]}`},
			{"/apis", old, plainJSON, `{"kind":"APIGroupList","apiVersion":"v1","groups":[]}`},
			{"/api", discovery.AcceptV2, discovery.AcceptV2, `{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","metadata":{},"items":[]}`},
			{"/apis/", discovery.AcceptV2Beta1 + "," + plainJSON, discovery.AcceptV2Beta1, `{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2beta1","metadata":{},"items":[]}`},
		}
		for _, tt := range tests {
			resp, body := r.ask(tt.path, tt.accept)
			if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != tt.contentType {
				t.Errorf("GET %s: %s, %s", tt.path, resp.Status, resp.Header.Get("Content-Type"))
			}
			if diff := cmp.Diff(tt.want, body); diff != "" {
				t.Errorf("GET %s (-want +got):\n%s", tt.path, diff)
			}
		}
		if resp, _ := r.ask("/api/v1", ""); resp.StatusCode != http.StatusOK || len(r.seen) != 1 {
			t.Errorf("GET /api/v1: %s, %d requests at the upstream, want 1", resp.Status, len(r.seen))
		}
	})
}

// The request that sets a discovery fault off meets it; the one after which it begins does not.
func TestDiscoveryTriggers(t *testing.T) {
	onForms(t, func(t *testing.T, r *rig, d *discovery.DiscoveryClient) {
		r.Refuse(EmptyDiscovery(), Trigger{At: &Match{Method: "GET", Path: "/apis", N: 2}})
		if got, err := d.ServerGroups(); err != nil || len(got.Groups) < 2 {
			t.Errorf("first: %v, %v", got, err)
		}
		if got, err := d.ServerGroups(); err != nil || len(got.Groups) > 1 {
			t.Errorf("second: %v, %v", got, err)
		}
		r.Allow()
		a := r.Refuse(PartialDiscovery("apps"), Trigger{After: &Match{Path: "/apis"}})
		if _, err := d.ServerPreferredResources(); err == nil == d.UseLegacyDiscovery {
			t.Errorf("discovery after which it begins: %v", err) // legacy asks on
		}
		await(t, "begun", a.Begun())
		if _, err := d.ServerPreferredResources(); !errors.Is(err, &discovery.ErrGroupDiscoveryFailed{}) {
			t.Errorf("next discovery: %v", err)
		}
	})
}
