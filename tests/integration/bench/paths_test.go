package bench

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"carry/internal/faults"
)

func TestPathTemplate(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want string }{
		{"system", "/api/v1/namespaces/kube-system/serviceaccounts/node-controller", "/api/v1/namespaces/kube-system/serviceaccounts/node-controller"},
		{"own", "/api/v1/namespaces/bench-12", "/api/v1/namespaces/{}"},
		{"finalize", "/api/v1/namespaces/bench-12/finalize", "/api/v1/namespaces/{}/finalize"},
		{"content", "/apis/apps/v1/namespaces/bench-3/deployments", "/apis/apps/v1/namespaces/{}/deployments"},
		{"object", "/api/v1/namespaces/bench-3/configmaps/kube-root-ca.crt", "/api/v1/namespaces/{}/configmaps/{}"},
		{"event", "/api/v1/namespaces/kube-system/events/kcm.17a", "/api/v1/namespaces/kube-system/events/{}"},
		{"token of 1.23", "/api/v1/namespaces/kube-system/secrets/node-controller-token-58bxv", "/api/v1/namespaces/kube-system/secrets/{}"},
		{"events", "/api/v1/namespaces/kube-system/events", "/api/v1/namespaces/kube-system/events"},
	}
	for _, test := range tests {
		if got := pathTemplate(test.in); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

func TestAsked(t *testing.T) {
	t.Parallel()
	got := asked([]faults.Request{
		{Method: "PUT", Path: "/api/v1/namespaces/bench-1/finalize"}, {Method: "GET", Path: "/api"},
		{Method: "PUT", Path: "/api/v1/namespaces/bench-2/finalize"},
	})
	want := []string{"GET /api", "PUT /api/v1/namespaces/{}/finalize"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestCompareRequests(t *testing.T) {
	t.Parallel()
	got := compareRequests(
		[][]string{{"all", "base always", "base mostly", "most"}, {"all", "base always", "base mostly", "most"}, {"all", "base always", "base once"}},
		[][]string{{"all", "most", "patched always"}, {"all", "patched always"}})
	want := Requests{
		BaseStarts: 3, PatchedStarts: 2, Common: 1,
		Differences: []Difference{
			{"base always", 3, 0, onlyBase}, {"base mostly", 2, 0, onlyBase}, {"patched always", 0, 2, onlyPatched},
			{"base once", 1, 0, someStarts}, {"most", 2, 1, someStarts},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if n := len(got.onlyOne()); n != 3 {
		t.Errorf("%d of one side alone, want 3", n)
	}
}
