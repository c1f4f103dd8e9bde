package ci

import (
	"encoding/xml"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sandbox is a folder in which scripts of this one run with programs that stand in for the real ones.
type sandbox struct {
	t   *testing.T
	dir string
	env []string
}

// newSandbox has the given programs, each a shell script, before all others in PATH.
func newSandbox(t *testing.T, programs map[string]string, env ...string) sandbox {
	t.Helper()
	s := sandbox{t, t.TempDir(), env}
	for name, script := range programs {
		s.write("bin/"+name, "#!/bin/bash\n"+script+"\n")
	}
	s.env = append(s.env, "PATH="+s.path("bin")+":"+os.Getenv("PATH"), "HOME="+s.dir, "ARTIFACT_DIR="+s.path("artifacts"), "SHARED_DIR="+s.dir, "TMPDIR="+s.dir, "CI=true")
	s.write("artifacts/.keep", "")
	for _, name := range []string{"presubmit.sh", "periodic.sh", "environment.sh"} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		s.write("ci/"+name, string(data))
	}
	return s
}

func (s sandbox) path(name string) string { return filepath.Join(s.dir, filepath.FromSlash(name)) }

func (s sandbox) write(name, text string) {
	s.t.Helper()
	if err := os.MkdirAll(filepath.Dir(s.path(name)), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(s.path(name), []byte(text), 0o755); err != nil {
		s.t.Fatal(err)
	}
}

func (s sandbox) read(name string) string {
	s.t.Helper()
	data, err := os.ReadFile(s.path(name))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(data)
}

// run gives the script's exit code, and both its outputs.
func (s sandbox) run(script string, args ...string) (int, string) {
	s.t.Helper()
	path, err := filepath.Abs(script)
	if err != nil {
		s.t.Fatal(err)
	}
	cmd := exec.Command("bash", append([]string{path}, args...)...)
	cmd.Dir, cmd.Env = s.dir, s.env
	out, err := cmd.CombinedOutput()
	exit := (*exec.ExitError)(nil)
	if err != nil && !errors.As(err, &exit) {
		s.t.Fatalf("run %s: %v", script, err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

// TestCarryCheck: the step's exit code is carry's own; the proxy is for carry, not for what go loads.
func TestCarryCheck(t *testing.T) {
	t.Parallel()
	script := strings.TrimPrefix(refScript, "ci/")
	const carry = `echo "carry $* proxy=$PROXY"; exit `
	goes := map[string]string{"go": `echo "go $* proxy=${PROXY:-}"; printf '#!/bin/bash\n%s\n' "$STUB" > "$3"; chmod +x "$3"`}
	for _, code := range []string{"0", "1", "2", "3", "4"} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t, goes, "STUB="+carry+code)
			s.env = append(s.env, "KUBECONFIG="+s.path("kubeconfig"))
			s.write("kubeconfig", "x")
			s.write("proxy-conf.sh", "export PROXY=cluster")
			got, out := s.run(script)
			if want := int(code[0] - '0'); got != want {
				t.Errorf("exit code %d, want %d", got, want)
			}
			want := "carry check --kubeconfig " + s.path("kubeconfig") + " --junit " + s.path("artifacts/junit_carry_check.xml") + " proxy=cluster\n"
			if !strings.HasSuffix(out, want) || !strings.Contains(out, "./cmd/carry proxy=\n") {
				t.Errorf("printed\n%swant, after go without a proxy,\n%s", out, want)
			}
		})
	}
	t.Run("no kubeconfig", func(t *testing.T) {
		t.Parallel()
		s := newSandbox(t, goes, "STUB="+carry+"0")
		s.env = append(s.env, "KUBECONFIG="+s.path("kubeconfig"))
		if code, out := s.run(script); code != 3 || !strings.Contains(out, "cannot tell") {
			t.Errorf("exit code %d, want 3; printed\n%s", code, out)
		}
	})
}

func TestPresubmit(t *testing.T) {
	t.Parallel()
	const sweeps = `echo "make $* CI=${CI:-}"; for a; do case $a in STREAM=*) d=out/report/sweep/${a#*=}-abc; mkdir -p $d; touch $d/sweep.{html,json,xml};; esac; done; exit ${FAIL:-0}`
	for _, tt := range []struct {
		name, job, part, fail string
		code                  int
		want, artifacts       string
	}{
		{"unit", "", "unit", "0", 0, "make unit lint CI=\n", ""},
		{"unit fails", "", "unit", "2", 2, "make unit lint CI=\n", ""},
		{"verify", "", "verify", "0", 0, "make verify CI=\n", ""},
		{"integration fails", "", "integration", "2", 1, "make integration CI=\n", "scenarios-ipv6.json"},
		{"first shard", "pull-ci-x-sweep-1of2", "sweep", "0", 0, "make sweep STREAM=1.23 CI=\n", "junit_sweep_1.23.xml sweep-1.23.html sweep-1.23.json"},
		{"second shard fails", "pull-ci-x-sweep-2of2", "sweep", "1", 1, "make sweep STREAM=1.37 CI=\n", "junit_sweep_1.37.xml sweep-1.37.html sweep-1.37.json"},
		{"no shard", "pull-ci-x-sweep", "sweep", "0", 0, "make sweep STREAM=1.23 CI=\nmake sweep STREAM=1.37 CI=\n",
			"junit_sweep_1.23.xml junit_sweep_1.37.xml sweep-1.23.html sweep-1.23.json sweep-1.37.html sweep-1.37.json"},
		{"unknown", "", "all", "0", 1, "presubmit: unknown part \"all\"\nnext: ci/presubmit.sh unit, verify, integration or sweep\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t, map[string]string{"make": sweeps}, "JOB_NAME="+tt.job, "FAIL="+tt.fail)
			s.write("components/kube-controller-manager/1.23/go.mod", "")
			s.write("components/kube-controller-manager/1.37/go.mod", "")
			s.write("tests/integration/results/scenarios-ipv6.json", "{}")
			code, out := s.run("presubmit.sh", tt.part)
			if diff := cmp.Diff(tt.want, out); code != tt.code || diff != "" {
				t.Errorf("exit code %d, want %d; printed (-want +got)\n%s", code, tt.code, diff)
			}
			if diff := cmp.Diff(tt.artifacts, strings.Join(s.artifacts(), " ")); diff != "" {
				t.Errorf("artifacts (-want +got):\n%s", diff)
			}
		})
	}
}

