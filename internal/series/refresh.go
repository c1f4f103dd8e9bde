package series

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"carry/internal/git"
)

// Refresh is what turning commits into patch files does to a folder, worked out before anything is written.
type Refresh struct {
	Dir   string
	Files []File // as they will be, in order
	// Removed are files that no commit stands for under that name any more.
	Removed []string
	// Vanished are the patches among them whose change and subject are in no commit: dropped.
	Vanished []string
}

// File is one patch file to be.
type File struct {
	Name   string
	Data   []byte
	Commit git.Commit
	// Touched are the paths that it changes.
	Touched []string
	State   string // kept, renamed, changed or new
	Was     string // the file it was before; empty for a new one
}

// Changed says whether writing would change anything.
func (r *Refresh) Changed() bool {
	return len(r.Removed) > 0 || slices.ContainsFunc(r.Files, func(f File) bool { return f.State != "kept" })
}

// PlanRefresh works out the files that stand for commits, in order. A commit whose header and change a file already
// holds keeps that file's bytes, under a new number if need be: a refresh by another git makes no noise.
func PlanRefresh(ctx context.Context, repo git.Repo, s *Series, commits []git.Commit) (*Refresh, error) {
	r := &Refresh{Dir: s.Dir}
	matched := map[*Patch]bool{}
	var bad []error
	for i, c := range commits {
		f, was, err := planFile(ctx, repo, s, i+1, c)
		if err != nil {
			bad = append(bad, fmt.Errorf("commit %.12s %q: %w", c.Hash, c.Subject(), err))
			continue
		}
		if was != nil {
			matched[was] = true
		}
		r.Files = append(r.Files, f)
	}
	if err := errors.Join(bad...); err != nil {
		return nil, err
	}
	for _, p := range s.Patches {
		if !slices.ContainsFunc(r.Files, func(f File) bool { return f.Name == p.Name }) {
			r.Removed = append(r.Removed, p.Name)
		}
		if !matched[p] {
			r.Vanished = append(r.Vanished, p.Name)
		}
	}
	return r, nil
}

func planFile(ctx context.Context, repo git.Repo, s *Series, number int, c git.Commit) (File, *Patch, error) {
	data, err := Format(ctx, repo, c.Hash)
	if err != nil {
		return File{}, nil, err
	}
	p, err := Parse("", data)
	if err != nil {
		return File{}, nil, fmt.Errorf("cannot be a patch file: %w", err)
	}
	if want := oneLine(firstParagraph(c.Message)); p.Subject != want {
		return File{}, nil, fmt.Errorf("subject would be read back as %q\nnext: reword the commit", p.Subject)
	}
	f := File{Name: fmt.Sprintf("%04d-%s.patch", number, p.Slug()), Data: data, Commit: c, Touched: p.touched(), State: "new"}
	was, same := s.holds(p)
	if was == nil {
		return f, nil, nil
	}
	f.Was, f.State = was.Name, "changed"
	if same {
		f.Data, f.State = was.Data, "kept"
		if was.Name != f.Name {
			f.State = "renamed"
		}
	}
	return f, was, nil
}

// holds finds the file that stands for the same patch: the same header and change, or else the same subject, or else
// the same change under another subject.
func (s *Series) holds(p *Patch) (was *Patch, same bool) {
	var bySubject, byChange *Patch
	for _, old := range s.Patches {
		switch {
		case bytes.Equal(essence(old.Data), essence(p.Data)):
			return old, true
		case old.Subject == p.Subject:
			bySubject = old
		case bytes.Equal(change(old.Data), change(p.Data)):
			byChange = old
		}
	}
	if bySubject != nil {
		return bySubject, false
	}
	return byChange, false
}

// change is essence without the header.
func change(data []byte) []byte {
	_, rest, _ := bytes.Cut(essence(data), []byte("\n---\n"))
	return rest
}

func firstParagraph(message string) string {
	first, _, _ := strings.Cut(strings.TrimLeft(message, "\n"), "\n\n")
	return first
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// Write brings the folder to the plan: new files beside and renamed into place, old ones last. Stopped anywhere in
// between, every change is still in a file, and the next run completes.
func (r *Refresh) Write() error {
	if err := os.MkdirAll(r.Dir, 0o755); err != nil {
		return fmt.Errorf("refresh: %w", err)
	}
	steps, err := r.steps()
	if err != nil {
		return fmt.Errorf("refresh: %w", err)
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return fmt.Errorf("refresh: %w", err)
		}
	}
	return nil
}

// steps are the single changes to the folder, in the order in which they are safe.
func (r *Refresh) steps() ([]func() error, error) {
	var steps []func() error
	for _, f := range r.Files {
		path := filepath.Join(r.Dir, f.Name)
		if have, err := os.ReadFile(path); err == nil && bytes.Equal(have, f.Data) {
			continue
		}
		temp := path + ".tmp" // a name that is no patch's
		steps = append(steps,
			func() error { return os.WriteFile(temp, f.Data, 0o644) },
			func() error { return os.Rename(temp, path) })
	}
	entries, err := os.ReadDir(r.Dir)
	if err != nil {
		return nil, err
	}
	remove := slices.Clone(r.Removed)
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".patch.tmp") { // left by a killed run
			remove = append(remove, e.Name())
		}
	}
	for _, name := range remove {
		steps = append(steps, func() error {
			if err := os.Remove(filepath.Join(r.Dir, name)); !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			return nil
		})
	}
	return steps, nil
}

// Has says whether a file of that name is in the plan.
func (r *Refresh) Has(name string) bool {
	return slices.ContainsFunc(r.Files, func(f File) bool { return f.Name == name })
}
