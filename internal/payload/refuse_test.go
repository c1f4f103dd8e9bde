package payload

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	imagev1 "github.com/openshift/api/image/v1"

	"carry/internal/image"
)

// TestRefusesImage has one image that does not fit.
func TestRefusesImage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	label := func(key, value string) func(*imageOf) { return func(of *imageOf) { of.labels[key] = value } }
	bare := func(of *imageOf) { delete(of.labels, image.LabelBase) }
	fine := w.patchedKCM(nil)
	byTag := fine
	byTag.Reference = w.host + "/ocp/carry-kcm:1"
	nowhere := fine
	nowhere.Tag = "kube-proxy"
	index := fine
	index.Reference = w.index()
	gone := httptest.NewServer(nil)
	gone.Close()
	unreachable := fine
	unreachable.Reference = strings.TrimPrefix(gone.URL, "http://") + "/a@" + digest(fine.Reference)
	tests := []struct {
		name  string
		image Patched
		want  []string
	}{
		{"by tag", byTag, []string{"is not named by its digest", "next: name it " + w.host + "/ocp/carry-kcm@sha256:"}},
		{"tag not in the release", nowhere, []string{"has no tag kube-proxy", "this one has cli, cluster-version-operator, hyperkube"}},
		{"other architecture", w.patchedKCM(func(of *imageOf) { of.arch = "s390x" }), []string{"is for s390x, the release for amd64", "next: "}},
		{"bare", w.patchedKCM(bare), []string{"and nothing else", "next: carry image kube-controller-manager STREAM --base " + w.images["hyperkube"]}},
		{"over another", w.patchedKCM(label(image.LabelBase, "sha256:5a")), []string{"lies on sha256:5a, and the release has " + digest(w.images["hyperkube"])}},
		{"other version", w.patchedKCM(label(image.LabelVersions, "kubernetes=1.25.14")), []string{"is kubernetes 1.25.14, the release's cli 1.25.13", "oc makes no release with both", "next: "}},
		{"version lost", w.patchedKCM(label(image.LabelVersions, "")), []string{"has no version of kubernetes in its label", "next: "}},
		{"no version", w.patchedKCM(label(image.LabelVersions, "kubernetes=new")), []string{`"kubernetes=new" is not NAME=VERSION`, "next: "}},
		{"unknown name", w.patchedKCM(label(image.LabelVersions, "kubernetes=1.25.13,carry=1.0.0")), []string{"a version of carry, which oc does not know", "next: "}},
		{"an index", index, []string{"is for several architectures: linux/amd64", "next: "}},
		{"unreachable", unreachable, []string{"is unreachable", "next: "}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r, err := Load(t.Context(), w.release)
			if err != nil {
				t.Fatal(err)
			}
			_, err = New(t.Context(), r, []Patched{test.image}, w.host+"/ocp/release:carry", "")
			mustSay(t, err, test.want...)
		})
	}
}

// index pushes an index of two architectures.
func (w *world) index() string {
	w.t.Helper()
	var adds []mutate.IndexAddendum
	for _, arch := range []string{"amd64", "arm64"} {
		img := withFile(w.t, empty.Image, operatorPath, arch)
		adds = append(adds, mutate.IndexAddendum{Add: img, Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: arch}}})
	}
	idx := mutate.AppendManifests(empty.Index, adds...)
	ref, err := name.NewTag(w.host + "/ocp/many:1")
	if err != nil {
		w.t.Fatal(err)
	}
	if err := remote.WriteIndex(ref, idx); err != nil {
		w.t.Fatal(err)
	}
	d, err := idx.Digest()
	if err != nil {
		w.t.Fatal(err)
	}
	return ref.Context().Digest(d.String()).Name()
}

// TestRefusesRelease has releases that are none, or not one.
func TestRefusesRelease(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	folder := func(content []byte) string {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "image-references"), content, 0o644); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	changed := func(change func(*imagev1.ImageStream)) string { return folder(w.stream(change)) }
	tests := []struct {
		name, from string
		want       []string
	}{
		{"by tag", w.host + "/ocp/release:4.12.9", []string{"is not named by its digest", "next: name it " + w.release}},
		{"no release", w.images["cli"], []string{"release-manifests/image-references", "no such file", "next: name a release image"}},
		{"an index", w.index(), []string{"is for several architectures", "next: "}},
		{"empty folder", t.TempDir(), []string{"no image-references in it", "next: oc adm release extract"}},
		{"no YAML", folder([]byte("{")), []string{"cannot be read", "next: "}},
		{"another kind", changed(func(s *imagev1.ImageStream) { s.Kind = "Image" }), []string{"is no ImageStream of image.openshift.io/v1", "next: "}},
		{"a tag twice", changed(func(s *imagev1.ImageStream) { s.Spec.Tags[0].Name = "hyperkube" }), []string{"has the tag hyperkube twice", "next: "}},
		{"a tag without digest", changed(func(s *imagev1.ImageStream) { s.Spec.Tags[0].From.Name = "a/b:c" }), []string{"no image by digest for the tag cli", "next: "}},
		{"without a version", changed(func(s *imagev1.ImageStream) { s.Name = "mine" }), []string{`the name "mine", which is no version`, "next: "}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := Load(t.Context(), test.from)
			mustSay(t, err, test.want...)
		})
	}
}

func TestRefusesDestination(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r, err := Load(t.Context(), w.release)
	if err != nil {
		t.Fatal(err)
	}
	_, err = New(t.Context(), r, []Patched{w.patchedOperator()}, w.host+"/ocp/release@"+digest(w.release), "")
	mustSay(t, err, "next: --to-image REGISTRY/REPOSITORY:TAG")
	_, err = New(t.Context(), r, []Patched{w.patchedOperator()}, w.host+"/ocp/release:x", "new")
	mustSay(t, err, `--name "new" is no version`, "next: ")
	_, err = New(t.Context(), r, nil, w.host+"/ocp/release:x", "")
	mustSay(t, err, "no image", "next: ")
}

func mustSay(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one that says %q", parts)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q does not say %q", err, part)
		}
	}
}
