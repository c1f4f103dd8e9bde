package component

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"carry/internal/series"
)

// TestComparison is what upstream's own tests of the packages that a series touches say on base and on patched.
type TestComparison struct {
	Packages []string   `json:"packages"`
	Base     TestCounts `json:"base"`
	Patched  TestCounts `json:"patched"`
	// Worse are the tests that pass on base and do not on patched, and the packages that do not build or run.
	Worse []string `json:"worse"`
	Key   string   `json:"key"`
}

// TestCounts says how many tests, subtests included, passed, and which failed.
type TestCounts struct {
	Passed int      `json:"passed"`
	Failed []string `json:"failed"`
}

// CompareTests runs upstream's tests of the touched packages on base and on the stream's tree. A comparison of the
// same pin, tree and Go is taken from its record.
func (s *Stream) CompareTests(ctx context.Context, t *Tree, compiled Compiled) (*TestComparison, error) {
	r, err := t.base.recipe(ctx, s, t.Dir)
	if err != nil {
		return nil, err
	}
	touched := touchedDirs(t.Series)
	c := &TestComparison{Packages: s.packages(touched), Worse: []string{}}
	if len(c.Packages) == 0 {
		return c, nil
	}
	hash, err := t.repo.WorkTree(ctx)
	if err != nil {
		return nil, err
	}
	version, err := goVersion(ctx, s.Dir)
	if err != nil {
		return nil, err
	}
	c.Key = key(append([]string{"tests 1", version, runtime.GOARCH, hash, string(s.Pin.Mod), string(s.Pin.Sum)}, c.Packages...)...)
	record := filepath.Join(filepath.Dir(t.Dir), "tests.json")
	var last TestComparison
	if readJSON(record, &last); last.Key == c.Key {
		return &last, nil
	}
	// A package that the series adds has nothing to be compared with.
	onBase := slices.DeleteFunc(slices.Clone(touched), func(dir string) bool {
		_, err := t.repo.Run(ctx, "cat-file", "-e", baseTag+":"+dir)
		return err != nil
	})
	base, err := s.runTests(ctx, recipe{dir: s.Dir, env: r.env}, s.packages(onBase), compiled)
	if err != nil {
		return nil, err
	}
	patched, err := s.runTests(ctx, r, c.Packages, compiled)
	if err != nil {
		return nil, err
	}
	c.Base, c.Patched = counts(base), counts(patched)
	c.Worse = worse(base, patched)
	return c, writeJSON(record, c)
}

// touchedDirs are the folders with Go files that a series changes, each once, sorted.
func touchedDirs(sr *series.Series) []string {
	var dirs []string
	for _, file := range sr.Touched() {
		if path.Ext(file) == ".go" {
			dirs = append(dirs, path.Dir(file))
		}
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

// packages are the import paths of folders of the tree.
func (s *Stream) packages(dirs []string) []string {
	var pkgs []string
	for _, dir := range dirs {
		pkg := path.Join(s.Pin.Path, dir)
		if rest, ok := strings.CutPrefix(dir, stagingDir); ok {
			pkg = rest
		}
		pkgs = append(pkgs, pkg)
	}
	return pkgs
}

// outcomes are "pass", "fail" or "skip" by "package test"; a package itself has no test name.
type outcomes map[string]string

func (s *Stream) runTests(ctx context.Context, r recipe, pkgs []string, compiled Compiled) (outcomes, error) {
	if len(pkgs) == 0 {
		return outcomes{}, nil
	}
	args := []string{"test", "-json"}
	if r.modfile != "" {
		args = append(args, "-modfile", r.modfile)
	}
	tick := func(string) {
		if compiled != nil {
			compiled("")
		}
	}
	out, err := runGo(ctx, r.dir, r.env, tick, append(args, pkgs...)...)
	found := outcomes{}
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 16<<20) // a test may print long lines
	for lines.Scan() {
		var e struct{ Action, Package, Test string }
		if json.Unmarshal(lines.Bytes(), &e) == nil && slices.Contains([]string{"pass", "fail", "skip"}, e.Action) {
			found[strings.TrimSpace(e.Package+" "+e.Test)] = e.Action
		}
	}
	if lines.Err() != nil {
		return nil, fmt.Errorf("test %s: %w", s, lines.Err())
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("test %s: no test ran: %w", s, err)
	}
	return found, nil
}

func counts(o outcomes) TestCounts {
	c := TestCounts{Failed: []string{}}
	for name, outcome := range o {
		switch {
		case outcome == "fail":
			c.Failed = append(c.Failed, name)
		case outcome == "pass" && strings.Contains(name, " "):
			c.Passed++
		}
	}
	slices.Sort(c.Failed)
	return c
}

// worse compares by name: what passes on base has to pass on patched, too, and what is new has to pass at all.
func worse(base, patched outcomes) []string {
	found := []string{}
	for name, outcome := range base {
		if outcome == "pass" && patched[name] != "pass" {
			found = append(found, name+": pass on base, "+orMissing(patched[name])+" on patched")
		}
	}
	for name, outcome := range patched {
		if _, known := base[name]; !known && outcome == "fail" {
			found = append(found, name+": fail on patched, not on base at all")
		}
	}
	slices.Sort(found)
	return found
}

func orMissing(outcome string) string {
	if outcome == "" {
		return "missing"
	}
	return outcome
}
