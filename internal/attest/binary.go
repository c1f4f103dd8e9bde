package attest

import (
	"bytes"
	"debug/buildinfo"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"golang.org/x/mod/module"

	"carry/internal/component"
)

// Binary is what a binary says of itself.
type Binary struct {
	Name   string // file name
	SHA256 string // in hex
	Info   *debug.BuildInfo
	data   []byte // nil: only Info was read
}

// Described gives the binary at path, whose sha256 is known, without reading all of it.
func Described(path, sha256 string) (*Binary, error) {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read build information of %s: %w", path, err)
	}
	return &Binary{Name: filepath.Base(path), SHA256: sha256, Info: info}, nil
}

// readBinary reads all of a binary. What is wrong with the file is a difference, not an error.
func readBinary(path string) (*Binary, *Difference, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &Difference{Document: ofBinary, Problem: "missing"}, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read binary: %w", err)
	}
	sum := sha256Of(data)["sha256"]
	info, err := buildinfo.Read(bytes.NewReader(data))
	if err != nil {
		return nil, &Difference{Document: ofBinary, Problem: fmt.Sprintf("no build information of Go's in it (%v), sha256 %s", err, sum)}, nil
	}
	return &Binary{Name: filepath.Base(path), SHA256: sum, Info: info, data: data}, nil, nil
}

// arch is the GOARCH it was built for.
func (b *Binary) arch() string { return b.setting("GOARCH") }

func (b *Binary) setting(key string) string {
	for _, s := range b.Info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}

// check holds what the binary says of itself against the pin: main package, versions and checksums of its modules,
// settings and stamp.
func (b *Binary) check(in *component.Inputs) []Difference {
	var found []Difference
	differ := func(path, want, got string) {
		if want != got {
			found = append(found, Difference{Document: ofBinary, Path: path, Want: want, Got: got})
		}
	}
	differ("main package", in.Module+"/"+in.Package, b.Info.Path)
	for _, key := range []string{"CGO_ENABLED=0", "GOOS=linux", "-trimpath=true"} {
		key, want, _ := strings.Cut(key, "=")
		differ(key, want, b.setting(key))
	}
	if in.Source == "" {
		differ("version of "+in.Module, in.Pin.Version, b.Info.Main.Version)
		for _, m := range b.Info.Deps {
			b.checkModule(in, m, differ)
		}
	}
	// The version alone: of what else the linker is told, a program has only what it uses.
	if b.data != nil && !bytes.Contains(b.data, []byte(in.Version)) {
		differ("stamp", in.Version, "not in it")
	}
	return found
}

// checkModule wants a module to be one of go.sum's, or to be built from the tree.
func (b *Binary) checkModule(in *component.Inputs, m *debug.Module, differ func(path, want, got string)) {
	if m.Replace != nil {
		m = m.Replace
	}
	if isFolder(m.Path) {
		return // which modules are built from the tree is told by the version's stamp, the patches' hash
	}
	want, ok := in.Sums[module.Version{Path: m.Path, Version: m.Version}]
	if !ok {
		want = "one that the pin's go.sum has"
	}
	differ("checksum of "+m.Path+"@"+m.Version, want, m.Sum)
}

// isFolder says whether the path of a replacement is a folder's.
func isFolder(path string) bool { return strings.HasPrefix(path, ".") || strings.HasPrefix(path, "/") }
