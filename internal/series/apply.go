package series

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"carry/internal/git"
)

// ApplyError is a patch that git would not take. The tree is left at the commit before it.
type ApplyError struct {
	Patch *Patch
	Repo  git.Repo
	File  string // the file inside the tree; empty when git named none
	Line  int    // of the hunk in the old file; 0 when git named none
	Said  string // git's own words
	Link  bool   // a symbolic link stands in the way of the file
}

// Error names patch, file and hunk, and the commands that go on from there.
func (e *ApplyError) Error() string {
	where := ""
	if e.File != "" {
		where = ": " + e.File
		if hunk := e.hunk(); hunk != "" {
			where += ": " + hunk
		}
	}
	path, err := filepath.Abs(e.Patch.Path)
	if err != nil {
		path = e.Patch.Path
	}
	return fmt.Sprintf("apply %s%s: %s\nnext: %s", e.Patch.Name, where, e.Said, e.next("git -C "+e.Repo.Dir+" am --3way "+path+
		"   (solve, then git am --continue; or mend the patch file and run carry apply again)"))
}

// next is what goes on from the refusal: a merge, unless no merge can help.
func (e *ApplyError) next(merge string) string {
	if e.Link {
		return "name in the patch the file that the link leads to"
	}
	return merge
}

// Finding is the refusal as a broken rule, at the hunk that git named.
func (e *ApplyError) Finding() Finding {
	where := strings.TrimSuffix(e.File+": "+e.hunk(), ": ")
	at := " b/" + e.File + "\n"
	if _, header, ok := strings.Cut(e.hunk(), "("); ok {
		at = "\n" + strings.TrimSuffix(header, ")")
	}
	return e.Patch.Finding("P1", at, strings.TrimPrefix(where+": ", ": ")+e.Said, e.next(fmt.Sprintf("git -C %s am --3way %s, solve, then carry refresh", e.Repo.Dir, e.Patch.Path)))
}

// hunk gives "hunk 2 (@@ -10,3 +10,5 @@)" for the hunk that starts at Line.
func (e *ApplyError) hunk() string {
	for _, f := range e.Patch.Files {
		if f.OldName != e.File && f.NewName != e.File {
			continue
		}
		for i, frag := range f.TextFragments {
			if int(frag.OldPosition) == e.Line {
				return fmt.Sprintf("hunk %d (%s)", i+1, strings.TrimSpace(strings.SplitAfter(frag.Header(), " @@")[0]))
			}
		}
	}
	return ""
}

// Apply puts the series on HEAD, one commit per patch, as plain git am does. The committer date is the author date,
// so that the same files give the same commits. On failure nothing of the failing patch is left behind.
func Apply(ctx context.Context, repo git.Repo, s *Series) error {
	for _, p := range s.Patches {
		if err := applyOne(ctx, repo, p); err != nil {
			return err
		}
	}
	return nil
}

func applyOne(ctx context.Context, repo git.Repo, p *Patch) error {
	path, err := filepath.Abs(p.Path)
	if err != nil {
		return fmt.Errorf("apply %s: %w", p.Name, err)
	}
	_, err = repo.Run(ctx, "am", "--quiet", "--committer-date-is-author-date", "--no-gpg-sign", path)
	var said *git.Error
	if !errors.As(err, &said) {
		return err
	}
	if repo.Busy() {
		if _, err := repo.Run(ctx, "am", "--abort"); err != nil {
			return fmt.Errorf("abort %s: %w", p.Name, err)
		}
	}
	behind, err := repo.Behind(ctx, "HEAD", p.touched())
	if err != nil {
		return fmt.Errorf("apply %s: %w", p.Name, err)
	}
	return applyError(repo, p, said, behind)
}

var (
	patchFailed  = regexp.MustCompile(`error: patch failed: (.+):(\d+)`)
	doesNotApply = regexp.MustCompile(`error: (.+?): (patch does not apply|already exists in working directory|already exists in index|does not exist in index|No such file or directory|does not match index)`)
)

// throughLink is a rule of git's own, which holds for the base as well as for what a patch adds: a link may lead out of
// the tree.
const throughLink = "a symbolic link stands in its path, and a patch must not reach through it"

func applyError(repo git.Repo, p *Patch, said *git.Error, behind string) error {
	e := &ApplyError{Patch: p, Repo: repo, Said: "patch does not apply"}
	switch {
	case patchFailed.MatchString(said.Stderr):
		m := patchFailed.FindStringSubmatch(said.Stderr)
		e.File = m[1]
		e.Line, _ = strconv.Atoi(m[2])
	case behind != "":
		e.File, e.Said, e.Link = behind, throughLink, true
	case doesNotApply.MatchString(said.Stderr):
		m := doesNotApply.FindStringSubmatch(said.Stderr)
		e.File, e.Said = m[1], m[2]
	default:
		return fmt.Errorf("apply %s: %w", p.Name, said)
	}
	return e
}
