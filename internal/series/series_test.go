package series

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// wellFormed is a patch as git writes it; tests spoil one thing at a time.
func wellFormed(t testing.TB) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "0001-area-do-a-thing.patch"))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestParse(t *testing.T) {
	p, err := Parse("0001-area-do-a-thing.patch", []byte(wellFormed(t)))
	if err != nil {
		t.Fatal(err)
	}
	got := []any{p.Number, p.Subject, p.Class(), p.Slug(), p.Trailers, len(p.Files)}
	want := []any{1, "UPSTREAM: <carry>: area: do a thing", "carry", "area-do-a-thing", []Trailer{
		{"Bug", "https://bugs.example.invalid/1"}, {"Upstream-Status", "Pending"},
		{"Drop-When", "upstream does the thing, whenever that may be, in a release that is far away"}, {"Test", "a-scenario"},
		{"No-Unit-Test", "there is nothing to test"},
	}, 1}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestCheck(t *testing.T) {
	tests := []struct {
		name, old, new string
		want           []string // "rule message" fragments
	}{
		{"well formed", "", "", nil},
		{"no class", "UPSTREAM: <carry>: area", "area", []string{"P2 subject"}},
		{"class that does not exist", "<carry>", "<keep>", []string{"P1 the file's name", "P2 subject"}},
		{"pull request", "<carry>", "<12345>", nil},
		{"long subject", "do a thing", "do a thing " + strings.Repeat("x", 40), []string{"P1 the file's name", "P2 subject of 76"}},
		{"no fix", "Fix: do it.", "It is done.", []string{`P3 no paragraph that starts with "Fix:"`}},
		{"order", "Problem: it is not done.", "Fix: it is not done.", []string{`P3 no paragraph that starts with "Problem:"`, `P3 no paragraph that starts with "Fix:"`}},
		{"wide line", "Fix: do it.", "Fix: " + strings.Repeat("do it ", 20), []string{"P3 line of"}},
		{"no bug", "Bug: https://bugs.example.invalid/1\n", "", []string{"P3 no trailer Bug:"}},
		{"bug without URL", "https://bugs.example.invalid/1", "rhbz 1", []string{"P3 Bug:"}},
		{"status", "Upstream-Status: Pending", "Upstream-Status: Soon", []string{"P3 Upstream-Status:"}},
		{"scenario", "Test: a-scenario", "Test: no-scenario", []string{"P3 Test:"}},
		{"depends on nothing", "Test: a-scenario", "Test: a-scenario\nDepends-On: area-another", []string{"P3 Depends-On:"}},
		{"sign-off", "Test: a-scenario", "Test: a-scenario\nSigned-off-by: A <a@example.invalid>", []string{"P3 a sign-off"}},
		{"mention", "Fix: do it.", "Fix: do it, says @somebody.", []string{"P4 a mention"}},
		{"mail address is no mention", "Fix: do it.", "Fix: do it, says a@example.invalid.", nil},
		{"closing keyword", "Fix: do it.", "Fix: do it. Closes #12", []string{"P4 a closing"}},
		{"no unit test", "No-Unit-Test: there is nothing to test\n", "", []string{"P6 changes no unit test"}},
		{"large", "@@ -1 +1 @@\n-a\n+b\n", "@@ -1 +1,151 @@\n-a\n" + strings.Repeat("+b\n", 151), []string{"P5 152 changed lines"}},
		{"large for a reason", "No-Unit-Test: there is nothing to test\n", "No-Unit-Test: there is nothing to test\nSize-Reason: one mechanism\n", nil},
		{"closing keyword, other repository", "Fix: do it.", "Fix: do it, fixes kubernetes/kubernetes#12", []string{"P4 a closing"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := wellFormed(t)
			if tt.old != "" && !strings.Contains(text, tt.old) {
				t.Fatalf("the well-formed patch has no %q", tt.old)
			}
			p, err := Parse("0001-area-do-a-thing.patch", []byte(strings.Replace(text, tt.old, tt.new, 1)))
			if err != nil {
				t.Fatal(err)
			}
			found := (&Series{Patches: []*Patch{p}}).Check([]string{"a-scenario"})
			var got []string
			for i, f := range found {
				text := f.Rule + " " + f.Message
				if i < len(tt.want) && strings.HasPrefix(text, tt.want[i]) {
					text = tt.want[i]
				}
				got = append(got, text)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestHash(t *testing.T) {
	patch := func(name, message, diff string) *Series {
		return &Series{Patches: []*Patch{{Name: name, Data: []byte("Subject: " + message + "\n---\n a | 1 +\n\ndiff --git a/a b/a\n" + diff)}}}
	}
	one := patch("0001-a.patch", "x", "+x\n")
	for name, tt := range map[string]struct {
		other      *Series
		hash, file bool // which of them differ
	}{
		"same":    {patch("0001-a.patch", "x", "+x\n"), false, false},
		"message": {patch("0001-a.patch", "y", "+x\n"), false, true},
		"diff":    {patch("0001-a.patch", "x", "+y\n"), true, true},
		"name":    {patch("0001-b.patch", "x", "+x\n"), true, true},
		"empty":   {&Series{}, true, true},
	} {
		if (one.Hash() != tt.other.Hash()) != tt.hash || (one.FileHash() != tt.other.FileHash()) != tt.file {
			t.Errorf("%s: hash %s and %s, of files %s and %s", name, one.Hash(), tt.other.Hash(), one.FileHash(), tt.other.FileHash())
		}
	}
}

func TestUpdateReadmeKeepsWhatPeopleWrote(t *testing.T) {
	path := filepath.Join(t.TempDir(), "README.md")
	before := "# Mine\n" + markBegin + "old\n" + markEnd + "and more\n"
	if err := os.WriteFile(path, []byte(before), 0o644); err != nil {
		t.Fatal(err)
	}
	if changed, err := UpdateReadme(path, "new", false); !changed || err != nil {
		t.Errorf("look: changed %v, %v", changed, err)
	}
	if changed, err := UpdateReadme(path, "new", true); !changed || err != nil {
		t.Errorf("write: changed %v, %v", changed, err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("# Mine\n"+markBegin+"\nnew\n"+markEnd+"and more\n", string(data)); diff != "" {
		t.Error(diff)
	}
	if changed, err := UpdateReadme(path, "new", true); changed || err != nil {
		t.Errorf("again: changed %v, %v", changed, err)
	}
}

func TestShown(t *testing.T) {
	tests := []struct {
		name string
		in   Result
		want string
	}{
		{"not run", Result{}, "not run"},
		{"base fails", Result{Side: "base", Expect: "fails", Outcome: "passed", Detail: "F | x"}, "fails as reported: `F \\| x`"},
		{"base does not fail", Result{Side: "base", Expect: "fails", Outcome: "failed"}, "NOT shown"},
		{"cured", Result{Side: "patched", Expect: "fails", Outcome: "passed", Series: "h"}, "cured"},
		{"stale", Result{Side: "patched", Expect: "fails", Outcome: "passed", Series: "g"}, "cured (stale: another series)"},
		{"same", Result{Side: "base", Expect: "same", Outcome: "passed"}, "behaves"},
	}
	for _, tt := range tests {
		if got := shown(tt.in, "h"); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
