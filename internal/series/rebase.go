package series

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"carry/internal/git"
)

// Rebase is a series on another base, and what became of each patch.
type Rebase struct {
	From string `json:"from"` // the old base, as a person names it
	To   string `json:"to"`
	// Outcome is clean (the series can move as it is) or needs work.
	Outcome string `json:"outcome"`
	// Compiled says that the compiler was asked after every patch.
	Compiled bool   `json:"compiled"`
	Patches  []Pick `json:"patches"`
	// RangeDiff compares old and new commits, one line each, as git range-diff does.
	RangeDiff []string `json:"rangeDiff"`
	Tip       string   `json:"tip"` // the last new commit
}

// Outcomes of a rebase.
const (
	OutcomeClean     = "clean"
	OutcomeNeedsWork = "needs work"
)

// Rebase picks every patch in order onto the commit onto. What needs a person is left out, and the patches after it
// are still tried, so that one run reports everything. commits are the series on its old base, one per patch.
func (t *Target) Rebase(ctx context.Context, s *Series, commits []git.Commit, onto string) (*Rebase, error) {
	if len(commits) != len(s.Patches) {
		return nil, fmt.Errorf("rebase %s: %d commits for %d patches\nnext: carry apply", s.Dir, len(commits), len(s.Patches))
	}
	tip, err := t.Repo.Show(ctx, onto)
	if err != nil {
		return nil, fmt.Errorf("rebase %s: %w", s.Dir, err)
	}
	r := &Rebase{Outcome: OutcomeClean, Patches: []Pick{}}
	from := t.Base
	for i, p := range s.Patches {
		got, err := t.step(ctx, p, commits[i], from, &tip)
		if err != nil {
			return nil, fmt.Errorf("rebase %s: %w", p.Name, err)
		}
		from = commits[i].Tree
		for _, slug := range p.dependsOn() {
			if on := leftOut(r.Patches, slug); on != "" && got.State == Conflict {
				got.Why = strings.TrimPrefix(got.Why+"; it depends on "+on+", which is left out", "; ")
			}
		}
		if got.NeedsWork() {
			r.Outcome = OutcomeNeedsWork
		}
		r.Patches = append(r.Patches, got)
	}
	r.Tip = tip.Hash
	return r, t.account(ctx, r, s, onto)
}

// step picks one patch and moves the tip.
func (t *Target) step(ctx context.Context, p *Patch, c git.Commit, from string, tip *git.Commit) (Pick, error) {
	if p.Class() == "drop" {
		return Pick{Name: p.Name, Subject: p.Subject, State: Dropped, Why: "class <drop>: make it again on the new base"}, nil
	}
	got, err := t.pick(ctx, p, c, from, tip.Tree)
	if err != nil || got.tree == tip.Tree {
		return got, err
	}
	next := c
	next.Tree, next.Parents = got.tree, []string{tip.Hash}
	if next.Hash, err = t.Repo.Write(ctx, next); err != nil {
		return got, err
	}
	got.Commit = next.Hash
	*tip = next
	return got, nil
}

// Link is a patch with the commit that it is in its series.
type Link struct {
	Patch       *Patch
	Before      string // tree of the commit before
	Commit      git.Commit
	Name, Email string // author of the new commit
	Message     string // of the new commit
}

// Chain picks patches one after the other, each as a new commit, and gives what became of them and the last commit.
// The first that needs a person ends it.
func (t *Target) Chain(ctx context.Context, links []Link, onto string) ([]Pick, string, error) {
	tip, err := t.Repo.Show(ctx, onto)
	if err != nil {
		return nil, "", err
	}
	var picks []Pick
	for _, l := range links {
		got, err := t.pick(ctx, l.Patch, l.Commit, l.Before, tip.Tree)
		if err != nil {
			return picks, "", err
		}
		if got.tree != tip.Tree {
			next := git.Commit{Tree: got.tree, Parents: []string{tip.Hash}, Name: l.Name, Email: l.Email, Date: l.Commit.Date, Message: l.Message}
			if next.Hash, err = t.Repo.Write(ctx, next); err != nil {
				return picks, "", err
			}
			got.Commit = next.Hash
			tip = next
		}
		picks = append(picks, got)
		if got.NeedsWork() {
			break
		}
	}
	return picks, tip.Hash, nil
}

// Break records what the compiler said against patch i (from 0); nothing is fine.
func (r *Rebase) Break(i int, said string) {
	r.Patches[i].Broken = said
	if said != "" {
		r.Outcome = OutcomeNeedsWork
	}
}

// leftOut gives the file of an earlier patch with that slug that became no commit.
func leftOut(earlier []Pick, slug string) string {
	for _, p := range earlier {
		if slug != "" && strings.HasSuffix(p.Name, "-"+slug+".patch") && p.Commit == "" && p.State != Upstream {
			return p.Name
		}
	}
	return ""
}

