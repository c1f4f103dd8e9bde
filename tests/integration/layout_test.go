package integration

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// treeOf makes empty files, and the folders they need.
func treeOf(t *testing.T, files ...string) layout {
	t.Helper()
	root := t.TempDir()
	for _, file := range files {
		path := filepath.Join(root, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return layout{root}
}

func TestTargets(t *testing.T) {
	t.Parallel()
	l := treeOf(t, "components/b/1.2/go.mod", "components/a/1.10/go.mod", "components/a/README.md")
	got, err := l.targets()
	if err != nil {
		t.Fatal(err)
	}
	want := []target{{"a", "1.10"}, {"b", "1.2"}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(target{})); diff != "" {
		t.Errorf("targets (-want +got):\n%s", diff)
	}
}

func TestBinaries(t *testing.T) {
	t.Parallel()
	const etcd, server = "out/rig/etcd", "out/a/1.10/base/kube-apiserver"
	tests := []struct {
		name    string
		files   []string
		target  target
		side    side
		want    binaries
		wantErr string
	}{
		{name: "own kube-apiserver", files: []string{etcd, server, "out/a/1.9/base/kube-apiserver", "out/a/1.9/base/a"},
			target: target{"a", "1.9"}, side: base,
			want: binaries{etcd, "out/a/1.9/base/kube-apiserver", "out/a/1.9/base/a"}},
		{name: "newest kube-apiserver, by version", files: []string{etcd, server, "out/a/1.9/base/kube-apiserver", "out/b/4.1/bin/b"},
			target: target{"b", "4.1"}, side: patched,
			want: binaries{etcd, server, "out/b/4.1/bin/b"}},
		{name: "no etcd", files: []string{server, "out/a/1.10/base/a"}, target: target{"a", "1.10"}, side: base,
			wantErr: "out/rig/etcd is not there\nnext: make base"},
		{name: "no kube-apiserver", files: []string{etcd}, target: target{"a", "1.10"}, side: base,
			wantErr: "out/a/1.10/base/kube-apiserver is not there\nnext: make base"},
		{name: "no base", files: []string{etcd, server}, target: target{"a", "1.10"}, side: base,
			wantErr: "out/a/1.10/base/a is not there\nnext: make base"},
		{name: "no patched", files: []string{etcd, server, "out/a/1.10/base/a"}, target: target{"a", "1.10"}, side: patched,
			wantErr: "out/a/1.10/bin/a is not there\nnext: make"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			l := treeOf(t, test.files...)
			got, err := l.binaries(test.target, test.side)
			if !wantError(t, err, test.wantErr) {
				return
			}
			got = binaries{l.relative(got.etcd), l.relative(got.apiserver), l.relative(got.component)}
			if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(binaries{})); diff != "" {
				t.Errorf("binaries (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPlannedWantsScenarios(t *testing.T) {
	t.Parallel()
	s := suite{layout: treeOf(t, "components/a/1.10/go.mod")}
	_, err := s.planned(false)
	wantError(t, err, "no scenarios found")
}

// TestPlannedHere reads the scenarios that are checked in: both sides of every
// stream, and the long ones only when asked for.
func TestPlannedHere(t *testing.T) {
	t.Parallel()
	s := suite{layout: layout{"../.."}}
	all, err := s.planned(false)
	if err != nil {
		t.Fatal(err)
	}
	short, err := s.planned(true)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for _, r := range all {
		seen[filepath.Dir(r.name())]++
	}
	for name, sides := range seen {
		if sides != 2 && sides != 3 { // the third is a control
			t.Errorf("%s: %d sides, want 2 or 3", name, sides)
		}
	}
	if len(short) > len(all) {
		t.Errorf("%d short runs of %d", len(short), len(all))
	}
}
