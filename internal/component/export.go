package component

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"carry/internal/git"
	"carry/internal/series"
)

// Export makes upstream pull requests of patches: commits on upstream's own layout, without anything of ours.
type Export struct {
	stream      *Stream
	from        *Tree // with the series applied
	tree        *Tree // whose base the commits go on: from itself, or a copy of a checkout
	seen        func(ctx context.Context, id string, files []string) (string, error)
	name, email string // of whoever exports
	compiled    Compiled

	Quick bool // leave vet and unit tests out

	results []series.Result
	sweeps  []series.Sweep
}

// Exported is one patch as a pull request, in a folder of its own.
type Exported struct {
	Component string   `json:"component"`
	Stream    string   `json:"stream"`
	Patch     string   `json:"patch"`
	State     string   `json:"state"` // clean, offset, 3-way or already upstream
	Dir       string   `json:"dir,omitempty"`
	Branch    string   `json:"branch,omitempty"` // in Repo
	Repo      string   `json:"repo,omitempty"`
	Commits   []string `json:"commits,omitempty"` // titles, those it needs first
	Why       string   `json:"why,omitempty"`
}

// NewExport prepares to export patches of t, onto its own base, or onto a checkout when b is not nil.
func (s *Stream) NewExport(ctx context.Context, t *Tree, b *sourceBase, compiled Compiled) (*Export, error) {
	x := &Export{stream: s, from: t, tree: t, compiled: compiled}
	var err error
	if x.name, x.email, err = git.User(ctx, s.Root); err != nil {
		return nil, fmt.Errorf("export: %w", err)
	}
	if err := t.settled(ctx); err != nil {
		return nil, fmt.Errorf("export: %w", err)
	}
	results := filepath.Join(s.Root, "tests", "integration", "results")
	if x.results, err = series.ReadResults(results); err != nil {
		return nil, err
	}
	if x.sweeps, err = series.ReadSweeps(filepath.Join(results, "sweep")); err != nil {
		return nil, err
	}
	if b == nil {
		return x, nil
	}
	x.seen = b.seen
	x.tree = newTree(s.Out("export", "src"), b, t.Series)
	if _, err := x.tree.Fetch(ctx); err != nil {
		return nil, err
	}
	// A 3-way merge reads the objects of the old base and of the series.
	return x, x.tree.repo.Take(ctx, t.Dir, oldRefs()...)
}

// Patch exports one patch with those it needs. What upstream would refuse is an error, and nothing is written then.
func (x *Export) Patch(ctx context.Context, p *series.Patch) (*Exported, error) {
	out := &Exported{Component: x.stream.Component.Name, Stream: x.stream.Name, Patch: p.Name}
	links, err := x.links(ctx, p)
	if err != nil {
		return nil, err
	}
	base, err := x.from.repo.Show(ctx, baseTag)
	if err != nil {
		return nil, err
	}
	target := series.Target{Repo: x.tree.repo, Base: base.Tree, Seen: x.seen}
	picks, tip, err := target.Chain(ctx, links, baseTag)
	if err != nil {
		return nil, fmt.Errorf("export %s: %w", p.Name, err)
	}
	last := picks[len(picks)-1]
	if last.NeedsWork() {
		return nil, fmt.Errorf("export %s: %s is in %s on %s: %s\nnext: add a trailer Depends-On: for the patch that it needs, or carry rebase %s --onto to see the places",
			p.Name, last.Name, last.State, x.tree.base, strings.TrimSpace(last.Why), x.stream)
	}
	out.State, out.Why = string(last.State), last.Why
	if last.State == series.Upstream {
		return out, nil
	}
	if err := x.check(ctx, p, tip); err != nil {
		return nil, err
	}
	return out, x.write(ctx, out, p, tip)
}

// links are the commits to be: the patch and what it needs, with messages as upstream takes them.
func (x *Export) links(ctx context.Context, p *series.Patch) ([]series.Link, error) {
	commits, err := x.from.repo.Between(ctx, baseTag, "HEAD")
	if err != nil {
		return nil, err
	}
	var links []series.Link
	for _, needed := range x.from.Series.Needed(p) {
		c := commits[slices.Index(x.from.Series.Patches, needed)]
		before, err := x.from.repo.Resolve(ctx, c.Parents[0]+"^{tree}")
		if err != nil {
			return nil, err
		}
		l := series.Link{Patch: needed, Before: before, Commit: c, Message: needed.UpstreamMessage(x.name, x.email)}
		l.Name, l.Email = series.UpstreamAuthor(c, x.name, x.email)
		links = append(links, l)
	}
	return links, nil
}

