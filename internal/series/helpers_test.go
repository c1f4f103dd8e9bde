package series

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"carry/internal/git"
)

const date = "2026-11-30T12:00:00Z"

// newRepo is a repository with the given files as its base, tagged so.
func newRepo(t *testing.T, files map[string]string) git.Repo {
	t.Helper()
	r, err := git.Init(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	commitFiles(t, r, "base", files)
	mustRun(t, r, "tag", "base")
	return r
}

func mustRun(t *testing.T, r git.Repo, args ...string) string {
	t.Helper()
	out, err := r.Run(t.Context(), args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// commitFiles writes files (empty text: removes) and commits all there is.
func commitFiles(t *testing.T, r git.Repo, message string, files map[string]string) git.Commit {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(r.Dir, filepath.FromSlash(name))
		if text == "" {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.CommitAll(t.Context(), date, message); err != nil {
		t.Fatal(err)
	}
	c, err := r.Show(t.Context(), "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// message is a commit message with the header that the rules ask for.
func message(title string, trailers ...string) string {
	return "UPSTREAM: <carry>: " + title + "\n\nProblem: it is not done.\n\nCause: nobody did.\n\nFix: do it.\n\n" +
		strings.Join(append([]string{
			"Bug: none public", "Upstream-Status: Pending", "Drop-When: upstream does", "Test: a-scenario", "No-Unit-Test: none",
		}, trailers...), "\n") + "\n"
}

// refresh writes the commits base..HEAD over the series in dir and gives the new series.
func refresh(t *testing.T, r git.Repo, dir string) (*Refresh, *Series) {
	t.Helper()
	plan := planned(t, r, dir)
	if err := plan.Write(); err != nil {
		t.Fatal(err)
	}
	return plan, loaded(t, dir)
}

func planned(t *testing.T, r git.Repo, dir string) *Refresh {
	t.Helper()
	commits, err := r.Between(t.Context(), "base", "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	plan, err := PlanRefresh(t.Context(), r, loaded(t, dir), commits)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

func loaded(t *testing.T, dir string) *Series {
	t.Helper()
	s, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// states are the plan's files as "state name".
func states(p *Refresh) []string {
	var all []string
	for _, f := range p.Files {
		all = append(all, f.State+" "+f.Name)
	}
	for _, name := range p.Vanished {
		all = append(all, "vanished "+name)
	}
	return all
}

// numbered is a text of n lines, all different.
func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i+1)
	}
	return b.String()
}

// edit replaces one line of a text.
func edit(text string, line int, with string) string {
	lines := strings.SplitAfter(text, "\n")
	lines[line-1] = with
	return strings.Join(lines, "")
}

// randomSeries makes a base and commits of random changes to a few files on it.
func randomSeries(t *testing.T, rng *rand.Rand) git.Repo {
	t.Helper()
	files := map[string]string{}
	for i := range 1 + rng.IntN(3) {
		files[fmt.Sprintf("dir%d/file%d.go", i, i)] = numbered(5 + rng.IntN(60))
	}
	r := newRepo(t, files)
	for i := range 1 + rng.IntN(5) {
		commitFiles(t, r, message(fmt.Sprintf("area: change number %d", i+1)), randomChange(rng, files, i))
	}
	return r
}

// randomChange edits, inserts, removes lines, adds, removes or renames a file; files is kept in step.
func randomChange(rng *rand.Rand, files map[string]string, n int) map[string]string {
	changed := map[string]string{}
	for name := range files {
		lines := strings.SplitAfter(files[name], "\n")
		for range rng.IntN(4) {
			at := rng.IntN(len(lines) - 1)
			switch rng.IntN(3) {
			case 0:
				lines[at] = fmt.Sprintf("edited %d by %d\n", at, n)
			case 1:
				lines[at] += fmt.Sprintf("added after %d by %d\n", at, n)
			case 2:
				if len(lines) > 3 {
					lines = append(lines[:at:at], lines[at+1:]...)
				}
			}
		}
		if text := strings.Join(lines, ""); text != files[name] {
			changed[name] = text
		}
	}
	if rng.IntN(3) == 0 || len(changed) == 0 {
		changed[fmt.Sprintf("new/file%d.go", n)] = numbered(1 + rng.IntN(9))
	}
	for name := range files {
		if len(files) > 1 && rng.IntN(8) == 0 {
			changed[name] = ""
			if rng.IntN(2) == 0 {
				changed["moved/"+name] = files[name]
			}
			break
		}
	}
	for name, text := range changed {
		if text == "" {
			delete(files, name)
			continue
		}
		files[name] = text
	}
	return changed
}
