package series

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"carry/internal/git"
)

// threePatches is a repository with three commits, the first two in one file, and their series.
func threePatches(t *testing.T) (git.Repo, string) {
	t.Helper()
	text := numbered(60)
	r := newRepo(t, map[string]string{"area/a.go": text, "area/b.go": text})
	commitFiles(t, r, message("area: one"), map[string]string{"area/a.go": edit(text, 10, "one\nmore\n")})
	commitFiles(t, r, message("area: two"), map[string]string{"area/a.go": edit(edit(text, 10, "one\nmore\n"), 50, "two\n")})
	commitFiles(t, r, message("area: three"), map[string]string{"area/b.go": edit(text, 20, "three\n")})
	dir := filepath.Join(t.TempDir(), "1.37")
	plan, _ := refresh(t, r, dir)
	if diff := cmp.Diff([]string{"new 0001-area-one.patch", "new 0002-area-two.patch", "new 0003-area-three.patch"}, states(plan)); diff != "" {
		t.Fatal(diff)
	}
	return r, dir
}

func TestRefresh(t *testing.T) {
	tests := []struct {
		name string
		edit func(t *testing.T, r git.Repo)
		want []string
	}{
		{"nothing", func(*testing.T, git.Repo) {}, []string{"kept 0001-area-one.patch", "kept 0002-area-two.patch", "kept 0003-area-three.patch"}},
		{"drop", func(t *testing.T, r git.Repo) {
			mustRun(t, r, "rebase", "--quiet", "--onto", "HEAD~3", "HEAD~2")
		}, []string{"changed 0001-area-two.patch", "renamed 0002-area-three.patch", "vanished 0001-area-one.patch"}},
		{"reorder", func(t *testing.T, r git.Repo) {
			three := strings.TrimSpace(mustRun(t, r, "rev-parse", "HEAD"))
			mustRun(t, r, "reset", "--quiet", "--hard", "base")
			mustRun(t, r, "cherry-pick", three, three+"~2", three+"~1")
		}, []string{"renamed 0001-area-three.patch", "renamed 0002-area-one.patch", "renamed 0003-area-two.patch"}},
		{"reword", func(t *testing.T, r git.Repo) {
			mustRun(t, r, "commit", "--quiet", "--amend", "-m", message("area: three, and more"))
		}, []string{"kept 0001-area-one.patch", "kept 0002-area-two.patch", "changed 0003-area-three-and-more.patch"}},
		{"amend", func(t *testing.T, r git.Repo) {
			mustRun(t, r, "reset", "--quiet", "--soft", "HEAD~1")
			commitFiles(t, r, message("area: three"), map[string]string{"area/b.go": numbered(61)})
		}, []string{"kept 0001-area-one.patch", "kept 0002-area-two.patch", "changed 0003-area-three.patch"}},
		{"split", func(t *testing.T, r git.Repo) {
			mustRun(t, r, "reset", "--quiet", "--hard", "HEAD~1")
			text := numbered(60)
			commitFiles(t, r, message("area: three"), map[string]string{"area/b.go": edit(text, 20, "three\n")})
			commitFiles(t, r, message("area: four", "Depends-On: area-three"), map[string]string{"area/b.go": edit(edit(text, 20, "three\n"), 40, "four\n")})
		}, []string{"kept 0001-area-one.patch", "kept 0002-area-two.patch", "kept 0003-area-three.patch", "new 0004-area-four.patch"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, dir := threePatches(t)
			tt.edit(t, r)
			plan, s := refresh(t, r, dir)
			if diff := cmp.Diff(tt.want, states(plan)); diff != "" {
				t.Error(diff)
			}
			if found := s.Check([]string{"a-scenario"}); len(found) != 0 {
				t.Errorf("findings %v", found)
			}
			if again := planned(t, r, dir); again.Changed() {
				t.Errorf("a second refresh changes %v", states(again))
			}
		})
	}
}

// TestRefreshKeepsBytesOfAnotherGit: stat, abbreviated index lines and hunk headings differ between versions of git.
func TestRefreshKeepsBytesOfAnotherGit(t *testing.T) {
	r, dir := threePatches(t)
	path := filepath.Join(dir, "0003-area-three.patch")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	other := bytes.Replace(data, []byte(" area/b.go | 2 +-\n"), []byte(" area/b.go |    2 +-\n"), 1)
	other = hunkHeading.ReplaceAll(other, []byte("$1 func f() {"))
	if bytes.Equal(other, data) {
		t.Fatal("nothing was made different")
	}
	if err := os.WriteFile(path, other, 0o644); err != nil {
		t.Fatal(err)
	}
	if plan := planned(t, r, dir); plan.Changed() {
		t.Errorf("rewritten: %v", states(plan))
	}
}

