package sweep

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"carry/internal/faults"
)

func TestPathTemplate(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want, family string }{
		{name: "discovery", in: "/apis/certificates.k8s.io/v1", want: "/apis/certificates.k8s.io/v1"},
		{name: "controller's account", in: "/api/v1/namespaces/kube-system/serviceaccounts/job-controller",
			want: "/api/v1/namespaces/kube-system/serviceaccounts/job-controller", family: "/api/v1/namespaces/kube-system/serviceaccounts/{}"},
		{name: "token", in: "/api/v1/namespaces/kube-system/serviceaccounts/job-controller/token",
			want: "/api/v1/namespaces/kube-system/serviceaccounts/job-controller/token", family: "/api/v1/namespaces/kube-system/serviceaccounts/{}/token"},
		{name: "other namespace", in: "/api/v1/namespaces/sweep-1-old", want: "/api/v1/namespaces/{}"},
		{name: "in it", in: "/api/v1/namespaces/sweep-1-old/configmaps", want: "/api/v1/namespaces/{}/configmaps"},
		{name: "object in it", in: "/apis/apps/v1/namespaces/x/deployments/y/status", want: "/apis/apps/v1/namespaces/{}/deployments/{}/status"},
		{name: "system namespace", in: "/api/v1/namespaces/kube-system", want: "/api/v1/namespaces/kube-system"},
		{name: "default", in: "/api/v1/namespaces/default/configmaps", want: "/api/v1/namespaces/default/configmaps"},
		{name: "lease", in: "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager",
			want: "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager"},
		{name: "uuid", in: "/apis/x/v1/things/0f0e0d0c-0b0a-0908-0706-050403020100", want: "/apis/x/v1/things/{}"},
		{name: "generated", in: "/api/v1/namespaces/kube-system/pods/etcd-7xk2p", want: "/api/v1/namespaces/kube-system/pods/{}"},
		{name: "secret of an account", in: "/api/v1/namespaces/kube-system/secrets/default-token-fqxrl", want: "/api/v1/namespaces/kube-system/secrets/{}"},
		{name: "not generated", in: "/apis/rbac.authorization.k8s.io/v1/clusterroles/admin", want: "/apis/rbac.authorization.k8s.io/v1/clusterroles/admin"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := kcm().pathTemplate(test.in); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
			if got := familyPath(test.want); test.family != "" && got != test.family {
				t.Errorf("family %s, want %s", got, test.family)
			}
		})
	}
}

func TestAgentName(t *testing.T) {
	t.Parallel()
	tests := []struct{ in, want string }{
		{"kube-controller-manager/v1.37.2 (linux/amd64) kubernetes/0badc0de/shared-informers", "shared-informers"},
		{"kcm/v0.0.0 (linux/amd64) kubernetes/$Format/system:serviceaccount:kube-system:x", "system:serviceaccount:kube-system:x"},
		{"kcm/v0.0.0 (linux/amd64) kubernetes/$Format", ""},
		{"curl/8", "curl/8"},
	}
	for _, test := range tests {
		if got := agentName(test.in); got != test.want {
			t.Errorf("%s: %q, want %q", test.in, got, test.want)
		}
	}
}

// windowNamed is for tables.
func windowNamed(t *testing.T, text string) Window {
	t.Helper()
	w, err := parseWindow(text)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func windowsNamed(t *testing.T, texts ...string) []Window {
	t.Helper()
	var ws []Window
	for _, text := range texts {
		ws = append(ws, windowNamed(t, text))
	}
	return ws
}

func TestWindowsOf(t *testing.T) {
	t.Parallel()
	const lease = leases + "/kube-controller-manager"
	var requests []faults.Request
	for _, r := range []struct{ method, path string }{
		{"GET", lease}, {"POST", leases}, {"PUT", lease}, {"GET", "/api"}, {"PUT", lease}, {"GET", "/api"},
		{"POST", "/api/v1/namespaces/kube-system/events"}, {"POST", "/api/v1/namespaces/kube-system/events"},
		{"POST", "/api/v1/namespaces/a/configmaps"}, {"POST", "/api/v1/namespaces/b/configmaps"},
	} {
		requests = append(requests, faults.Request{Method: r.method, Path: r.path, Query: "timeout=5s"})
	}
	want := windowsNamed(t, "GET "+lease+" #1", "POST "+leases+" #1", "PUT "+lease+" #1", "GET /api #1", "GET /api #2",
		"POST /api/v1/namespaces/kube-system/events #1",
		"POST /api/v1/namespaces/{}/configmaps #1", "POST /api/v1/namespaces/{}/configmaps #2")
	if diff := cmp.Diff(want, kcm().windowsOf(requests)); diff != "" {
		t.Errorf("windows (-want +got):\n%s", diff)
	}
}

func TestShare(t *testing.T) {
	t.Parallel()
	a, b, c := windowNamed(t, "GET /a #1"), windowNamed(t, "GET /a #2"), windowNamed(t, "GET /c #1")
	all, rare := share([][]Window{{c, a, b}, {a, c}})
	if diff := cmp.Diff([]Window{a, c}, all); diff != "" {
		t.Errorf("all (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]Window{b}, rare); diff != "" {
		t.Errorf("rare (-want +got):\n%s", diff)
	}
}

func TestWindowMatch(t *testing.T) {
	t.Parallel()
	w := windowNamed(t, "POST /api/v1/namespaces/{}/configmaps #2")
	want := &faults.Match{Method: "POST", Path: "/api/v1/namespaces/sweep-1-old/configmaps", N: 2}
	if diff := cmp.Diff(want, w.match("sweep-1-old")); diff != "" {
		t.Errorf("match (-want +got):\n%s", diff)
	}
}

func TestShortWindowsAreWindows(t *testing.T) {
	t.Parallel()
	p, err := shortPlan("x")
	if err != nil {
		t.Fatal(err)
	}
	if got := len(shortCells(p)); got != len(shortWindows) {
		t.Errorf("%d cells, want %d", got, len(shortWindows))
	}
}

// TestKindsAreKnown: the words that faults reads may change.
func TestKindsAreKnown(t *testing.T) {
	t.Parallel()
	for _, k := range kinds {
		if _, _, err := k.faults(); err != nil {
			t.Errorf("%s: %v", k.name, err)
		}
	}
	for _, w := range slices.Concat(kcm().waves("1.37"), kcm().waves("1.23"), operator().waves("4.11")) {
		if _, err := kindNamed(w.kind); err != nil {
			t.Error(err)
		}
	}
}
