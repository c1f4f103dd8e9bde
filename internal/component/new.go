package component

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"carry/internal/git"
	"carry/internal/series"
)

// CommitDiff is the change of a commit of a checkout, named as DIR@REV, with its author and date.
func CommitDiff(ctx context.Context, arg string) (diff []byte, c git.Commit, err error) {
	b, err := Source(ctx, arg, "")
	if err != nil {
		return nil, c, err
	}
	repo := git.Repo{Dir: b.dir}
	if c, err = repo.Show(ctx, b.commit); err != nil {
		return nil, c, err
	}
	data, err := series.Format(ctx, repo, b.commit)
	if i := bytes.Index(data, []byte("\ndiff --git ")); i >= 0 {
		return data[i+1:], c, err
	}
	return nil, c, fmt.Errorf("commit %s changes no file", b)
}

// CommitDate is an author date as git stores it ("@seconds zone").
func CommitDate(c git.Commit) time.Time {
	var seconds int64
	var zone string
	if _, err := fmt.Sscanf(c.Date, "@%d %s", &seconds, &zone); err != nil {
		return time.Time{}
	}
	at := time.Unix(seconds, 0).UTC()
	if z, err := time.Parse("-0700", zone); err == nil {
		at = at.In(z.Location())
	}
	return at
}

// NewPatch appends a patch to the series of t: it is put on the tree, and the file is what git writes for it. When it
// does not apply, tree and files stay as they are.
func (s *Stream) NewPatch(ctx context.Context, t *Tree, h series.Header, diff []byte) (string, error) {
	if err := t.settled(ctx); err != nil {
		return "", fmt.Errorf("new patch: %w", err)
	}
	draft, err := s.draft(t, h, diff)
	if err != nil {
		return "", fmt.Errorf("new patch: %w", err)
	}
	defer os.RemoveAll(draft.Dir)
	// The new patch may touch a staging module that the tree has not: then it is another base.
	next := s.Tree(draft)
	if _, err := next.Fetch(ctx); err != nil {
		return "", err
	}
	if _, err := next.Apply(ctx); err != nil {
		_, fetchErr := t.Fetch(ctx)
		_, applyErr := t.Apply(ctx)
		if fetchErr != nil || applyErr != nil {
			return "", fmt.Errorf("new patch: %w; and the tree could not be restored: %v %v", err, fetchErr, applyErr)
		}
		return "", fmt.Errorf("new patch: %s", withoutNext(err))
	}
	commits, err := next.repo.Between(ctx, baseTag, "HEAD")
	if err != nil {
		return "", err
	}
	plan, err := series.PlanRefresh(ctx, next.repo, t.Series, commits)
	if err != nil {
		return "", err
	}
	if err := plan.Write(); err != nil {
		return "", err
	}
	if next.Series, err = series.Load(t.Series.Dir); err != nil {
		return "", err
	}
	return plan.Files[len(plan.Files)-1].Name, next.reapply(ctx, next.state())
}

// withoutNext is an error without its advice, which speaks of a file that is not kept.
func withoutNext(err error) string {
	said, _, _ := strings.Cut(err.Error(), "\nnext: ")
	return said + "\nnext: make the change in the tree and commit it there, then carry refresh"
}

// draft is the series with one more patch, in a folder of its own.
func (s *Stream) draft(t *Tree, h series.Header, diff []byte) (*series.Series, error) {
	dir, err := os.MkdirTemp("", "carry-new-")
	if err != nil {
		return nil, err
	}
	for _, p := range t.Series.Patches {
		if err := os.WriteFile(filepath.Join(dir, p.Name), p.Data, 0o644); err != nil {
			return nil, err
		}
	}
	name := fmt.Sprintf("%04d-%s", len(t.Series.Patches)+1, "new.patch")
	if err := os.WriteFile(filepath.Join(dir, name), h.Patch(diff), 0o644); err != nil {
		return nil, err
	}
	return series.Load(dir)
}