// artifacts are the names of what a script has left.
func (s sandbox) artifacts() (names []string) {
	s.t.Helper()
	entries, err := os.ReadDir(s.path("artifacts"))
	if err != nil {
		s.t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != ".keep" {
			names = append(names, e.Name())
		}
	}
	return names
}

type junit struct {
	Tests    int `xml:"tests,attr"`
	Failures int `xml:"failures,attr"`
	Errors   int `xml:"errors,attr"`
	Cases    []struct {
		Name    string `xml:"name,attr"`
		Failure string `xml:"failure"`
		Error   string `xml:"error"`
	} `xml:"testcase"`
}

// TestPeriodic: every stream goes to the newest release of its line, the newest stream to the newest of all; what one
// cannot tell does not keep the others from being tried.
func TestPeriodic(t *testing.T) {
	t.Parallel()
	const (
		lists = `case "$*" in
*-versions*kcm) printf '%s\n' v1.9.9 v1.23.5 v1.23.17 v1.37.2 v1.38.0-beta.0 v1.38.0 ;;
*-versions*cvo) echo v1.0.0 ;;
*cvo@release-4.11) if [[ -n "${OFFLINE:-}" ]]; then echo "no <network> & no answer" >&2; exit 1; fi; echo v1.0.1-0.2023-abc ;;
*) echo "unexpected go $*" >&2; exit 9 ;;
esac`
		rebases = `echo "{}"; case "$*" in *v1.38.0*) printf 'rebase: 1 of <2> need & a \033person\n' >&2; exit ${NEED:-0} ;; esac`
		person  = "rebase: 1 of <2> need & a person"
	)
	type outcome struct{ Name, Failure, Error string }
	for _, tt := range []struct {
		name string
		env  []string
		code int
		want []outcome
	}{
		{"clean", nil, 0, []outcome{{"cvo 4.11 v1.0.1-0.2023-abc", "", ""}, {"kcm 1.23 v1.23.17", "", ""}, {"kcm 1.37 v1.37.2", "", ""}, {"kcm 1.37 v1.38.0", "", ""}}},
		{"a person", []string{"NEED=2"}, 2, []outcome{{"cvo 4.11 v1.0.1-0.2023-abc", "", ""}, {"kcm 1.23 v1.23.17", "", ""}, {"kcm 1.37 v1.37.2", "", ""}, {"kcm 1.37 v1.38.0", person, ""}}},
		{"fails", []string{"NEED=1"}, 1, []outcome{{"cvo 4.11 v1.0.1-0.2023-abc", "", ""}, {"kcm 1.23 v1.23.17", "", ""}, {"kcm 1.37 v1.37.2", "", ""}, {"kcm 1.37 v1.38.0", "", person}}},
		{"offline", []string{"NEED=2", "OFFLINE=1"}, 1, []outcome{{"cvo 4.11", "", "no <network> & no answer"}, {"kcm 1.23 v1.23.17", "", ""}, {"kcm 1.37 v1.37.2", "", ""}, {"kcm 1.37 v1.38.0", person, ""}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t, map[string]string{"go": lists, "carry": rebases}, append(tt.env, "CARRY=carry")...)
			s.write("components/kcm/component.yaml", "module: kcm\n")
			s.write("components/cvo/component.yaml", "module: cvo\npackage: cmd\n")
			for _, stream := range []string{"kcm/1.37", "kcm/1.23", "cvo/4.11"} {
				s.write("components/"+stream+"/go.mod", "")
			}
			code, out := s.run("periodic.sh")
			if code != tt.code {
				t.Errorf("exit code %d, want %d; printed\n%s", code, tt.code, out)
			}
			var got junit
			if err := xml.Unmarshal([]byte(s.read("artifacts/junit_rebase.xml")), &got); err != nil {
				t.Fatal(err)
			}
			var outcomes []outcome
			var failures, errs int
			for _, c := range got.Cases {
				outcomes = append(outcomes, outcome{c.Name, c.Failure, c.Error})
				failures += min(1, len(c.Failure))
				errs += min(1, len(c.Error))
			}
			if diff := cmp.Diff(tt.want, outcomes); diff != "" {
				t.Errorf("JUnit (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]int{len(outcomes), failures, errs}, []int{got.Tests, got.Failures, got.Errors}); diff != "" {
				t.Errorf("counts of the suite (-cases +attributes):\n%s", diff)
			}
			if tt.code == 0 && s.read("artifacts/rebase-kcm-1.37-v1.38.0.json") != "{}\n" {
				t.Error("the report is not what carry printed")
			}
		})
	}
}
