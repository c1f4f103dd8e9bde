package image

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

const (
	binaryPath = "/usr/bin/kube-controller-manager"
	commit     = "4e72164b00000000000000000000000000000000"
	stamp      = "v1.25.13+carry.2.0123456789ab"
)

// built is the stand-in without flags, linked once.
var built = struct {
	sync.Mutex
	file    string
	counter int
}{}

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "carry-image-test-")
	if err != nil {
		panic(err)
	}
	built.file = filepath.Join(dir, "program")
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// placeholder is where the stand-in has its flags.
var placeholder = []byte("config:" + strings.Repeat(".", 128))

// program is a stand-in with these flags, separated by commas.
func program(t *testing.T, flags, hidden string) string {
	t.Helper()
	built.Lock()
	defer built.Unlock()
	data, err := os.ReadFile(built.file)
	if err != nil {
		cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", built.file, "./testdata/program")
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("build program: %v\n%s", err, out)
		}
		data = read1(t, built.file)
	}
	config := []byte("config:" + flags + ";" + hidden + ";" + stamp)
	if bytes.Count(data, placeholder) != 1 || len(config) > len(placeholder) {
		t.Fatalf("no room for the flags %s %s", flags, hidden)
	}
	config = append(config, placeholder[len(config):]...)
	built.counter++
	file := fmt.Sprintf("%s-%d", built.file, built.counter)
	programFile(t, file, bytes.Replace(data, placeholder, config, 1))
	return file
}

// programFile writes a file that is run later.
func programFile(t *testing.T, name string, data []byte) {
	t.Helper()
	err := writeProgram(bytes.NewReader(data), func() (*os.File, error) { return os.OpenFile(name, os.O_CREATE|os.O_WRONLY, 0o755) })
	if err != nil {
		t.Fatal(err)
	}
}

// spec is a binary built from the fork, with the fork's flags.
func spec(t *testing.T) Spec {
	t.Helper()
	return specOf(t, program(t, "kubeconfig,v", "openshift-config"))
}

func specOf(t *testing.T, binary string) Spec {
	t.Helper()
	data, err := os.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	digest := sha256.Sum256(data)
	return Spec{
		Component: "kube-controller-manager", Binary: binary, SHA256: hex.EncodeToString(digest[:]), Path: binaryPath, Stamp: stamp,
		Version: "v1.25.13", Commit: commit, Date: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC),
		VersionKey: "kubernetes", Help: [][]string{{"--help"}}, Hidden: []string{"openshift-config"},
	}
}

// entry is one entry of a layer.
type entry struct {
	tar.Header
	content []byte
}

func file(name, content string) entry {
	return entry{tar.Header{Name: name, Mode: 0o644, Typeflag: tar.TypeReg}, []byte(content)}
}

func folder(name string) entry {
	return entry{tar.Header{Name: name, Mode: 0o755, Typeflag: tar.TypeDir}, nil}
}

func tarLayer(t *testing.T, kind types.MediaType, entries ...entry) v1.Layer {
	t.Helper()
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	for _, e := range entries {
		h := e.Header
		h.Size = int64(len(e.content))
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(e.content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(buf.Bytes())), nil }
	layer, err := tarball.LayerFromOpener(open, tarball.WithMediaType(kind))
	if err != nil {
		t.Fatal(err)
	}
	return layer
}

// payloadImage is a base as a payload has it. A test changes what it wants to see refused.
type payloadImage struct {
	docker bool // Docker's media types, not OCI's
	arch   string
	labels map[string]string
	binary []byte
	link   string  // the binary is a symbolic link to this
	upper  []entry // one more layer
}

func newPayloadImage(t *testing.T, binary string) *payloadImage {
	t.Helper()
	data, err := os.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	return &payloadImage{arch: Arch, binary: data, labels: map[string]string{
		LabelVersions: "kubernetes=1.25.13", LabelCommit: commit, "io.openshift.build.source-location": "https://example.com/kubernetes",
	}}
}

