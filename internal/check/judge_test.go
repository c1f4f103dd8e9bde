package check

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestJudge reads every testdata/*.txtar, as a folder and as a compressed archive. Its comment says what is wanted of
// each report: the verdict, and pieces of other fields.
func TestJudge(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no test data: %v", err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		source := txtar.Parse(data)
		t.Run(filepath.Base(name)+"/folder", func(t *testing.T) {
			t.Parallel()
			wantVerdicts(t, string(source.Comment), fromFolder(t, source).Judge(name))
		})
		t.Run(filepath.Base(name)+"/archive", func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "collected.tgz")
			if err := os.WriteFile(path, archiveOf(t, source), 0o644); err != nil {
				t.Fatal(err)
			}
			e, err := Read(context.Background(), path)
			if err != nil {
				t.Fatal(err)
			}
			wantVerdicts(t, string(source.Comment), e.Judge(name))
		})
	}
}

// fromFolder walks through the files; a log is stored compressed where the archive has it plain.
func fromFolder(t *testing.T, source *txtar.Archive) *Evidence {
	t.Helper()
	files := fstest.MapFS{}
	for _, f := range source.Files {
		if strings.HasSuffix(f.Name, "current.log") {
			files[f.Name+".gz"] = &fstest.MapFile{Data: zipped(t, f.Data)}
			continue
		}
		files[f.Name] = &fstest.MapFile{Data: f.Data}
	}
	c := &collector{context.Background(), newEvidence()}
	if err := c.walk(files); err != nil {
		t.Fatal(err)
	}
	c.settle()
	return c.Evidence
}

func archiveOf(t *testing.T, source *txtar.Archive) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range source.Files {
		if err := w.WriteHeader(&tar.Header{Name: f.Name, Mode: 0o644, Size: int64(len(f.Data)), Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(f.Data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return zipped(t, b.Bytes())
}

func zipped(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// wantVerdicts compares with lines of the form "R1: met, patched no, why connection refused".
func wantVerdicts(t *testing.T, want string, r Report) {
	t.Helper()
	found := map[string]Finding{}
	for _, f := range r.Findings {
		found[f.Name] = f
	}
	for line := range strings.Lines(want) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), ": ")
		f := found[name]
		pieces := strings.Split(rest, ", ")
		if string(f.Verdict) != pieces[0] {
			t.Errorf("%s: %s, want %s\n%s", name, f.Verdict, pieces[0], r.Text())
		}
		for _, piece := range pieces[1:] {
			if !f.has(t, piece) {
				t.Errorf("%s: want %s\n%s", name, piece, r.Text())
			}
		}
	}
	if len(found) != strings.Count(want, "\n") {
		t.Errorf("%d findings, want %d", len(found), strings.Count(want, "\n"))
	}
}

func (f Finding) has(t *testing.T, piece string) bool {
	t.Helper()
	var names []string
	for _, n := range f.NotOurs {
		names = append(names, n.Project)
	}
	for key, have := range map[string]string{"patched ": f.Patched, "why ": f.Why, "cured ": f.Cured, "missing ": strings.Join(f.Missing, "; "), "not ours ": strings.Join(names, " ")} {
		if want, ok := strings.CutPrefix(piece, key); ok {
			return strings.Contains(have, want)
		}
	}
	t.Errorf("%q is nothing that a finding has", piece)
	return false
}
