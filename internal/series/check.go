package series

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
)

// Finding is one broken rule, as "path:line: message"; Rule is its number in DESIGN's table, P1 to P7.
type Finding struct {
	Path    string `json:"path"`
	Line    int    `json:"line"`
	Rule    string `json:"rule"`
	Message string `json:"message"`
	Next    string `json:"next"` // the command or edit that mends it
	// Warning says that the rule is kept, but not in the form that carry writes.
	Warning bool `json:"warning,omitempty"`
}

func (f Finding) String() string {
	rule := f.Rule
	if f.Warning {
		rule += ": warning"
	}
	return fmt.Sprintf("%s:%d: %s: %s\n\tnext: %s", f.Path, f.Line, rule, f.Message, f.Next)
}

// maxSubject is what git format-patch -k leaves on one line; a longer subject folds and no longer matches itself.
const maxSubject = 69

// maxBody is how wide a commit message's lines may be.
const maxBody = 72

// Check holds the files of a series against the rules that need nothing but the files: numbering and names (P1),
// subject (P2), body and trailers (P3), words that upstream's bots refuse (P4), size (P5), a unit test (the half of P6
// that the file alone shows). scenarios are the names a Test: trailer may have.
func (s *Series) Check(scenarios []string) []Finding {
	var found []Finding
	for i, p := range s.Patches {
		checks := []func(*Patch) []Finding{
			checkSubject, checkArea, checkBody, checkBots, checkSize, checkUnitTest,
			func(p *Patch) []Finding { return checkTrailers(p, scenarios) },
			func(p *Patch) []Finding { return checkDepends(p, s.Patches[:i]) },
		}
		if s.incomplete {
			checks = checks[:len(checks)-1]
		} else {
			found = append(found, checkName(p, i+1, s.Patches[:i])...)
		}
		for _, check := range checks {
			found = append(found, check(p)...)
		}
	}
	return found
}

// Finding names the first line of the patch that holds text, line 1 when none does.
func (p *Patch) Finding(rule, text, message, next string) Finding {
	line := 1
	if i := strings.Index(string(p.Data), text); text != "" && i >= 0 {
		line += strings.Count(string(p.Data[:i]), "\n")
		if text[0] == '\n' {
			line++ // the text starts with the end of the line before
		}
	}
	return Finding{Path: p.Path, Line: line, Rule: rule, Message: message, Next: next}
}

var subjectForm = regexp.MustCompile(`^UPSTREAM: <(carry|drop|\d+)>: ([a-z0-9][a-z0-9 ./_-]*): (\S.*)$`)

// Class is carry, drop or an upstream pull request's number; empty when the subject has none.
func (p *Patch) Class() string {
	if m := subjectForm.FindStringSubmatch(p.Subject); m != nil {
		return m[1]
	}
	return ""
}

// Slug is the file name that the subject asks for, without number and ending: git format-patch's own rule on the
// subject without its class.
func (p *Patch) Slug() string {
	title := p.Subject
	if m := subjectForm.FindStringSubmatch(title); m != nil {
		title = m[2] + ": " + m[3]
	}
	var b strings.Builder
	gap := false
	for _, r := range title {
		keep := r == '.' || r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		if !keep {
			gap = true
			continue
		}
		if gap && b.Len() > 0 {
			b.WriteByte('-')
		}
		gap = false
		b.WriteRune(r)
	}
	slug := b.String()
	if len(slug) > 52 {
		slug = slug[:52]
	}
	return strings.TrimRight(slug, ".-")
}

func checkName(p *Patch, number int, earlier []*Patch) []Finding {
	want := fmt.Sprintf("%04d-%s.patch", number, p.Slug())
	if p.Name == want {
		return nil
	}
	why := "the rest is the subject"
	switch {
	case slices.ContainsFunc(earlier, func(e *Patch) bool { return e.Number == p.Number }):
		why = fmt.Sprintf("number %04d is taken twice", p.Number)
	case p.Number > number:
		why = fmt.Sprintf("number %04d is missing", number)
	}
	return []Finding{p.Finding("P1", "", fmt.Sprintf("the file's name should be %s: numbers run from 1 without a gap, %s", want, why),
		fmt.Sprintf("git mv %s %s", p.Path, strings.TrimSuffix(p.Path, p.Name)+want))}
}

func checkSubject(p *Patch) []Finding {
	var found []Finding
	if !subjectForm.MatchString(p.Subject) {
		found = append(found, p.Finding("P2", "Subject:", fmt.Sprintf("subject %q is not `UPSTREAM: <carry|drop|N>: area: imperative`", p.Subject), "reword the commit"))
	}
	if len(p.Subject) > maxSubject {
		found = append(found, p.Finding("P2", "Subject:", fmt.Sprintf("subject of %d characters, at most %d do not fold", len(p.Subject), maxSubject), "reword the commit"))
	}
	return found
}

// checkArea holds the subject's area against the files: upstream names a change after the folder or program it is in.
func checkArea(p *Patch) []Finding {
	m := subjectForm.FindStringSubmatch(p.Subject)
	if m == nil {
		return nil
	}
	plain := strings.NewReplacer("-", "", "_", "", ".go", "").Replace
	for _, name := range p.touched() {
		for _, part := range strings.Split(name, "/") {
			if strings.Contains("/"+plain(m[2])+"/", "/"+plain(part)+"/") {
				return nil
			}
		}
	}
	return []Finding{p.Finding("P2", "Subject:", fmt.Sprintf("area %q is no folder or file that the patch touches", m[2]), "reword the commit with upstream's own word")}
}

