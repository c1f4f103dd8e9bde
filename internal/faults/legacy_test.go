package faults

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/discovery"
)

// onLegacy gives a client that asks for the aggregated form, and is not given it.
func onLegacy(t *testing.T, f Fault, test func(t *testing.T, r *rig, d *discovery.DiscoveryClient)) {
	onBoth(t, func(t *testing.T, host string) {
		r := startRig(t, host, serveDiscovery)
		a := r.Refuse(Legacy(f), Trigger{})
		test(t, r, r.discovery())
		a.Allow()
		got, err := r.discovery().ServerPreferredNamespacedResources()
		if diff := cmp.Diff(allThings, things(got)); diff != "" || err != nil {
			t.Errorf("after: %v, resources (-want +got):\n%s", err, diff)
		}
	})
}

// asked says whether client-go has taken the way of legacy discovery, a request for each group.
func (r *rig) asked(path string) bool {
	return slices.ContainsFunc(r.Requests(), func(q Request) bool { return q.Path == path })
}

func TestLegacyPartialDiscovery(t *testing.T) {
	onLegacy(t, PartialDiscovery("example.com"), func(t *testing.T, r *rig, d *discovery.DiscoveryClient) {
		got, err := d.ServerPreferredNamespacedResources()
		if failed, ok := discovery.GroupDiscoveryFailedErrorGroups(err); !ok || len(failed) != 2 {
			t.Errorf("discovery: %v, want both versions of example.com to have failed", err)
		}
		rest := slices.DeleteFunc(slices.Clone(allThings), func(s string) bool { return strings.HasPrefix(s, "example.com/") })
		if diff := cmp.Diff(rest, things(got)); diff != "" {
			t.Errorf("resources (-want +got):\n%s", diff)
		}
		if !r.asked("/apis/apps/v1") {
			t.Error("client-go has not asked for a group by itself")
		}
	})
}

func TestLegacyEmptyDiscovery(t *testing.T) {
	onLegacy(t, EmptyDiscovery(), func(t *testing.T, r *rig, d *discovery.DiscoveryClient) {
		got, err := d.ServerPreferredNamespacedResources()
		if err != nil || len(got) > 0 {
			t.Errorf("discovery: %v, %v, want an empty list and no error", got, err)
		}
		resp, body := r.ask("/apis", discovery.AcceptV2)
		if resp.Header.Get("Content-Type") != plainJSON || !strings.Contains(body, `"APIGroupList"`) {
			t.Errorf("GET /apis: %s, %s", resp.Header.Get("Content-Type"), body)
		}
	})
}

func TestLegacyAPIsRefused(t *testing.T) {
	onLegacy(t, APIsRefused(), func(t *testing.T, r *rig, d *discovery.DiscoveryClient) {
		if _, err := d.ServerGroups(); !apierrors.IsServiceUnavailable(err) {
			t.Errorf("discovery: %v, want 503", err)
		}
		resp, body := r.ask("/api", discovery.AcceptV2)
		if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != plainJSON || !strings.Contains(body, `"versions":["v1"]`) {
			t.Errorf("GET /api: %s, %s, %s", resp.Status, resp.Header.Get("Content-Type"), body)
		}
		if got := r.Requests()[0]; got.Fault != "legacy-apis-refused" {
			t.Errorf("noted %+v", got)
		}
	})
}
