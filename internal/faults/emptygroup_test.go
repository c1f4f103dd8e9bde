package faults

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// client-go's discovery of one group version is empty, without an error; the next version of the
// group, and the group itself, are as they were.
func TestEmptyGroupVersion(t *testing.T) {
	onBoth(t, func(t *testing.T, host string) {
		r := startRig(t, host, serveDiscovery)
		resources := func(groupVersion string) int {
			t.Helper()
			got, err := r.discovery().ServerResourcesForGroupVersion(groupVersion)
			if err != nil {
				t.Fatalf("%s: %v", groupVersion, err)
			}
			return len(got.APIResources)
		}
		a := r.Refuse(EmptyGroupVersion("example.com/v1"), Trigger{})
		for groupVersion, want := range map[string]int{"example.com/v1": 0, "example.com/v1beta1": 1, "apps/v1": 1} {
			if got := resources(groupVersion); got != want {
				t.Errorf("%s: %d resources, want %d", groupVersion, got, want)
			}
		}
		groups, err := r.discovery().ServerGroups()
		if err != nil || len(groups.Groups) != 4 {
			t.Errorf("groups: %v, %v", groups, err)
		}
		a.Allow()
		if got := resources("example.com/v1"); got != 1 {
			t.Errorf("after: %d resources, want 1", got)
		}
	})
}

func TestEmptyGroupVersionOnTheWire(t *testing.T) {
	onBoth(t, func(t *testing.T, host string) {
		r := startRig(t, host, serveDiscovery)
		r.Refuse(EmptyGroupVersion("example.com/v1"), Trigger{})
		for path, fault := range map[string]string{
			"/apis/example.com/v1": "empty-discovery /apis/example.com/v1", "/apis/example.com/v1/": "empty-discovery /apis/example.com/v1",
			"/apis/example.com": "", "/apis/example.com/v1/things": "", "/apis/example.com/v1beta1": "", "/apis": "",
		} {
			resp, body := r.ask(path, plainJSON)
			if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != plainJSON {
				t.Errorf("GET %s: %s, %s", path, resp.Status, resp.Header.Get("Content-Type"))
			}
			const empty = `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"example.com/v1","resources":[]}`
			if diff := cmp.Diff(empty, body); fault != "" && diff != "" || fault == "" && diff == "" {
				t.Errorf("GET %s, which meets %q: %s", path, fault, body)
			}
			rs := r.Requests()
			if got := rs[len(rs)-1].Fault; got != fault {
				t.Errorf("GET %s: noted fault %q, want %q", path, got, fault)
			}
		}
	})
}

func TestParseEmptyDiscovery(t *testing.T) {
	t.Parallel()
	for _, want := range []Fault{EmptyDiscovery(), HalfEmptyDiscovery("/apis"), EmptyGroupVersion("example.com/v1"), Unauthorized()} {
		if got, err := ParseFault(want.Name()); err != nil || got != want {
			t.Errorf("%q: %v, %v", want.Name(), got, err)
		}
	}
}
