package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/goproxytest"
)

// project is a stand-in project that was found to be right; defects spoil a copy of it.
type project struct {
	t   *testing.T
	dir string
}

const (
	first  = "0001-greeting-greet-formally.patch"
	second = "0002-client-go-be-patient.patch"
)

// rightProject makes a project in which verify finds nothing.
func rightProject(t *testing.T) project {
	t.Helper()
	proxy, err := goproxytest.NewServer(filepath.Join("testdata", "mod"), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(proxy.Close)
	sums := pinSums(t, proxy.URL)
	p := project{t, filepath.Join(t.TempDir(), "project")}
	if err := layProject(p.dir, sums); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOPROXY", proxy.URL)
	t.Setenv("GONOSUMDB", "*")
	t.Setenv("GOFLAGS", "-modcacherw")
	t.Setenv("GOCACHE", goEnv(t, "GOCACHE"))
	t.Setenv("GOMODCACHE", filepath.Join(t.TempDir(), "gomodcache"))
	t.Chdir(p.dir)
	p.must("update")
	p.must("verify", "--tests")
	return p
}

// copied is the project once more, as the working directory.
func (p project) copied(t *testing.T) project {
	t.Helper()
	q := project{t, filepath.Join(t.TempDir(), "project")}
	if out, err := exec.Command("cp", "-r", p.dir, q.dir).CombinedOutput(); err != nil {
		t.Fatalf("copy: %v: %s", err, out)
	}
	t.Chdir(q.dir)
	return q
}

// carry runs the command in this process and gives what it printed.
func (p project) carry(args ...string) (stdout, stderr string, err error) {
	var out, said bytes.Buffer
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(&out)
	root.SetErr(&said)
	err = root.ExecuteContext(p.t.Context())
	return out.String(), said.String(), err
}

func (p project) must(args ...string) {
	p.t.Helper()
	if _, said, err := p.carry(args...); err != nil {
		p.t.Fatalf("carry %s: %v\n%s", strings.Join(args, " "), err, said)
	}
}

func (p project) path(name string) string {
	return filepath.Join(p.dir, "patches", "kube-controller-manager", "1.37", name)
}

func (p project) read(name string) string {
	p.t.Helper()
	data, err := os.ReadFile(p.path(name))
	if err != nil {
		p.t.Fatal(err)
	}
	return string(data)
}

func (p project) write(name, text string) {
	p.t.Helper()
	if err := os.WriteFile(p.path(name), []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

// replace changes the first patch.
func replace(old, with string) func(project) {
	return func(p project) {
		text := p.read(first)
		if !strings.Contains(text, old) {
			p.t.Fatalf("%s has no %q", first, old)
		}
		p.write(first, strings.Replace(text, old, with, 1))
	}
}

// also is one edit after another.
func also(edits ...func(project)) func(project) {
	return func(p project) {
		for _, e := range edits {
			e(p)
		}
	}
}

func move(from, to string) func(project) {
	return func(p project) {
		if err := os.Rename(p.path(from), p.path(to)); err != nil {
			p.t.Fatal(err)
		}
	}
}

// amended changes the commit of the second patch, or with another number that one, and refreshes the files.
func amended(number int, files map[string]string) func(project) {
	return func(p project) {
		p.must("apply")
		src := filepath.Join(p.dir, "out", "kube-controller-manager", "1.37", "src")
		for name, text := range files {
			path := filepath.Join(src, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				p.t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				p.t.Fatal(err)
			}
		}
		for _, args := range [][]string{
			{"add", "--all"},
			{"commit", "--quiet", "--fixup", fmt.Sprintf("HEAD~%d", 2-number)},
			{"-c", "sequence.editor=true", "rebase", "--quiet", "--interactive", "--autosquash", "base"},
		} {
			cmd := exec.Command("git", append([]string{"-C", src, "-c", "user.name=A", "-c", "user.email=a@example.invalid"}, args...)...)
			if out, err := cmd.CombinedOutput(); err != nil {
				p.t.Fatalf("git %v: %v: %s", args, err, out)
			}
		}
		p.must("refresh")
	}
}

const (
	test1  = "package greeting\n\nimport \"testing\"\n\nfunc TestText(t *testing.T) {\n\tif got := Text(); got != \"good day, world\" {\n\t\tt.Errorf(\"Text() = %q\", got)\n\t}\n}\n"
	noTest = "No-Unit-Test: the stand-in has no tests\n"
)

// defects is every rule of patches/README.md, spoiled. want are the findings, as "line: rule: message" fragments, in
// order and with nothing beside them.
var defects = []struct {
	name string
	edit func(project)
	file string // "" as first
	want []string
}{
	{"P1 gap", move(second, "0003-client-go-be-patient.patch"), "0003-client-go-be-patient.patch", []string{"1: P1: .* number 0002 is missing"}},
	{"P1 number taken twice", also(func(p project) {
		independent(p)
		p.write("0001-client-go-be-patient.patch", p.read(second))
	}, func(p project) { os.Remove(p.path(second)) }), first, []string{"1: P1: .* number 0001 is taken twice"}},
	{"P1 name", move(second, "0002-patience.patch"), "0002-patience.patch", []string{"1: P1: .* the rest is the subject"}},
	{"P1 stale lines", replace("@@ -17,5 +17,5 @@ func", "@@ -16,5 +16,5 @@ func"), "", []string{"1: P1: the file is not what git writes"}},
	{"P1 form of another git", replace(" pkg/greeting/greeting.go      | 4 ++--", " pkg/greeting/greeting.go | 4 ++--"), "", []string{"1: P1: warning: stat, index lines"}},
	{"P1 CRLF", replace("Fix: say good day, and farewell.\n", "Fix: say good day, and farewell.\r\n"), "", []string{"10: P1: line ends in CRLF"}},
	{"P1 cut short", func(p project) { p.write(first, strings.TrimSuffix(p.read(first), "\n")) }, "", []string{"[0-9]+: P1: no newline at the end"}},
	{"P1 empty", func(p project) { p.write(first, "") }, "", []string{"1: P1: empty file"}},
	{"P1 no change", func(p project) {
		text, _, _ := strings.Cut(p.read(first), "diff --git")
		p.write(first, text)
	}, "", []string{"1: P1: changes no file"}},
	{"P1 two messages", func(p project) { p.write(first, p.read(first)+p.read(second)) }, "", []string{"[0-9]+: P1: a second message"}},
	{"P1 not UTF-8", replace("Fix: say", "Fix: s\xe4y"), "", []string{"10: P1: not UTF-8"}},
	{"P1 long line", replace("good day, ", strings.Repeat("good day, ", 1100)), "", []string{"[0-9]+: P1: line of [0-9]+ characters"}},
	{"P1 binary", func(p project) {
		p.write(first, p.read(first)+"diff --git a/x.bin b/x.bin\nnew file mode 100644\nindex 0000000000000000000000000000000000000000..45a08ca2ff5d6b2d9b1d7b64ddd2a3a5d0f4aa32\nBinary files /dev/null and b/x.bin differ\n")
	}, "", []string{"[0-9]+: P1: x.bin: binary content"}},
	{"P1 mode", replace("index b72ecd16f5c61c9773163039e2e6d654c5aa4742..6e311ed6227bfd9ebf8fdf946ce46898fbaf5f44 100644",
		"old mode 100644\nnew mode 100755\nindex b72ecd16f5c61c9773163039e2e6d654c5aa4742..6e311ed6227bfd9ebf8fdf946ce46898fbaf5f44"), "", []string{"21: P1: pkg/greeting/greeting.go: mode changes from 100644 to 100755"}},
	{"P1 outside the tree", func(p project) {
		p.write(first, strings.ReplaceAll(p.read(first), "pkg/greeting/greeting_test.go", "../greeting_test.go"))
	}, "", []string{`[0-9]+: P1: "../greeting_test.go" is not a path inside the tree`}},
	{"P1 absolute path", func(p project) {
		p.write(first, p.read(first)+"diff --git a/pkg/greeting/words.go b/x.go\nsimilarity index 100%\nrename from pkg/greeting/words.go\nrename to /etc/x.go\n")
	}, "", []string{`[0-9]+: P1: "/etc/x.go" is not a path inside the tree`}},
	{"P1 symbolic link", replace("6e311ed6227bfd9ebf8fdf946ce46898fbaf5f44 100644", "6e311ed6227bfd9ebf8fdf946ce46898fbaf5f44 120000"), "",
		[]string{"21: P1: pkg/greeting/greeting.go: a symbolic link or a submodule"}},
	{"P1 copy", func(p project) {
		p.write(first, p.read(first)+"diff --git a/pkg/greeting/greeting.go b/pkg/greeting/more.go\nsimilarity index 100%\ncopy from pkg/greeting/greeting.go\ncopy to pkg/greeting/more.go\n")
	}, "", []string{"[0-9]+: P1: pkg/greeting/more.go: a copy"}},
	{"P1 git's own folder", func(p project) {
		p.write(first, strings.ReplaceAll(p.read(first), "pkg/greeting/greeting_test.go", ".git/config"))
	}, "", []string{`[0-9]+: P1: ".git/config" is not a path inside the tree`}},
	{"P1 does not apply", replace("-	return \"hello, \"", "-	return \"hullo, \""), "", []string{"[0-9]+: P1: pkg/greeting/greeting.go: hunk 1 .*: patch does not apply"}},
	{"P1 file exists", func(p project) {
		p.write(first, p.read(first)+"diff --git a/cmd/kube-apiserver/main.go b/cmd/kube-apiserver/main.go\nnew file mode 100644\nindex 0000000000000000000000000000000000000000..78981922613b2afb6025042ff6bd878ac1994e85\n--- /dev/null\n+++ b/cmd/kube-apiserver/main.go\n@@ -0,0 +1 @@\n+a\n")
	}, "", []string{"[0-9]+: P1: cmd/kube-apiserver/main.go: .*already exists"}},
	{"P2 class", also(replace("<carry>", "<keep>"), move(first, "0001-UPSTREAM-keep-greeting-greet-formally.patch"),
		func(p project) {
			p.write(second, strings.Replace(p.read(second), "Depends-On: greeting-greet-formally\n", "", 1))
		}), "0001-UPSTREAM-keep-greeting-greet-formally.patch", []string{"4: P2: subject"}},
	{"P2 length", also(replace("greet formally\n", "greet formally, always, and everybody\n alike\n"), move(first, "0001-greeting-greet-formally-always-and-everybody-alike.patch"),
		func(p project) {
			p.write(second, strings.Replace(p.read(second), "Depends-On: greeting-greet-formally\n", "", 1))
		}), "0001-greeting-greet-formally-always-and-everybody-alike.patch", []string{"4: P2: subject of [0-9]+ characters"}},
	{"P2 area", also(replace("greeting: greet", "salutation: greet"), move(first, "0001-salutation-greet-formally.patch"),
		func(p project) {
			p.write(second, strings.Replace(p.read(second), "Depends-On: greeting-", "Depends-On: salutation-", 1))
		}), "0001-salutation-greet-formally.patch", []string{`4: P2: area "salutation" is no folder`}},
	{"P3 no problem", replace("Problem: the", "The"), "", []string{`4: P3: no paragraph that starts with "Problem:"`}},
	{"P3 no cause", replace("Cause: it", "It"), "", []string{`4: P3: no paragraph that starts with "Cause:"`}},
	{"P3 order", replace("Problem: the greeting is too familiar for a control plane.\n\nCause: it was written for a demonstration.",
		"Cause: it was written for a demonstration.\n\nProblem: the greeting is too familiar for a control plane."), "", []string{`4: P3: no paragraph that starts with "Cause:", in the order`}},
	{"P3 width", replace("Fix: say good day, and farewell.", "Fix: say good day, and farewell, and whatever else makes this line wider than it may be."), "", []string{"10: P3: line of [0-9]+ characters"}},
	{"P3 no bug", replace("Bug: none public\n", ""), "", []string{"4: P3: no trailer Bug:"}},
	{"P3 no status", replace("Upstream-Status: Pending\n", ""), "", []string{"4: P3: no trailer Upstream-Status:"}},
	{"P3 no end", replace("Drop-When: upstream greets formally\n", ""), "", []string{"4: P3: no trailer Drop-When:"}},
	{"P3 no scenario", replace("Test: greeting-refused\n", ""), "", []string{"4: P3: no trailer Test:"}},
	{"P3 bug", replace("Bug: none public", "Bug: 12345"), "", []string{`12: P3: Bug: "12345" is neither`}},
	{"P3 status", replace("Status: Pending", "Status: Soon"), "", []string{`13: P3: Upstream-Status: "Soon"`}},
	{"P3 scenario", replace("Test: greeting-refused", "Test: greeting-accepted"), "", []string{`15: P3: Test: "greeting-accepted" is no scenario`}},
	{"P3 depends", replace("Test: greeting-refused", "Test: greeting-refused\nDepends-On: client-go-be-patient"), "", []string{`16: P3: Depends-On: "client-go-be-patient" is the slug of no earlier patch`}},
	{"P3 depends in silence", also(amended(2, map[string]string{
		"pkg/greeting/greeting.go": "// Package greeting greets.\npackage greeting\n\nconst end = \"\"\n\n// Text is the greeting.\nfunc Text() string {\n\treturn \"good day, \" + name + end\n}\n",
	}), independent), second, []string{"1: P3: is in conflict after what its Depends-On: names"}},
	{"P3 depends on what it calls", also(amended(1, map[string]string{"pkg/greeting/formal.go": "package greeting\n\nconst formal = \"\"\n"}),
		amended(2, map[string]string{"pkg/greeting/more.go": "package greeting\n\nvar _ = formal\n"}), independent), second,
		[]string{"1: P3: does not compile after what its Depends-On: names: .*undefined: formal"}},
	{"P3 sign-off", replace("Test: greeting-refused", "Test: greeting-refused\nSigned-off-by: A <a@example.invalid>"), "", []string{"16: P3: a sign-off"}},
	{"P4 mention", replace("and farewell.", "and farewell, says @somebody."), "", []string{"10: P4: a mention"}},
	{"P4 closing keyword", replace("and farewell.", "and farewell. Fixes #12"), "", []string{"10: P4: a closing keyword"}},
	{"P5 size", amended(2, map[string]string{"staging/src/k8s.io/client-go/rest/more.go": "package rest\n" + strings.Repeat("\n// more\n", 80)}), second, []string{"[0-9]+: P5: [0-9]+ changed lines"}},
	{"P6 no unit test", func(p project) { p.write(second, strings.Replace(p.read(second), noTest, "", 1)) }, second, []string{"[0-9]+: P6: changes no unit test"}},
	{"P6 test guards nothing", amended(1, map[string]string{"pkg/greeting/greeting_test.go": strings.Replace(test1, "got != \"good day, world\"", "len(got) < 3", 1)}), "",
		[]string{"[0-9]+: P6: without the patch's other changes its tests pass"}},
	{"P6 compile error", amended(1, map[string]string{
		"pkg/greeting/greeting_test.go": strings.Replace(test1, "Text(); got", "Text() + formal; got", 1),
		"pkg/greeting/formal.go":        "package greeting\n\nconst formal = \"\"\n",
	}), "", []string{"[0-9]+: P6: without the patch's other changes its tests do not compile.*undefined: formal"}},
	{"P6 guarded by what is added alone", amended(1, map[string]string{
		"pkg/greeting/greeting_test.go": strings.Replace(test1, "got != \"good day, world\"", "len(got) < 3", 1),
		"pkg/formal/formal.go":          "package formal\n\nconst word = \"\"\n",
		"pkg/formal/formal_test.go":     addedTest,
	}), "", []string{"[0-9]+: P6: without the patch's other changes its tests do not compile.*undefined: word"}},
	{"P6 panic", amended(1, map[string]string{"pkg/greeting/greeting_test.go": strings.Replace(test1, "t.Errorf(\"Text() = %q\", got)", "panic(got)", 1)}), "",
		[]string{"[0-9]+: P6: without the patch's other changes .*TestText panics"}},
	{"P7 prefix", also(amended(2, map[string]string{"staging/src/k8s.io/client-go/rest/more.go": "package rest\n\n// Patience is the client's.\nconst Patience = 1\n"}), amended(1, map[string]string{"pkg/greeting/words.go": "package greeting\n\nimport \"k8s.io/client-go/rest\"\n\nvar _ = rest.Patience\n"})), "",
		[]string{"1: P7: patches 1 to 1 do not compile: .*undefined: rest.Patience"}},
	{"P7 test of upstream's", amended(2, map[string]string{"pkg/greeting/more.go": "package greeting\n\nfunc init() { suffix = \"!\" }\n",
		"pkg/greeting/greeting.go": "// Package greeting greets.\npackage greeting\n\nvar suffix string\n\n// Text is the greeting.\nfunc Text() string {\n\treturn \"good day, \" + name + suffix\n}\n"}), ".",
		[]string{`1: P7: k8s.io/kubernetes/pkg/greeting TestText: pass on base, fail on patched`}},
	{"P7 fewer tests", amended(2, map[string]string{"pkg/greeting/greeting_test.go": "package greeting\n"}), ".",
		[]string{`1: P7: k8s.io/kubernetes/pkg/greeting TestText: pass on base, missing on patched`}},
}

// independent has the second patch say that it needs nothing.
func independent(p project) {
	p.write(second, strings.Replace(p.read(second), "Depends-On: greeting-greet-formally\n", "", 1))
}

// addedTest is of a package that a patch adds.
const addedTest = "package formal\n\nimport \"testing\"\n\nfunc TestWord(t *testing.T) {\n\tif word != \"\" {\n\t\tt.Error(word)\n\t}\n}\n"

// TestTestsOfWhatIsAdded shows that tests of what a patch adds, which do not compile without it, are no defect as long as
// another one guards the patch.
func TestTestsOfWhatIsAdded(t *testing.T) {
	p := rightProject(t)
	amended(1, map[string]string{
		"pkg/formal/formal.go":        "package formal\n\nconst word = \"\"\n",
		"pkg/formal/formal_test.go":   addedTest,
		"pkg/greeting/formal.go":      "package greeting\n\nconst word = \"\"\n",
		"pkg/greeting/formal_test.go": strings.Replace(addedTest, "package formal", "package greeting", 1),
	})(p)
	p.must("update")
	if _, said, err := p.carry("verify", "--tests"); err != nil {
		t.Errorf("%v\n%s", err, said)
	}
}

func TestDefects(t *testing.T) {
	right := rightProject(t)
	for _, d := range defects {
		t.Run(d.name, func(t *testing.T) {
			p := right.copied(t)
			p.t = t
			d.edit(p)
			_, _, _ = p.carry("update") // but for the defect itself everything is kept up; a file that is no patch stops it
			_, said, err := p.carry("verify", "--tests")
			file := d.file
			if file == "" {
				file = first
			}
			checkFindings(t, filepath.Join("patches/kube-controller-manager/1.37", file), d.want, said)
			if warning := strings.Contains(d.want[0], "warning"); (err == nil) != warning {
				t.Errorf("error %v", err)
			}
		})
	}
}

// checkFindings wants one finding per fragment, at the file, each with what mends it.
func checkFindings(t *testing.T, file string, want []string, said string) {
	t.Helper()
	var got []string
	next := 0
	for line := range strings.Lines(said) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(line, "\tnext: "):
			next++
		case len(got) < len(want) && regexp.MustCompile("^"+regexp.QuoteMeta(file)+":"+want[len(got)]).MatchString(line):
			got = append(got, want[len(got)])
		default:
			got = append(got, line)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s\n%s", diff, said)
	}
	if next != len(want) {
		t.Errorf("%d findings, %d of them say what mends it", len(want), next)
	}
}

// TestDefectsOfTheRecord are those that no patch file holds.
func TestDefectsOfTheRecord(t *testing.T) {
	p := rightProject(t)
	readme := filepath.Join(p.dir, "patches", "README.md")
	data, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(readme, bytes.Replace(data, []byte("| Pending |"), []byte("| Submitted |"), 1), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(p.dir, "tests", "integration", "results", "upstream-tests")); err != nil {
		t.Fatal(err)
	}
	_, said, err := p.carry("verify")
	if err == nil {
		t.Error("nothing found")
	}
	ledger, rest, _ := strings.Cut(said, "patches/kube")
	checkFindings(t, "patches/README.md", []string{"1: ledger: stale"}, ledger)
	checkFindings(t, "patches/kube-controller-manager/1.37", []string{"1: P7: upstream's tests of the touched packages were not compared"}, "patches/kube"+rest)
}
