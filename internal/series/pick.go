package series

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"

	"carry/internal/git"
)

// State is what became of a patch on another base.
type State string

const (
	Clean    State = "clean"            // as it stands, at the same lines
	Offset   State = "offset"           // as it stands, at other lines
	ThreeWay State = "3-way"            // its context changed, git merged it by content
	Conflict State = "conflict"         // needs a person
	Upstream State = "already upstream" // the base has the change: dropped
	Partial  State = "partial"          // the base has a part of it: needs a person, who rewords or splits
	Dropped  State = "dropped"          // left out on purpose; Why says whose
)

// Pick is one patch on another base.
type Pick struct {
	Name    string `json:"name"`
	Subject string `json:"subject"`
	State   State  `json:"state"`
	// How is exact, equivalent or partial where the base has the change; empty elsewhere.
	How string `json:"how,omitempty"`
	// Why is the reason in words, where the state alone does not say it.
	Why string `json:"why,omitempty"`
	// Conflicts are the places that need a person.
	Conflicts []Hunk `json:"conflicts,omitempty"`
	// Present are the hunks that the base has, where it has a part.
	Present []string `json:"present,omitempty"`
	Commit  string   `json:"commit,omitempty"` // what it became; empty when it became nothing
	// Broken is what the compiler said against it on the new base; empty when it said nothing or was not asked.
	Broken string `json:"broken,omitempty"`

	tree string // after it
}

// Hunk is one conflicting place: what both sides and the old base have, between git's markers.
type Hunk struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Text string `json:"text"`
}

// NeedsWork says whether a person has to do something before the series can move.
func (p Pick) NeedsWork() bool {
	return p.State == Conflict || p.State == Partial || p.State == Dropped || p.Broken != ""
}

// Target is where patches are picked to.
type Target struct {
	Repo git.Repo // holds the objects of the old base, the series and the new base
	Base string   // tree of the old base
	// Seen says which upstream commit is the same change, by patch-id; nil or "" when none is known.
	Seen func(ctx context.Context, id string, files []string) (string, error)
}

// pick puts the change of a commit on a tree. Nothing but the object store changes.
func (t *Target) pick(ctx context.Context, p *Patch, c git.Commit, from, onto string) (Pick, error) {
	got := Pick{Name: p.Name, Subject: p.Subject, tree: onto}
	part, err := t.Repo.Part(ctx, onto, p.touched())
	if err != nil {
		return got, err
	}
	defer part.Close()
	if part.Behind != "" {
		got.State, got.Why, got.Conflicts = Conflict, part.Behind+": "+throughLink, []Hunk{{File: part.Behind, Line: 1}}
		return got, nil
	}
	said, err := part.Check(ctx, p.Data)
	applies, err := applied(err)
	if err != nil {
		return got, err
	}
	moved := offsets(said)
	switch {
	case !applies:
		return t.refused(ctx, got, p, part, c, from, onto)
	case len(moved) == 0:
		got.State = Clean
	default:
		if there, err := t.whole(ctx, got, p, part, onto); err != nil || there.State != "" {
			return there, err
		}
		got.State, got.Why = Offset, strings.Join(moved, ", ")
	}
	got.tree, _, err = part.Patched(ctx, p.Data)
	return got, err
}

// refused goes on with a patch that does not apply as it stands.
func (t *Target) refused(ctx context.Context, got Pick, p *Patch, part *git.Part, c git.Commit, from, onto string) (Pick, error) {
	if there, err := t.whole(ctx, got, p, part, onto); err != nil || there.State != "" {
		return there, err
	}
	seen, err := t.seen(ctx, p)
	if err != nil || seen != "" {
		got.State, got.How, got.Why = Upstream, "exact", "upstream's "+seen+" is the same change by patch-id"
		return got, err
	}
	if got.Present, err = present(ctx, part, p); err != nil {
		return got, err
	}
	return t.merge(ctx, got, p, c, from, onto)
}

// whole gives a state when all of a patch is there already. A change of context alone must not hide that: it is what
// git am -3 drops without a word.
func (t *Target) whole(ctx context.Context, got Pick, p *Patch, part *git.Part, onto string) (Pick, error) {
	_, err := part.Check(ctx, p.Data, "--reverse")
	there, err := applied(err)
	if err != nil || !there {
		return got, err
	}
	return t.upstream(ctx, got, p, onto, "the whole change applies in reverse")
}

// merge puts the change on by content, with the blobs of both bases at hand.
func (t *Target) merge(ctx context.Context, got Pick, p *Patch, c git.Commit, from, onto string) (Pick, error) {
	m, err := t.Repo.Merge(ctx, from, onto, c.Tree)
	if err != nil {
		return got, err
	}
	switch {
	case len(m.Conflicts) > 0:
		got.State, got.Why = Conflict, strings.Join(m.Said, "; ")
		got.Conflicts = t.hunks(ctx, m)
		if len(got.Present) > 0 {
			got.How = "partial"
		}
	case m.Tree == onto:
		return t.upstream(ctx, got, p, onto, "a 3-way merge changes nothing")
	case len(got.Present) > 0:
		got.State, got.How, got.tree, got.Why = Partial, "partial", m.Tree, "the rest is merged; reword the commit, or drop it"
	default:
		got.State, got.tree = ThreeWay, m.Tree
	}
	return got, nil
}

