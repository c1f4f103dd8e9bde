package component

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"carry/internal/git"
	"carry/internal/series"
)

// baseTag is the git tag of the pristine tree; everything after it in a tree is the series or somebody's work.
const baseTag = "base"

// Tree is upstream's source as a git repository: the base, tagged, and the series as commits on it.
type Tree struct {
	Dir    string
	Series *series.Series
	base   base
	repo   git.Repo
	mark   string // in the stamp of what is built from it; empty: carry
}

// base is where a tree's pristine files come from.
type base interface {
	// key changes whenever the files do.
	key(ctx context.Context) (string, error)
	// materialise makes dir a git repository whose HEAD is the pristine tree.
	materialise(ctx context.Context, dir string) error
	// version is the base version that the stamp starts with.
	version(ctx context.Context, s *Stream) (string, error)
	// recipe says how a tree at dir is built.
	recipe(ctx context.Context, s *Stream, dir string) (recipe, error)
	// upstream is the commit the files are of; empty when nothing says it.
	upstream(s *Stream) string
	// tell names the base and where its dependencies come from.
	tell(s *Stream, in *Inputs)
	String() string
}

// treeState is what a tree remembers of itself, in its .git folder, so that it goes where the tree goes.
type treeState struct {
	BaseKey string `json:"baseKey"`
	Series  string `json:"series"`         // hash of the series that was applied; empty: none or not all of it
	Files   string `json:"files"`          // and of its files
	Patches int    `json:"patches"`        // how many patches that was
	Commit  string `json:"commit"`         // HEAD as it was left
	Tree    string `json:"tree"`           // and its tree
	Base    string `json:"base,omitempty"` // commit that the tag base was put on; empty in trees of older versions
	// Applying is set while the tree is being changed: what a next run finds then is our own unfinished work.
	Applying bool `json:"applying,omitempty"`
	// Refreshing is set while patch files are written from the tree.
	Refreshing bool `json:"refreshing,omitempty"`
}

// WorkError says that a tree holds changes that no patch file has. Nothing overwrites them.
type WorkError struct{ Tree *Tree }

func (e *WorkError) Error() string {
	return fmt.Sprintf("%s holds changes that are not in %s\nnext: commit them and run carry refresh, or throw them away with carry clean --force",
		e.Tree.Dir, e.Tree.Series.Dir)
}

func (t *Tree) statePath() string { return filepath.Join(t.Dir, ".git", "carry.json") }

func (t *Tree) state() treeState {
	var s treeState
	readJSON(t.statePath(), &s)
	return s
}

// newTree names a tree; nothing is read or made yet.
func newTree(dir string, b base, s *series.Series) *Tree {
	return &Tree{Dir: dir, Series: s, base: b, repo: git.Repo{Dir: dir}}
}

// hasWork says whether the tree differs from how carry left it, and gives the tree hash of its files.
func (t *Tree) hasWork(ctx context.Context) (work bool, hash string, err error) {
	state := t.state()
	if hash, err = t.repo.WorkTree(ctx); err != nil {
		return false, "", err
	}
	if state.Applying {
		return false, hash, nil
	}
	head, err := t.repo.Resolve(ctx, "HEAD")
	if err != nil {
		return false, "", err
	}
	return head != state.Commit || hash != state.Tree || t.repo.Busy(), hash, nil
}

func (t *Tree) exists() bool {
	_, err := os.Stat(filepath.Join(t.Dir, ".git"))
	return err == nil
}

// Fetch makes the pristine tree, unless it is there. It tells whether it made anything.
func (t *Tree) Fetch(ctx context.Context) (bool, error) {
	want, err := t.base.key(ctx)
	if err != nil {
		return false, err
	}
	if t.exists() {
		if t.state().BaseKey == want {
			return false, nil
		}
		work, _, err := t.hasWork(ctx)
		if err != nil {
			return false, err
		}
		if work {
			// Not a WorkError: what is built from a tree of another pin would carry a wrong version.
			return false, fmt.Errorf("fetch %s: the pin has changed, and %v", t.base, &WorkError{t})
		}
	}
	return true, t.replace(ctx, want)
}

