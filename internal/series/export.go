package series

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"carry/internal/git"
)

// Needed are the patches that one needs before it, by Depends-On and what those need in turn, in order, and itself last.
func (s *Series) Needed(p *Patch) []*Patch {
	wanted := map[*Patch]bool{p: true}
	for i := len(s.Patches) - 1; i >= 0; i-- {
		if !wanted[s.Patches[i]] {
			continue
		}
		for _, slug := range s.Patches[i].dependsOn() {
			for _, earlier := range s.Patches[:i] {
				if earlier.fileSlug() == slug {
					wanted[earlier] = true
				}
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(s.Patches), func(other *Patch) bool { return !wanted[other] })
}

func (p *Patch) dependsOn() []string {
	var slugs []string
	for _, t := range p.Trailers {
		if t.Key == "Depends-On" {
			slugs = append(slugs, t.Value)
		}
	}
	return slugs
}

// fileSlug is the file's name without number and ending.
func (p *Patch) fileSlug() string {
	name := strings.TrimSuffix(p.Name, ".patch")
	if _, slug, ok := strings.Cut(name, "-"); ok {
		return slug
	}
	return name
}

// Find gives the patch with that number or slug.
func (s *Series) Find(name string) (*Patch, error) {
	var known []string
	for _, p := range s.Patches {
		if p.fileSlug() == name || p.Name == name || strings.TrimLeft(name, "0") == fmt.Sprint(p.Number) {
			return p, nil
		}
		known = append(known, p.fileSlug())
	}
	return nil, fmt.Errorf("no patch %q in %s\nnext: name one by number or slug: %s", name, s.Dir, strings.Join(known, ", "))
}

// Title is the subject without its class.
func (p *Patch) Title() string {
	if m := subjectForm.FindStringSubmatch(p.Subject); m != nil {
		return m[2] + ": " + m[3]
	}
	return p.Subject
}

// prose is the body without its trailers.
func (p *Patch) prose() string {
	body := strings.TrimSpace(p.Body)
	if len(p.Trailers) == 0 {
		return body
	}
	if i := strings.LastIndex(body, "\n\n"); i >= 0 {
		return body[:i]
	}
	return ""
}

// Section is the text after a heading (Problem, Cause, Fix) up to the next one, each paragraph on one line.
func (p *Patch) Section(heading string) string {
	var text []string
	inside := false
	for _, paragraph := range strings.Split(p.prose(), "\n\n") {
		name, rest, ok := strings.Cut(paragraph, ": ")
		if ok && slices.Contains([]string{"Problem", "Cause", "Fix"}, name) {
			inside = name == heading
			paragraph = rest
		}
		if inside {
			text = append(text, oneLine(paragraph))
		}
	}
	return strings.Join(text, "\n\n")
}

// UpstreamMessage is the commit message as upstream takes it: no class, no trailers of ours, nobody mentioned, the
// sign-off of whoever exports.
func (p *Patch) UpstreamMessage(name, email string) string {
	text := p.Title() + "\n\n" + p.prose()
	for mention.MatchString(text) { // one that is gone may uncover another: "@@name"
		text = mention.ReplaceAllStringFunc(text, func(m string) string { return strings.Replace(m, "@", "", 1) })
	}
	return fmt.Sprintf("%s\n\nSigned-off-by: %s <%s>\n", strings.TrimSpace(text), name, email)
}

// maxTitle is how long upstream takes a commit's first line.
const maxTitle = 50

var ours = regexp.MustCompile(`(?m)^(Bug|Upstream-Status|Drop-When|Test|Depends-On|No-Unit-Test|Size-Reason|Release-Note): |UPSTREAM: `)

// CheckUpstreamMessage says what upstream's reviewers and bots would refuse in a commit message.
func CheckUpstreamMessage(message string) []string {
	var wrong []string
	title, body, _ := strings.Cut(message, "\n")
	if len(title) > maxTitle {
		wrong = append(wrong, fmt.Sprintf("title of %d characters, upstream takes %d: %q", len(title), maxTitle, title))
	}
	if strings.HasSuffix(title, ".") {
		wrong = append(wrong, fmt.Sprintf("title ends in a full stop: %q", title))
	}
	for line := range strings.Lines(body) {
		line = strings.TrimRight(line, "\n")
		if len(line) > maxBody && strings.Contains(strings.TrimSpace(line), " ") && !strings.Contains(line, "://") && !strings.HasPrefix(line, "Signed-off-by: ") {
			wrong = append(wrong, fmt.Sprintf("line of %d characters, wrap at %d: %q", len(line), maxBody, line))
		}
	}
	unsigned := regexp.MustCompile(`(?m)^Signed-off-by: .*$`).ReplaceAllString(message, "")
	if m := mention.FindString(unsigned); m != "" {
		wrong = append(wrong, fmt.Sprintf("a mention: %q", strings.TrimSpace(m)))
	}
	if m := closing.FindString(unsigned); m != "" {
		wrong = append(wrong, fmt.Sprintf("a closing keyword with a number: %q", m))
	}
	if m := ours.FindString(message); m != "" {
		wrong = append(wrong, fmt.Sprintf("a line of ours: %q", m))
	}
	if !strings.Contains(message, "\nSigned-off-by: ") {
		wrong = append(wrong, "no sign-off")
	}
	return wrong
}

// PullRequest is what a component's pull-request.md, a text/template in the form that upstream asks for, may use.
type PullRequest struct {
	Title, Problem, Cause, Fix string
	Bug                        string // a URL; empty when there is none in public
	BugKey                     string // OCPBUGS-123, where the URL ends so
	ReleaseNote                string
	Needs                      []string // titles of the commits before it
	Component, Stream, Base    string
	Evidence                   string // a table: what the scenario showed on base and on patched
	Sweep                      string // a table: the sweep's figures; empty when none are recorded
	UnitTest                   string // empty when the patch has one, else why not
}

var bugKey = regexp.MustCompile(`[A-Z][A-Z]+-\d+$`)

// NewPullRequest gathers what is known of a patch.
func NewPullRequest(e Entry, p *Patch, base string, results []Result, sweeps []Sweep) PullRequest {
	pr := PullRequest{
		Title: p.Title(), Problem: p.Section("Problem"), Cause: p.Section("Cause"), Fix: p.Section("Fix"),
		Bug: p.Trailer("Bug"), ReleaseNote: p.Trailer("Release-Note"), UnitTest: p.Trailer("No-Unit-Test"),
		Component: e.Component, Stream: e.Stream, Base: base,
	}
	if !strings.HasPrefix(pr.Bug, "https://") {
		pr.Bug = ""
	}
	pr.BugKey = bugKey.FindString(pr.Bug)
	if pr.ReleaseNote == "" {
		pr.ReleaseNote = "NONE"
	}
	for _, needed := range e.Series.Needed(p) {
		if needed != p {
			pr.Needs = append(pr.Needs, needed.Title())
		}
	}
	pr.Evidence = evidence(e, p.Trailer("Test"), results)
	pr.Sweep = sweepTable(e, sweeps)
	return pr
}

// Text runs the template. Its first line is the title, what follows is the body.
func (pr PullRequest) Text(text string) (title, body string, err error) {
	t, err := template.New("pull-request.md").Option("missingkey=error").Parse(text)
	if err != nil {
		return "", "", fmt.Errorf("pull request text: %w", err)
	}
	var out bytes.Buffer
	if err := t.Execute(&out, pr); err != nil {
		return "", "", fmt.Errorf("pull request text: %w", err)
	}
	title, body, _ = strings.Cut(out.String(), "\n")
	return title, strings.TrimLeft(body, "\n"), nil
}

// evidence is a table of what a scenario's last runs showed.
func evidence(e Entry, scenario string, results []Result) string {
	var b strings.Builder
	b.WriteString("| scenario | unpatched | patched |\n|---|---|---|\n")
	sides := sidesOf(e, results)[scenario]
	title := scenario
	if r := sides["base"]; r.Title != "" {
		title += ": " + cell(r.Title)
	}
	fmt.Fprintf(&b, "| %s | %s | %s |\n", title, shown(sides["base"], e.Series.Hash()), shown(sides["patched"], e.Series.Hash()))
	return b.String()
}

// Sweep is the part of a sweep's report that is shown: how many cells of each kind survived.
type Sweep struct {
	Component string `json:"component"` // empty: kube-controller-manager
	Stream    string `json:"stream"`
	Series    string `json:"series"`
	Planned   int    `json:"planned"`
	Missing   int    `json:"missing"` // planned cells without a result
	Totals    []struct {
		Side     string `json:"side"`
		Start    string `json:"start"`
		Kind     string `json:"kind"`
		Cells    int    `json:"cells"`
		Survived int    `json:"survived"`
	} `json:"totals"`
}

// ReadSweeps reads every report of a folder; none is fine.
func ReadSweeps(dir string) ([]Sweep, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, fmt.Errorf("list sweeps: %w", err)
	}
	var all []Sweep
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("read sweep: %w", err)
		}
		s := Sweep{Component: "kube-controller-manager"}
		if err := json.Unmarshal(data, &s); err != nil {
			return nil, fmt.Errorf("read sweep %s: %w", file, err)
		}
		all = append(all, s)
	}
	return all, nil
}

func sweepTable(e Entry, sweeps []Sweep) string {
	var b strings.Builder
	for _, s := range sweeps {
		if s.Component != e.Component || s.Stream != e.Stream {
			continue
		}
		b.WriteString("| side | start | what the API does | start-up windows | survived |\n|---|---|---|---|---|\n")
		for _, t := range s.Totals {
			fmt.Fprintf(&b, "| %s | %s | %s | %d | %d |\n", t.Side, t.Start, t.Kind, t.Cells, t.Survived)
		}
		if s.Missing > 0 {
			fmt.Fprintf(&b, "\n%d of %d cells have not been run yet.\n", s.Missing, s.Planned)
		}
		if s.Series != e.Series.Hash() {
			b.WriteString("\nThe patched side ran with another revision of the series (" + s.Series + ").\n")
		}
	}
	return b.String()
}

// UpstreamAuthor is who an exported commit is by: the patch's author, or, where that is a placeholder that no upstream
// can hold to a licence agreement, whoever exports.
func UpstreamAuthor(c git.Commit, name, email string) (string, string) {
	if strings.HasSuffix(c.Email, ".invalid") || strings.HasSuffix(c.Email, "@localhost") {
		return name, email
	}
	return c.Name, c.Email
}
