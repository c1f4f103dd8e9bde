package series

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"carry/internal/git"
)

// formatPatch are the options that write a patch file, each with its reason.
var formatPatch = []string{
	"format-patch",
	"-k",             // keep the subject: without it "[PATCH]" is added, and bracketed words are taken away by am
	"--zero-commit",  // the From line would hold a commit hash that changes with every edit of an earlier patch
	"--no-signature", // the signature is the version of git
	"--full-index",   // abbreviated blob hashes grow with the repository
}

// Format gives the patch file that git writes for one commit.
func Format(ctx context.Context, repo git.Repo, commit string) ([]byte, error) {
	out, err := repo.Run(ctx, append(formatPatch[:len(formatPatch):len(formatPatch)], "--stdout", "-1", commit)...)
	if err != nil {
		return nil, fmt.Errorf("format patch of %s: %w", commit, err)
	}
	return []byte(out), nil
}

// CheckRoundTrip holds each file against what git writes for the commit that it became (P1). repo has the series as
// the commits base..HEAD. Differences in stat, index lines and hunk headings only do not count.
func (s *Series) CheckRoundTrip(ctx context.Context, repo git.Repo, base string) ([]Finding, error) {
	commits, err := s.commits(ctx, repo, base)
	if err != nil {
		return nil, err
	}
	var found []Finding
	for i, p := range s.Patches {
		written, err := Format(ctx, repo, commits[i])
		if err != nil {
			return nil, err
		}
		switch {
		case bytes.Equal(written, p.Data):
		case bytes.Equal(essence(written), essence(p.Data)):
			f := p.Finding("P1", "", "stat, index lines or hunk headings are not as git writes them here; the change is the same", s.refreshCommand())
			f.Warning = true
			found = append(found, f)
		default:
			found = append(found, p.Finding("P1", "", "the file is not what git writes for its own commit: header, offsets or context are stale",
				s.refreshCommand()))
		}
	}
	return found, nil
}

// commits are the hashes of the commits that the patches became, in their order.
func (s *Series) commits(ctx context.Context, repo git.Repo, base string) ([]string, error) {
	out, err := repo.Run(ctx, "rev-list", "--reverse", base+"..HEAD")
	if err != nil {
		return nil, fmt.Errorf("list commits of %s: %w", s.Dir, err)
	}
	commits := strings.Fields(out)
	if len(commits) != len(s.Patches) {
		return nil, fmt.Errorf("%s has %d commits for %d patches\nnext: carry apply", repo.Dir, len(commits), len(s.Patches))
	}
	return commits, nil
}

// refreshCommand writes the files of the series again; its folder is named after component and stream.
func (s *Series) refreshCommand() string {
	return "carry refresh " + filepath.Base(filepath.Dir(s.Dir)) + " " + filepath.Base(s.Dir)
}

var (
	hunkHeading = regexp.MustCompile(`(?m)^(@@ [^@]+ @@).*$`)
	indexLine   = regexp.MustCompile(`(?m)^index [0-9a-f]+\.\.[0-9a-f]+.*\n`)
)

// essence is a patch file without the parts that say nothing about the change.
func essence(data []byte) []byte {
	header, rest, _ := bytes.Cut(data, []byte("\n---\n"))
	if i := bytes.Index(rest, []byte("\ndiff --git ")); i >= 0 {
		rest = rest[i:]
	}
	rest = hunkHeading.ReplaceAll(indexLine.ReplaceAll(rest, nil), []byte("$1"))
	return bytes.Join([][]byte{header, bytes.TrimRight(rest, "\n")}, []byte("\n---\n"))
}