// TestRefreshStopped stops after every single change to the folder: no patch is lost, the next run completes.
func TestRefreshStopped(t *testing.T) {
	for stop := 0; ; stop++ {
		r, dir := threePatches(t)
		three := strings.TrimSpace(mustRun(t, r, "rev-parse", "HEAD"))
		mustRun(t, r, "reset", "--quiet", "--hard", "base")
		mustRun(t, r, "cherry-pick", three, three+"~2", three+"~1")
		steps, err := planned(t, r, dir).steps()
		if err != nil {
			t.Fatal(err)
		}
		if stop > len(steps) {
			break
		}
		for _, step := range steps[:stop] {
			if err := step(); err != nil {
				t.Fatal(err)
			}
		}
		for _, title := range []string{"one", "two", "three"} {
			if found, err := filepath.Glob(filepath.Join(dir, "*-area-"+title+".patch")); err != nil || len(found) == 0 {
				t.Errorf("after %d steps, no file for %q", stop, title)
			}
		}
		refresh(t, r, dir)
		names, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil {
			t.Fatal(err)
		}
		for i, name := range names {
			names[i] = filepath.Base(name)
		}
		if diff := cmp.Diff([]string{"0001-area-three.patch", "0002-area-one.patch", "0003-area-two.patch"}, names); diff != "" {
			t.Errorf("after %d steps and another run: %s", stop, diff)
		}
	}
}

func TestRefreshRefusesWhatAPatchCannotHold(t *testing.T) {
	tests := []struct {
		name, want string
		edit       func(t *testing.T, dir string)
	}{
		{"binary", "binary content", func(t *testing.T, dir string) { put(t, dir, "area/a.go", "\x00\x01\x02", 0o644) }},
		{"executable", "a new file of mode 100755", func(t *testing.T, dir string) { put(t, dir, "run.sh", "x\n", 0o755) }},
		{"mode", "mode changes from 100644 to 100755", func(t *testing.T, dir string) {
			if err := os.Chmod(filepath.Join(dir, "area/a.go"), 0o755); err != nil {
				t.Fatal(err)
			}
		}},
		{"symbolic link", "a new file of mode 120000", func(t *testing.T, dir string) {
			if err := os.Symlink("/etc/passwd", filepath.Join(dir, "link")); err != nil {
				t.Fatal(err)
			}
		}},
		{"CRLF", "line ends in CRLF", func(t *testing.T, dir string) { put(t, dir, "area/a.go", "one\r\n", 0o644) }},
		{"not UTF-8", "not UTF-8", func(t *testing.T, dir string) { put(t, dir, "area/a.go", "g\xf6d\n", 0o644) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRepo(t, map[string]string{"area/a.go": "one\ntwo\n"})
			tt.edit(t, r.Dir)
			c := commitFiles(t, r, message("area: bad"), nil)
			_, err := PlanRefresh(t.Context(), r, &Series{}, []git.Commit{c})
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), fmt.Sprintf("commit %.12s", c.Hash)) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

func put(t *testing.T, dir, name, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// TestRenamesAndDeletionsAreCarried is the written rule on what a patch may do to a file.
func TestRenamesAndDeletionsAreCarried(t *testing.T) {
	text := numbered(30)
	r := newRepo(t, map[string]string{"area/a.go": text, "area/b.go": text + "b\n"})
	want := commitFiles(t, r, message("area: move and remove"), map[string]string{"area/a.go": "", "dir/c.go": edit(text, 3, "moved\n"), "area/b.go": ""})
	dir := filepath.Join(t.TempDir(), "s")
	_, s := refresh(t, r, dir)
	mustRun(t, r, "reset", "--quiet", "--hard", "base")
	if err := Apply(t.Context(), r, s); err != nil {
		t.Fatal(err)
	}
	if got := strings.TrimSpace(mustRun(t, r, "rev-parse", "HEAD^{tree}")); got != want.Tree {
		t.Errorf("tree %s, want %s", got, want.Tree)
	}
}

// TestBytesThatEditorsTidyAreCarried: a file without a final newline, one that gets or loses it, spaces at line ends.
func TestBytesThatEditorsTidyAreCarried(t *testing.T) {
	for name, texts := range map[string][2]string{
		"no final newline":      {"one\ntwo", "one\nthree"},
		"final newline added":   {"one\ntwo", "one\ntwo\n"},
		"final newline removed": {"one\ntwo\n", "one\ntwo"},
		"spaces at line ends":   {"one  \ntwo\t\n", "one   \ntwo\t\n  \n"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t, map[string]string{"area/a.go": texts[0]})
			commitFiles(t, r, message("area: tidy"), map[string]string{"area/a.go": texts[1]})
			_, s := refresh(t, r, filepath.Join(t.TempDir(), "s"))
			mustRun(t, r, "reset", "--quiet", "--hard", "base")
			if err := Apply(t.Context(), r, s); err != nil {
				t.Fatal(err)
			}
			if got, _ := r.File(t.Context(), "HEAD", "area/a.go"); string(got) != texts[1] {
				t.Errorf("carried %q, want %q", got, texts[1])
			}
		})
	}
}
