package faults

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseMatch(t *testing.T) {
	t.Parallel()
	tests := []struct {
		in   string
		want Match // zero: an error
	}{
		{"GET /api/v1/namespaces/{} #2", Match{"GET", "/api/v1/namespaces/{}", 2}},
		{"/apis/*", Match{Path: "/apis/*"}},
		{"POST", Match{Method: "POST"}},
		{"#3", Match{N: 3}},
		{"", Match{}},
		{"get /api", Match{}},
		{"GET api", Match{}},
		{"GET /api?x=y", Match{}},
		{"GET /a/*/b", Match{}},
		{"GET /api #0", Match{}},
		{"GET /api #x", Match{}},
		{"GET /api #2 #3", Match{}},
		{"#2 GET", Match{}},
	}
	for _, tt := range tests {
		t.Run(tt.in, func(t *testing.T) {
			t.Parallel()
			got, err := ParseMatch(tt.in)
			if (err != nil) != (tt.want == Match{}) {
				t.Fatalf("error %v", err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("match (-want +got):\n%s", diff)
			}
			if err != nil {
				return
			}
			if again, err := ParseMatch(got.String()); err != nil || again.nth() != got.nth() || again.Path != got.Path || again.Method != got.Method {
				t.Errorf("%q read again: %+v, %v", got, again, err)
			}
		})
	}
}

func TestMatches(t *testing.T) {
	t.Parallel()
	tests := []struct {
		pattern, path string
		want          bool
	}{
		{"/api", "/api", true},
		{"/api", "/api/", false},
		{"/api", "/apis", false},
		{"/api/v1/namespaces/{}", "/api/v1/namespaces/a", true},
		{"/api/v1/namespaces/{}", "/api/v1/namespaces/", false},
		{"/api/v1/namespaces/{}", "/api/v1/namespaces/a/pods", false},
		{"/a/{}/c", "/a/b/c", true},
		{"/apis/*", "/apis/x/y", true},
		{"/apis/*", "/apis/", true},
		{"/apis/*", "/apis", false},
		{"/apis*", "/apis", true},
		{"/apis/{}/v*", "/apis/apps/v1/deployments", true},
		{"/apis/{}/v*", "/apis/apps/x", false},
		{"/apis/{}/*", "/apis/apps", false},
	}
	for _, tt := range tests {
		if got := (Match{Path: tt.pattern}).matcher()(Request{Path: tt.path}); got != tt.want {
			t.Errorf("%s matches %s: %v, want %v", tt.pattern, tt.path, got, tt.want)
		}
	}
	get := Request{Method: "GET", Path: "/"}
	if (Match{Method: "POST"}).matcher()(get) || !(Match{}).matcher()(get) {
		t.Error("method: POST must not match GET, nothing must match anything")
	}
}

func TestParseFault(t *testing.T) {
	t.Parallel()
	for _, want := range []Fault{
		Refused(), ResetAfter(), PartialDiscovery("example.com"), EmptyDiscovery(),
		Legacy(APIsRefused()), Legacy(PartialDiscovery("example.com")), Legacy(EmptyDiscovery()),
	} {
		got, err := ParseFault(want.Name())
		if err != nil || got != want {
			t.Errorf("%q: %v, %v", want.Name(), got, err)
		}
	}
	for _, bad := range []string{"", "refuse", "refused x", "partial-discovery", "partial-discovery a b"} {
		if f, err := ParseFault(bad); err == nil {
			t.Errorf("%q: %v, want an error", bad, f)
		}
	}
}
