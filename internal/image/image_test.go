package image

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

// TestOverlayKeepsTheBase compares all: of the base, one file and the lines about it change.
func TestOverlayKeepsTheBase(t *testing.T) {
	t.Parallel()
	for _, docker := range []bool{false, true} {
		t.Run(fmt.Sprintf("docker=%v", docker), func(t *testing.T) {
			t.Parallel()
			s := spec(t)
			old := newPayloadImage(t, program(t, "kubeconfig,v", "openshift-config"))
			old.docker, old.binary = docker, append(old.binary, "another build"...)
			base := open(t, laid(t, old.image(t)))
			dir := filepath.Join(t.TempDir(), "image")
			m, err := Make(t.Context(), s, base, dir)
			if err != nil {
				t.Fatal(err)
			}
			got := open(t, dir)
			if err := validate.Image(got.img); err != nil {
				t.Error(err)
			}
			if m.Digest != got.Digest.String() || m.Base != base.Digest.String() || !m.Fresh {
				t.Errorf("made %+v, the layout holds %s", m, got.Digest)
			}
			compareFiles(t, s, base, got)
			compareConfigs(t, base, got)
			compareLayers(t, base, got)
		})
	}
}

func compareFiles(t *testing.T, s Spec, base, got *Input) {
	t.Helper()
	want := files(t, base)
	own := strings.Fields(want["usr/bin/kube-controller-manager"])
	own[len(own)-1] = s.SHA256
	want["usr/bin/kube-controller-manager"] = strings.Join(own, " ")
	if diff := cmp.Diff(want, files(t, got)); diff != "" {
		t.Error(diff)
	}
}

func compareConfigs(t *testing.T, base, got *Input) {
	t.Helper()
	fields := func(in *Input) (all map[string]any) {
		raw, err := in.img.RawConfigFile()
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(raw, &all); err != nil {
			t.Fatal(err)
		}
		return all
	}
	want := fields(base)
	want["created"] = "2026-11-30T12:00:00Z"
	labels := want["config"].(map[string]any)["Labels"].(map[string]any)
	labels[LabelStamp], labels[LabelBase] = stamp, base.Digest.String()
	have := fields(got)
	for _, list := range [][]any{have["history"].([]any), have["rootfs"].(map[string]any)["diff_ids"].([]any)} {
		if len(list) != 3 {
			t.Errorf("%d entries, want 3: %v", len(list), list)
		}
	}
	have["history"] = have["history"].([]any)[:2]
	rootfs := have["rootfs"].(map[string]any)
	rootfs["diff_ids"] = rootfs["diff_ids"].([]any)[:2]
	if diff := cmp.Diff(want, have); diff != "" {
		t.Error(diff)
	}
}

func compareLayers(t *testing.T, base, got *Input) {
	t.Helper()
	want, err := base.img.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	have, err := got.img.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	if len(have.Layers) != len(want.Layers)+1 || have.MediaType != want.MediaType {
		t.Fatalf("%d layers in %s, want one more than %d in %s", len(have.Layers), have.MediaType, len(want.Layers), want.MediaType)
	}
	if diff := cmp.Diff(want.Layers, have.Layers[:len(want.Layers)]); diff != "" {
		t.Error(diff)
	}
	if last := have.Layers[len(want.Layers)]; last.MediaType != want.Layers[0].MediaType {
		t.Errorf("the layer is a %s, the others are %s", last.MediaType, want.Layers[0].MediaType)
	}
}

// TestSameDigestElsewhere makes both kinds twice, in other folders.
func TestSameDigestElsewhere(t *testing.T) {
	t.Parallel()
	s := spec(t)
	base := newPayloadImage(t, s.Binary).image(t)
	digests := map[string]bool{}
	for i := range 2 {
		at := s
		at.Binary = filepath.Join(t.TempDir(), fmt.Sprint(i), "kube-controller-manager")
		copyTo(t, s.Binary, at.Binary)
		for _, in := range []*Input{nil, open(t, laid(t, base))} {
			m, err := Make(t.Context(), at, in, filepath.Join(t.TempDir(), "image"))
			if err != nil {
				t.Fatal(err)
			}
			digests[m.Digest] = true
		}
	}
	if len(digests) != 2 {
		t.Errorf("%d digests of two images, each made twice: %v", len(digests), digests)
	}
}