func checkBody(p *Patch) []Finding {
	var found []Finding
	last := -1
	for _, heading := range []string{"Problem:", "Cause:", "Fix:"} {
		at := strings.Index("\n"+p.Body, "\n"+heading)
		if at < 0 || at < last {
			found = append(found, p.Finding("P3", "Subject:", fmt.Sprintf("no paragraph that starts with %q, in the order Problem, Cause, Fix", heading), "reword the commit"))
		}
		last = max(last, at)
	}
	for line := range strings.Lines(p.Body) {
		line = strings.TrimRight(line, "\n")
		if len(line) > maxBody && strings.Contains(strings.TrimSpace(line), " ") && !strings.Contains(line, "://") {
			found = append(found, p.Finding("P3", line, fmt.Sprintf("line of %d characters, wrap at %d", len(line), maxBody), "reword the commit"))
		}
	}
	return found
}

// upstreamStatus are Yocto's values for a patch's standing with upstream; text may follow.
var upstreamStatus = []string{"Pending", "Submitted", "Backport", "Denied", "Inactive-Upstream", "Inappropriate"}

func checkTrailers(p *Patch, scenarios []string) []Finding {
	var found []Finding
	bad := func(text, message string, args ...any) {
		found = append(found, p.Finding("P3", text, fmt.Sprintf(message, args...), "reword the commit"))
	}
	for _, key := range []string{"Bug", "Upstream-Status", "Drop-When", "Test"} {
		if p.Trailer(key) == "" {
			bad("Subject:", "no trailer %s:", key)
		}
	}
	if bug := p.Trailer("Bug"); bug != "" && bug != "none public" && !strings.HasPrefix(bug, "https://") {
		bad("Bug: ", "Bug: %q is neither an https URL nor `none public`", bug)
	}
	if st := p.Trailer("Upstream-Status"); st != "" && !slices.Contains(upstreamStatus, strings.Fields(st)[0]) {
		bad("Upstream-Status: ", "Upstream-Status: %q is none of %s", st, strings.Join(upstreamStatus, ", "))
	}
	if test := p.Trailer("Test"); test != "" && !slices.Contains(scenarios, test) {
		bad("Test: ", "Test: %q is no scenario of this component", test)
	}
	for _, t := range p.Trailers {
		if t.Key == "Signed-off-by" {
			bad("Signed-off-by: ", "a sign-off is a person's statement; export takes it from whoever exports")
		}
	}
	return found
}

func checkDepends(p *Patch, earlier []*Patch) []Finding {
	var found []Finding
	for _, on := range p.dependsOn() {
		if !slices.ContainsFunc(earlier, func(e *Patch) bool { return e.fileSlug() == on }) {
			found = append(found, p.Finding("P3", "Depends-On: "+on, fmt.Sprintf("Depends-On: %q is the slug of no earlier patch", on), "reword the commit"))
		}
	}
	return found
}

// What Prow's invalidcommitmsg plugin refuses: mentions, and keywords that close an issue.
var (
	mention = regexp.MustCompile(`(^|[^\w/])@[A-Za-z0-9][\w-]*`)
	closing = regexp.MustCompile(`(?i)\b(close[sd]?|fix(e[sd])?|resolve[sd]?)[\s:]+(\w[\w.-]*/[\w.-]+)?#\d+`)
)

func checkBots(p *Patch) []Finding {
	var found []Finding
	for line := range strings.Lines(p.Subject + "\n" + p.Body + "\n") {
		line = strings.TrimRight(line, "\n")
		if mention.MatchString(line) {
			found = append(found, p.Finding("P4", line, "a mention (@name) makes upstream's bots refuse the commit", "reword the commit"))
		}
		if closing.MatchString(line) {
			found = append(found, p.Finding("P4", line, "a closing keyword with a number makes upstream's bots refuse the commit", "reword the commit"))
		}
	}
	return found
}

// maxChanged is how many lines, added and removed, a patch may change without saying why.
const maxChanged = 150

func checkSize(p *Patch) []Finding {
	changed := int64(0)
	for _, f := range p.Files {
		for _, frag := range f.TextFragments {
			changed += frag.LinesAdded + frag.LinesDeleted
		}
	}
	if changed <= maxChanged || p.Trailer("Size-Reason") != "" {
		return nil
	}
	return []Finding{p.Finding("P5", "\n---\n", fmt.Sprintf("%d changed lines, at most %d without a trailer Size-Reason:", changed, maxChanged),
		"split the commit, or reword it with the reason")}
}

func checkUnitTest(p *Patch) []Finding {
	tested := slices.ContainsFunc(p.Files, func(f *gitdiff.File) bool { return strings.HasSuffix(f.NewName, "_test.go") })
	if tested || p.Trailer("No-Unit-Test") != "" {
		return nil
	}
	return []Finding{p.Finding("P6", "\n---\n", "changes no unit test and has no trailer No-Unit-Test:", "add a test in upstream's style, or reword the commit with the reason")}
}
