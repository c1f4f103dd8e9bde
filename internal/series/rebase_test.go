package series

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"carry/internal/git"
)

// rebased picks the series base..HEAD onto a new base with the given files.
func rebased(t *testing.T, r git.Repo, files map[string]string) *Rebase {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "s")
	_, s := refresh(t, r, dir)
	commits, err := r.Between(t.Context(), "base", "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	base, err := r.Show(t.Context(), "base")
	if err != nil {
		t.Fatal(err)
	}
	mustRun(t, r, "checkout", "--quiet", "-B", "new", "base")
	onto := commitFiles(t, r, "new base", files)
	target := Target{Repo: r, Base: base.Tree}
	got, err := target.Rebase(t.Context(), s, commits, onto.Hash)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestPick(t *testing.T) {
	text := numbered(60)
	patched := edit(edit(text, 10, "first\n"), 50, "second\n")
	tests := []struct {
		name, onto string // a.go of the new base; "" as the old one
		want       string // state, how
	}{
		{"same base", "", "clean "},
		{"lines above", "above\n" + text, "offset "},
		{"context changed", edit(text, 8, "another 8\n"), "3-way "},
		{"whole change there", patched, "already upstream exact"},
		{"whole change there, and more", patched + "more\n", "already upstream equivalent"},
		{"whole change there, context changed", edit(patched, 8, "another 8\n"), "already upstream equivalent"},
		{"one hunk there", edit(text, 10, "first\n"), "partial partial"},
		{"other change", edit(text, 10, "another 10\n"), "conflict "},
		{"other change, one hunk there", edit(edit(text, 50, "second\n"), 10, "another 10\n"), "conflict partial"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRepo(t, map[string]string{"area/a.go": text, "area/b.go": "b\n"})
			commitFiles(t, r, message("area: two hunks"), map[string]string{"area/a.go": patched})
			files := map[string]string{"area/b.go": "another b\n"}
			if tt.onto != "" {
				files["area/a.go"] = tt.onto
			}
			got := rebased(t, r, files).Patches[0]
			if is := string(got.State) + " " + got.How; is != tt.want {
				t.Errorf("%s, want %s; %+v", is, tt.want, got)
			}
			if (got.Commit == "") != (got.State == Upstream || got.State == Conflict) {
				t.Errorf("state %s with commit %q", got.State, got.Commit)
			}
			if got.State == Conflict && (len(got.Conflicts) != 1 || !strings.Contains(got.Conflicts[0].Text, "another 10\n|||||||")) {
				t.Errorf("conflicts %+v", got.Conflicts)
			}
		})
	}
}