// upstream says how sure it is that the base has the change.
func (t *Target) upstream(ctx context.Context, got Pick, p *Patch, onto, why string) (Pick, error) {
	got.State, got.How, got.Why, got.Present = Upstream, "equivalent", why, nil
	seen, err := t.seen(ctx, p)
	if err != nil || seen != "" {
		got.How, got.Why = "exact", "upstream's "+seen+" is the same change by patch-id"
		return got, err
	}
	// Without upstream's history the two trees are all there is: exact is when they differ in these files by the patch
	// and nothing else.
	same, err := t.sameDifference(ctx, p, onto)
	if err != nil || same {
		got.How, got.Why = "exact", "the old and the new base differ in its files by this change alone"
	}
	return got, err
}

func (t *Target) seen(ctx context.Context, p *Patch) (string, error) {
	if t.Seen == nil {
		return "", nil
	}
	id, err := t.Repo.PatchID(ctx, p.Data)
	if err != nil {
		return "", err
	}
	return t.Seen(ctx, id, p.touched())
}

func (t *Target) sameDifference(ctx context.Context, p *Patch, onto string) (bool, error) {
	diff, err := t.Repo.Run(ctx, append([]string{"diff-tree", "-p", "--full-index", "-M", t.Base, onto, "--"}, p.touched()...)...)
	if err != nil {
		return false, err
	}
	theirs, err := t.Repo.PatchID(ctx, []byte(diff))
	if err != nil || theirs == "" {
		return false, err
	}
	ours, err := t.Repo.PatchID(ctx, p.Data)
	return ours == theirs, err
}

func (p *Patch) touched() []string { return (&Series{Patches: []*Patch{p}}).Touched() }

// present are the hunks of a patch that its files have already, each tried by itself in reverse.
func present(ctx context.Context, part *git.Part, p *Patch) ([]string, error) {
	var found []string
	for _, f := range p.Files {
		if f.IsNew || f.IsDelete || f.IsRename {
			continue // there or not as a whole: that has been tried
		}
		for i, frag := range f.TextFragments {
			one := *f
			one.TextFragments = []*gitdiff.TextFragment{frag}
			_, err := part.Check(ctx, []byte(one.String()), "--reverse")
			there, err := applied(err)
			if err != nil {
				return nil, err
			}
			if there {
				found = append(found, fmt.Sprintf("%s: hunk %d (%s)", f.NewName, i+1, strings.TrimSpace(strings.SplitAfter(frag.Header(), " @@")[0])))
			}
		}
	}
	return found, nil
}

// applied tells a patch that was refused from git that failed.
func applied(err error) (bool, error) {
	var refused *git.Error
	switch {
	case err == nil:
		return true, nil
	case errors.As(err, &refused) && refused.Code == 1:
		return false, nil
	}
	return false, err
}

var (
	checking     = regexp.MustCompile(`^Checking patch (.+)\.\.\.$`)
	succeededOff = regexp.MustCompile(`^Hunk #(\d+) succeeded at \d+ \(offset (-?\d+) lines?\)`)
)

// offsets reads from git apply --verbose which hunks went somewhere else than where the patch says.
func offsets(said string) []string {
	var found []string
	file := ""
	for line := range strings.Lines(said) {
		line = strings.TrimSpace(line)
		if m := checking.FindStringSubmatch(line); m != nil {
			file = m[1]
		}
		if m := succeededOff.FindStringSubmatch(line); m != nil {
			found = append(found, fmt.Sprintf("%s hunk %s by %s", file, m[1], m[2]))
		}
	}
	return found
}

// hunks cuts the places between conflict markers out of the merged files.
func (t *Target) hunks(ctx context.Context, m git.Merged) []Hunk {
	var found []Hunk
	for _, name := range m.Conflicts {
		data, ok := t.Repo.File(ctx, m.Tree, name)
		here := markedParts(name, data)
		if !ok || len(here) == 0 {
			here = []Hunk{{File: name, Line: 1}} // removed, renamed or added on one side: git's message says which
		}
		found = append(found, here...)
	}
	return found
}

func markedParts(name string, data []byte) []Hunk {
	var found []Hunk
	for i, line := range bytes.SplitAfter(data, []byte("\n")) {
		if bytes.HasPrefix(line, []byte("<<<<<<< ")) {
			found = append(found, Hunk{File: name, Line: i + 1})
			line = []byte("<<<<<<< the new base\n")
		}
		if n := len(found); n > 0 && !strings.HasSuffix(found[n-1].Text, endMark) {
			switch {
			case bytes.HasPrefix(line, []byte("||||||| ")):
				line = []byte("||||||| the old base\n")
			case bytes.HasPrefix(line, []byte(">>>>>>> ")):
				line = []byte(endMark)
			}
			found[n-1].Text += string(line)
		}
	}
	return found
}

const endMark = ">>>>>>> the patch\n"

// String is how a report names the place.
func (h Hunk) String() string { return h.File + ":" + strconv.Itoa(h.Line) }
