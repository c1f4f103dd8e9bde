package component

import (
	"cmp"
	"context"
	"maps"
	"path"
	"slices"
	"strings"
)

// guard asks whether the tests that a patch brings notice when the rest of it is missing.
type guard struct {
	*checker
	before, after string   // trees
	tests         []string // files that only tests read and that the patch changes
	names         []string // top-level tests in them
}

// missing says what is wrong with the tests as guards of the patch; nothing: they guard it.
func (g guard) missing(ctx context.Context) (string, error) {
	off, refused, err := g.without(ctx)
	if err != nil {
		return "", err
	}
	failed := off.failed()
	switch {
	case len(failed) > 0:
	case refused != "":
		return "without the patch's other changes its tests do not compile, they should fail by an assertion: " + refused, nil
	default:
		for name := range off.panicked {
			return "without the patch's other changes " + name + " panics, it should fail by an assertion", nil
		}
		return "without the patch's other changes its tests pass: none of them guards it", nil
	}
	on, err := g.run(ctx, g.after, g.packages(ctx, g.tests), testNames(failed))
	if err != nil {
		return "", err
	}
	for _, name := range failed {
		if on.outcomes[name] == "pass" {
			return "", nil
		}
	}
	return "with the patch " + strings.Join(failed, ", ") + " fails as without it", nil
}

// without runs the tests without the patch. A file that the compiler refuses names what the patch adds, or is in a
// package that the patch adds: it is left out, for another one to guard the patch. refused is what the compiler said.
func (g guard) without(ctx context.Context) (run *testRun, refused string, err error) {
	for tests := g.tests; ; {
		tree, err := g.tree.repo.Mixed(ctx, g.before, g.after, tests)
		if err != nil {
			return nil, "", err
		}
		run, err := g.run(ctx, tree, g.packages(ctx, tests), g.names)
		if err != nil {
			return nil, "", err
		}
		for _, pkg := range slices.Sorted(maps.Keys(run.notBuilt)) {
			refused = cmp.Or(refused, pkg+": "+complaint(run.notBuilt[pkg]))
		}
		kept := slices.DeleteFunc(slices.Clone(tests), func(name string) bool { return g.refuses(run, name) })
		if len(kept) == len(tests) {
			return run, refused, nil
		}
		tests = kept
	}
}

// refuses tells whether the compiler complained about a file of tests.
func (g guard) refuses(run *testRun, name string) bool {
	said := run.notBuilt[g.stream.packages([]string{path.Dir(name)})[0]]
	return strings.HasSuffix(name, "_test.go") && strings.Contains(said, path.Base(name)+":")
}

// packages are those of files of tests.
func (g guard) packages(ctx context.Context, tests []string) []string {
	var dirs []string
	for _, name := range tests {
		if strings.HasSuffix(name, "_test.go") {
			dirs = append(dirs, path.Dir(name))
		}
	}
	slices.Sort(dirs)
	return g.stream.packages(g.existing(ctx, g.after, slices.Compact(dirs)))
}
