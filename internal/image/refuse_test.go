package image

import (
	"archive/tar"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// TestRefuses has one defect in each base.
func TestRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		spoil func(t *testing.T, p *payloadImage)
		want  []string // in the error, each
	}{
		{"a flag more", func(t *testing.T, p *payloadImage) {
			p.binary = read1(t, program(t, "kubeconfig,v,unsupported", "openshift-config"))
		},
			[]string{"knows flags that the binary does not: --unsupported", "next: --source"}},
		{"other architecture", func(_ *testing.T, p *payloadImage) { p.arch = "s390x" }, []string{"is for s390x, the binary for " + Arch, "next: build on"}},
		{"other version", func(_ *testing.T, p *payloadImage) { p.labels[LabelVersions] = "kubernetes=1.25.14" },
			[]string{"is kubernetes 1.25.14", "the binary 1.25.13", "next: --source and --source-version of 1.25.14"}},
		{"versions of two minds", func(_ *testing.T, p *payloadImage) { p.labels[LabelVersions] = "kubernetes=1.25.13,kubernetes=1.26.0" },
			[]string{"kubernetes is both 1.25.13 and 1.26.0", "next: "}},
		{"no version in the label", func(_ *testing.T, p *payloadImage) { p.labels[LabelVersions] = "kubernetes=1.25" },
			[]string{`"kubernetes=1.25" is not NAME=VERSION`, "next: "}},
		{"other commit", func(_ *testing.T, p *payloadImage) { p.labels[LabelCommit] = "5a" }, []string{"is built from commit 5a, the binary from " + commit, "next: --source DIR@5a"}},
		{"says nothing", func(_ *testing.T, p *payloadImage) { p.labels = nil }, []string{"says neither version nor commit", "next: "}},
		{"cannot run, and no commit", func(_ *testing.T, p *payloadImage) { p.binary = []byte("no program"); delete(p.labels, LabelCommit) },
			[]string{"not compared (", "has no label " + LabelCommit, "next: "}},
		{"no binary", func(_ *testing.T, p *payloadImage) {
			p.upper = []entry{file("usr/bin/.wh.kube-controller-manager", "")}
		},
			[]string{"has no " + binaryPath + " to replace", "next: name the payload's own image"}},
		{"folder taken away", func(_ *testing.T, p *payloadImage) { p.upper = []entry{file("usr/.wh.bin", "")} }, []string{"has no " + binaryPath}},
		{"folder emptied", func(_ *testing.T, p *payloadImage) {
			p.upper = []entry{folder("usr/bin/"), file("usr/bin/.wh..wh..opq", "")}
		},
			[]string{"has no " + binaryPath}},
		{"folder is a file", func(_ *testing.T, p *payloadImage) { p.upper = []entry{file("usr/bin", "x")} }, []string{"has no " + binaryPath}},
		{"a link", func(_ *testing.T, p *payloadImage) { p.link = "hyperkube" }, []string{binaryPath + " is a link or no file", "next: "}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := spec(t)
			p := newPayloadImage(t, s.Binary)
			test.spoil(t, p)
			dir := filepath.Join(t.TempDir(), "image")
			_, err := Make(t.Context(), s, open(t, laid(t, p.image(t))), dir)
			mustSay(t, err, test.want...)
			if left, _ := filepath.Glob(dir + "*"); left != nil {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// TestHiddenFlag is the case of OpenShift: its fork hides --openshift-config from --help.
func TestHiddenFlag(t *testing.T) {
	t.Parallel()
	s := specOf(t, program(t, "kubeconfig,v", ""))
	base := newPayloadImage(t, program(t, "kubeconfig,v", "openshift-config"))
	_, err := Make(t.Context(), s, open(t, laid(t, base.image(t))), filepath.Join(t.TempDir(), "image"))
	mustSay(t, err, "knows flags that the binary does not: --openshift-config")
}

// TestFlagsNotCompared goes by the commit where the base cannot be run, and says so.
func TestFlagsNotCompared(t *testing.T) {
	t.Parallel()
	s := spec(t)
	base := newPayloadImage(t, s.Binary)
	base.binary = []byte("no program")
	m, err := Make(t.Context(), s, open(t, laid(t, base.image(t))), filepath.Join(t.TempDir(), "image"))
	if err != nil {
		t.Fatal(err)
	}
	if notes := strings.Join(m.Notes, "\n"); !strings.Contains(notes, "flags not compared (") || !strings.Contains(notes, "of one commit, "+commit) {
		t.Errorf("notes: %q", notes)
	}
}

// TestRunsInItsRoot compares the flags of a program that only runs where its base is unpacked: its interpreter is
// there and nowhere else.
func TestRunsInItsRoot(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		if os.Getenv("CI") != "" {
			t.Fatal("not root: 1 test of flags in an unpacked base not run")
		}
		fmt.Println("not root: 1 test of flags in an unpacked base skipped")
		t.Skip("not root")
	}
	for _, test := range []struct {
		name, flags string
		refused     bool
	}{{"same flags", "kubeconfig,v", false}, {"a flag more", "kubeconfig,v,more", true}} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := spec(t)
			base := newPayloadImage(t, s.Binary)
			base.binary = []byte("#!/opt/interpreter --v=1\n") // the kernel adds the file's own name, as one more argument
			interpreter := file("opt/interpreter", string(read1(t, program(t, test.flags, "openshift-config,"+binaryPath))))
			interpreter.Mode = 0o755
			base.upper = []entry{interpreter}
			delete(base.labels, LabelCommit)
			_, err := Make(t.Context(), s, open(t, laid(t, base.image(t))), filepath.Join(t.TempDir(), "image"))
			if test.refused {
				mustSay(t, err, "knows flags that the binary does not: --more")
			} else if err != nil {
				t.Error(err)
			}
		})
	}
}

