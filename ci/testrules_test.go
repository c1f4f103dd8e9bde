package ci

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"
)

const (
	longestName = 61 // more, and the job's name is no label
	longestTest = 72 * time.Hour
)

var (
	shardSuffix = regexp.MustCompile(`-\d+of\d+$`)
	ownScript   = regexp.MustCompile(`\bci/[\w./-]+\.sh\b`)
)

// nameRule: the name becomes part of the names of jobs, pods and labels.
func nameRule(c *checker, _ config, t test) {
	c.want(len(t.As) <= longestName, "%d characters, more than %d", len(t.As), longestName)
	c.want(len(validation.IsDNS1123Subdomain(t.As)) == 0, "no name of a Kubernetes object")
	c.want(t.As != "images" && !strings.HasPrefix(t.As, "ci-index"), "ci-operator has a target of its own called so")
	c.want(!shardSuffix.MatchString(t.As), "ends like a shard")
}

// kindRule: a test is a command in a container, or steps on a cluster.
func kindRule(c *checker, cfg config, t test) {
	c.want((t.Commands != "") == (t.Container != nil), "commands and container go together")
	c.want((t.Container != nil) != (t.Steps != nil), "needs commands or steps, one of them")
	if t.Container != nil {
		built := slices.ContainsFunc(cfg.Images.Items, func(i image) bool { return i.To == t.Container.From })
		c.want(built || slices.Contains(pipelineImages, t.Container.From), "container from %q: no such image", t.Container.From)
	}
}

// triggerRule: a periodic has one clock, and no say in what a pull request runs.
func triggerRule(c *checker, _ config, t test) {
	var clocks int
	for _, clock := range []string{t.Cron, t.Interval, t.MinimumInterval} {
		if clock != "" {
			clocks++
		}
	}
	c.want(clocks <= 1, "cron, interval and minimum_interval exclude each other")
	presubmit := t.Optional || t.AlwaysRun != nil || t.RunIfChanged+t.SkipIfOnlyChanged+t.PipelineRunIfChanged+t.PipelineSkipIfOnlyChanged != ""
	c.want(clocks == 0 || !presubmit, "a periodic that is also a presubmit")
	c.want(t.Cron == "" || len(strings.Fields(t.Cron)) == 5 || strings.HasPrefix(t.Cron, "@"), "cron %q: needs five fields", t.Cron)
	for _, every := range []string{t.Interval, t.MinimumInterval} {
		d, err := time.ParseDuration(every)
		c.want(every == "" || err == nil && d > 0, "interval %q: %v", every, err)
	}
}

// changesRule: one condition on the files of a pull request, which can be read; that of the second stage only where the
// first does not run the test anyhow.
func changesRule(c *checker, _ config, t test) {
	var given []string
	for _, expr := range []string{t.RunIfChanged, t.SkipIfOnlyChanged, t.PipelineRunIfChanged, t.PipelineSkipIfOnlyChanged} {
		if expr != "" {
			given = append(given, expr)
			_, err := regexp.Compile(expr)
			c.want(err == nil, "%v", err)
		}
	}
	c.want(len(given) <= 1, "conditions exclude each other: %s", strings.Join(given, " and "))
	second := t.PipelineRunIfChanged+t.PipelineSkipIfOnlyChanged != ""
	c.want(second == (t.AlwaysRun != nil && !*t.AlwaysRun), "always_run: false and a pipeline_ condition go together")
}

func timeoutRule(c *checker, _ config, t test) {
	c.want(t.Timeout.Duration >= 0 && t.Timeout.Duration <= longestTest, "timeout %s: more than %s", t.Timeout, longestTest)
}

// scriptRule: a script of this folder that a test runs is there, and may be run.
func scriptRule(c *checker, _ config, t test) {
	for _, name := range ownScript.FindAllString(t.Commands, -1) {
		there, executable := c.exists(name)
		c.want(there, "no file %s", name)
		c.want(!there || executable, "%s is not executable", name)
	}
}

// workflowRule: workflow, profile, capabilities and observers are known, and fit each other.
func workflowRule(c *checker, _ config, t test) {
	if t.Steps == nil {
		return
	}
	w, known := workflows[t.Steps.Workflow]
	c.want(known, "no workflow %q", t.Steps.Workflow)
	if !known {
		return
	}
	c.want(slices.Contains(w.profiles, t.Steps.ClusterProfile), "cluster profile %q: %s wants %v", t.Steps.ClusterProfile, t.Steps.Workflow, w.profiles)
	c.want(slices.Equal(w.capabilities, t.Capabilities), "capabilities %v: %s wants %v", t.Capabilities, t.Steps.Workflow, w.capabilities)
	for _, o := range t.Steps.Observers.Enable {
		c.want(slices.Contains(observers, o), "no observer %q", o)
	}
}

// phaseRule: a phase given here replaces the workflow's whole phase. It must have the workflow's own steps, in their
// order: a post phase that loses one leaves a cluster, or a leased machine, behind. The live check is in every test.
func phaseRule(c *checker, _ config, t test) {
	if t.Steps == nil {
		return
	}
	w := workflows[t.Steps.Workflow]
	seen := map[step]int{}
	for _, phase := range []struct {
		name       string
		has, wants []step
	}{{"pre", t.Steps.Pre, w.pre}, {"test", t.Steps.Test, w.test}, {"post", t.Steps.Post, w.post}} {
		own := 0
		for _, s := range phase.has {
			seen[s]++
			c.want(seen[s] == 1, "%s: %s comes twice", phase.name, s)
			c.want((s.Ref == "") != (s.Chain == ""), "%s: needs ref or chain, one of them", phase.name)
			if own < len(phase.wants) && s == phase.wants[own] {
				own++
				continue
			}
			_, here := c.refs[s.Ref]
			c.want(here, "%s: %s is neither %s's own, in its order, nor in this step registry", phase.name, s, t.Steps.Workflow)
		}
		c.want(len(phase.has) == 0 || own == len(phase.wants), "%s: replaces %s's own %v and keeps %d", phase.name, t.Steps.Workflow, phase.wants, own)
	}
	c.want(slices.Contains(t.Steps.Post, step{Ref: "carry-check"}), "post: without carry-check a failed installation is not looked at")
}

// shardsRule: ci/presubmit.sh deals the sweep's streams to shards, so one more than streams has nothing to do.
func shardsRule(c *checker, _ config, t test) {
	c.want(t.ShardCount >= 0, "shard_count %d", t.ShardCount)
	if !strings.Contains(t.Commands, "presubmit.sh sweep") {
		return
	}
	streams := 0
	for _, name := range c.files("components/kube-controller-manager", "go.mod") {
		if path.Base(name) == "go.mod" {
			streams++
		}
	}
	c.want(max(t.ShardCount, 1) == streams, "shard_count %d: there are %d streams to sweep", t.ShardCount, streams)
}
