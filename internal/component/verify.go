package component

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strings"

	"carry/internal/git"
	"carry/internal/series"
)

// CheckSeries runs what needs a compiler: unit tests fail without their patch (P6), every prefix compiles (P7), and so
// does each patch with what it names as its needs (P3). What
// passed before with the same inputs is not run again, unless all is set.
func (s *Stream) CheckSeries(ctx context.Context, t *Tree, all bool, compiled Compiled) (found []series.Finding, ran int, err error) {
	commits, err := t.repo.Between(ctx, baseTag, "HEAD")
	if err != nil {
		return nil, 0, err
	}
	if len(commits) != len(t.Series.Patches) {
		return nil, 0, fmt.Errorf("verify %s: %d commits for %d patches\nnext: carry apply %s", s, len(commits), len(t.Series.Patches), s)
	}
	if len(commits) == 0 {
		return nil, 0, nil
	}
	done, err := s.passedChecks(ctx, s.Out("verified.json"), all)
	if err != nil {
		return nil, 0, err
	}
	r, err := t.base.recipe(ctx, s, t.Dir)
	if err != nil {
		return nil, 0, err
	}
	c := &checker{stream: s, tree: t, recipe: r, done: done, compiled: compiled}
	if err := c.all(ctx, commits); err != nil {
		return c.found, done.ran, err
	}
	return c.found, done.ran, done.end()
}

type checker struct {
	stream   *Stream
	tree     *Tree
	recipe   recipe
	done     *passed
	compiled Compiled
	found    []series.Finding
}

func (c *checker) all(ctx context.Context, commits []git.Commit) error {
	base, err := c.tree.repo.Show(ctx, baseTag)
	if err != nil {
		return err
	}
	before := base.Tree
	for i, p := range c.tree.Series.Patches {
		broken := len(c.found)
		if err := c.prefix(ctx, i, commits[i].Tree); err != nil {
			return err
		}
		if len(c.found) == broken {
			if err := c.chain(ctx, p, commits); err != nil {
				return err
			}
		}
		if p.Trailer("No-Unit-Test") == "" && len(c.found) == broken {
			if err := c.unitTest(ctx, p, before, commits[i].Tree); err != nil {
				return err
			}
		}
		before = commits[i].Tree
	}
	return nil
}

// prefix compiles the component and every package that the patches up to number i touch, tests included.
func (c *checker) prefix(ctx context.Context, i int, tree string) error {
	p := c.tree.Series.Patches[i]
	upto := &series.Series{Patches: c.tree.Series.Patches[:i+1]}
	pkgs := c.compiledWith(ctx, tree, upto)
	what := fmt.Sprintf("patches 1 to %d compile", i+1)
	return c.done.once(what, append([]string{tree}, pkgs...), func() (bool, error) {
		said, err := c.compile(ctx, tree, pkgs)
		if said != "" {
			c.finding(p, "P7", "", "patches 1 to "+fmt.Sprint(i+1)+" do not compile: "+said,
				fmt.Sprintf("carry build %s --upto %d, mend the commit, carry refresh %s", c.stream, i+1, c.stream))
		}
		return said == "", err
	})
}

// existing are the folders that a tree has: a patch may remove one.
func (c *checker) existing(ctx context.Context, tree string, dirs []string) []string {
	return slices.DeleteFunc(dirs, func(dir string) bool {
		_, err := c.tree.repo.Run(ctx, "cat-file", "-e", tree+":"+dir)
		return err != nil
	})
}

// compile gives what the compiler said against the packages and their tests; nothing is linked.
func (c *checker) compile(ctx context.Context, tree string, pkgs []string) (said string, err error) {
	file, remove, err := c.tree.overlay(ctx, tree)
	if err != nil {
		return "", err
	}
	defer remove()
	args := []string{"list", "-export", "-test", "-f", "{{.ImportPath}}", "-overlay", file}
	if c.recipe.modfile != "" {
		args = append(args, "-modfile", c.recipe.modfile)
	}
	_, err = runGo(ctx, c.recipe.dir, c.recipe.env, nil, append(args, pkgs...)...)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		return complaint(err.Error()), nil
	}
	return "", nil
}

// complaint is what go said, without its command line and package headings, on a line.
func complaint(text string) string {
	var kept []string
	for _, line := range strings.Split(text, "\n") {
		if _, rest, ok := strings.Cut(line, "exit status 1: "); ok {
			line = rest
		}
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") && !slices.Contains(kept, line) {
			kept = append(kept, line)
		}
	}
	if len(kept) > 3 {
		kept = append(kept[:3], "...")
	}
	return strings.Join(kept, "; ")
}

// unitTest runs the tests of the files that a patch changes, on the tree with nothing but those files of it: one of
// them has to fail by an assertion, and to pass with the whole patch.
func (c *checker) unitTest(ctx context.Context, p *series.Patch, before, after string) error {
	changed, err := c.tree.repo.Changed(ctx, before, after)
	if err != nil {
		return err
	}
	tests := slices.DeleteFunc(changed, func(name string) bool { return !isTest(name) })
	names, err := c.testFuncs(ctx, after, tests)
	if err != nil || len(names) == 0 {
		return err // that there is a test at all is checked by the file alone
	}
	without, err := c.tree.repo.Mixed(ctx, before, after, tests)
	if err != nil {
		return err
	}
	g := guard{checker: c, before: before, after: after, tests: tests, names: names}
	return c.done.once("unit test of "+p.Name, append([]string{without, after}, names...), func() (bool, error) {
		message, err := g.missing(ctx)
		if message != "" {
			c.finding(p, "P6", " b/"+tests[0]+"\n", message, "mend the test, then carry refresh "+c.stream.String()+"; or give the reason in a trailer No-Unit-Test:")
		}
		return message == "", err
	})
}

// isTest tells files that only tests read.
func isTest(name string) bool {
	return strings.HasSuffix(name, "_test.go") || strings.Contains("/"+path.Dir(name)+"/", "/testdata/")
}

// testFuncs are the top-level tests in files of a tree.
func (c *checker) testFuncs(ctx context.Context, tree string, files []string) (names []string, err error) {
	for _, name := range files {
		data, ok := c.tree.repo.File(ctx, tree, name)
		if !ok || !strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, data, parser.SkipObjectResolution)
		if err != nil {
			continue // the compiler says so better
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && strings.HasPrefix(fn.Name.Name, "Test") && fn.Name.Name != "TestMain" {
				names = append(names, fn.Name.Name)
			}
		}
	}
	return names, nil
}

func testNames(full []string) []string {
	var names []string
	for _, name := range full {
		_, test := top(name)
		names = append(names, test)
	}
	return names
}

func (c *checker) run(ctx context.Context, tree string, pkgs, names []string) (*testRun, error) {
	file, remove, err := c.tree.overlay(ctx, tree)
	if err != nil {
		return nil, err
	}
	defer remove()
	return c.stream.runTests(ctx, c.recipe, pkgs, testOptions{overlay: file, tests: names}, c.compiled)
}

func (c *checker) finding(p *series.Patch, rule, at, message, next string) {
	c.found = append(c.found, p.Finding(rule, at, message, next))
}
