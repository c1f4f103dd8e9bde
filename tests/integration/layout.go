package integration

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/mod/semver"
)

// side is which binary of the component runs.
type side string

const (
	base    side = "base"
	patched side = "patched"
)

// target is one stream of one component.
type target struct {
	component string
	stream    string
}

// layout finds things by the root of the repository.
type layout struct{ root string }

// targets are all streams that have a pin, in order of component and version.
func (l layout) targets() ([]target, error) {
	pins, err := filepath.Glob(filepath.Join(l.root, "components", "*", "*", "go.mod"))
	if err != nil {
		return nil, fmt.Errorf("list streams: %w", err)
	}
	var targets []target
	for _, pin := range pins {
		stream := filepath.Dir(pin)
		targets = append(targets, target{filepath.Base(filepath.Dir(stream)), filepath.Base(stream)})
	}
	return targets, nil
}

// scenarios are the files of one component; none is fine.
func (l layout) scenarios(component string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(l.root, "tests", "integration", "scenarios", component, "*.txtar"))
	if err != nil {
		return nil, fmt.Errorf("list scenarios of %s: %w", component, err)
	}
	return files, nil
}

// patches is the folder of a stream's series.
func (l layout) patches(t target) string {
	return filepath.Join(l.root, "patches", t.component, t.stream)
}

// patched is the stream's patched binary.
func (l layout) patched(t target) string {
	return filepath.Join(l.root, "out", t.component, t.stream, "bin", t.component)
}

// binaries are the programs of one run.
type binaries struct{ etcd, apiserver, component string }

// binaries returns what a run needs. The error names the first one that is not
// there, and the command that makes it.
func (l layout) binaries(t target, s side) (binaries, error) {
	out := filepath.Join(l.root, "out")
	b := binaries{
		etcd:      filepath.Join(out, "rig", "etcd"),
		apiserver: l.apiserver(t),
		component: filepath.Join(out, t.component, t.stream, "base", t.component),
	}
	componentFrom := "make base"
	if s == patched {
		b.component = l.patched(t)
		componentFrom = "make"
	}
	for _, need := range []struct{ path, from string }{
		{b.etcd, "make base"}, {b.apiserver, "make base"}, {b.component, componentFrom},
	} {
		if _, err := os.Stat(need.path); errors.Is(err, os.ErrNotExist) {
			return binaries{}, fmt.Errorf("%s is not there\nnext: %s", l.relative(need.path), need.from)
		} else if err != nil {
			return binaries{}, fmt.Errorf("find binary: %w", err)
		}
	}
	return b, nil
}

// apiserver is the stream's own, or else that of the newest stream which has
// one: v1.23.5's does not compile, and no operator has any.
func (l layout) apiserver(t target) string {
	own := filepath.Join(l.root, "out", t.component, t.stream, "base", "kube-apiserver")
	if _, err := os.Stat(own); err == nil {
		return own
	}
	found, err := filepath.Glob(filepath.Join(l.root, "out", "*", "*", "base", "kube-apiserver"))
	if err != nil || len(found) == 0 {
		return own // which is then named as missing
	}
	return slices.MaxFunc(found, func(a, b string) int { return semver.Compare(streamOf(a), streamOf(b)) })
}

// streamOf is the version in out/COMPONENT/STREAM/base/kube-apiserver.
func streamOf(path string) string {
	return "v" + filepath.Base(filepath.Dir(filepath.Dir(path)))
}

// relative shortens a path for messages.
func (l layout) relative(path string) string {
	if short, err := filepath.Rel(l.root, path); err == nil {
		return short
	}
	return path
}
