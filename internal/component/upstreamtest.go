package component

import (
	"context"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"carry/internal/series"
)

// TestComparison is what upstream's own tests of the packages that a series touches say on base and on patched. It is
// checked in, so that whoever has not the minutes it takes sees what was compared.
type TestComparison struct {
	Component string     `json:"component"`
	Stream    string     `json:"stream"`
	Series    string     `json:"series"` // hash of the series
	Go        string     `json:"go"`     // version and architecture it ran with
	Packages  []string   `json:"packages"`
	Base      TestCounts `json:"base"`
	Patched   TestCounts `json:"patched"`
	// Worse are the tests that pass on base and do not on patched, and the packages that do not build or run.
	Worse []string `json:"worse"`
	// Flaky are differences that did not stay when both sides ran five times more.
	Flaky []string `json:"flaky"`
	// Key is of pin, tree and packages: another one makes the record stale.
	Key string `json:"key"`
}

// TestCounts says how many tests, subtests included, passed, and which failed.
type TestCounts struct {
	Passed int      `json:"passed"`
	Failed []string `json:"failed"`
}

// reruns is how often both sides run again what differs.
const reruns = 5

// testRecord is where the stream's comparison is checked in.
func (s *Stream) testRecord() string {
	return filepath.Join(s.Root, "tests", "integration", "results", "upstream-tests", s.Component.Name+"-"+s.Name+".json")
}

// RecordedTests is the comparison that is recorded for the tree as it is; nil when the record is of another one.
// A series that touches no package needs none.
func (s *Stream) RecordedTests(ctx context.Context, t *Tree) (*TestComparison, error) {
	c, err := s.newComparison(ctx, t)
	if err != nil || len(c.Packages) == 0 {
		return c, err
	}
	var last TestComparison
	if readJSON(s.testRecord(), &last); last.Key == c.Key {
		return &last, nil
	}
	return nil, nil
}

func (s *Stream) newComparison(ctx context.Context, t *Tree) (*TestComparison, error) {
	version, err := goVersion(ctx, s.Dir)
	if err != nil {
		return nil, err
	}
	hash, err := t.repo.Resolve(ctx, "HEAD^{tree}")
	if err != nil {
		return nil, err
	}
	c := &TestComparison{
		Component: s.Component.Name, Stream: s.Name, Series: t.Series.Hash(), Go: version + " " + runtime.GOARCH,
		Packages: s.packages(touchedDirs(t.Series)), Worse: []string{}, Flaky: []string{},
	}
	c.Key = key(append([]string{"tests 2", hash, string(s.Pin.Mod), string(s.Pin.Sum)}, c.Packages...)...)
	return c, nil
}

// CompareTests runs upstream's tests of the touched packages on base and on the stream's tree, and records the result.
func (s *Stream) CompareTests(ctx context.Context, t *Tree, compiled Compiled) (*TestComparison, error) {
	c, err := s.newComparison(ctx, t)
	if err != nil || len(c.Packages) == 0 {
		return c, err
	}
	r, err := t.base.recipe(ctx, s, t.Dir)
	if err != nil {
		return nil, err
	}
	onBase := recipe{dir: s.Dir, env: r.env}
	base, err := s.runTests(ctx, onBase, s.packages(onlyIn(ctx, t, baseTag)), testOptions{}, compiled)
	if err != nil {
		return nil, err
	}
	patched, err := s.runTests(ctx, r, s.packages(onlyIn(ctx, t, "HEAD")), testOptions{}, compiled)
	if err != nil {
		return nil, err
	}
	c.Base, c.Patched = counts(base.outcomes), counts(patched.outcomes)
	for _, d := range worse(base.outcomes, patched.outcomes) {
		stays, err := s.differs(ctx, d.name, onBase, r, compiled)
		if err != nil {
			return nil, err
		}
		if stays {
			c.Worse = append(c.Worse, d.String())
		} else {
			c.Flaky = append(c.Flaky, d.String())
		}
	}
	return c, writeJSON(s.testRecord(), c)
}

// onlyIn are the touched folders that a commit has: a package that the series adds has nothing to be compared with.
func onlyIn(ctx context.Context, t *Tree, commit string) []string {
	return slices.DeleteFunc(touchedDirs(t.Series), func(dir string) bool {
		_, err := t.repo.Run(ctx, "cat-file", "-e", commit+":"+dir)
		return err != nil
	})
}

// differs runs one test some times more on both sides: a difference stays when patched fails every time, or when base
// never does and patched does.
func (s *Stream) differs(ctx context.Context, name string, onBase, onPatched recipe, compiled Compiled) (bool, error) {
	pkg, test := top(name)
	if test == "" {
		return true, nil // a package that does not build or run at all
	}
	o := testOptions{tests: []string{test}, count: reruns}
	patched, err := s.runTests(ctx, onPatched, []string{pkg}, o, compiled)
	if err != nil {
		return false, err
	}
	good := patched.tally[name]
	switch {
	case good == nil || good[0] == 0:
		return true, nil
	case good[1] == 0:
		return false, nil
	}
	base, err := s.runTests(ctx, onBase, []string{pkg}, o, compiled)
	if err != nil {
		return false, err
	}
	return base.tally[name] != nil && base.tally[name][1] == 0, nil
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

// difference is a test that is worse on patched.
type difference struct{ name, base, patched string }

func (d difference) String() string {
	if d.base == "" {
		return d.name + ": " + d.patched + " on patched, not on base at all"
	}
	return d.name + ": " + d.base + " on base, " + orMissing(d.patched) + " on patched"
}

// worse compares by name: what passes on base has to pass on patched, too, and what is new has to pass at all. A
// package with a worse test is not named for itself.
func worse(base, patched outcomes) []difference {
	var found []difference
	for name, outcome := range base {
		if outcome == "pass" && patched[name] != "pass" {
			found = append(found, difference{name, outcome, patched[name]})
		}
	}
	for name, outcome := range patched {
		if _, known := base[name]; !known && outcome == "fail" {
			found = append(found, difference{name, "", outcome})
		}
	}
	slices.SortFunc(found, func(a, b difference) int { return strings.Compare(a.name, b.name) })
	return slices.DeleteFunc(found, func(d difference) bool {
		return !strings.Contains(d.name, " ") && slices.ContainsFunc(found, func(o difference) bool { return strings.HasPrefix(o.name, d.name+" ") })
	})
}

func orMissing(outcome string) string {
	if outcome == "" {
		return "missing"
	}
	return outcome
}

func unique(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}
