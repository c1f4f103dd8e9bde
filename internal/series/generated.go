package series

import (
	"context"
	"fmt"
	"regexp"

	"carry/internal/git"
)

// generatedMark is how a file says that a program wrote it: Go's own convention (go help generate), behind the comment
// sign of any language.
var generatedMark = regexp.MustCompile(`(?m)^(//|/\*|#|;|<!--) *Code generated .*DO NOT EDIT\.?\W*$`)

// markWithin is how far into a file the mark may stand, in bytes, after a licence: what comes later is a generator's.
const markWithin = 4096

// CheckGenerated wants generated files apart, in patches of class drop that hold nothing else (P5): a rebase throws
// them away and the generator writes them anew, which must take no line of a person's along. repo has the series as
// the commits base..HEAD.
func (s *Series) CheckGenerated(ctx context.Context, repo git.Repo, base string) ([]Finding, error) {
	commits, err := s.commits(ctx, repo, base)
	if err != nil {
		return nil, err
	}
	var found []Finding
	for i, p := range s.Patches {
		var generated, written []string
		for _, f := range p.Files {
			name, commit := f.NewName, commits[i]
			if f.IsDelete {
				name, commit = f.OldName, commits[i]+"^"
			}
			data, _ := repo.File(ctx, commit, name)
			if generatedMark.Match(data[:min(len(data), markWithin)]) {
				generated = append(generated, name)
			} else {
				written = append(written, name)
			}
		}
		bad := func(name, message string) {
			found = append(found, p.Finding("P5", "diff --git a/"+name+" ", fmt.Sprintf("%s is generated: %s", name, message),
				"give it a commit of its own with the subject `UPSTREAM: <drop>: ...`, then "+s.refreshCommand()))
		}
		switch {
		case len(generated) == 0:
		case len(written) > 0:
			bad(generated[0], "it stands apart from what is written, as "+written[0]+" is")
		case p.Class() != "drop":
			bad(generated[0], "its patch is of class <drop>")
		}
	}
	return found, nil
}
