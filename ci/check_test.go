package ci

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"
)

// checker collects what rules find in a repository.
type checker struct {
	repo    fs.FS
	configs []config
	refs    map[string]ref // by name
	where   string         // file of the rule's subject
	rule    string
	found   []string
}

// want records a finding of the rule at hand unless it holds.
func (c *checker) want(holds bool, format string, args ...any) {
	if !holds {
		c.found = append(c.found, fmt.Sprintf("%s: %s: %s", c.rule, c.where, fmt.Sprintf(format, args...)))
	}
}

// exists tells whether the repository has such a file, and whether it may be run.
func (c *checker) exists(name string) (there, executable bool) {
	info, err := fs.Stat(c.repo, name)
	if err != nil || info.IsDir() {
		return false, false
	}
	return true, info.Mode()&0o111 != 0
}

// A rule is named after what it is about; each looks at one kind of file.
var (
	configRules = map[string]func(*checker, config){
		"path": pathRule, "canonical": canonicalRule, "build root": buildRootRule, "images": imagesRule,
		"payload": payloadRule, "source": sourceRule, "promotion": promotionRule, "releases": releasesRule,
		"resources": resourcesRule, "unique": uniqueRule,
	}
	testRules = map[string]func(*checker, config, test){
		"name": nameRule, "kind": kindRule, "trigger": triggerRule, "changes": changesRule, "timeout": timeoutRule,
		"script": scriptRule, "workflow": workflowRule, "phase": phaseRule, "shards": shardsRule,
	}
	refRules = map[string]func(*checker, ref){
		"ref": refRule, "commands": commandsRule, "metadata": metadataRule,
	}
	dockerfileRules = map[string]func(*checker, dockerfile){
		"stages": stagesRule, "from": fromRule, "download": downloadRule, "build": buildRule, "overlay": overlayRule,
		"label": labelRule, "go": goRule,
	}
)

// check gives what all rules find, sorted.
func check(repo fs.FS) []string {
	c := &checker{repo: repo, refs: map[string]ref{}}
	c.read()
	for _, cfg := range c.configs {
		run(c, cfg.path, configRules, func(rule func(*checker, config)) { rule(c, cfg) })
		for _, t := range cfg.Tests {
			run(c, cfg.path+" "+t.As, testRules, func(rule func(*checker, config, test)) { rule(c, cfg, t) })
		}
	}
	for _, r := range c.refs {
		run(c, r.path, refRules, func(rule func(*checker, ref)) { rule(c, r) })
	}
	for _, d := range c.dockerfiles() {
		run(c, d.path, dockerfileRules, func(rule func(*checker, dockerfile)) { rule(c, d) })
	}
	c.owners()
	slices.Sort(c.found)
	return c.found
}

func run[R any](c *checker, where string, rules map[string]R, apply func(R)) {
	for name, rule := range rules {
		c.where, c.rule = where, name
		apply(rule)
	}
}

// read loads configurations and steps; what cannot be read is a finding.
func (c *checker) read() {
	for _, name := range c.files(configs, ".yaml") {
		c.where, c.rule = name, "read"
		cfg, err := readConfig(c.repo, name)
		c.want(err == nil, "%v", err)
		if err == nil {
			c.configs = append(c.configs, cfg)
		}
	}
	for _, name := range c.files(registry, "-ref.yaml") {
		c.where, c.rule = name, "read"
		r, err := readRef(c.repo, name)
		c.want(err == nil, "%v", err)
		if err == nil {
			c.refs[r.As] = r
		}
	}
	c.where, c.rule = "ci", "read"
	c.want(len(c.configs) > 0 && len(c.refs) > 0, "no configuration, or no step")
}

// files are all below dir whose name ends in suffix, sorted.
func (c *checker) files(dir, suffix string) (names []string) {
	err := fs.WalkDir(c.repo, dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(name, suffix) {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		c.found = append(c.found, fmt.Sprintf("read: %s: %v", dir, err))
	}
	return names
}

// owners wants an OWNERS beside every configuration and step; without it nobody can approve a change.
func (c *checker) owners() {
	for _, name := range append(c.files(configs, ".yaml"), c.files(registry, ".yaml")...) {
		c.where, c.rule = path.Join(path.Dir(name), "OWNERS"), "owners"
		who, err := readOwners(c.repo, path.Dir(name))
		c.want(err == nil, "%v", err)
		c.want(err != nil || len(who.Approvers) > 0 && len(who.Reviewers) > 0, "needs approvers and reviewers")
	}
}

func TestRepository(t *testing.T) {
	t.Parallel()
	for _, finding := range check(repo(t)) {
		t.Error(finding)
	}
}