// TestUpToDate does not make again what is there, and makes again what is not.
func TestUpToDate(t *testing.T) {
	t.Parallel()
	s := spec(t)
	s.Binary = filepath.Join(t.TempDir(), "kube-controller-manager")
	copyTo(t, spec(t).Binary, s.Binary)
	dir := filepath.Join(t.TempDir(), "image")
	steps := []struct {
		name   string
		change func()
		fresh  bool
	}{
		{"first", func() {}, true},
		{"again", func() {}, false},
		{"layout gone", func() { os.RemoveAll(dir) }, true},
		{"another stamp", func() { s.Stamp += "x" }, true},
		{"an attachment", func() { writeFile(t, s.Binary+".cdx.json", "{}") }, true},
		{"and again", func() {}, false},
	}
	for _, step := range steps {
		step.change()
		m, err := Make(t.Context(), s, nil, dir)
		if err != nil {
			t.Fatal(err)
		}
		if m.Fresh != step.fresh {
			t.Errorf("%s: made anew: %v", step.name, m.Fresh)
		}
	}
}

// TestBareRuns runs the binary of a bare image out of its unpacked root.
func TestBareRuns(t *testing.T) {
	t.Parallel()
	s := spec(t)
	dir := filepath.Join(t.TempDir(), "image")
	if _, err := Make(t.Context(), s, nil, dir); err != nil {
		t.Fatal(err)
	}
	in := open(t, dir)
	if err := validate.Image(in.img); err != nil {
		t.Error(err)
	}
	c, err := in.config()
	if err != nil {
		t.Fatal(err)
	}
	want := v1.Config{Entrypoint: []string{binaryPath}, Labels: map[string]string{LabelStamp: stamp}}
	if diff := cmp.Diff(want, c.Config); diff != "" {
		t.Error(diff)
	}
	root := filepath.Join(t.TempDir(), "root")
	if err := in.Unpack(t.Context(), root); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(filepath.Join(root, binaryPath), "--version").CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != stamp {
		t.Errorf("--version: %v, %q", err, out)
	}
}

// TestIndexBase takes the image of the binary's platform, and says so.
func TestIndexBase(t *testing.T) {
	t.Parallel()
	s := spec(t)
	other := newPayloadImage(t, s.Binary)
	other.arch = "s390x"
	ours := newPayloadImage(t, s.Binary).image(t)
	idx := mutate.AppendManifests(empty.Index,
		mutate.IndexAddendum{Add: other.image(t), Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: "s390x"}}},
		mutate.IndexAddendum{Add: ours, Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: Arch}}})
	dir := filepath.Join(t.TempDir(), "base")
	p, err := layout.Write(dir, empty.Index)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.AppendIndex(idx); err != nil {
		t.Fatal(err)
	}
	m, err := Make(t.Context(), s, open(t, dir), filepath.Join(t.TempDir(), "image"))
	if err != nil {
		t.Fatal(err)
	}
	want, err := ours.Digest()
	if err != nil {
		t.Fatal(err)
	}
	if m.Base != want.String() || !strings.Contains(strings.Join(m.Notes, "\n"), "is an index: taken linux/"+Arch) {
		t.Errorf("base %s, want %s; notes %q", m.Base, want, m.Notes)
	}
	if _, err := Open(t.Context(), dir, "riscv64"); err == nil || !strings.Contains(err.Error(), "none for linux/riscv64, it has: linux/s390x") {
		t.Errorf("an index without the platform: %v", err)
	}
}

// TestDigestNamesOne chooses among several images of a layout.
func TestDigestNamesOne(t *testing.T) {
	t.Parallel()
	s := spec(t)
	one, two := newPayloadImage(t, s.Binary).image(t), newPayloadImage(t, program(t, "v", "")).image(t)
	dir := laid(t, one, two)
	want, err := two.Digest()
	if err != nil {
		t.Fatal(err)
	}
	if got := open(t, dir+"@"+want.String()); got.Digest != want {
		t.Errorf("opened %s, want %s", got.Digest, want)
	}
	if _, err := Open(t.Context(), dir, Arch); err == nil || !strings.Contains(err.Error(), "holds 2 images") || !strings.Contains(err.Error(), "next: name one of them") {
		t.Errorf("two images: %v", err)
	}
}

func copyTo(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		t.Fatal(err)
	}
	programFile(t, to, data)
}

func writeFile(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}
