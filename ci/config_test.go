package ci

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"sigs.k8s.io/yaml"
)

// repository is the name under which OpenShift's CI knows this repository.
const repository = "openshift-eng/carry"

const (
	configs  = "ci/ci-operator/config"
	registry = "ci/ci-operator/step-registry"
)

// config is the part of a ci-operator configuration that this project uses. What is not here is refused when the file
// is read: a key that nobody checks is not used.
type config struct {
	path string
	raw  []byte

	BuildRoot struct {
		FromRepository bool `json:"from_repository"`
	} `json:"build_root"`
	Images struct {
		Items []image `json:"items"`
	} `json:"images"`
	Promotion *struct {
		To []promotion `json:"to"`
	} `json:"promotion"`
	Releases  map[string]release  `json:"releases"`
	Resources map[string]resource `json:"resources"`
	Tests     []test              `json:"tests"`
	Metadata  metadata            `json:"zz_generated_metadata"`
}

type image struct {
	To         string `json:"to"`
	Dockerfile string `json:"dockerfile_path"`
	Literal    string `json:"dockerfile_literal"`
	Optional   bool   `json:"optional"`
	BuildArgs  []struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	} `json:"build_args"`
	Inputs map[string]struct {
		Paths []struct {
			Source      string `json:"source_path"`
			Destination string `json:"destination_dir"`
		} `json:"paths"`
	} `json:"inputs"`
}

type promotion struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Tag       string `json:"tag"`
	Disabled  bool   `json:"disabled"`
}

type release struct {
	Integration *struct {
		Namespace          string `json:"namespace"`
		Name               string `json:"name"`
		IncludeBuiltImages bool   `json:"include_built_images"`
	} `json:"integration"`
}

type resource struct {
	Requests map[string]string `json:"requests"`
	Limits   map[string]string `json:"limits"`
}

type test struct {
	As        string `json:"as"`
	Commands  string `json:"commands"`
	Container *struct {
		From string `json:"from"`
	} `json:"container"`
	Steps *steps `json:"steps"`

	AlwaysRun                 *bool    `json:"always_run"`
	Optional                  bool     `json:"optional"`
	RunIfChanged              string   `json:"run_if_changed"`
	SkipIfOnlyChanged         string   `json:"skip_if_only_changed"`
	PipelineRunIfChanged      string   `json:"pipeline_run_if_changed"`
	PipelineSkipIfOnlyChanged string   `json:"pipeline_skip_if_only_changed"`
	Cron                      string   `json:"cron"`
	Interval                  string   `json:"interval"`
	MinimumInterval           string   `json:"minimum_interval"`
	ShardCount                int      `json:"shard_count"`
	Capabilities              []string `json:"capabilities"`
	Timeout                   duration `json:"timeout"`
}

// steps are a test on a cluster: a workflow, and phases that stand in for the workflow's own.
type steps struct {
	Workflow       string            `json:"workflow"`
	ClusterProfile string            `json:"cluster_profile"`
	Env            map[string]string `json:"env"`
	Observers      struct {
		Enable []string `json:"enable"`
	} `json:"observers"`
	Pre  []step `json:"pre"`
	Test []step `json:"test"`
	Post []step `json:"post"`
}

type step struct {
	Ref   string `json:"ref"`
	Chain string `json:"chain"`
}

func (s step) String() string {
	if s.Chain != "" {
		return "chain " + s.Chain
	}
	return "ref " + s.Ref
}

type metadata struct {
	Org     string `json:"org"`
	Repo    string `json:"repo"`
	Branch  string `json:"branch"`
	Variant string `json:"variant"`
}

// duration is a time as Go writes it, which ci-operator reads.
type duration struct{ time.Duration }

func (d *duration) UnmarshalText(text []byte) (err error) {
	d.Duration, err = time.ParseDuration(string(text))
	return err
}

// readConfig reads one file strictly: a key that is not known, or comes twice, is an error.
func readConfig(repo fs.FS, name string) (config, error) {
	c := config{path: name}
	var err error
	if c.raw, err = fs.ReadFile(repo, name); err != nil {
		return c, err
	}
	if err := yaml.UnmarshalStrict(c.raw, &c); err != nil {
		return c, fmt.Errorf("read %s: %w", name, err)
	}
	return c, nil
}

// configPath is where the metadata says that the file is.
func (m metadata) configPath() string {
	name := strings.Join([]string{m.Org, m.Repo, m.Branch}, "-")
	if m.Variant != "" {
		name += "__" + m.Variant
	}
	return path.Join(configs, m.Org, m.Repo, name+".yaml")
}