// replace makes the tree beside its place and renames it there; leftovers of a killed run are removed first.
func (t *Tree) replace(ctx context.Context, baseKey string) error {
	fresh, old := t.Dir+".tmp", t.Dir+".old"
	for _, leftover := range []string{fresh, old} {
		if err := os.RemoveAll(leftover); err != nil {
			return fmt.Errorf("fetch %s: %w", t.base, err)
		}
	}
	if err := os.MkdirAll(fresh, 0o755); err != nil {
		return fmt.Errorf("fetch %s: %w", t.base, err)
	}
	defer os.RemoveAll(fresh)
	if err := t.base.materialise(ctx, fresh); err != nil {
		return fmt.Errorf("fetch %s: %w", t.base, err)
	}
	made := newTree(fresh, t.base, t.Series)
	if _, err := made.repo.Run(ctx, "tag", baseTag); err != nil {
		return fmt.Errorf("fetch %s: %w", t.base, err)
	}
	if err := made.remember(ctx, treeState{BaseKey: baseKey}); err != nil {
		return err
	}
	if err := os.Rename(t.Dir, old); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("fetch %s: %w", t.base, err)
	}
	if err := os.Rename(fresh, t.Dir); err != nil {
		return fmt.Errorf("fetch %s: %w", t.base, err)
	}
	return os.RemoveAll(old)
}

// remember records HEAD and its tree as how carry left them.
func (t *Tree) remember(ctx context.Context, s treeState) error {
	var err error
	if s.Commit, err = t.repo.Resolve(ctx, "HEAD"); err != nil {
		return err
	}
	if s.Tree, err = t.repo.Resolve(ctx, "HEAD^{tree}"); err != nil {
		return err
	}
	if s.Base, err = t.repo.Resolve(ctx, "refs/tags/"+baseTag+"^{commit}"); err != nil {
		return err
	}
	return writeJSON(t.statePath(), s)
}

// Apply puts the series on the base, unless it is there. It tells whether it changed anything. A tree with work of
// somebody's gives a *WorkError and stays as it is, but for work that the patch files already hold.
func (t *Tree) Apply(ctx context.Context) (bool, error) {
	work, hash, err := t.hasWork(ctx)
	if err != nil {
		return false, err
	}
	state := t.state()
	if !work && !state.Applying && state.Files == t.Series.FileHash() && state.Patches == len(t.Series.Patches) {
		return false, nil
	}
	if err := t.checkBase(ctx); err != nil {
		return false, fmt.Errorf("apply: %w", err)
	}
	if work && (t.repo.Busy() || t.seriesTree(ctx) != hash) {
		return false, &WorkError{t}
	}
	return true, t.reapply(ctx, state)
}

func (t *Tree) reapply(ctx context.Context, state treeState) error {
	state.Applying = true
	if err := writeJSON(t.statePath(), state); err != nil {
		return err
	}
	if t.repo.Busy() {
		if _, err := t.repo.Run(ctx, "am", "--abort"); err != nil {
			return fmt.Errorf("apply in %s: %w\nnext: carry clean, then run the same command again", t.Dir, err)
		}
	}
	// Ours is the only git here while Applying is set and the stream is locked.
	if err := t.unlock("index"); err != nil {
		return fmt.Errorf("apply in %s: %w", t.Dir, err)
	}
	for _, args := range [][]string{{"reset", "--quiet", "--hard", baseTag}, {"clean", "--quiet", "-ffdx"}} {
		if _, err := t.repo.Run(ctx, args...); err != nil {
			return fmt.Errorf("apply in %s: %w", t.Dir, err)
		}
	}
	done := treeState{BaseKey: state.BaseKey}
	applyErr := series.Apply(ctx, t.repo, t.Series)
	if applyErr == nil {
		done.Series, done.Files, done.Patches = t.Series.Hash(), t.Series.FileHash(), len(t.Series.Patches)
	}
	if ctx.Err() != nil {
		return applyErr // stopped half way: Applying stays set and the next run starts over
	}
	return errors.Join(applyErr, t.remember(ctx, done))
}