// TestHelpWithoutFlags is an error: nothing would be missing then.
func TestHelpWithoutFlags(t *testing.T) {
	t.Parallel()
	_, err := asked{path: "/bin/echo"}.help(t.Context(), []string{"no flags"})
	mustSay(t, err, "names no flag")
}

// TestUpperLayerWins replaces the uppermost of two files of that name.
func TestUpperLayerWins(t *testing.T) {
	t.Parallel()
	s := spec(t)
	base := newPayloadImage(t, program(t, "kubeconfig,v,old", ""))
	base.upper = []entry{{tar.Header{Name: "usr/bin/kube-controller-manager", Mode: 0o700, Uid: 3, Typeflag: tar.TypeReg}, read1(t, s.Binary)}}
	dir := filepath.Join(t.TempDir(), "image")
	if _, err := Make(t.Context(), s, open(t, laid(t, base.image(t))), dir); err != nil {
		t.Fatal(err)
	}
	if got := files(t, open(t, dir))["usr/bin/kube-controller-manager"]; !strings.HasPrefix(got, "0 700 3:0 ") {
		t.Errorf("the file is %s", got)
	}
}

// TestDamaged spoils the layer with the binary on disk.
func TestDamaged(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func([]byte) []byte{
		"truncated": func(data []byte) []byte { return data[:len(data)/2] },
		"altered":   func(data []byte) []byte { data[len(data)/2] ^= 1; return data },
		"gone":      nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := spec(t)
			img := newPayloadImage(t, s.Binary).image(t)
			dir := laid(t, img)
			blob := filepath.Join(dir, "blobs", "sha256", layerHex(t, img))
			data := read1(t, blob)
			if err := os.Remove(blob); err != nil {
				t.Fatal(err)
			}
			if spoil != nil {
				writeFile(t, blob, string(spoil(data)))
			}
			_, err := Make(t.Context(), s, open(t, dir), filepath.Join(t.TempDir(), "image"))
			mustSay(t, err, "read "+dir, "next: copy the image anew")
		})
	}
}

func TestNoLayout(t *testing.T) {
	t.Parallel()
	_, err := Open(t.Context(), t.TempDir(), Arch)
	mustSay(t, err, "no OCI layout", "next: skopeo copy")
	_, err = Open(t.Context(), "no such folder", Arch)
	mustSay(t, err, "no folder, and no reference", "next: name an OCI layout")
	_, err = Open(t.Context(), laid(t), Arch)
	mustSay(t, err, "holds 0 images", "next: ")
}

func layerHex(t *testing.T, img v1.Image) string {
	t.Helper()
	layers, err := img.Layers()
	if err != nil {
		t.Fatal(err)
	}
	h, err := layers[0].Digest()
	if err != nil {
		t.Fatal(err)
	}
	return h.Hex
}

func read1(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
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
