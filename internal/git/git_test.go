package git

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func newRepo(t *testing.T) Repo {
	t.Helper()
	r, err := Init(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write(t, r, "a", "one\r\n")
	write(t, r, ".gitignore", "ignored\n")
	write(t, r, "ignored", "kept all the same\n")
	if err := r.CommitAll(t.Context(), "2026-11-30T12:00:00Z", "base"); err != nil {
		t.Fatal(err)
	}
	return r
}

func write(t *testing.T, r Repo, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(r.Dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestCommitAllIsTheSameEverywhere(t *testing.T) {
	t.Setenv("GIT_AUTHOR_NAME", "somebody")
	t.Setenv("TZ", "Asia/Tokyo")
	a, b := newRepo(t), newRepo(t)
	one, err := a.Resolve(t.Context(), "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	two, err := b.Resolve(t.Context(), "HEAD")
	if err != nil || one != two {
		t.Errorf("commits %s and %s, %v", one, two, err)
	}
	if out, err := a.Run(t.Context(), "ls-files"); err != nil || out != ".gitignore\na\nignored\n" {
		t.Errorf("files %q, %v", out, err)
	}
	if out, err := a.Run(t.Context(), "cat-file", "blob", "HEAD:a"); err != nil || out != "one\r\n" {
		t.Errorf("blob %q, %v", out, err)
	}
}

func TestWorkTreeSeesWhatIsOnDiskAndChangesNothing(t *testing.T) {
	r := newRepo(t)
	clean, err := r.WorkTree(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if tree, err := r.Resolve(t.Context(), "HEAD^{tree}"); err != nil || tree != clean {
		t.Errorf("clean work tree %s, HEAD %s, %v", clean, tree, err)
	}
	for _, name := range []string{"a", "new", "ignored"} {
		write(t, r, name, "changed")
		got, err := r.WorkTree(t.Context())
		if err != nil || got == clean {
			t.Errorf("after a change of %s: %s, %v", name, got, err)
		}
		clean = got
	}
	if out, err := r.Run(t.Context(), "diff", "--cached", "--name-only"); err != nil || out != "" {
		t.Errorf("the index changed: %q, %v", out, err)
	}
}

func TestErrorsSayWhatGitSaid(t *testing.T) {
	_, err := newRepo(t).Run(t.Context(), "cat-file", "blob", "HEAD:none")
	var said *Error
	if !errors.As(err, &said) || said.Code != 128 || said.Stderr == "" {
		t.Errorf("error %v", err)
	}
	if _, err := newRepo(t).Resolve(t.Context(), "--all"); err == nil {
		t.Error("an option passed as a revision")
	}
}