// check runs what upstream's bots would: on the messages, the format, vet and the unit tests of touched packages.
func (x *Export) check(ctx context.Context, p *series.Patch, tip string) error {
	commits, err := x.tree.repo.Between(ctx, baseTag, tip)
	if err != nil {
		return err
	}
	var wrong []error
	for _, c := range commits {
		for _, text := range series.CheckUpstreamMessage(c.Message) {
			wrong = append(wrong, fmt.Errorf("commit message of %q: %s", c.Subject(), text))
		}
	}
	changed, err := x.tree.repo.Changed(ctx, baseTag, tip)
	if err != nil {
		return err
	}
	wrong = append(wrong, x.gofmt(ctx, changed, tip)...)
	if err := errors.Join(wrong...); err != nil || x.Quick {
		return refusal(p, err)
	}
	complaints, err := x.compileChecks(ctx, p, changed, commits[len(commits)-1])
	if err != nil {
		return err
	}
	return refusal(p, errors.Join(complaints...))
}

func refusal(p *series.Patch, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("export %s: upstream's bots would refuse it: %w\nnext: mend the commit, carry refresh, then the same command again", p.Name, err)
}

// gofmt names touched files that are not formatted.
func (x *Export) gofmt(ctx context.Context, changed []string, tip string) []error {
	var wrong []error
	for _, name := range changed {
		data, ok := x.tree.repo.File(ctx, tip, name)
		if !ok || !strings.HasSuffix(name, ".go") {
			continue
		}
		formatted, err := format.Source(data)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("gofmt %s: %w", name, err))
		} else if !bytes.Equal(formatted, data) && x.wasFormatted(ctx, name) {
			wrong = append(wrong, fmt.Errorf("gofmt %s: not formatted", name))
		}
	}
	return wrong
}

// wasFormatted says whether a file of the base is formatted, or is not there: then the patch has to keep it so.
func (x *Export) wasFormatted(ctx context.Context, name string) bool {
	data, ok := x.tree.repo.File(ctx, baseTag, name)
	formatted, err := format.Source(data)
	return !ok || err == nil && bytes.Equal(formatted, data)
}

// compileChecks runs vet and the tests of touched packages, once for the same inputs. What is wrong on the base as well
// is not this patch's.
func (x *Export) compileChecks(ctx context.Context, p *series.Patch, changed []string, tip git.Commit) ([]error, error) {
	done, err := x.stream.passedChecks(ctx, x.stream.Out("export", "passed.json"), false)
	if err != nil {
		return nil, err
	}
	r, err := x.tree.base.recipe(ctx, x.stream, x.tree.Dir)
	if err != nil {
		return nil, err
	}
	c := &checker{stream: x.stream, tree: x.tree, recipe: r, done: done, compiled: x.compiled}
	var dirs []string
	for _, name := range changed {
		if filepath.Ext(name) == ".go" {
			dirs = append(dirs, filepath.ToSlash(filepath.Dir(name)))
		}
	}
	pkgs := x.stream.packages(c.existing(ctx, tip.Tree, unique(dirs)))
	onBase := x.stream.packages(c.existing(ctx, baseTag, unique(dirs)))
	var wrong []error
	err = done.once("export of "+p.Name, append([]string{tip.Tree}, pkgs...), func() (bool, error) {
		vetted, err := x.vet(ctx, c, tip.Tree, pkgs, onBase)
		if err != nil {
			return false, err
		}
		tested, err := x.test(ctx, c, tip.Tree, pkgs, onBase)
		wrong = append(vetted, tested...)
		return len(wrong) == 0, err
	})
	return wrong, err
}

var position = regexp.MustCompile(`:\d+:\d+:`)

// vet gives complaints that the base has not.
func (x *Export) vet(ctx context.Context, c *checker, tree string, pkgs, onBase []string) ([]error, error) {
	said, err := c.vet(ctx, tree, pkgs)
	if err != nil || len(said) == 0 {
		return nil, err
	}
	known := map[string]bool{}
	before, err := c.vet(ctx, baseTag, onBase)
	for _, line := range before {
		known[position.ReplaceAllString(line, "")] = true
	}
	var wrong []error
	for _, line := range said {
		if !known[position.ReplaceAllString(line, "")] {
			wrong = append(wrong, errors.New("vet: "+line))
		}
	}
	return wrong, err
}

