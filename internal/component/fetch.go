package component

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/dirhash"

	"carry/internal/git"
	"carry/internal/series"
)

// stagingDir is where upstream Kubernetes keeps its staging modules, as paths: staging/src/k8s.io/client-go is the
// module k8s.io/client-go.
const stagingDir = "staging/src/"

// pinBase is a tree made from the pin: the upstream module on top, the staging modules that the series touches below
// it, as upstream's repository has them.
type pinBase struct {
	stream  *Stream
	staging []string // module paths, sorted
}

// Tree is the stream's tree from its pin with the series s on it, at Out("src") or, for a part of the series, at
// Out("upto", N, "src").
func (s *Stream) Tree(sr *series.Series, elem ...string) *Tree {
	b := &pinBase{stream: s, staging: stagingModules(sr)}
	return newTree(s.Out(append(elem, "src")...), b, sr)
}

// stagingModules are the modules below staging/src that a series changes.
func stagingModules(sr *series.Series) []string {
	seen := map[string]bool{}
	var found []string
	for _, file := range sr.Touched() {
		rest, ok := strings.CutPrefix(file, stagingDir)
		parts := strings.SplitN(rest, "/", 3)
		if !ok || len(parts) < 3 {
			continue
		}
		m := parts[0] + "/" + parts[1]
		if !seen[m] {
			seen[m] = true
			found = append(found, m)
		}
	}
	sort.Strings(found)
	return found
}

func (b *pinBase) String() string { return b.stream.Pin.Version.String() }

func (b *pinBase) key(context.Context) (string, error) {
	parts := []string{"tree 1", b.stream.Pin.String()}
	modules := append([]string{b.stream.Pin.Path}, b.staging...)
	for _, p := range modules {
		m, err := b.stream.Pin.module(p)
		if err != nil {
			return "", err
		}
		sum, err := b.stream.Pin.sum(m)
		if err != nil {
			return "", fmt.Errorf("fetch %s: %w\nnext: cd %s && go mod tidy", b, err, b.stream.Dir)
		}
		parts = append(parts, p, m.String(), sum)
	}
	return key(parts...), nil
}

func (b *pinBase) materialise(ctx context.Context, dir string) error {
	released, err := b.copyModule(ctx, b.stream.Pin.Path, dir)
	if err != nil {
		return err
	}
	for _, p := range b.staging {
		if _, err := b.copyModule(ctx, p, filepath.Join(dir, filepath.FromSlash(stagingDir+p))); err != nil {
			return err
		}
	}
	repo, err := git.Init(ctx, dir)
	if err != nil {
		return err
	}
	return repo.CommitAll(ctx, released.Format(time.RFC3339), b.String())
}

// copyModule copies a module out of the module cache, whose files are read-only and shared, and compares the copy
// with the checksum in go.sum, since the cache itself may have been edited. It gives the version's release time.
func (b *pinBase) copyModule(ctx context.Context, modulePath, dir string) (time.Time, error) {
	m, err := b.stream.Pin.module(modulePath)
	if err != nil {
		return time.Time{}, err
	}
	d, err := b.stream.download(ctx, m)
	if err != nil {
		return time.Time{}, err
	}
	if err := os.CopyFS(dir, os.DirFS(d.Dir)); err != nil {
		return time.Time{}, fmt.Errorf("copy module %s: %w", m, err)
	}
	got, err := dirhash.HashDir(dir, m.String(), dirhash.Hash1)
	if err != nil {
		return time.Time{}, fmt.Errorf("check module %s: %w", m, err)
	}
	if got != d.Sum {
		return time.Time{}, fmt.Errorf("module %s: checksum mismatch: go.sum has %s, the files in %s give %s\nnext: go clean -modcache, then run the same command again",
			m, d.Sum, d.Dir, got)
	}
	return releaseTime(d.Info)
}

// releaseTime reads the time of a version from the .info file of the module cache. It is upstream's, so it is the
// same everywhere and serves as commit and build date.
func releaseTime(info string) (time.Time, error) {
	data, err := os.ReadFile(info)
	if err != nil {
		return time.Time{}, fmt.Errorf("read release time: %w", err)
	}
	var v struct{ Time time.Time }
	if err := json.Unmarshal(data, &v); err != nil {
		return time.Time{}, fmt.Errorf("read release time of %s: %w", info, err)
	}
	return v.Time.UTC(), nil
}

// replaces are the lines that point the pin's modules at the tree, relative to the stream's folder, so that two
// clones give the same bytes.
func (b *pinBase) replaces(dir string) (map[string]string, error) {
	rel, err := filepath.Rel(b.stream.Dir, dir)
	if err != nil {
		return nil, fmt.Errorf("build %s: %w", b.stream, err)
	}
	rel = filepath.ToSlash(rel)
	lines := map[string]string{b.stream.Pin.Path: rel}
	for _, p := range b.staging {
		lines[p] = path.Join(rel, stagingDir, p)
	}
	return lines, nil
}
