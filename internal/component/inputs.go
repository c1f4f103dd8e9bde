package component

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/module"

	"carry/internal/series"
)

// Inputs is what a patched binary is made of, as far as it can be told without building it: what its SBOM and its
// provenance name.
type Inputs struct {
	Component, Stream string
	Module            string // upstream's module path
	Package           string // the main package, relative to Module
	License           string // SPDX expression of upstream's licence; empty: not known
	LDFlags           []string
	Pin               module.Version // empty for a source checkout
	Source            string         // commit of a source checkout; empty for a pin
	Base              string         // upstream's version, as stamped
	Version           string         // of the binary, as stamped
	Commit            string         // upstream's, as stamped; empty when a pin does not say
	Control           bool           // the patches are controls, not the series
	Upto              int            // only so many patches of the series; 0: all
	// Tree is the git tree hash of the base, Date the time of the release or commit. Both are empty where the tree is
	// not there, or is one of another base.
	Tree string
	Date time.Time
	// Files are those of the pin that decide what is built.
	Files   []File
	Patches []*series.Patch // their Path as in File
	// Local are the modules that are built from the tree, by path; the version is the one that the pin replaces them
	// by. Sums are the h1 checksums of go.sum. Both are nil for a source checkout, which has its own.
	Local map[string]module.Version
	Sums  map[module.Version]string
}

// File is a checked-in file.
type File struct {
	Path   string // relative to the project's folder, with slashes
	SHA256 string // in hex
}

// Inputs tells what goes into the binary of a tree. The tree itself need not be there.
func (s *Stream) Inputs(ctx context.Context, t *Tree) (*Inputs, error) {
	in := &Inputs{
		Component: s.Component.Name, Stream: s.Name, Module: s.Module, Package: s.Package, License: s.License,
		LDFlags: s.LDFlags, Control: t.mark == "control",
	}
	var err error
	if in.Base, err = t.base.version(ctx, s); err != nil {
		return nil, err
	}
	in.Version = t.stamp(in.Base, len(t.Series.Patches), t.Series.Hash())
	t.base.tell(s, in)
	files := []string{filepath.Join(s.Component.Dir, "component.yaml")}
	if in.Source == "" {
		files = append(files, filepath.Join(s.Dir, "go.mod"), filepath.Join(s.Dir, "go.sum"))
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("read inputs of %s: %w", s, err)
		}
		in.Files = append(in.Files, File{s.relative(name), hash(data)})
	}
	for _, p := range t.Series.Patches {
		named := *p
		named.Path = s.relative(p.Path)
		in.Patches = append(in.Patches, &named)
	}
	return in, t.readBase(ctx, in)
}

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

func (s *Stream) relative(path string) string {
	if rel, err := filepath.Rel(s.Root, path); err == nil {
		path = rel
	}
	return filepath.ToSlash(path)
}

// readBase takes tree hash and date from the commit that is the tree's base: materialise gives it the release's or the
// checkout's own date, so that nothing has to be asked of the network.
func (t *Tree) readBase(ctx context.Context, in *Inputs) error {
	want, err := t.base.key(ctx)
	if err != nil {
		return err
	}
	if !t.exists() || t.state().BaseKey != want {
		return nil
	}
	out, err := t.repo.Run(ctx, "show", "--no-patch", "--format=%T %cI", "refs/tags/"+baseTag+"^{commit}")
	if err != nil {
		return fmt.Errorf("read base of %s: %w", t.Dir, err)
	}
	tree, date, _ := strings.Cut(strings.TrimSpace(out), " ")
	in.Tree = tree
	if in.Date, err = time.Parse(time.RFC3339, date); err != nil {
		return fmt.Errorf("read base of %s: %w", t.Dir, err)
	}
	return nil
}

// Linker gives the -ldflags of the build. Date has to be known.
func (in *Inputs) Linker() (string, error) {
	b := &Binary{Base: in.Base, Version: in.Version}
	flags, err := linkerFlags(in.LDFlags, origin{commit: in.Commit, date: in.Date}, b)
	if err != nil {
		return "", fmt.Errorf("ldflags of %s %s: %w", in.Component, in.Stream, err)
	}
	return flags, nil
}

func (b *pinBase) tell(s *Stream, in *Inputs) {
	in.Pin, in.Commit = s.Pin.Version, s.Pin.Commit()
	in.Sums = s.Pin.sums()
	in.Local = map[string]module.Version{s.Pin.Path: s.Pin.Version}
	for _, p := range b.staging {
		if m, err := s.Pin.module(p); err == nil {
			in.Local[p] = m
		}
	}
}

func (b *sourceBase) tell(_ *Stream, in *Inputs) { in.Source, in.Commit = b.commit, b.commit }

// Claimed is the source that a binary's provenance names: a commit, of which there may be no checkout here, and the
// version it was released as.
func Claimed(commit, version string) *sourceBase {
	return &sourceBase{dir: "source", rev: commit, commit: commit, stated: version}
}
