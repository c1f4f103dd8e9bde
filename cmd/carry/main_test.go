package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/goproxytest"
	"github.com/rogpeppe/go-internal/testscript"
)

// ownComponents is this repository's own description of the component that the stand-in plays.
var ownComponents = filepath.Join("..", "..", "components", "kube-controller-manager")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"carry":     func() { os.Exit(run()) },
		"baseimage": func() { os.Exit(baseImage(os.Args[1:])) },
		"unpack":    func() { os.Exit(unpack(os.Args[1:])) },
	})
}

// TestScript runs testdata/script/*.txtar. Each script starts in a copy of testdata/project, a project with one
// stream whose pin is a small stand-in for upstream, served by a module proxy of the test's own: no network.
func TestScript(t *testing.T) {
	proxy, err := goproxytest.NewServer(filepath.Join("testdata", "mod"), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(proxy.Close)
	registry := serveRegistry(t)
	gocache := goEnv(t, "GOCACHE")
	sums := pinSums(t, proxy.URL)
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(env *testscript.Env) error {
			env.Setenv("GOPROXY", proxy.URL)
			env.Setenv("GONOSUMDB", "*")
			env.Setenv("GOFLAGS", "-modcacherw")
			env.Setenv("GOCACHE", gocache)
			env.Setenv("GOMODCACHE", filepath.Join(env.WorkDir, "gomodcache"))
			env.Setenv("REPO", repoRoot(t))
			env.Setenv("REGISTRY", registry)
			project := filepath.Join(env.WorkDir, "project")
			env.Cd = project
			return layProject(project, sums)
		},
		Condition: condition,
	})
}

func goEnv(t *testing.T, key string) string {
	t.Helper()
	out, err := exec.Command("go", "env", key).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

func repoRoot(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// layProject copies testdata/project and gives it this repository's own component.yaml and pull-request.md, so that the
// templates in them are what the scripts try.
func layProject(dir string, sums []byte) error {
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "project"))); err != nil {
		return err
	}
	of := filepath.Join(dir, "components", "kube-controller-manager")
	for _, name := range []string{"component.yaml", "pull-request.md"} {
		data, err := os.ReadFile(filepath.Join(ownComponents, name))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(of, name), data, 0o644); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(of, "1.37", "go.sum"), sums, 0o644)
}

// pinSums makes the go.sum of the stand-in's pin, once.
func pinSums(t *testing.T, proxy string) []byte {
	t.Helper()
	dir := t.TempDir()
	if err := layProject(dir, nil); err != nil {
		t.Fatal(err)
	}
	pin := filepath.Join(dir, "components", "kube-controller-manager", "1.37")
	cmd := exec.Command("go", "mod", "tidy")
	cmd.Dir = pin
	cmd.Env = append(os.Environ(), "GOPROXY="+proxy, "GONOSUMDB=*", "GOFLAGS=-modcacherw", "GOWORK=off", "GOMODCACHE="+filepath.Join(dir, "gomodcache"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go mod tidy: %v\n%s", err, out)
	}
	data, err := os.ReadFile(filepath.Join(pin, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}
