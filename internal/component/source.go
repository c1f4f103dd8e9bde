package component

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/semver"

	"carry/internal/git"
	"carry/internal/series"
)

// sourceBase is a tree made from somebody's checkout instead of the pin: what a release payload is built from. The
// checkout's own go.mod, go.work and vendor folder decide its dependencies.
type sourceBase struct {
	dir    string // the checkout, absolute
	rev    string // as given; HEAD when empty
	commit string // what rev is
	stated string // --source-version; empty: from the nearest version tag
}

// Source names a checkout as commands take it: DIR or DIR@REV. An @ that is part of the folder's name stays one.
func Source(ctx context.Context, arg, version string) (*sourceBase, error) {
	dir, rev := arg, ""
	if i := strings.LastIndexByte(arg, '@'); i > 0 && !isDir(arg) {
		dir, rev = arg[:i], arg[i+1:]
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("source %s: %w", arg, err)
	}
	if !isDir(abs) {
		return nil, fmt.Errorf("source %s: no folder %s\nnext: name a git checkout of the component, DIR or DIR@REV", arg, abs)
	}
	b := &sourceBase{dir: abs, rev: rev, stated: version}
	repo := git.Repo{Dir: abs}
	if rev == "" {
		b.rev = "HEAD"
		changed, err := repo.Run(ctx, "status", "--porcelain", "--untracked-files=no")
		if err != nil {
			return nil, fmt.Errorf("source %s: %w\nnext: name a git checkout of the component, DIR or DIR@REV", arg, err)
		}
		if changed != "" {
			return nil, fmt.Errorf("source %s: uncommitted changes\nnext: commit them, or name a revision: %s@REV", arg, dir)
		}
	}
	if b.commit, err = repo.Resolve(ctx, b.rev+"^{commit}"); err != nil {
		return nil, fmt.Errorf("source %s: %w\nnext: git -C %s fetch, or name another revision", arg, err, abs)
	}
	return b, nil
}

// SourceTree is the tree of a checkout with the series on it, at Out("source", "src").
func (s *Stream) SourceTree(b *sourceBase, sr *series.Series) *Tree {
	return newTree(s.Out("source", "src"), b, sr)
}

func (b *sourceBase) String() string { return b.dir + "@" + b.rev }

func (b *sourceBase) key(context.Context) (string, error) { return key("source 1", b.commit), nil }

// materialise fetches the one commit, not the checkout's branches, hooks or configuration.
func (b *sourceBase) materialise(ctx context.Context, dir string) error {
	repo, err := git.Init(ctx, dir)
	if err != nil {
		return err
	}
	const uploadPack = "--upload-pack=git -c safe.directory=* -c uploadpack.allowAnySHA1InWant=true upload-pack"
	// By hash, so that a branch that moves meanwhile changes nothing; a plain path serves any reachable commit.
	if _, err := repo.Run(ctx, "fetch", "--quiet", "--no-tags", "--depth=1", uploadPack,
		b.dir, b.commit); err != nil {
		return err
	}
	_, err = repo.Run(ctx, "reset", "--quiet", "--hard", "FETCH_HEAD")
	return err
}

// version is the one stated, or what the nearest v tag says; a guess would end in a binary that lies about itself.
func (b *sourceBase) version(ctx context.Context, s *Stream) (string, error) {
	version := b.stated
	if version == "" {
		out, err := git.Repo{Dir: b.dir}.Run(ctx, "describe", "--tags", "--match", "v*", "--abbrev=12", b.commit)
		if err != nil {
			return "", fmt.Errorf("version of %s: no tag like v1.2.3 leads to it\nnext: add --source-version, the version this source is released as", b)
		}
		version = described(strings.TrimSpace(out))
	}
	if !semver.IsValid("v" + strings.TrimPrefix(version, "v")) {
		return "", fmt.Errorf("version of %s: %q is no semantic version\nnext: add --source-version, as v1.2.3 or 4.11.0", b, version)
	}
	return version, nil
}

// described turns v1.2.3-14-gabcdef into v1.2.3-14.gabcdef, a valid semantic version, as upstream's own build does.
func described(text string) string {
	parts := strings.Split(text, "-")
	if n := len(parts); n >= 3 && strings.HasPrefix(parts[n-1], "g") {
		return strings.Join(parts[:n-2], "-") + "-" + parts[n-2] + "." + parts[n-1]
	}
	return text
}

// recipe builds inside the tree. Only a go.work of the checkout's own counts, not one of a folder above it.
func (b *sourceBase) recipe(_ context.Context, s *Stream, dir string) (recipe, error) {
	work := filepath.Join(dir, "go.work")
	if _, err := os.Stat(work); err != nil {
		work = "off"
	}
	return recipe{dir: dir, env: []string{"GOWORK=" + work}, pkg: "./" + s.Package, inputs: []string{"source", b.commit}, origin: b.origin}, nil
}

func (b *sourceBase) origin(ctx context.Context) (origin, error) {
	out, err := git.Repo{Dir: b.dir}.Run(ctx, "show", "--no-patch", "--format=%cI", b.commit)
	if err != nil {
		return origin{}, err
	}
	date, err := time.Parse(time.RFC3339, strings.TrimSpace(out))
	if err != nil {
		return origin{}, fmt.Errorf("date of %s: %w", b, err)
	}
	return origin{commit: b.commit, date: date}, nil
}
