package component

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"

	"carry/internal/series"
)

// unresolved is the version at which upstream's go.mod requires its own staging modules; their published versions
// come from replace lines.
const unresolved = "v0.0.0"

// Moved is the stream with its pin at another version of upstream: a go.mod and go.sum in Out("rebase", "pin"), made
// from the stream's and from what upstream's own go.mod says at that version. go.sum holds what fetching needs; tidy
// adds what building needs.
func (s *Stream) Moved(ctx context.Context, sr *series.Series, version string) (*Stream, error) {
	if !semver.IsValid(version) {
		return nil, fmt.Errorf("move %s: %q is no version of a Go module\nnext: name one as v1.2.3, or a checkout with --onto DIR[@REV]", s, version)
	}
	dir := s.Out("rebase", "pin")
	sums := &sumFile{dir: dir}
	target, err := sums.add(ctx, module.Version{Path: s.Pin.Path, Version: version})
	if err != nil {
		return nil, fmt.Errorf("move %s: %w", s, err)
	}
	mod, err := s.movedMod(target)
	if err != nil {
		return nil, fmt.Errorf("move %s to %s: %w", s, version, err)
	}
	for _, r := range mod.Replace {
		for _, m := range stagingModules(sr) {
			if r.Old.Path != m {
				continue
			}
			if _, err := sums.add(ctx, r.New); err != nil {
				return nil, fmt.Errorf("move %s: %w", s, err)
			}
		}
	}
	text, err := mod.Format()
	if err != nil {
		return nil, fmt.Errorf("move %s: %w", s, err)
	}
	moved := *s
	moved.Dir = dir
	if err := writeFile(filepath.Join(dir, "go.mod"), text, 0o644); err != nil {
		return nil, err
	}
	if err := writeFile(filepath.Join(dir, "go.sum"), []byte(sums.text), 0o644); err != nil {
		return nil, err
	}
	moved.Pin, err = readPin(dir, s.Pin.Path)
	return &moved, err
}

// movedMod is the stream's go.mod with another require, staging modules at its version, and no other require: those
// are the old version's, go mod tidy finds the new one's.
func (s *Stream) movedMod(target moduleInfo) (*modfile.File, error) {
	f, err := modfile.Parse("go.mod", s.Pin.Mod, nil)
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(target.GoMod)
	if err != nil {
		return nil, err
	}
	upstream, err := modfile.ParseLax(target.GoMod, data, nil)
	if err != nil {
		return nil, err
	}
	old := stagingVersion(s.Pin.Version.Version)
	for _, r := range f.Replace {
		if r.New.Version == old && r.New.Path == r.Old.Path {
			if err := f.DropReplace(r.Old.Path, r.Old.Version); err != nil {
				return nil, err
			}
		}
	}
	for _, r := range f.Require {
		if err := f.DropRequire(r.Mod.Path); err != nil {
			return nil, err
		}
	}
	if err := f.AddRequire(s.Pin.Path, target.Version); err != nil {
		return nil, err
	}
	for _, r := range upstream.Require {
		if r.Mod.Version != unresolved {
			continue
		}
		if err := f.AddReplace(r.Mod.Path, "", r.Mod.Path, stagingVersion(target.Version)); err != nil {
			return nil, err
		}
	}
	f.Cleanup()
	f.SortBlocks()
	return f, nil
}

// stagingVersion is the version that upstream publishes its staging modules at: v0.37.2 for v1.37.2.
func stagingVersion(version string) string {
	if rest, ok := strings.CutPrefix(version, "v1."); ok {
		return "v0." + rest
	}
	return version
}

// moduleInfo is what go mod download tells of a module.
type moduleInfo struct {
	Version, GoMod, Sum, GoModSum, Error string
}

// sumFile gathers go.sum lines of modules that no go.sum has yet. Go checks them against the checksum database.
type sumFile struct {
	dir  string
	text string
}

func (f *sumFile) add(ctx context.Context, m module.Version) (moduleInfo, error) {
	var info moduleInfo
	// In a module of its own: the one that is being made is not complete, and go would say so.
	scratch := filepath.Join(f.dir, "download")
	if err := writeFile(filepath.Join(scratch, "go.mod"), []byte("module download\n"), 0o644); err != nil {
		return info, err
	}
	defer os.RemoveAll(scratch)
	out, err := runGo(ctx, scratch, []string{"GOWORK=off"}, nil, "mod", "download", "-json", m.String())
	if jsonErr := json.Unmarshal(out, &info); jsonErr != nil && err == nil {
		err = jsonErr
	}
	if err != nil {
		said := info.Error
		if said == "" {
			said = err.Error()
		}
		return info, fmt.Errorf("fetch module %s: %s\nnext: check the version, the network and GOPROXY, then run the same command again", m, oneLine(said))
	}
	f.text += fmt.Sprintf("%s %s %s\n%s %s/go.mod %s\n", m.Path, m.Version, info.Sum, m.Path, m.Version, info.GoModSum)
	return info, nil
}

// tidy completes go.mod and go.sum with what building needs.
func (s *Stream) tidy(ctx context.Context) error {
	// -mod=mod, since the pin is made right now; the checked-in ones are never written.
	if _, err := runGo(ctx, s.Dir, []string{"GOWORK=off", "GOFLAGS=-mod=mod"}, nil, "mod", "tidy"); err != nil {
		return fmt.Errorf("complete pin %s: %w\nnext: cd %s && go mod tidy, and mend what it names", s.Pin, err, s.Dir)
	}
	pin, err := readPin(s.Dir, s.Pin.Path)
	s.Pin = pin
	return err
}

// renamedModule is a go.mod with another module line.
func renamedModule(mod []byte, name string) ([]byte, error) {
	f, err := modfile.Parse("go.mod", mod, nil)
	if err != nil {
		return nil, err
	}
	if err := f.AddModuleStmt(name); err != nil {
		return nil, err
	}
	return f.Format()
}
