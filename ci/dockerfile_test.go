package ci

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/parser"
	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"
	"sigs.k8s.io/yaml"
)

// dockerfile is a component's, as its stages.
type dockerfile struct {
	path      string
	component string
	stages    []stage
}

type stage struct {
	from, name   string
	instructions []instruction
}

// instruction is one of a stage after its FROM: COPY --from=builder A B is copy, [--from=builder], [A B].
type instruction struct {
	name  string
	flags []string
	args  []string
}

func (d dockerfile) final() stage { return d.stages[len(d.stages)-1] }

// dockerfile reads one; there is at least one stage.
func (c *checker) dockerfile(name string) (dockerfile, error) {
	d := dockerfile{path: name, component: path.Base(path.Dir(name))}
	data, err := fs.ReadFile(c.repo, name)
	if err != nil {
		return d, err
	}
	parsed, err := parser.Parse(bytes.NewReader(data))
	if err != nil {
		return d, fmt.Errorf("read %s: %w", name, err)
	}
	for _, node := range parsed.AST.Children {
		i := instruction{name: strings.ToLower(node.Value), flags: node.Flags}
		for n := node.Next; n != nil; n = n.Next {
			i.args = append(i.args, n.Value)
		}
		switch {
		case i.name == "from":
			s := stage{from: i.args[0]}
			if len(i.args) == 3 {
				s.name = i.args[2]
			}
			d.stages = append(d.stages, s)
		case len(d.stages) == 0:
			return d, fmt.Errorf("read %s: %s before FROM", name, i.name)
		default:
			last := &d.stages[len(d.stages)-1]
			last.instructions = append(last.instructions, i)
		}
	}
	if len(d.stages) == 0 {
		return d, fmt.Errorf("read %s: no FROM", name)
	}
	return d, nil
}

// dockerfiles are those of all components; each component has one.
func (c *checker) dockerfiles() (all []dockerfile) {
	for _, manifest := range c.files("components", "component.yaml") {
		name := path.Join(path.Dir(manifest), "Dockerfile")
		c.where, c.rule = name, "read"
		d, err := c.dockerfile(name)
		c.want(err == nil, "%v", err)
		if err == nil {
			all = append(all, d)
		}
	}
	return all
}

// goVersion is the minor version of Go that the repository needs, as 1.26.
func (c *checker) goVersion() string {
	data, err := fs.ReadFile(c.repo, "go.mod")
	if err != nil {
		return ""
	}
	file, err := modfile.ParseLax("go.mod", data, nil)
	if err != nil || file.Go == nil {
		return ""
	}
	return strings.TrimPrefix(semver.MajorMinor("v"+file.Go.Version), "v")
}

var golang = regexp.MustCompile(`-golang-(\d+\.\d+)-`)

// goOf is the version of Go in the tag of an image that has one, as 1.26.
func goOf(image string) string {
	if m := golang.FindStringSubmatch(image); m != nil {
		return m[1]
	}
	return ""
}

// buildRoot is the tag of the image that .ci-operator.yaml has everything built in.
func buildRoot(repo fs.FS) (string, error) {
	var file struct {
		BuildRootImage struct {
			Namespace string `json:"namespace"`
			Name      string `json:"name"`
			Tag       string `json:"tag"`
		} `json:"build_root_image"`
	}
	data, err := fs.ReadFile(repo, ".ci-operator.yaml")
	if err == nil {
		err = yaml.UnmarshalStrict(data, &file)
	}
	if b := file.BuildRootImage; err == nil && (b.Namespace == "" || b.Name == "") {
		err = fmt.Errorf(".ci-operator.yaml: build_root_image needs namespace, name and tag")
	}
	return file.BuildRootImage.Tag, err
}
