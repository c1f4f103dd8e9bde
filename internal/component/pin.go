package component

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

// Pin is the exact upstream module version of a stream and what its go.mod says beside it.
type Pin struct {
	module.Version
	// Tools are the main packages named by tool lines: the component's own and what the rig needs beside it.
	Tools []string
	// Replaced are the modules the pin replaces by other versions, by path. Upstream's staging modules are here.
	Replaced map[string]module.Version
	// Files are the bytes of go.mod and go.sum: whatever changes in them changes the binary's key.
	Mod, Sum []byte
}

func readPin(dir, path string) (Pin, error) {
	file := filepath.Join(dir, "go.mod")
	var p Pin
	var err error
	if p.Mod, err = os.ReadFile(file); err != nil {
		return p, fmt.Errorf("read pin: %w", err)
	}
	if p.Sum, err = os.ReadFile(filepath.Join(dir, "go.sum")); err != nil {
		return p, fmt.Errorf("read pin: %w\nnext: cd %s && go mod tidy", err, dir)
	}
	f, err := modfile.Parse(file, p.Mod, nil)
	if err != nil {
		return p, fmt.Errorf("read pin: %w", err)
	}
	for _, r := range f.Require {
		if r.Mod.Path == path {
			p.Version = r.Mod
		}
	}
	p.Replaced = map[string]module.Version{}
	for _, r := range f.Replace {
		p.Replaced[r.Old.Path] = r.New
	}
	for _, t := range f.Tool {
		p.Tools = append(p.Tools, t.Path)
	}
	if path != "" && p.Version.Version == "" {
		return p, fmt.Errorf("read pin %s: no require of %s", file, path)
	}
	return p, nil
}

// module gives the version of an upstream module the pin builds with: the pin itself, or a staging module by its
// replace; an error when the pin names neither.
func (p Pin) module(path string) (module.Version, error) {
	if path == p.Path {
		return p.Version, nil
	}
	if v, ok := p.Replaced[path]; ok && v.Version != "" {
		return v, nil
	}
	return module.Version{}, fmt.Errorf("pin %s names no version of %s", p.Version, path)
}

// sum gives the h1: checksum that go.sum has for a module's content.
func (p Pin) sum(m module.Version) (string, error) {
	for line := range strings.Lines(string(p.Sum)) {
		fields := strings.Fields(line)
		if len(fields) == 3 && fields[0] == m.Path && fields[1] == m.Version {
			return fields[2], nil
		}
	}
	return "", fmt.Errorf("go.sum has no checksum of %s", m)
}

// sums are all checksums of module contents in go.sum.
func (p Pin) sums() map[module.Version]string {
	all := map[module.Version]string{}
	for line := range strings.Lines(string(p.Sum)) {
		if fields := strings.Fields(line); len(fields) == 3 && !strings.HasSuffix(fields[1], "/go.mod") {
			all[module.Version{Path: fields[0], Version: fields[1]}] = fields[2]
		}
	}
	return all
}

// Commit and Time are the parts of a pseudo-version, for the version template of components without tags; empty for
// a tagged pin.
func (p Pin) Commit() string {
	rev, err := module.PseudoVersionRev(p.Version.Version)
	if err != nil {
		return ""
	}
	return rev
}

// Time is the commit time of a pseudo-version as yyyymmddhhmmss.
func (p Pin) Time() string {
	t, err := module.PseudoVersionTime(p.Version.Version)
	if err != nil {
		return ""
	}
	return t.Format("20060102150405")
}

// expand runs one template of component.yaml; a field that does not exist is an error.
func expand(text string, data any) (string, error) {
	t, err := template.New("component.yaml").Option("missingkey=error").Parse(text)
	if err != nil {
		return "", fmt.Errorf("parse template: %w", err)
	}
	var out bytes.Buffer
	if err := t.Execute(&out, data); err != nil {
		return "", fmt.Errorf("expand template: %w", err)
	}
	return out.String(), nil
}

// BaseVersion is the version a base binary of the stream is stamped with.
func (s *Stream) BaseVersion() (string, error) {
	version, err := expand(s.Version, struct {
		Version, Commit, Time, Stream string
	}{s.Pin.Version.Version, s.Pin.Commit(), s.Pin.Time(), s.Name})
	if err != nil {
		return "", fmt.Errorf("version of %s: %w", s, err)
	}
	return version, nil
}
