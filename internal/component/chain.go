package component

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"carry/internal/git"
	"carry/internal/series"
)

// chain puts a patch on the base with nothing but what its Depends-On: names, as export does, and compiles that. Where
// it names everything before it, a prefix has shown so already.
func (c *checker) chain(ctx context.Context, p *series.Patch, commits []git.Commit) error {
	all := c.tree.Series.Patches
	needed := c.tree.Series.Needed(p)
	if len(needed) == 1+slices.Index(all, p) {
		return nil
	}
	base, err := c.tree.repo.Show(ctx, baseTag)
	if err != nil {
		return err
	}
	var links []series.Link
	key := []string{base.Tree}
	for _, n := range needed {
		i := slices.Index(all, n) // numbers may have gaps, which is another finding
		before, commit := base.Tree, commits[i]
		if i > 0 {
			before = commits[i-1].Tree
		}
		links = append(links, series.Link{Patch: n, Before: before, Commit: commit, Message: commit.Message, Name: commit.Name, Email: commit.Email})
		key = append(key, before, commit.Tree)
	}
	return c.done.once("what "+p.Name+" depends on", key, func() (bool, error) { return c.alone(ctx, p, base.Tree, links) })
}

// alone says whether a patch applies and compiles after what it needs.
func (c *checker) alone(ctx context.Context, p *series.Patch, base string, links []series.Link) (bool, error) {
	target := series.Target{Repo: c.tree.repo, Base: base}
	picks, tip, err := target.Chain(ctx, links, baseTag)
	if err != nil {
		return false, err
	}
	next := "carry refresh " + c.stream.String() + " after a trailer Depends-On: for the patch that it needs"
	if last := picks[len(picks)-1]; last.NeedsWork() {
		if last.Name == p.Name { // or else the patch before has its own finding
			c.finding(p, "P3", "", fmt.Sprintf("is in %s after what its Depends-On: names: %s", last.State, strings.TrimSpace(last.Why)), next)
		}
		return false, nil
	}
	commit, err := c.tree.repo.Show(ctx, tip)
	if err != nil {
		return false, err
	}
	patches := &series.Series{}
	for _, l := range links {
		patches.Patches = append(patches.Patches, l.Patch)
	}
	said, err := c.compile(ctx, commit.Tree, c.compiledWith(ctx, commit.Tree, patches))
	if said != "" {
		c.finding(p, "P3", "", "does not compile after what its Depends-On: names: "+said, next)
	}
	return said == "", err
}
