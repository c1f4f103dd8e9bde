package payload

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	imagev1 "github.com/openshift/api/image/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"carry/internal/image"
)

const (
	operator     = "cluster-version-operator"
	operatorPath = "/usr/bin/cluster-version-operator"
	references   = "release-manifests/image-references"
)

// world is a registry with a release of three images, and patched images of two of them.
type world struct {
	t        *testing.T
	host     string
	release  string            // by digest
	images   map[string]string // of the release, by tag, by digest
	versions map[string]string // labels of the release's images, by tag
}

func newWorld(t *testing.T) *world {
	t.Helper()
	s := httptest.NewServer(registry.New(registry.WithReferrersSupport(true), registry.Logger(log.New(io.Discard, "", 0))))
	t.Cleanup(s.Close)
	w := &world{t: t, host: strings.TrimPrefix(s.URL, "http://"), images: map[string]string{}}
	w.versions = map[string]string{"hyperkube": "kubernetes=1.25.13+build", operator: "", "cli": "kubernetes=1.25.13,kubectl=1.25.12"}
	for tag, versions := range w.versions {
		w.images[tag] = w.push(tag+":old", amd64(map[string]string{image.LabelVersions: versions}), operatorPath, "old")
	}
	w.release = w.releaseOf(nil)
	return w
}

// imageOf is a configuration of an image.
type imageOf struct {
	arch   string
	labels map[string]string
}

func amd64(labels map[string]string) imageOf { return imageOf{"amd64", labels} }

// push writes an image with one file and gives its reference by digest.
func (w *world) push(tag string, of imageOf, path, content string) string {
	w.t.Helper()
	img := withFile(w.t, empty.Image, path, content)
	c, err := img.ConfigFile()
	if err != nil {
		w.t.Fatal(err)
	}
	c = c.DeepCopy()
	c.OS, c.Architecture, c.Config.Labels = "linux", of.arch, of.labels
	if img, err = mutate.ConfigFile(img, c); err != nil {
		w.t.Fatal(err)
	}
	return w.write(tag, img)
}

func (w *world) write(tag string, img v1.Image) string {
	w.t.Helper()
	ref, err := name.NewTag(w.host + "/ocp/" + tag)
	if err != nil {
		w.t.Fatal(err)
	}
	if err := remote.Write(ref, img); err != nil {
		w.t.Fatal(err)
	}
	d, err := img.Digest()
	if err != nil {
		w.t.Fatal(err)
	}
	return ref.Context().Digest(d.String()).Name()
}

func withFile(t *testing.T, below v1.Image, path, content string) v1.Image {
	t.Helper()
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	if err := w.WriteHeader(&tar.Header{Name: strings.TrimPrefix(path, "/"), Mode: 0o755, Typeflag: tar.TypeReg, Size: int64(len(content))}); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(buf.Bytes())), nil })
	if err != nil {
		t.Fatal(err)
	}
	img, err := mutate.AppendLayers(below, layer)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// stream is the release's image-references, after change.
func (w *world) stream(change func(*imagev1.ImageStream)) []byte {
	w.t.Helper()
	s := &imagev1.ImageStream{
		TypeMeta:   metav1.TypeMeta{Kind: "ImageStream", APIVersion: "image.openshift.io/v1"},
		ObjectMeta: metav1.ObjectMeta{Name: "4.12.9"},
	}
	for _, tag := range []string{"cli", operator, "hyperkube"} {
		s.Spec.Tags = append(s.Spec.Tags, imagev1.TagReference{
			Name: tag, From: &corev1.ObjectReference{Kind: "DockerImage", Name: w.images[tag]},
			Annotations: map[string]string{image.LabelVersions: w.versions[tag]},
		})
	}
	if change != nil {
		change(s)
	}
	data, err := json.Marshal(s)
	if err != nil {
		w.t.Fatal(err)
	}
	return data
}

// releaseOf pushes a release image: its own layer over the operator's image.
func (w *world) releaseOf(change func(*imagev1.ImageStream)) string {
	w.t.Helper()
	return w.write("release:4.12.9", withFile(w.t, w.pull(w.images[operator]), "/"+references, string(w.stream(change))))
}

func (w *world) pull(reference string) v1.Image {
	w.t.Helper()
	ref, err := name.NewDigest(reference)
	if err != nil {
		w.t.Fatal(err)
	}
	img, err := remote.Image(ref)
	if err != nil {
		w.t.Fatal(err)
	}
	return img
}

// patched are the images that carry makes, as carry payload takes them.
func (w *world) patched() []Patched {
	w.t.Helper()
	return []Patched{w.patchedKCM(nil), w.patchedOperator()}
}

// patchedKCM is one with labels changed.
func (w *world) patchedKCM(change func(of *imageOf)) Patched {
	w.t.Helper()
	of := amd64(map[string]string{image.LabelStamp: "v1.25.13+carry.2.x", image.LabelBase: digest(w.images["hyperkube"]), image.LabelVersions: "kubernetes=1.25.13"})
	if change != nil {
		change(&of)
	}
	return Patched{Component: "kube-controller-manager", Tag: "hyperkube", Reference: w.push("carry-kcm:1", of, "/usr/bin/kube-controller-manager", "patched")}
}

func (w *world) patchedOperator() Patched {
	w.t.Helper()
	of := amd64(map[string]string{image.LabelStamp: "4.12.9+carry.7.x", image.LabelBase: digest(w.images[operator])})
	return Patched{Component: operator, Tag: operator, ReleaseBase: true, Reference: w.push("carry-cvo:1", of, operatorPath, "patched")}
}

