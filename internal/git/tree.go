package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// What follows works on trees in the object store. No work tree and no index of anybody's is touched.

// scratchIndex names an index file that nobody else uses; the returned function removes it.
func (r Repo) scratchIndex(ctx context.Context) (env []string, remove func(), err error) {
	out, err := r.Run(ctx, "rev-parse", "--absolute-git-dir")
	if err != nil {
		return nil, nil, err
	}
	dir, err := os.MkdirTemp(strings.TrimSpace(out), "carry-index-")
	if err != nil {
		return nil, nil, fmt.Errorf("make index: %w", err)
	}
	return []string{"GIT_INDEX_FILE=" + filepath.Join(dir, "index")}, func() { os.RemoveAll(dir) }, nil
}

// PatchID is git's own name of a change: equal for the same change at another place, whatever its header.
func (r Repo) PatchID(ctx context.Context, patch []byte) (string, error) {
	out, err := r.RunInput(ctx, patch, "patch-id", "--stable")
	id, _, _ := strings.Cut(out, " ")
	return strings.TrimSpace(id), err
}

// Merged is the result of a 3-way merge.
type Merged struct {
	Tree string
	// Conflicts are the files that need a person, Tree holds them with markers; none: a clean merge.
	Conflicts []string
	Said      []string // git's messages on them
}

// Merge applies the change from base to theirs on ours, all trees, with their files' blobs at hand: git finds the
// place by content and by renames, where a patch has only its context.
func (r Repo) Merge(ctx context.Context, base, ours, theirs string) (Merged, error) {
	// merge-tree of this git takes commits only, and finds the base as their merge base.
	root, err := r.Write(ctx, mergeCommit(base))
	if err != nil {
		return Merged{}, err
	}
	sides := make([]string, 2)
	for i, tree := range []string{ours, theirs} {
		if sides[i], err = r.Write(ctx, mergeCommit(tree, root)); err != nil {
			return Merged{}, err
		}
	}
	// Two sides with the same tree are one commit.
	if sides[0] == sides[1] {
		return Merged{Tree: ours}, nil
	}
	out, err := r.Run(ctx, "merge-tree", "--write-tree", "--name-only", "--messages", sides[0], sides[1])
	var said *Error
	if err != nil && !(errors.As(err, &said) && said.Code == 1) {
		return Merged{}, err
	}
	return parseMerge(out, err != nil), nil
}

func mergeCommit(tree string, parents ...string) Commit {
	return Commit{Tree: tree, Parents: parents, Name: IdentityName, Email: IdentityEmail, Date: "@0 +0000", Message: "merge\n"}
}

// parseMerge reads the tree, the names of conflicting files, an empty line and messages.
func parseMerge(out string, conflict bool) Merged {
	tree, rest, _ := strings.Cut(out, "\n")
	m := Merged{Tree: tree}
	if !conflict {
		return m
	}
	names, messages, _ := strings.Cut(rest, "\n\n")
	m.Conflicts = strings.Split(strings.TrimSpace(names), "\n")
	for line := range strings.Lines(messages) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "CONFLICT") {
			m.Said = append(m.Said, line)
		}
	}
	return m
}

// File gives the content of a file in a tree or commit; false when there is none.
func (r Repo) File(ctx context.Context, tree, name string) ([]byte, bool) {
	out, err := r.Run(ctx, "cat-file", "blob", tree+":"+name)
	return []byte(out), err == nil
}

// Changed are the paths that differ between two trees, sorted; renames count as both names.
func (r Repo) Changed(ctx context.Context, from, to string) ([]string, error) {
	out, err := r.Run(ctx, "diff-tree", "-r", "-z", "--no-renames", "--name-only", from, to)
	if err != nil {
		return nil, err
	}
	return strings.FieldsFunc(out, func(c rune) bool { return c == 0 }), nil
}

// CommitWithPatchID looks through the output of git log -p for a commit whose change has that patch-id; empty: none.
func (r Repo) CommitWithPatchID(ctx context.Context, log []byte, id string) (string, error) {
	out, err := r.RunInput(ctx, log, "patch-id", "--stable")
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(out) {
		if got, commit, ok := strings.Cut(strings.TrimSpace(line), " "); ok && got == id {
			return commit, nil
		}
	}
	return "", nil
}

// Mixed gives a tree with some files as another tree has them; a file that the other lacks is removed.
func (r Repo) Mixed(ctx context.Context, tree, other string, names []string) (string, error) {
	there, err := r.entries(ctx, other, names)
	if err != nil {
		return "", err
	}
	return r.with(ctx, tree, there, names)
}

// with gives a tree with other entries (as ls-tree -z and ls-files -z write them) for some paths; a path that has no
// entry is removed.
func (r Repo) with(ctx context.Context, tree, entries string, names []string) (string, error) {
	env, remove, err := r.scratchIndex(ctx)
	if err != nil {
		return "", err
	}
	defer remove()
	if _, err := r.RunEnv(ctx, env, "read-tree", tree); err != nil {
		return "", err
	}
	var info strings.Builder
	for _, name := range names {
		info.WriteString("0 " + noObject + "\t" + name + "\x00")
	}
	info.WriteString(entries) // after the removals, and stronger
	if _, err := r.run(ctx, []byte(info.String()), env, "update-index", "-z", "--index-info"); err != nil {
		return "", err
	}
	out, err := r.RunEnv(ctx, env, "write-tree")
	return strings.TrimSpace(out), err
}

const noObject = "0000000000000000000000000000000000000000"

// entries are the files of a tree at or below some paths, as ls-tree -z writes them.
func (r Repo) entries(ctx context.Context, tree string, names []string) (string, error) {
	if len(names) == 0 {
		return "", nil
	}
	return r.RunEnv(ctx, literal, append([]string{"ls-tree", "-r", "-z", "--full-tree", tree, "--"}, names...)...)
}

// literal makes git take a path as it stands, brackets and stars too.
var literal = []string{"GIT_LITERAL_PATHSPECS=1"}
