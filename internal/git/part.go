package git

import (
	"context"
	"path"
	"slices"
	"strings"
)

// Part is a few files of a tree, in an index of its own. To try a patch there costs what its files cost; an index of
// the whole tree has 25,000 entries that git reads and writes every time.
type Part struct {
	repo   Repo
	tree   string
	names  []string
	env    []string // names the index
	remove func()
	// Behind is one of the paths that has a symbolic link for a folder; empty: none has. Git takes no patch of it.
	Behind string
}

// Modes in git's trees.
const (
	folderMode = "040000"
	linkMode   = "120000"
)

// Part takes the given paths of a tree, and what stands in their way: a link or a file where a path wants a folder.
// Paths that the tree has not are fine. Close removes it.
func (r Repo) Part(ctx context.Context, tree string, names []string) (*Part, error) {
	below, err := r.entries(ctx, tree, names)
	if err != nil {
		return nil, err
	}
	above, err := r.notFolders(ctx, tree, parents(names))
	if err != nil {
		return nil, err
	}
	env, remove, err := r.scratchIndex(ctx)
	if err != nil {
		return nil, err
	}
	p := &Part{repo: r, tree: tree, names: names, env: env, remove: remove, Behind: behind(above, names)}
	if _, err := r.run(ctx, []byte(below+above), env, "update-index", "-z", "--index-info"); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// Close removes the index.
func (p *Part) Close() { p.remove() }

// parents are the folders that paths are in, up to the top, each once.
func parents(names []string) []string {
	var found []string
	for _, name := range names {
		for dir := path.Dir(name); dir != "." && dir != "/"; dir = path.Dir(dir) {
			found = append(found, dir)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// notFolders are the entries of a tree at paths where a patch expects folders, as ls-tree -z writes them.
func (r Repo) notFolders(ctx context.Context, tree string, dirs []string) (string, error) {
	if len(dirs) == 0 {
		return "", nil
	}
	out, err := r.RunEnv(ctx, literal, append([]string{"ls-tree", "-z", "--full-tree", tree, "--"}, dirs...)...)
	if err != nil {
		return "", err
	}
	var found strings.Builder
	for entry := range strings.SplitSeq(strings.TrimSuffix(out, "\x00"), "\x00") {
		if mode, _, _ := strings.Cut(entry, " "); mode != folderMode && entry != "" {
			found.WriteString(entry + "\x00")
		}
	}
	return found.String(), nil
}

// Behind is one of some paths that has a symbolic link for a folder in a tree; empty: none has.
func (r Repo) Behind(ctx context.Context, tree string, names []string) (string, error) {
	above, err := r.notFolders(ctx, tree, parents(names))
	return behind(above, names), err
}

func behind(entries string, names []string) string {
	for entry := range strings.SplitSeq(entries, "\x00") {
		what, link, _ := strings.Cut(entry, "\t")
		if !strings.HasPrefix(what, linkMode) {
			continue
		}
		for _, name := range names {
			if strings.HasPrefix(name, link+"/") {
				return name
			}
		}
	}
	return ""
}

// Check says whether a patch of these files applies, as an *Error when it does not, and what git said of each hunk
// (offsets). Nothing changes. Options are those of git apply, --reverse for one.
func (p *Part) Check(ctx context.Context, patch []byte, options ...string) (said string, err error) {
	return p.apply(ctx, patch, append([]string{"--check"}, options...)...)
}

func (p *Part) apply(ctx context.Context, patch []byte, options ...string) (said string, err error) {
	// --verbose tells the offset of every hunk; git am keeps it to itself.
	args := append([]string{"apply", "--cached", "--verbose"}, options...)
	return p.repo.runSaid(ctx, patch, p.env, append(args, "-")...)
}

// Patched gives the whole tree that a patch of these files makes, and what git said of each hunk. A patch that does
// not apply is an *Error. The part is used up.
func (p *Part) Patched(ctx context.Context, patch []byte) (tree, said string, err error) {
	if said, err = p.apply(ctx, patch); err != nil {
		return "", said, err
	}
	now, err := p.repo.RunEnv(ctx, p.env, "ls-files", "--stage", "-z")
	if err != nil {
		return "", said, err
	}
	tree, err = p.repo.with(ctx, p.tree, now, p.names)
	return tree, said, err
}

// Patched is Part.Patched for a single patch, which touches names.
func (r Repo) Patched(ctx context.Context, tree string, patch []byte, names []string) (result, said string, err error) {
	p, err := r.Part(ctx, tree, names)
	if err != nil {
		return "", "", err
	}
	defer p.Close()
	return p.Patched(ctx, patch)
}
