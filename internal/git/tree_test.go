package git

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// commit writes a file and commits it; it gives the commit.
func commit(t *testing.T, r Repo, name, text, message string) Commit {
	t.Helper()
	write(t, r, name, text)
	if err := r.CommitAll(t.Context(), "2026-11-30T12:00:00Z", message); err != nil {
		t.Fatal(err)
	}
	c, err := r.Show(t.Context(), "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func lines(from, to byte) string {
	var b strings.Builder
	for c := from; c <= to; c++ {
		b.WriteString(string(c) + "\n")
	}
	return b.String()
}

func TestCommitIsWrittenAsItWasRead(t *testing.T) {
	r := newRepo(t)
	c := commit(t, r, "x", "1\n", "ärea: do\n\nA body.\n\n  indented\n")
	hash, err := r.Write(t.Context(), c)
	if err != nil || hash != c.Hash {
		t.Errorf("written as %s, read from %s: %v", hash, c.Hash, err)
	}
	if c.Subject() != "ärea: do" || c.Name != IdentityName || c.Date != "@1796040000 +0000" {
		t.Errorf("commit %+v", c)
	}
}

func TestPatchedTellsOffsets(t *testing.T) {
	r := newRepo(t)
	base := commit(t, r, "x", lines('a', 'z'), "base")
	changed := commit(t, r, "x", strings.Replace(lines('a', 'z'), "m\n", "M\n", 1), "change")
	patch, err := r.Run(t.Context(), "diff", base.Hash, changed.Hash)
	if err != nil {
		t.Fatal(err)
	}
	moved := commit(t, r, "x", "new\nlines\n"+lines('a', 'z'), "moved")
	tree, said, err := r.Patched(t.Context(), moved.Tree, []byte(patch), []string{"x"})
	if err != nil || !strings.Contains(said, "Hunk #1 succeeded at 12 (offset 2 lines)") {
		t.Errorf("said %q, %v", said, err)
	}
	text, ok := r.File(t.Context(), tree, "x")
	if want := "new\nlines\n" + strings.Replace(lines('a', 'z'), "m\n", "M\n", 1); !ok || string(text) != want {
		t.Errorf("patched %q", text)
	}
	part, err := r.Part(t.Context(), tree, []string{"x"})
	if err != nil {
		t.Fatal(err)
	}
	defer part.Close()
	if _, err := part.Check(t.Context(), []byte(patch), "--reverse"); err != nil {
		t.Errorf("in reverse: %v", err)
	}
	var refused *Error
	if _, _, err := r.Patched(t.Context(), changed.Tree, []byte(patch), []string{"x"}); !errors.As(err, &refused) {
		t.Errorf("a patch that is there already: %v", err)
	}
	if out, err := r.Run(t.Context(), "status", "--porcelain"); err != nil || out != "" {
		t.Errorf("the work tree changed: %q, %v", out, err)
	}
}

func TestMerge(t *testing.T) {
	r := newRepo(t)
	base := commit(t, r, "x", lines('a', 'z'), "base")
	theirs := commit(t, r, "x", strings.Replace(lines('a', 'z'), "m\n", "M\n", 1), "theirs")
	tests := []struct {
		name, ours string
		want       Merged // without the tree
		text       string
	}{
		{"same change", strings.Replace(lines('a', 'z'), "m\n", "M\n", 1), Merged{}, "l\nM\nn\n"},
		{"context changed", strings.Replace(lines('a', 'z'), "k\n", "K\n", 1), Merged{}, "K\nl\nM\nn\n"},
		{"other change", strings.Replace(lines('a', 'z'), "m\n", "mm\n", 1), Merged{
			Conflicts: []string{"x"}, Said: []string{"CONFLICT (content): Merge conflict in x"},
		}, "||||||| "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ours := commit(t, r, "x", tt.ours, tt.name)
			got, err := r.Merge(t.Context(), base.Tree, ours.Tree, theirs.Tree)
			if err != nil {
				t.Fatal(err)
			}
			if text, _ := r.File(t.Context(), got.Tree, "x"); !strings.Contains(string(text), tt.text) {
				t.Errorf("merged to %q, want %q in it", text, tt.text)
			}
			got.Tree = ""
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestBetweenRefusesMerges(t *testing.T) {
	r := newRepo(t)
	base := commit(t, r, "x", "1\n", "base")
	one := commit(t, r, "x", "2\n", "one")
	if all, err := r.Between(t.Context(), base.Hash, "HEAD"); err != nil || len(all) != 1 || all[0].Hash != one.Hash {
		t.Errorf("between: %v, %v", all, err)
	}
	merge := one
	merge.Parents = []string{one.Hash, base.Hash}
	hash, err := r.Write(t.Context(), merge)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Between(t.Context(), base.Hash, hash); err == nil || !strings.Contains(err.Error(), "is a merge\nnext: ") {
		t.Errorf("a merge: %v", err)
	}
}

func TestUserComesFromTheUsersOwnConfiguration(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(home, "config"))
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	if _, _, err := User(t.Context(), home); err == nil || !strings.Contains(err.Error(), "next: git config") {
		t.Errorf("nobody: %v", err)
	}
	for key, value := range map[string]string{"user.name": "Ä Person", "user.email": "a@example.invalid"} {
		if out, err := exec.Command("git", "config", "--global", key, value).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	name, email, err := User(t.Context(), home)
	if err != nil || name != "Ä Person" || email != "a@example.invalid" {
		t.Errorf("user %q %q, %v", name, email, err)
	}
	if _, err := os.Stat(filepath.Join(home, "config")); err != nil {
		t.Error(err)
	}
}