func (p *payloadImage) image(t *testing.T) v1.Image {
	t.Helper()
	kind, manifest, config := types.OCILayer, types.OCIManifestSchema1, types.OCIConfigJSON
	if p.docker {
		kind, manifest, config = types.DockerLayer, types.DockerManifestSchema2, types.DockerConfigJSON
	}
	binary := entry{tar.Header{Name: "./usr/bin/kube-controller-manager", Mode: 0o751, Uid: 7, Gid: 8, Typeflag: tar.TypeReg, Format: tar.FormatPAX,
		PAXRecords: map[string]string{"SCHILY.xattr.user.kept": "yes"}}, p.binary}
	if p.link != "" {
		binary = entry{tar.Header{Name: "usr/bin/kube-controller-manager", Linkname: p.link, Typeflag: tar.TypeSymlink}, nil}
	}
	layers := []v1.Layer{
		tarLayer(t, kind, folder("usr/"), folder("usr/bin/"), binary, file("usr/bin/hyperkube", "dispatcher"), file("etc/gone", "x"),
			entry{tar.Header{Name: "usr/bin/link", Linkname: "hyperkube", Typeflag: tar.TypeSymlink}, nil},
			entry{tar.Header{Name: "usr/bin/hard", Linkname: "usr/bin/hyperkube", Typeflag: tar.TypeLink}, nil}),
		tarLayer(t, kind, file("etc/passwd", "root"), file("etc/.wh.gone", "")),
	}
	if p.upper != nil {
		layers = append(layers, tarLayer(t, kind, p.upper...))
	}
	img, err := mutate.AppendLayers(mutate.MediaType(mutate.ConfigMediaType(empty.Image, config), manifest), layers...)
	if err != nil {
		t.Fatal(err)
	}
	c, err := img.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	c = c.DeepCopy()
	c.OS, c.Architecture = "linux", p.arch
	c.Config = v1.Config{Entrypoint: []string{"/usr/bin/hyperkube"}, Env: []string{"A=b"}, User: "1001", Labels: p.labels, WorkingDir: "/w"}
	img, err = mutate.ConfigFile(img, c)
	if err != nil {
		t.Fatal(err)
	}
	return withUnknown(t, img)
}

// withUnknown adds fields to the configuration that no library knows.
func withUnknown(t *testing.T, img v1.Image) v1.Image {
	t.Helper()
	raw, err := img.RawConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	fields := map[string]any{}
	if err := json.Unmarshal(raw, &fields); err != nil {
		t.Fatal(err)
	}
	fields["unknown"] = 12345678901234567
	fields["config"].(map[string]any)["Unknown"] = map[string]any{"a": []int{1}}
	if raw, err = json.Marshal(fields); err != nil {
		t.Fatal(err)
	}
	m, err := img.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	m = m.DeepCopy()
	if m.Config.Digest, m.Config.Size, err = sum(raw); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	none := tarLayer(t, types.OCILayer, file("no", "part of it"))
	img, err = partial.CompressedToImage(&made{manifest: text, config: raw, mediaType: m.MediaType, below: img, layer: none})
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// laid writes images to a new layout.
func laid(t *testing.T, images ...v1.Image) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "base")
	p, err := layout.Write(dir, empty.Index)
	if err != nil {
		t.Fatal(err)
	}
	for _, img := range images {
		if err := p.AppendImage(img); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func open(t *testing.T, name string) *Input {
	t.Helper()
	in, err := Open(t.Context(), name, Arch)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// files is what a container would see, without times.
func files(t *testing.T, in *Input) map[string]string {
	t.Helper()
	seen := map[string]string{}
	content := mutate.Extract(in.img)
	defer content.Close()
	r := tar.NewReader(content)
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return seen
		}
		if err != nil {
			t.Fatal(err)
		}
		digest := sha256.New()
		if _, err := io.Copy(digest, r); err != nil {
			t.Fatal(err)
		}
		seen[h.Name] = fmt.Sprintf("%c %o %d:%d %q %v %x", h.Typeflag, h.Mode, h.Uid, h.Gid, h.Linkname, attributes(h), digest.Sum(nil))
	}
}
