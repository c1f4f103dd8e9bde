package component

import (
	"context"
	"fmt"
	"path"

	"carry/internal/series"
)

// compile compiles what the patches touch, and the component, on the new base after every patch that became a commit.
// What does not compile needs a person, although git took it.
func (r *Rebasing) compile(ctx context.Context) error {
	c, err := r.checker(ctx)
	if err != nil {
		return fmt.Errorf("rebase: %w", err)
	}
	picked := &series.Series{}
	before := ""
	for i, p := range r.Report.Patches {
		if p.Commit == "" {
			continue
		}
		patch, err := r.from.Series.Find(p.Name)
		if err != nil {
			return fmt.Errorf("rebase: %w", err)
		}
		picked.Patches = append(picked.Patches, patch)
		said, err := c.onTarget(ctx, p, picked)
		if err != nil {
			return fmt.Errorf("rebase: %w", err)
		}
		if said != before { // else the patch before is to blame
			r.Report.Break(i, said)
		}
		before = said
	}
	r.Report.Compiled = true
	return c.done.end()
}

// checker compiles on the copy; a moved pin is completed first with what building needs.
func (r *Rebasing) checker(ctx context.Context) (*checker, error) {
	s := r.stream
	if r.moved != nil {
		s = r.moved
		if err := s.tidy(ctx); err != nil {
			return nil, err
		}
	}
	done, err := s.passedChecks(ctx, r.out("compiled.json"), false)
	if err != nil {
		return nil, err
	}
	how, err := r.tree.base.recipe(ctx, s, r.tree.Dir)
	return &checker{stream: s, tree: r.tree, recipe: how, done: done}, err
}

// onTarget gives what the compiler said after the last of the picked patches; that the base does not compile by itself
// is an error.
func (c *checker) onTarget(ctx context.Context, p series.Pick, picked *series.Series) (said string, err error) {
	tree, err := c.tree.repo.Resolve(ctx, p.Commit+"^{tree}")
	if err != nil {
		return "", err
	}
	pkgs := c.compiledWith(ctx, tree, picked)
	err = c.done.once(p.Name+" compiles", append([]string{tree}, pkgs...), func() (bool, error) {
		if said, err = c.compile(ctx, tree, pkgs); said == "" || err != nil {
			return err == nil, err
		}
		base, err := c.compile(ctx, baseTag, c.compiledWith(ctx, baseTag, picked))
		if base != "" {
			err = fmt.Errorf("the new base does not compile by itself: %s\nnext: the same command without --compile, or with another base", base)
		}
		return false, err
	})
	return said, err
}

// compiledWith are the packages of a tree that patches touch, and the component.
func (c *checker) compiledWith(ctx context.Context, tree string, patches *series.Series) []string {
	return append(c.stream.packages(c.existing(ctx, tree, touchedDirs(patches))), path.Join(c.stream.Module, c.stream.Package))
}
