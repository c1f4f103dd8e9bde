package ci

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// stagesRule: a builder, which is named, and what comes of it.
func stagesRule(c *checker, d dockerfile) {
	c.want(len(d.stages) == 2 && d.stages[0].name == "builder" && d.final().name == "", "wants two stages, the first called builder")
	for _, s := range d.stages {
		for _, i := range s.instructions {
			for _, f := range i.flags {
				from, is := strings.CutPrefix(f, "--from=")
				c.want(!is || from == "builder", "copies from %s", from)
			}
		}
	}
}

var pinned = regexp.MustCompile(`^registry\.ci\.openshift\.org/[\w./-]+:[\w.-]+$`)

// fromRule: ci-operator replaces what it finds in its own registry; a tag that moves is another image tomorrow.
func fromRule(c *checker, d dockerfile) {
	for _, s := range d.stages {
		c.want(pinned.MatchString(s.from) && !strings.HasSuffix(s.from, ":latest"), "from %q: want an image of OpenShift's CI, with a tag that is not latest", s.from)
	}
}

// downloadRule: what comes over the network is in no checksum. Go's modules are in go.sum.
func downloadRule(c *checker, d dockerfile) {
	for _, s := range d.stages {
		for _, i := range s.instructions {
			text := strings.Join(i.args, " ")
			c.want(i.name != "add", "ADD %s: COPY does it, and loads nothing", text)
			c.want(!regexp.MustCompile(`\b(curl|wget|git clone|yum|dnf)\b`).MatchString(text), "loads something: %s", text)
		}
	}
}

// buildRule: patched by `carry build --source` and in no other way, from a checkout that build arguments name.
func buildRule(c *checker, d dockerfile) {
	declared := map[string]bool{}
	builds := 0
	for _, i := range d.stages[0].instructions {
		text := strings.Join(i.args, " ")
		switch i.name {
		case "arg":
			name, value, _ := strings.Cut(i.args[0], "=")
			declared[name] = true
			there, _ := c.exists(path.Join(path.Dir(d.path), value, "go.mod"))
			c.want(name != "STREAM" || there, "STREAM %q: no such stream", value)
		case "run":
			builds += strings.Count(text, "carry build "+d.component+` "$STREAM" --source "$SOURCE" --source-version "$SOURCE_VERSION"`)
			c.want(!regexp.MustCompile(`\b(git (am|apply)|patch)\b`).MatchString(text), "patches by hand: %s", text)
			c.want(declared["SOURCE"] && declared["SOURCE_VERSION"] && declared["STREAM"], "SOURCE, SOURCE_VERSION or STREAM is no build argument")
		case "env":
			c.want(i.args[0] != "GOFLAGS" || !strings.Contains(i.args[1], "vendor"), "GOFLAGS: there is no vendor folder")
		}
	}
	c.want(builds == 1, "wants one carry build --source, has %d", builds)
	c.want(slices.ContainsFunc(d.stages[0].instructions, func(i instruction) bool { return i.name == "env" && i.args[0] == "GOFLAGS" }),
		"GOFLAGS of the builder's image ask for a vendor folder")
}

// overlayRule: the last stage is the payload's image, one file and labels. Whatever else it could say (ENTRYPOINT, CMD,
// USER, ENV, RUN) would take something from the payload.
func overlayRule(c *checker, d dockerfile) {
	copies := 0
	for _, i := range d.final().instructions {
		c.want(i.name == "copy" || i.name == "label", "%s %s: does not keep what the payload's image has", strings.ToUpper(i.name), strings.Join(i.args, " "))
		if i.name == "copy" {
			copies++
			c.want(slices.Equal(i.flags, []string{"--from=builder"}) && slices.Equal(i.args, []string{"/overlay/" + d.component, "/usr/bin/" + d.component}),
				"COPY %v %v: want the one binary, to /usr/bin/%s", i.flags, i.args, d.component)
		}
	}
	c.want(copies == 1, "wants one COPY into the last stage, has %d", copies)
}

// labelRule: the image says what it is, and nothing that oc reads when it makes a release of it: those stay the base's.
func labelRule(c *checker, d dockerfile) {
	labels := map[string]string{}
	for _, i := range d.final().instructions {
		for n := 0; i.name == "label" && n+1 < len(i.args); n += 3 { // key, value, separator
			labels[strings.Trim(i.args[n], `"`)] = strings.Trim(i.args[n+1], `"`)
		}
	}
	for _, key := range []string{"io.k8s.display-name", "io.k8s.description"} {
		c.want(labels[key] != "", "no label %s", key)
	}
	for key := range labels {
		c.want(!strings.HasPrefix(key, "io.openshift."), "label %s: the payload's own has to stay", key)
	}
}

// goRule: the builder has the Go that go.mod asks for.
func goRule(c *checker, d dockerfile) {
	c.want(goOf(d.stages[0].from) == c.goVersion(), "builder %s: go.mod asks for Go %s", d.stages[0].from, c.goVersion())
}
