package component

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"carry/internal/git"
	"carry/internal/series"
)

// Rebasing is a rebase of a stream's series: where from, where to, and the copy it happens on.
type Rebasing struct {
	stream *Stream // as it is
	moved  *Stream // with the other pin; nil when the target is a checkout
	from   *Tree   // with the series applied
	tree   *Tree   // the copy, at Out("rebase", "src")
	seen   func(ctx context.Context, id string, files []string) (string, error)

	// Compile has every patch that became a commit compiled on the new base.
	Compile bool
	Report  *series.Rebase
}

// Names of refs in the copy, for people who go on by hand.
const (
	oldBaseRef   = "refs/heads/old-base"
	oldSeriesRef = "refs/heads/old-series"
)

// oldRefs are the old base and the series on it, as a copy takes them from the stream's tree.
func oldRefs() []string {
	return []string{"+refs/tags/" + baseTag + ":" + oldBaseRef, "+HEAD:" + oldSeriesRef}
}

// RebaseTo prepares to move the series of t to another version of upstream's module.
func (s *Stream) RebaseTo(ctx context.Context, t *Tree, version string) (*Rebasing, error) {
	moved, err := s.Moved(ctx, t.Series, version)
	if err != nil {
		return nil, err
	}
	tree := newTree(s.Out("rebase", "src"), &pinBase{stream: moved, staging: stagingModules(t.Series)}, t.Series)
	return &Rebasing{stream: s, moved: moved, from: t, tree: tree}, nil
}

// RebaseOnto prepares to move the series of t to a checkout.
func (s *Stream) RebaseOnto(t *Tree, b *sourceBase) *Rebasing {
	return &Rebasing{stream: s, from: t, tree: newTree(s.Out("rebase", "src"), b, t.Series), seen: b.seen}
}

// Dir is the copy: the new base with what could be picked on it, and the branches old-base and old-series.
func (r *Rebasing) Dir() string { return r.tree.Dir }

// Run makes the copy and picks every patch on it. A copy in which somebody works gives a *WorkError, unless forced.
func (r *Rebasing) Run(ctx context.Context, force bool) error {
	if err := r.from.settled(ctx); err != nil {
		return fmt.Errorf("rebase: %w", err)
	}
	if err := r.fetch(ctx, force); err != nil {
		return err
	}
	// From the stream's own tree: a checkout is copied without its history, which may hold the series.
	commits, err := r.from.repo.Between(ctx, baseTag, "HEAD")
	if err != nil {
		return fmt.Errorf("rebase: %w", err)
	}
	old, err := r.tree.repo.Show(ctx, oldBaseRef)
	if err != nil {
		return fmt.Errorf("rebase: %w", err)
	}
	target := series.Target{Repo: r.tree.repo, Base: old.Tree, Seen: r.seen}
	if r.Report, err = target.Rebase(ctx, r.from.Series, commits, baseTag); err != nil {
		return err
	}
	return r.finish(ctx)
}

// fetch makes the copy, at its base, with the objects of the old base and of the series: a 3-way merge reads them.
func (r *Rebasing) fetch(ctx context.Context, force bool) error {
	if r.tree.exists() && !force {
		work, _, err := r.tree.hasWork(ctx)
		if err != nil {
			return err
		}
		if work {
			return fmt.Errorf("rebase: somebody works in %s, on the rebase before this one\nnext: end it with --solved, or throw it away with --force", r.tree.Dir)
		}
	}
	if force {
		if err := os.RemoveAll(r.tree.Dir); err != nil {
			return fmt.Errorf("rebase: %w", err)
		}
	}
	if _, err := r.tree.Fetch(ctx); err != nil {
		return err
	}
	repo := r.tree.repo
	state := r.tree.state()
	if state.Applying { // a killed run of ours, whose git may have been killed with it
		if err := r.tree.unlock("index", oldBaseRef, oldSeriesRef); err != nil {
			return fmt.Errorf("rebase: %w", err)
		}
	}
	state.Applying = true // until finish: what a killed run leaves is nobody's work
	if err := writeJSON(r.tree.statePath(), state); err != nil {
		return err
	}
	if err := repo.Take(ctx, r.from.Dir, oldRefs()...); err != nil {
		return fmt.Errorf("rebase: %w", err)
	}
	if _, err := repo.Run(ctx, "reset", "--quiet", "--hard", baseTag); err != nil {
		return fmt.Errorf("rebase: %w", err)
	}
	return nil
}