func (w *world) plan(from string) *Plan {
	w.t.Helper()
	r, err := Load(w.t.Context(), from)
	if err != nil {
		w.t.Fatal(err)
	}
	p, err := New(w.t.Context(), r, w.patched(), w.host+"/ocp/release:carry", "")
	if err != nil {
		w.t.Fatal(err)
	}
	return p
}

// made is what a cluster gets from a release: an image for every tag, and the operator that runs, which is the one in
// the release image.
type made struct {
	tags     map[string]string
	operator string
	name     string
}

// oc does what oc adm release new does with an argument list: it puts images into the places of others, and lays the
// release's own layer on the base it is told, or on the one that the old release lies on.
func (w *world) oc(args []string) made {
	w.t.Helper()
	if diff := cmp.Diff([]string{"oc", "adm", "release", "new"}, args[:4]); diff != "" {
		w.t.Fatal(diff)
	}
	var m made
	base := w.images[operator]
	mappings := []string{}
	for _, arg := range args[4:] {
		flag, value, _ := strings.Cut(arg, "=")
		switch flag {
		case "--from-release":
			m.name, m.tags = tagsOf(w.t, readFile(w.t, value, "/"+references))
		case "--from-image-stream-file":
			data, err := os.ReadFile(value)
			if err != nil {
				w.t.Fatal(err)
			}
			_, m.tags = tagsOf(w.t, data)
		case "--name":
			m.name = value
		case "--to-image-base":
			base = value
		case "--mapping-file":
			data, err := os.ReadFile(value)
			if err != nil {
				w.t.Fatal(err)
			}
			mappings = append(mappings, mappingLines(string(data))...)
		case "--to-image", "--reference-mode":
		default:
			mappings = append(mappings, arg)
		}
	}
	for _, mapping := range mappings {
		tag, reference, _ := strings.Cut(mapping, "=")
		m.tags[tag] = reference
	}
	m.operator = string(readFile(w.t, base, operatorPath))
	return m
}

// mappingLines are the mappings of a file: one a line, # begins a comment.
func mappingLines(text string) (found []string) {
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		found = append(found, strings.Fields(line)...)
	}
	return found
}

func readFile(t *testing.T, reference, path string) []byte {
	t.Helper()
	in, err := image.Open(t.Context(), reference, "")
	if err != nil {
		t.Fatal(err)
	}
	data, err := in.File(path, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func tagsOf(t *testing.T, data []byte) (string, map[string]string) {
	t.Helper()
	var s imagev1.ImageStream
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	tags := map[string]string{}
	for _, tag := range s.Spec.Tags {
		tags[tag.Name] = tag.From.Name
	}
	return s.Name, tags
}

// TestBothComponentsArePatched runs the command and the command with the mapping file, of a release image and of a
// folder.
func TestBothComponentsArePatched(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "release-manifests"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(references)), w.stream(nil), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, from := range []string{w.release, dir, filepath.Join(dir, "release-manifests")} {
		p := w.plan(from)
		file := filepath.Join(t.TempDir(), "mapping")
		if err := os.WriteFile(file, p.MappingFile(), 0o644); err != nil {
			t.Fatal(err)
		}
		want := made{name: "4.12.9", operator: "patched", tags: map[string]string{"cli": w.images["cli"]}}
		for _, one := range w.patched() {
			want.tags[one.Tag] = one.Reference
		}
		for _, command := range [][]string{p.Command(), p.CommandWithFile(file)} {
			if diff := cmp.Diff(want, w.oc(command), cmp.AllowUnexported(made{})); diff != "" {
				t.Errorf("%s: %s", command, diff)
			}
		}
	}
}

// TestWithoutImageBase shows what --to-image-base is for: without it the tag is patched, and the operator that runs is
// the old one.
func TestWithoutImageBase(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var without []string
	for _, arg := range w.plan(w.release).Command() {
		if !strings.HasPrefix(arg, "--to-image-base=") {
			without = append(without, arg)
		}
	}
	m := w.oc(without)
	if m.operator != "old" || m.tags[operator] == w.images[operator] {
		t.Errorf("operator %q, tag %s: the test would not notice a missing --to-image-base", m.operator, m.tags[operator])
	}
}

// TestSameBytes plans twice, with the images in either order.
func TestSameBytes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	one := w.plan(w.release)
	r, err := Load(t.Context(), w.release)
	if err != nil {
		t.Fatal(err)
	}
	images := w.patched()
	two, err := New(t.Context(), r, []Patched{images[1], images[0]}, one.ToImage, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []func(*Plan) string{func(p *Plan) string { return string(p.Script()) }, func(p *Plan) string { return string(p.MappingFile()) }} {
		if diff := cmp.Diff(text(one), text(two)); diff != "" {
			t.Error(diff)
		}
	}
	want := fmt.Sprintf(`#!/bin/sh
# Needs oc, and credentials for both registries.
exec oc adm release new \
  --from-release=%s \
  --to-image-base=%s \
  --to-image=%s/ocp/release:carry \
  cluster-version-operator=%[2]s \
  hyperkube=%[4]s
`, w.release, images[1].Reference, w.host, images[0].Reference)
	if diff := cmp.Diff(want, string(one.Script())); diff != "" {
		t.Error(diff)
	}
}

func TestShellQuotes(t *testing.T) {
	t.Parallel()
	got := Shell([]string{"oc", "adm", "release", "new", "--a=b c", "it's"})
	if want := "oc adm release new \\\n  '--a=b c' \\\n  'it'\\''s'"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
