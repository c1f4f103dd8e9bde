package component

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// overlay is a file for go's -overlay flag that makes the tree on disk look like another tree: a part of the series is
// compiled and tested without a second checkout, and shares the build cache. The returned function removes it.
//
// Files that a test opens at run time are those on disk all the same.
func (t *Tree) overlay(ctx context.Context, tree string) (file string, remove func(), err error) {
	names, err := t.repo.Changed(ctx, "HEAD", tree)
	if err != nil {
		return "", nil, err
	}
	dir, err := os.MkdirTemp("", "carry-overlay-")
	if err != nil {
		return "", nil, fmt.Errorf("make overlay: %w", err)
	}
	remove = func() { os.RemoveAll(dir) }
	replace := map[string]string{}
	for i, name := range names {
		data, ok := t.repo.File(ctx, tree, name)
		path := "" // go's word for a file that is not there
		if ok {
			path = filepath.Join(dir, fmt.Sprintf("%d-%s", i, filepath.Base(name)))
			if err := os.WriteFile(path, data, 0o644); err != nil {
				remove()
				return "", nil, fmt.Errorf("make overlay: %w", err)
			}
		}
		replace[filepath.Join(t.Dir, filepath.FromSlash(name))] = path
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", remove, err
	}
	file = filepath.Join(dir, "overlay.json")
	return file, remove, os.WriteFile(file, text, 0o644)
}