// unlock removes the locks that a killed git of ours left on the index and on refs that nobody else writes.
func (t *Tree) unlock(names ...string) error {
	for _, name := range names {
		if err := os.RemoveAll(filepath.Join(t.Dir, ".git", filepath.FromSlash(name)+".lock")); err != nil {
			return err
		}
	}
	return nil
}

// seriesTree is the tree hash that the patch files give on the base, worked out in an index of its own; empty when
// they do not apply.
func (t *Tree) seriesTree(ctx context.Context) string {
	index := filepath.Join(t.Dir, ".git", "carry-series-index")
	defer os.Remove(index)
	env := []string{"GIT_INDEX_FILE=" + index}
	if _, err := t.repo.RunEnv(ctx, env, "read-tree", baseTag); err != nil {
		return ""
	}
	for _, p := range t.Series.Patches {
		path, err := filepath.Abs(p.Path)
		if err != nil {
			return ""
		}
		if _, err := t.repo.RunEnv(ctx, env, "apply", "--cached", path); err != nil {
			return ""
		}
	}
	out, err := t.repo.RunEnv(ctx, env, "write-tree")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(out)
}

// Status is what a tree and its binary are, without changing either.
type Status struct {
	Component string `json:"component"`
	Stream    string `json:"stream"`
	Base      string `json:"base"`
	Patches   int    `json:"patches"` // files in the series
	Series    string `json:"series"`  // their hash
	Tree      string `json:"tree"`    // missing, base, stale, applied or changed
	Binary    string `json:"binary"`  // missing, or the version it is stamped with
}

// Status looks at the tree and at the record of the last patched binary.
func (s *Stream) Status(ctx context.Context, t *Tree) (Status, error) {
	version, err := s.BaseVersion()
	if err != nil {
		return Status{}, err
	}
	st := Status{Component: s.Component.Name, Stream: s.Name, Base: version, Patches: len(t.Series.Patches), Series: t.Series.Hash()}
	if st.Tree, err = t.status(ctx); err != nil {
		return Status{}, err
	}
	st.Binary = "missing"
	var b Binary
	if readJSON(s.Out("bin", s.Component.Name+".json"), &b); b.Version != "" {
		st.Binary = b.Version
	}
	return st, nil
}

func (t *Tree) status(ctx context.Context) (string, error) {
	if !t.exists() {
		return "missing", nil
	}
	want, err := t.base.key(ctx)
	if err != nil {
		return "", err
	}
	work, _, err := t.hasWork(ctx)
	state := t.state()
	switch {
	case err != nil:
		return "", err
	case work:
		return "changed", nil
	case state.BaseKey != want:
		return "stale", nil
	case state.Series == "":
		return "base", nil
	case state.Files != t.Series.FileHash():
		return "stale", nil
	}
	return "applied", nil
}

// Clean removes everything the stream made under out/. A tree with work of somebody's gives a *WorkError, and what a
// rebase has half written stays, unless forced.
func (s *Stream) Clean(ctx context.Context, t *Tree, force bool) error {
	if err := s.Unfinished(); err != nil && !force {
		return err
	}
	if t.exists() && !force {
		work, _, err := t.hasWork(ctx)
		if err != nil {
			return fmt.Errorf("clean %s: %w\nnext: carry clean --force", s, err)
		}
		if work {
			return &WorkError{t}
		}
	}
	if err := os.RemoveAll(s.Out()); err != nil {
		return fmt.Errorf("clean %s: %w", s, err)
	}
	return nil
}

// CheckCommits holds the applied commits against the patch files (P1), and what they hold against the rules (P5).
func (t *Tree) CheckCommits(ctx context.Context) ([]series.Finding, error) {
	found, err := t.Series.CheckRoundTrip(ctx, t.repo, baseTag)
	if err != nil {
		return found, err
	}
	generated, err := t.Series.CheckGenerated(ctx, t.repo, baseTag)
	return append(found, generated...), err
}
