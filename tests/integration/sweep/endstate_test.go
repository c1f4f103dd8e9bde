package sweep

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestObjectNames(t *testing.T) {
	t.Parallel()
	tests := []struct{ path, in, want string }{
		{"/api/v1/namespaces", `{"name":"kube-system"}`, "namespaces /kube-system"},
		{"/api/v1/namespaces", `{"name":"sweep-7-new"}`, "namespaces /{}"},
		{"/api/v1/serviceaccounts", `{"namespace":"sweep-7-new","name":"default"}`, "serviceaccounts {}/default"},
		{"/api/v1/secrets", `{"namespace":"kube-system","name":"job-controller-token-bcdfg"}`, "secrets kube-system/job-controller-token{}"},
		{leases, `{"namespace":"kube-system","name":"kube-controller-manager"}`, "leases kube-system/kube-controller-manager"},
	}
	for _, test := range tests {
		got, err := kcm().objectNames(test.path, []byte(`{"items":[{"metadata":`+test.in+`}]}`))
		if err != nil || len(got) != 1 || got[0] != test.want {
			t.Errorf("%s %s: %q, %v, want %q", test.path, test.in, got, err, test.want)
		}
	}
	if _, err := kcm().objectNames("/api/v1/secrets", []byte("<html>")); err == nil {
		t.Error("no error of what is no list")
	}
}

// TestSameEnd: what is there is looked at again until it is enough.
func TestSameEnd(t *testing.T) {
	t.Parallel()
	want := []string{"serviceaccounts kube-system/a", "serviceaccounts kube-system/b"}
	broken := errors.New("broken")
	tests := []struct {
		name   string
		script string
		have   [][]string // one after the other, the last one again and again
		err    error
		want   string // of judge; empty: well
		detail string
	}{
		{"there", lives, [][]string{{"leases x", want[0], want[1]}}, nil, "", ""},
		{"comes", lives, [][]string{nil, {want[1]}, want}, nil, "", ""},
		{"missing", lives, [][]string{{want[0]}}, nil, stuck, "not made: " + want[1]},
		{"exits", dies, [][]string{{want[0]}}, nil, exited, ""},
		{"no list", lives, [][]string{nil}, broken, "unknown", "broken"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			process := newRig(t, 200, test.script).process
			limit := time.Minute // an answer comes much earlier
			if test.want == stuck {
				limit = time.Second
			}
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			n := 0
			err := sameEnd(ctx, func(context.Context) ([]string, error) {
				n++
				return test.have[min(n, len(test.have))-1], test.err
			}, process, want)
			wantOutcome(t, err, test.want, test.detail)
		})
	}
}

func wantOutcome(t *testing.T, err error, outcome, detail string) {
	t.Helper()
	if outcome == "" {
		if err != nil {
			t.Error(err)
		}
		return
	}
	got := (&runner{}).judge(err, "now")
	if got.Outcome != outcome || detail != "" && got.Detail != detail {
		t.Errorf("%+v (%v), want %s: %s", got, err, outcome, detail)
	}
}

func TestFewConnections(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		open   []int // one after the other, the last one again and again
		want   string
		detail string
	}{
		{"as base", []int{2}, "", ""},
		{"closes some", []int{5, 3, 2}, "", ""},
		{"keeps them", []int{3}, stuck, "3 connections, base has at most 2"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			process := newRig(t, 200, lives).process
			limit := time.Minute // an answer comes much earlier
			if test.want == stuck {
				limit = time.Second
			}
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			n := 0
			err := fewConnections(ctx, func() int { n++; return test.open[min(n, len(test.open))-1] }, process, 2)
			wantOutcome(t, err, test.want, test.detail)
		})
	}
}

func TestWithout(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff([]string{"b"}, without([]string{"a", "b", "c"}, []string{"a", "c", "d"})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
