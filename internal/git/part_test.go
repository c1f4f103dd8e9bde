package git

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// crowded is a repository with a link, a file and odd names where patches may want something else.
func crowded(t *testing.T) (Repo, Commit) {
	t.Helper()
	r := newRepo(t)
	if err := os.MkdirAll(filepath.Join(r.Dir, "dir", "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("dir", filepath.Join(r.Dir, "link")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"dir/x", "dir/sub/y", "dir/*", "dir/a[b] ä", "plain"} {
		write(t, r, name, lines('a', 'z'))
	}
	return r, commit(t, r, "z", "z\n", "base")
}

// whole applies a patch in an index of the whole tree: what Part has to give, at the price of every file.
func whole(t *testing.T, r Repo, tree, patch string) (string, error) {
	t.Helper()
	env, remove, err := r.scratchIndex(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer remove()
	if _, err := r.RunEnv(t.Context(), env, "read-tree", tree); err != nil {
		t.Fatal(err)
	}
	if _, err := r.run(t.Context(), []byte(patch), env, "apply", "--cached", "-"); err != nil {
		return "", err
	}
	out, err := r.RunEnv(t.Context(), env, "write-tree")
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(out), nil
}

func TestPartGivesWhatTheWholeTreeGives(t *testing.T) {
	r, base := crowded(t)
	edit := func(name string) string {
		return "diff --git \"a/" + name + "\" \"b/" + name + "\"\n--- \"a/" + name + "\"\n+++ \"b/" + name + "\"\n@@ -1,4 +1,4 @@\n a\n-b\n+B\n c\n d\n"
	}
	create := func(name string) string {
		return "diff --git a/" + name + " b/" + name + "\nnew file mode 100644\n--- /dev/null\n+++ b/" + name + "\n@@ -0,0 +1 @@\n+new\n"
	}
	tests := []struct {
		name, patch string
		names       []string
		applies     bool
		behind      string
	}{
		{"edit", edit("dir/x"), []string{"dir/x"}, true, ""},
		{"edit at the top", edit("plain"), []string{"plain"}, true, ""},
		{"a star is a star", edit("dir/*"), []string{"dir/*"}, true, ""},
		{"brackets, a space, beyond ASCII", edit("dir/a[b] ä"), []string{"dir/a[b] ä"}, true, ""},
		{"create", create("dir/new/file"), []string{"dir/new/file"}, true, ""},
		{"delete", "diff --git a/z b/z\ndeleted file mode 100644\n--- a/z\n+++ /dev/null\n@@ -1 +0,0 @@\n-z\n", []string{"z"}, true, ""},
		{"rename", "diff --git a/dir/x b/dir/sub/z\nsimilarity index 100%\nrename from dir/x\nrename to dir/sub/z\n", []string{"dir/x", "dir/sub/z"}, true, ""},
		{"create what exists", create("dir/x"), []string{"dir/x"}, false, ""},
		{"edit what does not exist", edit("dir/none"), []string{"dir/none"}, false, ""},
		{"edit through a link", edit("link/x"), []string{"link/x"}, false, "link/x"},
		{"create through a link", create("link/new"), []string{"link/new"}, false, "link/new"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want, wholeErr := whole(t, r, base.Tree, tt.patch)
			part, err := r.Part(t.Context(), base.Tree, tt.names)
			if err != nil {
				t.Fatal(err)
			}
			defer part.Close()
			if part.Behind != tt.behind {
				t.Errorf("behind %q, want %q", part.Behind, tt.behind)
			}
			if behind, err := r.Behind(t.Context(), base.Tree, tt.names); err != nil || behind != tt.behind {
				t.Errorf("behind %q in the tree, want %q: %v", behind, tt.behind, err)
			}
			_, checkErr := part.Check(t.Context(), []byte(tt.patch))
			got, _, err := part.Patched(t.Context(), []byte(tt.patch))
			if got != want || (err == nil) != (wholeErr == nil) || (checkErr == nil) != (wholeErr == nil) {
				t.Errorf("tree %s, want %s; check %v, apply %v, on the whole tree %v", got, want, checkErr, err, wholeErr)
			}
			if (err == nil) != tt.applies {
				t.Errorf("applied: %v", err)
			}
		})
	}
}
