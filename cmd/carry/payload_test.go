package main

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"carry/internal/payload"
)

// TestPatchedImages reads the components as they are checked in: which image a payload has each under, and that the
// release's own layer lies on the operator's.
func TestPatchedImages(t *testing.T) {
	t.Parallel()
	got, err := patchedImages(filepath.Join("..", ".."), []string{"kube-controller-manager=r/a@x", "cluster-version-operator=r/b@y"})
	if err != nil {
		t.Fatal(err)
	}
	want := []payload.Patched{
		{Component: "kube-controller-manager", Reference: "r/a@x", Tag: "hyperkube"},
		{Component: "cluster-version-operator", Reference: "r/b@y", Tag: "cluster-version-operator", ReleaseBase: true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
