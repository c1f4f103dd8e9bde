package ci

import (
	"bytes"
	"path"
	"slices"
	"strings"

	quantity "k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/yaml"
)

// pathRule: a configuration is found by its path alone, and belongs to this repository.
func pathRule(c *checker, cfg config) {
	c.want(cfg.path == cfg.Metadata.configPath(), "zz_generated_metadata belongs into %s", cfg.Metadata.configPath())
	c.want(cfg.Metadata.Org+"/"+cfg.Metadata.Repo == repository, "is not of %s", repository)
}

// canonicalRule: determinize-ci-operator writes keys sorted and drops comments; a file that it would change is refused.
func canonicalRule(c *checker, cfg config) {
	var whole map[string]any
	err := yaml.Unmarshal(cfg.raw, &whole)
	c.want(err == nil, "%v", err)
	want, err := yaml.Marshal(whole)
	c.want(err == nil && bytes.Equal(want, cfg.raw), "keys are not sorted, or there are comments: %v\n%s", err, firstDifference(want, cfg.raw))
}

func firstDifference(want, got []byte) string {
	wants, gots := strings.Split(string(want), "\n"), strings.Split(string(got), "\n")
	for i := range min(len(wants), len(gots)) {
		if wants[i] != gots[i] {
			return "want " + wants[i] + "\nhave " + gots[i]
		}
	}
	return ""
}

// buildRootRule: images need a build root, and it comes from .ci-operator.yaml.
func buildRootRule(c *checker, cfg config) {
	c.want(cfg.BuildRoot.FromRepository, "build_root.from_repository is not set")
	tag, err := buildRoot(c.repo)
	c.want(err == nil, "%v", err)
	c.want(goOf(tag) == c.goVersion(), ".ci-operator.yaml: Go of %q is not go.mod's %s", tag, c.goVersion())
}

// imagesRule: each image has a name of its own and one Dockerfile that exists; what is copied into it is built here.
func imagesRule(c *checker, cfg config) {
	var seen []string
	for _, i := range cfg.Images.Items {
		c.want(i.To != "" && !slices.Contains(seen, i.To) && !slices.Contains(pipelineImages, i.To), "image %q: no name of its own", i.To)
		seen = append(seen, i.To)
		c.want((i.Dockerfile == "") != (i.Literal == ""), "image %s: needs dockerfile_path or dockerfile_literal, one of them", i.To)
		if i.Dockerfile != "" {
			there, _ := c.exists(i.Dockerfile)
			c.want(there, "image %s: no file %s", i.To, i.Dockerfile)
		}
		for name := range i.Inputs {
			c.want(slices.ContainsFunc(cfg.Images.Items, func(o image) bool { return o.To == name && o.Optional }),
				"image %s: input %s is no optional image", i.To, name)
		}
	}
}

// payloadRule: an image takes the place of the payload's image that it is made from, in a payload of that version.
func payloadRule(c *checker, cfg config) {
	for _, i := range cfg.Images.Items {
		d, err := c.dockerfile(i.Dockerfile)
		if i.Dockerfile == "" || err != nil {
			continue // imagesRule and the Dockerfile's own rules
		}
		latest := cfg.Releases["latest"].Integration
		if latest == nil {
			continue // releasesRule
		}
		want := latest.Namespace + "/" + latest.Name + ":" + i.To
		c.want(strings.HasSuffix(d.final().from, "/"+want), "image %s: made from %s, and goes into %s", i.To, d.final().from, want)
	}
}

// sourceRule: the checkout that is built is an input, and its version is one of the stream.
func sourceRule(c *checker, cfg config) {
	for _, i := range cfg.Images.Items {
		if i.Dockerfile == "" {
			continue
		}
		args := map[string]string{}
		for _, a := range i.BuildArgs {
			args[a.Name] = a.Value
		}
		pin := path.Join(path.Dir(i.Dockerfile), args["STREAM"], "go.mod")
		there, _ := c.exists(pin)
		c.want(args["STREAM"] != "" && there, "image %s: no stream %q (%s)", i.To, args["STREAM"], pin)
		c.want(strings.HasPrefix(strings.TrimPrefix(args["SOURCE_VERSION"], "v"), args["STREAM"]+"."),
			"image %s: version %q is not one of stream %q", i.To, args["SOURCE_VERSION"], args["STREAM"])
		var copied []string
		for _, input := range i.Inputs {
			for _, p := range input.Paths {
				copied = append(copied, p.Destination)
			}
		}
		dir, _, _ := strings.Cut(args["SOURCE"], "@")
		c.want(slices.Contains(copied, dir), "image %s: SOURCE %q is copied from no input", i.To, args["SOURCE"])
	}
}

// promotionRule: nothing from here goes where other people's payloads are made of.
func promotionRule(c *checker, cfg config) {
	if cfg.Promotion == nil {
		return
	}
	for _, to := range cfg.Promotion.To {
		c.want(to.Disabled, "to %s: not disabled", to.Namespace)
		c.want(to.Namespace != "ocp", "to ocp")
		c.want((to.Name == "") != (to.Tag == ""), "to %s: needs name or tag, one of them", to.Namespace)
	}
}

// releasesRule: both are one integration stream, and only the latest has what was built here.
func releasesRule(c *checker, cfg config) {
	initial, latest := cfg.Releases["initial"].Integration, cfg.Releases["latest"].Integration
	if initial == nil || latest == nil || len(cfg.Releases) != 2 {
		c.want(false, "needs initial and latest, both integration")
		return
	}
	c.want(latest.IncludeBuiltImages, "latest: without include_built_images the cluster does not run what was built")
	c.want(!initial.IncludeBuiltImages, "initial: is the release without what was built")
	c.want(latest.Namespace == "ocp" && latest.Name != "", "latest: needs namespace ocp and a name")
	c.want(initial.Namespace == latest.Namespace && initial.Name == latest.Name, "initial and latest are of two streams")
}

// resourcesRule: there is a default, each key is something that runs, and quantities can be read.
func resourcesRule(c *checker, cfg config) {
	_, there := cfg.Resources["*"]
	c.want(there, `no default "*"`)
	known := append([]string{"*"}, pipelineImages...)
	for _, i := range cfg.Images.Items {
		known = append(known, i.To)
	}
	for _, t := range cfg.Tests {
		known = append(known, t.As)
	}
	for name, r := range cfg.Resources {
		c.want(slices.Contains(known, name), "%s: nothing of that name runs", name)
		c.quantities(name, r)
	}
}

// quantities wants requests of cpu and memory, none of them zero.
func (c *checker) quantities(name string, r resource) {
	c.want(r.Requests["cpu"] != "" && r.Requests["memory"] != "", "%s: needs requests of cpu and memory", name)
	for _, list := range []map[string]string{r.Requests, r.Limits} {
		for what, text := range list {
			q, err := quantity.ParseQuantity(text)
			c.want(err == nil && q.Sign() > 0, "%s: %s %q is no quantity: %v", name, what, text, err)
		}
	}
}

// uniqueRule: a test's name is its job's, and images are targets like tests.
func uniqueRule(c *checker, cfg config) {
	var seen []string
	for _, i := range cfg.Images.Items {
		seen = append(seen, i.To)
	}
	for _, t := range cfg.Tests {
		c.want(!slices.Contains(seen, t.As), "two tests or images are called %s", t.As)
		seen = append(seen, t.As)
	}
}