// vet gives the lines of go vet that name a place.
func (c *checker) vet(ctx context.Context, tree string, pkgs []string) ([]string, error) {
	file, remove, err := c.tree.overlay(ctx, tree)
	if err != nil {
		return nil, err
	}
	defer remove()
	args := []string{"vet", "-overlay", file}
	if c.recipe.modfile != "" {
		args = append(args, "-modfile", c.recipe.modfile)
	}
	_, err = runGo(ctx, c.recipe.dir, c.recipe.env, nil, append(args, pkgs...)...)
	if err == nil || ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var lines []string
	for line := range strings.Lines(err.Error()) {
		if position.MatchString(line) {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines, nil
}

// test gives tests that fail and do not on the base.
func (x *Export) test(ctx context.Context, c *checker, tree string, pkgs, onBase []string) ([]error, error) {
	got, err := c.run(ctx, tree, pkgs, nil)
	if err != nil {
		return nil, err
	}
	if len(got.failed()) == 0 && len(got.notBuilt) == 0 && len(got.panicked) == 0 {
		return nil, nil
	}
	before, err := c.run(ctx, baseTag, onBase, nil)
	if err != nil {
		return nil, err
	}
	var wrong []error
	for _, d := range worse(before.outcomes, got.outcomes) {
		wrong = append(wrong, errors.New("unit test: "+strings.ReplaceAll(d.String(), "on patched", "with the patch")))
	}
	return wrong, nil
}

// write puts patches, title and body into the folder of the export, and the commits on a branch.
func (x *Export) write(ctx context.Context, out *Exported, p *series.Patch, tip string) error {
	title, body, err := x.text(p)
	if err != nil {
		return err
	}
	commits, err := x.tree.repo.Between(ctx, baseTag, tip)
	if err != nil {
		return err
	}
	slug := strings.TrimSuffix(p.Name, ".patch")
	dir := x.stream.Out("export", slug)
	// Beside, and renamed at the end: half a folder would pass for a pull request without its last commits.
	fresh := dir + ".tmp"
	if err := os.RemoveAll(fresh); err != nil {
		return fmt.Errorf("export %s: %w", p.Name, err)
	}
	if out.Commits, err = x.patches(ctx, commits, fresh); err != nil {
		return fmt.Errorf("export %s: %w", p.Name, err)
	}
	out.Dir, out.Branch, out.Repo = x.relative(dir), "export/"+slug, x.relative(x.tree.Dir)
	if err := x.branch(ctx, out, tip); err != nil {
		return fmt.Errorf("export %s: %w", p.Name, err)
	}
	if err := errors.Join(x.bundle(ctx, out, fresh),
		writeFile(filepath.Join(fresh, "pr-title"), []byte(title+"\n"), 0o644),
		writeFile(filepath.Join(fresh, "pr-body.md"), []byte(body), 0o644)); err != nil {
		return err
	}
	if err := errors.Join(os.RemoveAll(dir), os.Rename(fresh, dir)); err != nil {
		return fmt.Errorf("export %s: %w", p.Name, err)
	}
	return nil
}

// patches writes commits as files for git am, and gives their titles.
func (x *Export) patches(ctx context.Context, commits []git.Commit, dir string) ([]string, error) {
	var titles []string
	for i, c := range commits {
		data, err := series.Format(ctx, x.tree.repo, c.Hash)
		if err != nil {
			return nil, err
		}
		made := &series.Patch{Subject: c.Subject()}
		if err := writeFile(filepath.Join(dir, fmt.Sprintf("%04d-%s.patch", i+1, made.Slug())), data, 0o644); err != nil {
			return nil, err
		}
		titles = append(titles, c.Subject())
	}
	return titles, nil
}

// branch puts the branch of an export on its last commit. Nobody else writes it, so a lock on it is a killed run's.
func (x *Export) branch(ctx context.Context, out *Exported, tip string) error {
	ref := "refs/heads/" + out.Branch
	if err := x.tree.unlock(ref); err != nil {
		return err
	}
	_, err := x.tree.repo.Run(ctx, "update-ref", ref, tip)
	return err
}

// bundle is for a checkout, whose commits upstream has. The base of a pin is a commit of our own making: there the
// patch files are what upstream can take.
func (x *Export) bundle(ctx context.Context, out *Exported, dir string) error {
	if x.tree == x.from {
		return nil
	}
	_, err := x.tree.repo.Run(ctx, "bundle", "create", "--quiet", filepath.Join(dir, "branch.bundle"), baseTag+".."+out.Branch)
	return err
}

// text is title and body by the component's own pull-request.md.
func (x *Export) text(p *series.Patch) (title, body string, err error) {
	path := filepath.Join(x.stream.Component.Dir, "pull-request.md")
	data, err := os.ReadFile(path)
	if err != nil {
		return "", "", fmt.Errorf("export %s: %w\nnext: write %s, upstream's form as a text/template; its first line is the title", p.Name, err, path)
	}
	base, err := x.stream.BaseVersion()
	if err != nil {
		return "", "", err
	}
	e := series.Entry{Component: x.stream.Component.Name, Stream: x.stream.Name, Series: x.from.Series}
	return series.NewPullRequest(e, p, base, x.results, x.sweeps).Text(string(data))
}

func (x *Export) relative(path string) string {
	if rel, err := filepath.Rel(x.stream.Root, path); err == nil {
		return rel
	}
	return path
}
