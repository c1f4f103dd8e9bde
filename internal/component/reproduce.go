package component

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"carry/internal/series"
)

// Reproduction is the proof that a binary does not depend on where, or after what, it was built.
type Reproduction struct {
	Component string `json:"component"`
	Stream    string `json:"stream"`
	SHA256    string `json:"sha256"`
	Key       string `json:"key"` // of the binary
	// Fresh says that this run built it twice; false: it was proven before.
	Fresh bool `json:"built"`
}

// Reproduce builds the component's patched binary twice more, in two folders with different paths, each with an
// empty build cache of its own, and compares both with the stream's. What was proven for the same inputs is not built
// again.
func (s *Stream) Reproduce(ctx context.Context, sr *series.Series, compiled Compiled) (*Reproduction, error) {
	var have Binary
	readJSON(s.Out("bin", s.Component.Name+".json"), &have)
	if have.Key == "" || have.Dirty {
		return nil, fmt.Errorf("reproduce %s: no binary of the series as it is\nnext: carry build %s", s, s)
	}
	p := &Reproduction{Component: s.Component.Name, Stream: s.Name, SHA256: have.SHA256, Key: have.Key}
	record := s.Out("reproduced.json")
	var last Reproduction
	if readJSON(record, &last); last.Key == p.Key && last.SHA256 == p.SHA256 {
		return p, nil
	}
	for _, name := range []string{"a", "another place"} {
		sum, err := s.buildElsewhere(ctx, name, sr, compiled)
		if err != nil {
			return nil, err
		}
		if sum != have.SHA256 {
			return nil, fmt.Errorf("reproduce %s: sha256 %s here, %s in another folder with an empty build cache\nnext: diff <(go version -m %s) with that of a second clone's",
				s, have.SHA256, sum, have.Path)
		}
	}
	p.Fresh = true
	return p, writeJSON(record, p)
}

// buildElsewhere builds the stream in a temporary project that holds nothing but its component and its series, and
// gives the binary's sha256.
func (s *Stream) buildElsewhere(ctx context.Context, name string, sr *series.Series, compiled Compiled) (string, error) {
	temp, err := os.MkdirTemp("", "carry-reproduce-")
	if err != nil {
		return "", fmt.Errorf("reproduce %s: %w", s, err)
	}
	defer os.RemoveAll(temp)
	root := filepath.Join(temp, name)
	for _, part := range []string{s.Component.Dir, sr.Dir} {
		rel, err := filepath.Rel(s.Root, part)
		if err != nil {
			return "", fmt.Errorf("reproduce %s: %w", s, err)
		}
		to := filepath.Join(root, rel)
		if err := os.MkdirAll(to, 0o755); err != nil {
			return "", fmt.Errorf("reproduce %s: %w", s, err)
		}
		if err := os.CopyFS(to, os.DirFS(part)); err != nil && !os.IsNotExist(err) {
			return "", fmt.Errorf("reproduce %s: %w", s, err)
		}
	}
	chosen, err := Select(root, s.Component.Name, s.Name)
	if err != nil {
		return "", err
	}
	elsewhere := chosen[0]
	elsewhere.goCache = filepath.Join(temp, "cache")
	copied, err := series.Load(elsewhere.Patches())
	if err != nil {
		return "", err
	}
	t := elsewhere.Tree(copied)
	if _, err := t.Fetch(ctx); err != nil {
		return "", err
	}
	if _, err := t.Apply(ctx); err != nil {
		return "", err
	}
	b, err := elsewhere.BuildPatched(ctx, t, compiled)
	if err != nil {
		return "", err
	}
	return b.SHA256, nil
}