// TestPickRefusesALinkInThePath: the new base has a link where the old one has a folder; it may lead anywhere.
func TestPickRefusesALinkInThePath(t *testing.T) {
	r := newRepo(t, map[string]string{"area/a.go": numbered(9)})
	commitFiles(t, r, message("area: one"), map[string]string{"area/a.go": numbered(10)})
	dir := filepath.Join(t.TempDir(), "s")
	_, s := refresh(t, r, dir)
	commits, err := r.Between(t.Context(), "base", "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	base, err := r.Show(t.Context(), "base")
	if err != nil {
		t.Fatal(err)
	}
	mustRun(t, r, "checkout", "--quiet", "-B", "new", "base")
	elsewhere := linked(t, r.Dir, "area")
	onto := commitFiles(t, r, "new base", nil)
	target := Target{Repo: r, Base: base.Tree}
	got, err := target.Rebase(t.Context(), s, commits, onto.Hash)
	if err != nil {
		t.Fatal(err)
	}
	if p := got.Patches[0]; p.State != Conflict || !strings.Contains(p.Why, "area/a.go: a symbolic link stands in its path") || p.Commit != "" {
		t.Errorf("picked: %+v", p)
	}
	err = Apply(t.Context(), r, s)
	if err == nil || !strings.Contains(err.Error(), "area/a.go: a symbolic link stands in its path") || !strings.Contains(err.Error(), "next: name in the patch") {
		t.Errorf("applied: %v", err)
	}
	if data, err := os.ReadFile(filepath.Join(elsewhere, "a.go")); err != nil || string(data) != numbered(9) {
		t.Errorf("the file behind the link: %q, %v", data, err)
	}
}

// linked moves a folder out of a work tree and puts a link in its place.
func linked(t *testing.T, dir, name string) string {
	t.Helper()
	elsewhere := filepath.Join(t.TempDir(), name)
	if err := errors.Join(os.Rename(filepath.Join(dir, name), elsewhere), os.Symlink(elsewhere, filepath.Join(dir, name))); err != nil {
		t.Fatal(err)
	}
	return elsewhere
}

// TestPatchWithoutClassIsCarried: verify says what is wrong with it, a rebase does not drop it for that.
func TestPatchWithoutClassIsCarried(t *testing.T) {
	r := newRepo(t, map[string]string{"area/a.go": numbered(9)})
	commitFiles(t, r, "forgotten\n\nNo class, no trailers.\n", map[string]string{"area/a.go": numbered(10)})
	got := rebased(t, r, map[string]string{"area/b.go": "b\n"})
	if p := got.Patches[0]; p.State != Clean || p.Commit == "" || got.Outcome != OutcomeClean {
		t.Errorf("picked: %+v", got)
	}
}

func TestBreak(t *testing.T) {
	r := &Rebase{Outcome: OutcomeClean, Compiled: true, Patches: []Pick{{Name: "0001-a.patch", State: Clean, Commit: "c"}, {Name: "0002-b.patch", State: Clean, Commit: "d"}}}
	r.Break(0, "")
	if r.Outcome != OutcomeClean {
		t.Errorf("nothing said, outcome %q", r.Outcome)
	}
	r.Break(1, "undefined: x")
	if r.Outcome != OutcomeNeedsWork || r.Patches[0].NeedsWork() || !r.Patches[1].NeedsWork() {
		t.Errorf("outcome %q, %+v", r.Outcome, r.Patches)
	}
	if text := r.Text(); !strings.Contains(text, "0002-b.patch\n\tdoes not compile: undefined: x\ncompiled: ") {
		t.Errorf("report %q", text)
	}
}

func TestRebaseReportsEveryPatch(t *testing.T) {
	text := numbered(60)
	r := newRepo(t, map[string]string{"area/a.go": text, "area/b.go": text})
	one := edit(text, 10, "one\n")
	commitFiles(t, r, message("area: one"), map[string]string{"area/a.go": one})
	commitFiles(t, r, message("area: two", "Depends-On: area-one"), map[string]string{"area/a.go": edit(one, 11, "two\n")})
	commitFiles(t, r, strings.Replace(message("area: generated"), "<carry>", "<drop>", 1), map[string]string{"g.go": "generated\n"})
	commitFiles(t, r, message("area: three"), map[string]string{"area/b.go": edit(text, 20, "three\n")})
	got := rebased(t, r, map[string]string{"area/a.go": edit(text, 10, "theirs\n")})
	var states []string
	for _, p := range got.Patches {
		states = append(states, fmt.Sprintf("%s %s", p.Name, p.State))
	}
	want := []string{"0001-area-one.patch conflict", "0002-area-two.patch conflict", "0003-area-generated.patch dropped", "0004-area-three.patch clean"}
	if diff := cmp.Diff(want, states); diff != "" {
		t.Error(diff)
	}
	if why := got.Patches[1].Why; !strings.Contains(why, "it depends on 0001-area-one.patch, which is left out") {
		t.Errorf("why %q", why)
	}
	if got.Outcome != OutcomeNeedsWork {
		t.Errorf("outcome %q", got.Outcome)
	}
}

// TestVanishedPatchIsAnError spoils a report in the ways in which a patch could get lost.
func TestVanishedPatchIsAnError(t *testing.T) {
	r := newRepo(t, map[string]string{"area/a.go": numbered(9)})
	commitFiles(t, r, message("area: one"), map[string]string{"area/a.go": numbered(10)})
	for name, spoil := range map[string]func(*Rebase){
		"clean without a commit": func(r *Rebase) { r.Patches[0].Commit = "" },
		"another patch's place":  func(r *Rebase) { r.Patches[0].Name = "0001-other.patch" },
	} {
		got := rebased(t, r, map[string]string{"area/b.go": "b\n"})
		target := Target{Repo: r}
		s := &Series{Patches: []*Patch{{Name: "0001-area-one.patch"}}}
		if err := target.account(t.Context(), got, s, "new"); err != nil {
			t.Fatal(err)
		}
		spoil(got)
		if err := target.account(t.Context(), got, s, "new"); err == nil || !strings.Contains(err.Error(), "without a word") {
			t.Errorf("%s: %v", name, err)
		}
		mustRun(t, r, "checkout", "--quiet", "carry")
	}
}

// TestOwnBaseChangesNothing: a rebase onto the base that the series is on gives the very same commits.
func TestOwnBaseChangesNothing(t *testing.T) {
	eachSeed(t, func(t *testing.T, rng *rand.Rand) {
		r := randomSeries(t, rng)
		_, s := refresh(t, r, filepath.Join(t.TempDir(), "s"))
		mustRun(t, r, "reset", "--quiet", "--hard", "base")
		if err := Apply(t.Context(), r, s); err != nil {
			t.Fatal(err)
		}
		commits, err := r.Between(t.Context(), "base", "HEAD")
		if err != nil {
			t.Fatal(err)
		}
		base, err := r.Show(t.Context(), "base")
		if err != nil {
			t.Fatal(err)
		}
		target := Target{Repo: r, Base: base.Tree}
		got, err := target.Rebase(t.Context(), s, commits, "base")
		if err != nil {
			t.Fatal(err)
		}
		if tip := commits[len(commits)-1].Hash; got.Tip != tip || got.Outcome != OutcomeClean {
			t.Errorf("tip %s, want %s; %s", got.Tip, tip, got.Text())
		}
	})
}

func TestOffsets(t *testing.T) {
	said := "Checking patch a.go...\nHunk #2 succeeded at 12 (offset 2 lines).\nChecking patch b.go...\nHunk #1 succeeded at 3 (offset -1 lines).\nApplied patch a.go cleanly.\n"
	if diff := cmp.Diff([]string{"a.go hunk 2 by 2", "b.go hunk 1 by -1"}, offsets(said)); diff != "" {
		t.Error(diff)
	}
}