// account makes sure that every patch is a commit or has a reason not to be one: a patch that vanishes without a word
// is how carried patches get lost.
func (t *Target) account(ctx context.Context, r *Rebase, s *Series, onto string) error {
	made, err := t.Repo.Between(ctx, onto, r.Tip)
	if err != nil {
		return err
	}
	for i, p := range s.Patches {
		got := r.Patches[i]
		isCommit := slices.ContainsFunc(made, func(c git.Commit) bool { return c.Hash == got.Commit })
		explained := got.State == Upstream || got.State == Conflict || got.State == Dropped
		if got.Name != p.Name || isCommit == explained {
			return fmt.Errorf("rebase %s: %s is %q and has no commit: it would have vanished without a word", s.Dir, p.Name, got.State)
		}
	}
	return nil
}

var rangeLine = regexp.MustCompile(`^ *(\d+|-):  (\w+|-+) [=!<>] +(\d+|-):  (\w+|-+) .*`)

// Compare fills in the range-diff of two ranges of commits: one line per patch in the report, all of it as the result.
func (r *Rebase) Compare(ctx context.Context, repo git.Repo, oldBase, oldTip, newBase string) (string, error) {
	r.RangeDiff = []string{}
	for _, ends := range [][2]string{{oldBase, oldTip}, {newBase, r.Tip}} {
		// git takes no empty range; what became of each patch is said already.
		if made, err := repo.Run(ctx, "rev-list", "--max-count=1", ends[0]+".."+ends[1]); err != nil || made == "" {
			return "", err
		}
	}
	out, err := repo.Run(ctx, "range-diff", "--no-color", "--creation-factor=80", oldBase+".."+oldTip, newBase+".."+r.Tip)
	if err != nil {
		return "", fmt.Errorf("compare old and new series: %w", err)
	}
	for line := range strings.Lines(out) {
		if line = strings.TrimRight(line, "\n"); rangeLine.MatchString(line) {
			r.RangeDiff = append(r.RangeDiff, line)
		}
	}
	return out, nil
}

// Text is the report for people.
func (r *Rebase) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s -> %s: %s\n", r.From, r.To, r.Outcome)
	for _, p := range r.Patches {
		state := string(p.State)
		if p.How != "" && p.State != Partial {
			state += " (" + p.How + ")"
		}
		fmt.Fprintf(&b, "%-30s %s\n", state, p.Name)
		if p.Why != "" {
			fmt.Fprintf(&b, "\t%s\n", p.Why)
		}
		if p.Broken != "" {
			fmt.Fprintf(&b, "\tdoes not compile: %s\n", p.Broken)
		}
		for _, there := range p.Present {
			fmt.Fprintf(&b, "\tthere already: %s\n", there)
		}
		for _, h := range p.Conflicts {
			fmt.Fprintf(&b, "\t%s\n", h)
			for line := range strings.Lines(h.Text) {
				b.WriteString("\t\t" + line)
			}
		}
	}
	if r.Compiled {
		b.WriteString("compiled: after every patch the packages that it touches, and the component\n")
	} else {
		b.WriteString("not compiled: --compile does (minutes)\n")
	}
	if len(r.RangeDiff) > 0 {
		b.WriteString("range-diff:\n")
		for _, line := range r.RangeDiff {
			b.WriteString("\t" + line + "\n")
		}
	}
	return b.String()
}

// Solve takes a person's commits as the result of a rebase that needed work. plan holds them against the series as it
// was; drop names patches that are left out on purpose.
func (r *Rebase) Solve(plan *Refresh, drop []string, tip string) error {
	r.Tip, r.Outcome, r.Compiled = tip, OutcomeClean, false
	for i, p := range r.Patches {
		slug := strings.TrimSuffix(p.Name, ".patch")[5:]
		at := slices.IndexFunc(plan.Files, func(f File) bool { return f.Was == p.Name })
		switch {
		case at >= 0:
			r.Patches[i].Commit = plan.Files[at].Commit.Hash
			if p.NeedsWork() {
				r.Patches[i] = Pick{Name: p.Name, Subject: p.Subject, State: ThreeWay, Why: "solved by hand", Commit: plan.Files[at].Commit.Hash}
			}
		case slices.Contains(drop, slug):
			r.Patches[i] = Pick{Name: p.Name, Subject: p.Subject, State: Dropped, Why: "with --drop"}
		case p.State != Upstream:
			return fmt.Errorf("rebase: no commit stands for %s, and nobody said that it is dropped\nnext: git cherry-pick it from old-series, or add --drop %s", p.Name, slug)
		}
	}
	return nil
}