// finish checks out what was picked, writes it as files beside the report, and compares old and new.
func (r *Rebasing) finish(ctx context.Context) error {
	repo := r.tree.repo
	r.Report.From, r.Report.To = r.from.base.String(), r.tree.base.String()
	all, err := r.Report.Compare(ctx, repo, oldBaseRef, oldSeriesRef, baseTag)
	if err != nil {
		return err
	}
	if _, err := repo.Run(ctx, "reset", "--quiet", "--hard", r.Report.Tip); err != nil {
		return fmt.Errorf("rebase: %w", err)
	}
	state := r.tree.state()
	state.Applying = false
	if err := r.tree.remember(ctx, state); err != nil {
		return err
	}
	if r.Compile {
		if err := r.compile(ctx); err != nil {
			return err
		}
	}
	plan, err := r.plan(ctx)
	if err != nil {
		return err
	}
	if err := plan.Write(); err != nil {
		return err
	}
	return errors.Join(
		writeFile(r.out("range-diff.txt"), []byte(all), 0o644),
		writeFile(r.out("report.txt"), []byte(r.Report.Text()), 0o644),
		writeJSON(r.out("report.json"), r.Report))
}

func (r *Rebasing) out(name string) string { return r.stream.Out("rebase", name) }

// Patches is the folder of the rebased files. They apply to the new base with plain git am.
func (r *Rebasing) Patches() string { return r.out("patches") }

// plan works out the rebased patch files. Numbers and unchanged files are as refresh would have them.
func (r *Rebasing) plan(ctx context.Context) (*series.Refresh, error) {
	commits, err := r.tree.repo.Between(ctx, baseTag, "HEAD")
	if err != nil {
		return nil, fmt.Errorf("rebase: %w", err)
	}
	plan, err := series.PlanRefresh(ctx, r.tree.repo, r.from.Series, commits)
	if err != nil {
		return nil, fmt.Errorf("rebase: %w", err)
	}
	plan.Dir = r.Patches()
	plan.Removed = nil
	old, err := filepath.Glob(filepath.Join(plan.Dir, "*.patch"))
	if err != nil {
		return nil, fmt.Errorf("rebase: %w", err)
	}
	for _, path := range old {
		if name := filepath.Base(path); !plan.Has(name) {
			plan.Removed = append(plan.Removed, name)
		}
	}
	return plan, nil
}

// Report of an earlier run, for going on by hand.
func (r *Rebasing) lastReport() (*series.Rebase, error) {
	var last series.Rebase
	if _, err := os.Stat(r.out("report.json")); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("rebase: nothing to go on with in %s\nnext: carry rebase %s --to VERSION", r.stream.Out("rebase"), r.stream)
	}
	readJSON(r.out("report.json"), &last)
	return &last, nil
}

// Solved takes the commits in the copy as the result, as a person left them. Every patch of the series has to be among
// them, by subject or by change, unless the report or drop (slugs) says where it went.
func (r *Rebasing) Solved(ctx context.Context, drop []string) error {
	last, err := r.lastReport()
	if err != nil {
		return err
	}
	if last.To != r.tree.base.String() {
		return fmt.Errorf("rebase: %s holds a rebase to %s\nnext: the same command with that target", r.stream.Out("rebase"), last.To)
	}
	if err := r.tree.settled(ctx); err != nil {
		return fmt.Errorf("rebase: %w", err)
	}
	plan, err := r.plan(ctx)
	if err != nil {
		return err
	}
	tip, err := r.tree.repo.Resolve(ctx, "HEAD")
	if err != nil {
		return fmt.Errorf("rebase: %w", err)
	}
	if err := last.Solve(plan, drop, tip); err != nil {
		return err
	}
	r.Report = last
	return r.finish(ctx)
}

// seen looks for a commit of the checkout's history with a patch-id, among those that touch the files.
func (b *sourceBase) seen(ctx context.Context, id string, files []string) (string, error) {
	repo := git.Repo{Dir: b.dir}
	// The newest thousand: history without end is read for minutes, and a patch is rarely older than its base.
	log, err := repo.Run(ctx, append([]string{"log", "--no-merges", "--max-count=1000", "--format=commit %H", "-p", "--full-index", "-M", b.commit, "--"}, files...)...)
	if err != nil {
		return "", fmt.Errorf("read history of %s: %w", b, err)
	}
	return repo.CommitWithPatchID(ctx, []byte(log), id)
}
