package check

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
)

const fatalLine = `F0505 20:36:47.526298 1 namespaced_resources_deleter.go:164] Unable to get any supported resources from server: dial tcp [::1]:6443: connect: connection refused` + "\n"

func readData(t *testing.T, name string) *txtar.Archive {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return txtar.Parse(data)
}

// TestTruncated cuts archives: what was read of them still counts, and what was not seen proves nothing.
func TestTruncated(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]Verdict{"r1-must-gather.txtar": Met, "healthy-must-gather.txtar": CannotTell} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole := archiveOf(t, readData(t, name))
			path := filepath.Join(t.TempDir(), "must-gather.tar.gz")
			if err := os.WriteFile(path, whole[:len(whole)-12], 0o644); err != nil { // gzip's own end, and some
				t.Fatal(err)
			}
			e, err := Read(context.Background(), path)
			if err != nil {
				t.Fatal(err)
			}
			r := e.Judge(path)
			if r.Findings[0].Verdict != want || len(r.Incomplete) != 1 || !strings.Contains(r.Incomplete[0], "truncated") {
				t.Errorf("want %s and one truncated file\n%s", want, r.Text())
			}
		})
	}
}

// TestHostileArchive has names and links that lead out; they are not read, and told once.
func TestHostileArchive(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range []tar.Header{
		{Name: "../kube-controller-manager.log", Typeflag: tar.TypeReg},
		{Name: "/etc/kube-controller-manager.log", Typeflag: tar.TypeReg},
		{Name: "a/../../kube-controller-manager.log", Typeflag: tar.TypeReg},
		{Name: "kube-controller-manager-1.log", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"},
		{Name: "kube-controller-manager-2.log", Typeflag: tar.TypeLink, Linkname: "kube-controller-manager-2.log"},
		{Name: "kube-controller-manager-3.log", Typeflag: tar.TypeFifo},
		{Name: "cluster-version-operator.log", Typeflag: tar.TypeReg},
	} {
		h.Mode = 0o644
		if h.Typeflag == tar.TypeReg {
			h.Size = int64(len(fatalLine))
		}
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if h.Size > 0 {
			if _, err := w.Write([]byte(fatalLine)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	c := &collector{context.Background(), newEvidence()}
	if err := c.archive("", &b, 0); err != nil {
		t.Fatal(err)
	}
	r := c.Judge("")
	if r.Findings[0].Verdict != CannotTell {
		t.Errorf("R1 is judged by what leads out\n%s", r.Text())
	}
	notes := strings.Join(r.Notes, "\n")
	if !strings.Contains(notes, "3 names lead out") || !strings.Contains(notes, "2 links were not followed") || len(r.Notes) != 2 {
		t.Errorf("notes %q", notes)
	}
}

// TestLinksInFolder has links out of the folder, to itself and to a file within.
func TestLinksInFolder(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "kube-controller-manager.log")
	if err := os.WriteFile(outside, []byte(fatalLine), 0o644); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, target := range map[string]string{"kube-controller-manager.log": outside, "loop": ".", "kube-controller-manager-2.log": "nowhere", "up": ".."} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "cluster-version-operator.log"), []byte("I0204 10:10:39.000000 1 start.go:23] ClusterVersionOperator 4.10.0\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	e, err := Read(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	r := e.Judge(dir)
	if r.Logs != 1 || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "4 links were not followed") {
		t.Errorf("links were followed\n%s", r.Text())
	}
}

// TestMalformed reads what no collector writes: junk, broken dates, one endless line, an object too big, half a list.
func TestMalformed(t *testing.T) {
	t.Parallel()
	junk := bytes.Repeat([]byte{0, 0xff, 0x1b, '[', '3', '1', 'm', 0xfe}, 1<<16)
	for name, tt := range map[string]struct {
		file       string
		data       []byte
		verdict    Verdict
		incomplete string
	}{
		"junk":                  {"kube-controller-manager.log", junk, CannotTell, ""},
		"junk, then a line":     {"kube-controller-manager.log", append(append([]byte{}, junk...), "\n"+fatalLine...), Met, ""},
		"line, then no newline": {"kube-controller-manager.log", append([]byte(fatalLine), junk...), Met, ""},
		"wrong date":            {"kube-controller-manager.log", []byte(strings.Replace(fatalLine, "0505 20", "9999 99", 1)), Met, ""},
		"no date":               {"kube-controller-manager.log", []byte(strings.Replace(fatalLine, "F0505 20:36:47.526298 1 ", "", 1)), CannotTell, ""},
		"empty log":             {"kube-controller-manager.log", nil, CannotTell, ""},
		"no gzip":               {"kube-controller-manager.log.gz", []byte("\x1f\x8bnot gzip"), CannotTell, "gzip"},
		"too big":               {"pods.json", []byte(`{"items":[{"kind":"` + strings.Repeat("x", 2*objectSize) + `"}]}`), CannotTell, "2 MiB"},
		"too big in YAML":       {"pods.yaml", []byte("kind: " + strings.Repeat("x", objectSize+1)), CannotTell, "2 MiB"},
		"half a list":           {"pods.json", []byte(`{"items":[{"kind":"Pod"},`), CannotTell, "truncated"},
		"another form":          {"pods.yaml", []byte("items:\n- kind: [\n- kind: Pod\n"), CannotTell, "YAML"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := &collector{context.Background(), newEvidence()}
			if err := c.walk(fstest.MapFS{tt.file: {Data: tt.data}}); err != nil {
				t.Fatal(err)
			}
			c.settle()
			r := c.Judge("")
			if got := strings.Join(r.Incomplete, "\n"); r.Findings[0].Verdict != tt.verdict || !strings.Contains(got, tt.incomplete) || (got == "") != (tt.incomplete == "") {
				t.Errorf("want %s, incomplete %q\n%s", tt.verdict, tt.incomplete, r.Text())
			}
		})
	}
}

// locked is a file system with one file that may not be read.
type locked struct{ fstest.MapFS }

func (l locked) Open(name string) (fs.File, error) {
	if strings.HasSuffix(name, "previous.log") {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return l.MapFS.Open(name)
}

func TestUnreadableFile(t *testing.T) {
	t.Parallel()
	c := &collector{context.Background(), newEvidence()}
	if err := c.walk(locked{fstest.MapFS{
		"kube-controller-manager.log":          {Data: []byte("I0505 20:30:00.000000 1 controllermanager.go:200] Version: v1.23.5\n")},
		"kube-controller-manager-previous.log": {Data: []byte(fatalLine)},
	}}); err != nil {
		t.Fatal(err)
	}
	r := c.Judge("")
	if r.Findings[0].Verdict != CannotTell || len(r.Incomplete) != 1 || !strings.Contains(r.Incomplete[0], "permission denied") {
		t.Errorf("want that it cannot be told\n%s", r.Text())
	}
}

// TestUnknownSource has what is none of the known sources: one message each, with what to do next.
func TestUnknownSource(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	other := filepath.Dir(write("other/notes.txt", "nothing\n"))
	write("other/main.go", "package main\n")
	for path, want := range map[string]string{
		filepath.Join(dir, "absent"):        "no such file or directory",
		t.TempDir():                         "no files in it",
		other:                               "nothing that the check knows in 2 files",
		write("one.log", "nothing\n"):       "nothing that the check knows in 1 file",
		write("empty.tar", ""):              "no files in it",
		write("broken.tgz", "\x1f\x8b\x08"): "gzip",
		write("no.tar", "this is no tar"):   "truncated",
		os.DevNull:                          "neither a folder nor a file",
	} {
		_, err := Read(context.Background(), path)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Count(err.Error(), "\nnext: ") != 1 {
			t.Errorf("%s: error %v, want %q and what is next", path, err, want)
		}
	}
}

// TestInterrupted stops in the middle of an endless log.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	c := &collector{ctx, newEvidence()}
	if err := c.file("", "kube-controller-manager.log", endless{}, 0); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
}

// endless is a line that never ends.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// TestNesting reads an archive in an archive, and not without end.
func TestNesting(t *testing.T) {
	t.Parallel()
	data := archiveOf(t, &txtar.Archive{Files: []txtar.File{{Name: "kube-controller-manager.log", Data: []byte(fatalLine)}}})
	for depth := 1; depth <= nesting+2; depth++ {
		c := &collector{context.Background(), newEvidence()}
		if err := c.file("", "must-gather.tar", bytes.NewReader(data), 0); err != nil {
			t.Fatal(err)
		}
		want := Met
		if depth > nesting {
			want = CannotTell
		}
		if r := c.Judge(""); r.Findings[0].Verdict != want {
			t.Errorf("depth %d: want %s\n%s", depth, want, r.Text())
		}
		data = archiveOf(t, &txtar.Archive{Files: []txtar.File{{Name: "inner.tar.gz", Data: data}}})
	}
}
