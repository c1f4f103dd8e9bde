package ci

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// ref is a step of the registry, as far as this project uses it.
type ref struct {
	path string

	As            string   `json:"as"`
	From          string   `json:"from"`
	Commands      string   `json:"commands"`
	Timeout       duration `json:"timeout"`
	GracePeriod   duration `json:"grace_period"`
	Resources     resource `json:"resources"`
	Documentation string   `json:"documentation"`
}

// owners is an OWNERS file, and what the registry's metadata repeats of it.
type owners struct {
	Approvers []string `json:"approvers"`
	Reviewers []string `json:"reviewers"`
}

func readRef(repo fs.FS, name string) (ref, error) {
	var file struct {
		Ref ref `json:"ref"`
	}
	data, err := fs.ReadFile(repo, name)
	if err == nil {
		err = yaml.UnmarshalStrict(data, &file)
	}
	if err != nil {
		return ref{}, fmt.Errorf("read %s: %w", name, err)
	}
	file.Ref.path = name
	return file.Ref, nil
}

func readOwners(repo fs.FS, dir string) (owners, error) {
	var who owners
	data, err := fs.ReadFile(repo, path.Join(dir, "OWNERS"))
	if err == nil {
		err = yaml.UnmarshalStrict(data, &who)
	}
	return who, err
}

// refRule: a step's name is its path in the registry, and it has what ci-operator asks of a step.
func refRule(c *checker, r ref) {
	name := strings.ReplaceAll(strings.TrimPrefix(path.Dir(r.path), registry+"/"), "/", "-")
	c.want(r.As == name && path.Base(r.path) == name+"-ref.yaml", "a step in this folder is called %s, its file %s-ref.yaml", name, name)
	c.want(slices.Contains(pipelineImages, r.From), "from %q: no such image", r.From)
	c.want(r.Documentation != "", "no documentation")
	c.want(r.Timeout.Duration > 0 && r.Timeout.Duration <= longestTest, "timeout %s: needs one, up to %s", r.Timeout, longestTest)
	c.quantities(r.As, r.Resources)
}

var trap = regexp.MustCompile(`(?m)^\s*trap\b`)

// commandsRule: a step's script is beside it, may be run, stops at the first error and writes its JUnit where the job's
// page looks for it.
func commandsRule(c *checker, r ref) {
	c.want(r.Commands == r.As+"-commands.sh", "commands %q: want %s-commands.sh", r.Commands, r.As)
	name := path.Join(path.Dir(r.path), r.Commands)
	there, executable := c.exists(name)
	c.want(there, "no file %s", name)
	c.want(!there || executable, "%s is not executable", name)
	data, _ := fs.ReadFile(c.repo, name)
	script := string(data)
	c.want(strings.HasPrefix(script, "#!/bin/bash\n") && strings.Contains(script, "\nset -euo pipefail\n"), "%s goes on after an error", name)
	c.want(regexp.MustCompile(`\$\{?ARTIFACT_DIR\}?/junit\w*\.xml`).MatchString(script), "%s leaves no junit*.xml in ARTIFACT_DIR", name)
	c.want(!trap.MatchString(script) || r.GracePeriod.Duration > 0, "%s has a trap, and the step no grace_period", name)
}

// metadataRule: the registry's generated file repeats path and owners.
func metadataRule(c *checker, r ref) {
	name := strings.TrimSuffix(r.path, ".yaml") + ".metadata.json"
	var got struct {
		Path   string `json:"path"`
		Owners owners `json:"owners"`
	}
	data, err := fs.ReadFile(c.repo, name)
	if err == nil {
		err = json.Unmarshal(data, &got)
	}
	c.want(err == nil, "%v", err)
	want := strings.TrimPrefix(r.path, registry+"/")
	c.want(got.Path == want, "%s: path %q, want %s", name, got.Path, want)
	who, _ := readOwners(c.repo, path.Dir(r.path))
	c.want(cmp.Equal(who, got.Owners), "%s: owners differ from OWNERS: %s", name, cmp.Diff(who, got.Owners))
}
