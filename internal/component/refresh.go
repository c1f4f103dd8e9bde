package component

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"carry/internal/git"
	"carry/internal/series"
)

// beforeRefresh is where a refresh leaves the commits it read, so that a person can go back to them.
const beforeRefresh = "refs/carry/before-refresh"

// Refresh writes the tree's commits as the patch files of the series' folder and puts the written files on the base
// again, so that the tree is what anybody gets from them. It tells what it did to each file.
func (t *Tree) Refresh(ctx context.Context) (*series.Refresh, error) {
	if err := t.settled(ctx); err != nil {
		return nil, fmt.Errorf("refresh: %w", err)
	}
	commits, err := t.repo.Between(ctx, baseTag, "HEAD")
	if err != nil {
		return nil, fmt.Errorf("refresh: %w", err)
	}
	plan, err := series.PlanRefresh(ctx, t.repo, t.Series, commits)
	if err != nil {
		return nil, fmt.Errorf("refresh: %w", err)
	}
	state := t.state()
	if !state.Refreshing && state.Files != t.Series.FileHash() && len(plan.Vanished) > 0 {
		return nil, t.vanished(state, plan)
	}
	work, _, err := t.hasWork(ctx)
	if err != nil || !work && !plan.Changed() && !state.Refreshing {
		return plan, err
	}
	if err := t.replays(ctx, plan); err != nil {
		return nil, fmt.Errorf("refresh: %w", err)
	}
	// A refresh that is stopped half way has written some files and not removed others; what is missing from the tree
	// then was dropped on purpose.
	state.Refreshing = true
	if err := writeJSON(t.statePath(), state); err != nil {
		return nil, err
	}
	if _, err := t.repo.Run(ctx, "update-ref", beforeRefresh, "HEAD"); err != nil {
		return nil, fmt.Errorf("refresh: %w", err)
	}
	if err := plan.Write(); err != nil {
		return nil, err
	}
	if t.Series, err = series.Load(plan.Dir); err != nil {
		return nil, fmt.Errorf("refresh: %w", err)
	}
	return plan, t.reapply(ctx, state)
}

// settled says whether the tree is a plain list of commits on its base, with nothing open.
func (t *Tree) settled(ctx context.Context) error {
	if !t.exists() {
		return fmt.Errorf("no tree at %s\nnext: carry apply", t.Dir)
	}
	if t.repo.Busy() {
		return fmt.Errorf("a rebase, am or merge is under way in %s\nnext: git -C %s status, then end it (--continue or --abort)", t.Dir, t.Dir)
	}
	if err := t.checkBase(ctx); err != nil {
		return err
	}
	if t.state().Applying {
		return fmt.Errorf("the last apply in %s was stopped half way\nnext: carry apply", t.Dir)
	}
	if t.repo.Branch(ctx) == "" {
		return fmt.Errorf("HEAD of %s is detached, it may not be the tip of your work\nnext: git -C %s switch carry, or switch -c NAME to keep what is here", t.Dir, t.Dir)
	}
	hash, err := t.repo.WorkTree(ctx)
	if err != nil {
		return err
	}
	open, err := t.repo.Changed(ctx, "HEAD", hash)
	if err != nil {
		return err
	}
	if len(open) > 0 {
		return fmt.Errorf("uncommitted changes in %s: %s\nnext: git -C %s add --all && git -C %s commit --amend (or --fixup, stash, restore)", t.Dir, few(open), t.Dir, t.Dir)
	}
	return nil
}

// checkBase says whether the tag that everything is counted from is there, and where carry put it.
func (t *Tree) checkBase(ctx context.Context) error {
	want := t.state().Base
	have, err := t.repo.Resolve(ctx, "refs/tags/"+baseTag+"^{commit}")
	switch {
	case want == "":
		if err != nil {
			return fmt.Errorf("%s has no tag %q\nnext: carry clean --force and carry apply, after saving your commits with git format-patch", t.Dir, baseTag)
		}
		return nil
	case err != nil || have != want:
		return fmt.Errorf("the tag %q of %s is missing or moved\nnext: git -C %s tag --force %s %s", baseTag, t.Dir, t.Dir, baseTag, want)
	}
	if _, err := t.repo.Run(ctx, "merge-base", "--is-ancestor", baseTag, "HEAD"); err != nil {
		return fmt.Errorf("HEAD of %s does not come from its base\nnext: git -C %s rebase --onto %s", t.Dir, t.Dir, baseTag)
	}
	return nil
}

// vanished is a patch that would be lost although nobody dropped it: the tree was not made from these files.
func (t *Tree) vanished(state treeState, plan *series.Refresh) error {
	why := "the patch files have changed since they were applied"
	if state.Series == "" {
		why = "not all of them were applied"
	}
	return fmt.Errorf("refresh: %s has no commit for %s: %s\nnext: add the missing ones with git -C %s am, or remove the files yourself",
		t.Dir, few(plan.Vanished), why, t.Dir)
}

// replays says whether the files to be give the same trees as the commits they were made from.
func (t *Tree) replays(ctx context.Context, plan *series.Refresh) error {
	tree := baseTag
	for _, f := range plan.Files {
		made, _, err := t.repo.Patched(ctx, tree, f.Data, f.Touched)
		var refused *git.Error
		if err != nil && !errors.As(err, &refused) {
			return err
		}
		if err != nil || made != f.Commit.Tree {
			return fmt.Errorf("commit %.12s %q would not be the same from a patch file\nnext: git -C %s show %.12s; split what a patch cannot hold",
				f.Commit.Hash, f.Commit.Subject(), t.Dir, f.Commit.Hash)
		}
		tree = made
	}
	return nil
}

// few names the first few of many.
func few(names []string) string {
	if len(names) > 5 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:5], ", "), len(names)-5)
	}
	return strings.Join(names, ", ")
}
