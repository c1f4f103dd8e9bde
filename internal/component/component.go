// Package component turns a pin into binaries: it finds the components and their streams in components/, fetches
// the pinned upstream module into a git tree in upstream's own layout, puts the series on it and builds. What is up
// to date by content is left alone; what is interrupted is finished by the next run.
package component

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"

	"sigs.k8s.io/yaml"
)

// Component is a binary the project carries patches for, as components/<name>/component.yaml describes it.
type Component struct {
	Name string `json:"-"`
	Dir  string `json:"-"`
	// Module is the upstream module whose require in a stream's go.mod is the pin.
	Module string `json:"module"`
	// Package is the main package, relative to Module.
	Package string `json:"package"`
	// Version is a text/template over Pin that gives the base version a binary is stamped with.
	Version string `json:"version"`
	// LDFlags are text/templates over Stamp, one linker flag each.
	LDFlags []string `json:"ldflags"`
	// License is the SPDX expression of upstream's licence, which the patches share; empty: not known.
	License string `json:"license"`
	Image   Image  `json:"image"`
}

// Image is where images and release payloads have a component's binary.
type Image struct {
	// Path is the binary's, absolute.
	Path string `json:"path"`
	// Tag is the name of a payload's image that holds it.
	Tag string `json:"tag"`
	// ReleaseBase says that the release's own layer lies on this image, so that a payload has it twice.
	ReleaseBase bool `json:"releaseBase"`
	// Version is the component's name in the label io.openshift.build.versions; empty: it has none there.
	Version string `json:"version"`
	// Help are argument lists with which the binary prints its flags; HiddenFlags are those that no help shows.
	Help        [][]string `json:"help"`
	HiddenFlags []string   `json:"hiddenFlags"`
}

// Stream is one upstream line of a component. Its folder holds the pin, nothing else.
type Stream struct {
	*Component
	Name string
	// Root is the project's folder; every path the stream makes is below Root/out.
	Root string
	Dir  string // Root/components/<component>/<stream>
	Pin  Pin
	// goCache is a build cache of the stream's own; empty: the caller's.
	goCache string
}

// String names a stream as commands take it.
func (s *Stream) String() string { return s.Component.Name + " " + s.Name }

// Out is where the stream's tree and binaries go; elements are joined to it.
func (s *Stream) Out(elem ...string) string {
	return filepath.Join(append([]string{s.Root, "out", s.Component.Name, s.Name}, elem...)...)
}

// Absolute is where a path relative to the project's folder, as records have it, is.
func (s *Stream) Absolute(rel string) string { return filepath.Join(s.Root, rel) }

// Relative is Absolute the other way round; what is not in the project stays as it is.
func (s *Stream) Relative(path string) string {
	rel, err := filepath.Rel(s.Root, path)
	if err != nil {
		return path
	}
	return rel
}

// Patches is the folder of the stream's series.
func (s *Stream) Patches() string {
	return filepath.Join(s.Root, "patches", s.Component.Name, s.Name)
}

// FindRoot goes up from dir to the project's folder, the one with components/ and patches/.
func FindRoot(dir string) (string, error) {
	for d := dir; ; d = filepath.Dir(d) {
		if isDir(filepath.Join(d, "components")) && isDir(filepath.Join(d, "patches")) {
			return d, nil
		}
		if d == filepath.Dir(d) {
			return "", fmt.Errorf("find project: no components/ and patches/ in %s or above\nnext: run carry inside a clone of the project", dir)
		}
	}
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// Select gives the streams a command line names: all of them, those of one component, or one. The order is by name,
// numbers by value, oldest stream first.
func Select(root, component, stream string) ([]*Stream, error) {
	all, err := streams(root)
	if err != nil {
		return nil, err
	}
	var chosen []*Stream
	var known, ofComponent []string
	for _, s := range all {
		if len(known) == 0 || known[len(known)-1] != s.Component.Name {
			known = append(known, s.Component.Name)
		}
		if component != "" && s.Component.Name != component {
			continue
		}
		ofComponent = append(ofComponent, s.Name)
		if stream == "" || s.Name == stream {
			chosen = append(chosen, s)
		}
	}
	switch {
	case component != "" && len(ofComponent) == 0:
		return nil, fmt.Errorf("unknown component %q\nnext: name one of %s", component, strings.Join(known, ", "))
	case len(chosen) == 0 && stream != "":
		return nil, fmt.Errorf("unknown stream %q of %s\nnext: name one of %s", stream, component, strings.Join(ofComponent, ", "))
	case len(chosen) == 0:
		return nil, fmt.Errorf("no stream in %s\nnext: add components/<component>/<stream>/go.mod", filepath.Join(root, "components"))
	}
	return chosen, nil
}

func streams(root string) ([]*Stream, error) {
	manifests, err := filepath.Glob(filepath.Join(root, "components", "*", "component.yaml"))
	if err != nil {
		return nil, fmt.Errorf("list components: %w", err)
	}
	var found []*Stream
	for _, manifest := range manifests {
		c, err := readComponent(manifest)
		if err != nil {
			return nil, err
		}
		ofComponent, err := c.streams(root)
		if err != nil {
			return nil, err
		}
		found = append(found, ofComponent...)
	}
	return found, nil
}

func readComponent(manifest string) (*Component, error) {
	data, err := os.ReadFile(manifest)
	if err != nil {
		return nil, fmt.Errorf("read component: %w", err)
	}
	c := &Component{Dir: filepath.Dir(manifest), Name: filepath.Base(filepath.Dir(manifest))}
	if err := yaml.UnmarshalStrict(data, c); err != nil {
		return nil, fmt.Errorf("read component %s: %w", manifest, err)
	}
	if c.Module == "" || c.Package == "" || c.Version == "" {
		return nil, fmt.Errorf("read component %s: module, package and version must be set", manifest)
	}
	if !path.IsAbs(c.Image.Path) || c.Image.Tag == "" || len(c.Image.Help) == 0 {
		return nil, fmt.Errorf("read component %s: image.path (absolute), image.tag and image.help must be set", manifest)
	}
	return c, nil
}

func (c *Component) streams(root string) ([]*Stream, error) {
	entries, err := os.ReadDir(c.Dir)
	if err != nil {
		return nil, fmt.Errorf("list streams: %w", err)
	}
	var found []*Stream
	for _, e := range entries {
		dir := filepath.Join(c.Dir, e.Name())
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); !e.IsDir() || errors.Is(err, fs.ErrNotExist) {
			continue
		}
		pin, err := readPin(dir, c.Module)
		if err != nil {
			return nil, err
		}
		found = append(found, &Stream{Component: c, Name: e.Name(), Root: root, Dir: dir, Pin: pin})
	}
	sort.Slice(found, func(i, j int) bool { return older(found[i].Name, found[j].Name) })
	return found, nil
}

// older compares stream names part by part, numbers by value: 1.9 before 1.10.
func older(a, b string) bool {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(as), len(bs)) {
		if len(as[i]) != len(bs[i]) {
			return len(as[i]) < len(bs[i])
		}
		if as[i] != bs[i] {
			return as[i] < bs[i]
		}
	}
	return len(as) < len(bs)
}
