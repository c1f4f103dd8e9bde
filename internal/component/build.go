package component

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"
)

// Binary is the record of one built binary; it lies beside the binary as NAME.json.
type Binary struct {
	Component string `json:"component"`
	Stream    string `json:"stream"`
	Base      string `json:"base"`             // upstream's version
	Version   string `json:"version"`          // as stamped
	Patches   int    `json:"patches"`          // 0 for a base binary
	Series    string `json:"series,omitempty"` // hash of the series; empty for a base binary
	Dirty     bool   `json:"dirty,omitempty"`  // built from changes that no patch file has
	Path      string `json:"path"`             // relative to the project's folder
	SHA256    string `json:"sha256"`
	Key       string `json:"key"` // of everything that went in
	// Fresh says that this run built it; false: it was up to date.
	Fresh bool `json:"built"`
}

// Compiled is told each package as the compiler takes it; nil: not wanted.
type Compiled func(pkg string)

// Stamp is what the ldflags templates of component.yaml see.
type Stamp struct {
	Version      string // base version, with +carry.N.HASH[.dirty] on patched binaries
	Major, Minor string
	Commit       string // upstream's; empty when the pin does not say
	TreeState    string // clean or dirty
	Date         string // release time of the pin, RFC 3339
}

// recipe is one go build: where, of what, with which go.mod, to which file.
type recipe struct {
	dir     string   // where go runs
	env     []string // besides goEnviron
	modfile string   // empty: the go.mod of dir
	pkg     string
	out     string
	inputs  []string // everything else that the key depends on
	// origin says what upstream state is built, for the stamp; nil: nothing is stamped. It is asked only when
	// something has to be built, since it may need the network.
	origin func(ctx context.Context) (origin, error)
}

// origin is upstream's state that a tree starts from.
type origin struct {
	commit string    // empty when a pin does not say
	date   time.Time // of the release or commit
}

// BuildPatched builds the component from its tree as it stands. With work of somebody's in the tree the stamp ends
// in .dirty.
func (s *Stream) BuildPatched(ctx context.Context, t *Tree, compiled Compiled) (*Binary, error) {
	r, b, err := s.patched(ctx, t)
	if err != nil {
		return nil, err
	}
	return s.build(ctx, r, b, compiled)
}

// Built is the component's patched binary as it was built from the tree as it stands, the pin and the series; an error
// when there is none, or one of something else.
func (s *Stream) Built(ctx context.Context, t *Tree) (*Binary, error) {
	const none = "%s of %s: no binary of the pin and the patches as they are\nnext: carry build %[2]s, with the same flags"
	if !t.exists() {
		return nil, fmt.Errorf(none, t.Dir, s)
	}
	want, err := t.base.key(ctx)
	if err != nil {
		return nil, err
	}
	if state := t.state(); state.BaseKey != want || state.Files != t.Series.FileHash() {
		return nil, fmt.Errorf(none, s.BinaryPath(t), s)
	}
	r, b, err := s.patched(ctx, t)
	if err != nil {
		return nil, err
	}
	last, err := s.upToDate(ctx, r, b)
	if err == nil && last == nil {
		err = fmt.Errorf(none, s.BinaryPath(t), s)
	}
	return last, err
}

// BinaryPath is where the tree's patched binary goes.
func (s *Stream) BinaryPath(t *Tree) string {
	return filepath.Join(filepath.Dir(t.Dir), "bin", s.Component.Name)
}

// patched says how the tree's binary is built and what its record will be.
func (s *Stream) patched(ctx context.Context, t *Tree) (recipe, *Binary, error) {
	work, hash, err := t.hasWork(ctx)
	if err != nil {
		return recipe{}, nil, err
	}
	state := t.state()
	b := &Binary{
		Component: s.Component.Name, Stream: s.Name, Patches: state.Patches, Series: state.Series,
		Dirty: work || state.Series == "",
	}
	if b.Base, err = t.base.version(ctx, s); err != nil {
		return recipe{}, nil, err
	}
	b.Version = t.stamp(b.Base, b.Patches, b.Series)
	if b.Dirty {
		b.Version += ".dirty"
	}
	r, err := t.base.recipe(ctx, s, t.Dir)
	if err != nil {
		return recipe{}, nil, err
	}
	r.out = s.BinaryPath(t)
	r.inputs = append(r.inputs, hash)
	return r, b, nil
}

// stamp is the version of what is built from so many patches on the base version.
func (t *Tree) stamp(base string, patches int, series string) string {
	return fmt.Sprintf("%s+%s.%d.%s", base, cmp.Or(t.mark, "carry"), patches, series)
}

// BuildBase builds the main packages that the pin's tool lines name, from the module cache, unpatched.
func (s *Stream) BuildBase(ctx context.Context, compiled Compiled) ([]*Binary, error) {
	version, err := s.BaseVersion()
	if err != nil {
		return nil, err
	}
	var built []*Binary
	for _, pkg := range s.Pin.Tools {
		b := &Binary{Component: s.Component.Name, Stream: s.Name, Base: version, Version: version}
		r := recipe{
			dir: s.Dir, env: []string{"GOWORK=off"}, pkg: pkg, out: s.Out("base", s.toolName(pkg)), origin: s.origin,
		}
		b, err := s.build(ctx, r, b, compiled)
		if err != nil {
			return nil, err
		}
		built = append(built, b)
	}
	return built, nil
}

// toolName is the file name of a tool: the component's own package makes the component, whatever it is called.
func (s *Stream) toolName(pkg string) string {
	if pkg == path.Join(s.Module, s.Package) {
		return s.Component.Name
	}
	return path.Base(pkg)
}

// upToDate gives the record of the binary when it was made of these very inputs, nil otherwise. It completes b.
func (s *Stream) upToDate(ctx context.Context, r recipe, b *Binary) (*Binary, error) {
	version, err := goVersion(ctx, s.Dir)
	if err != nil {
		return nil, err
	}
	parts := append([]string{
		"binary 1", version, runtime.GOARCH, r.pkg, b.Version, strings.Join(s.LDFlags, "\n"),
		string(s.Pin.Mod), string(s.Pin.Sum),
	}, r.inputs...)
	b.Key = key(parts...)
	if b.Path, err = filepath.Rel(s.Root, r.out); err != nil {
		return nil, fmt.Errorf("build %s: %w", s, err)
	}
	var last Binary
	readJSON(r.record(), &last)
	if sum, err := digest(r.out); err != nil || last.Key != b.Key || last.SHA256 != sum {
		return nil, nil
	}
	last.Fresh = false
	return &last, nil
}

// record is where a Binary lies.
func (r recipe) record() string { return r.out + ".json" }

func (s *Stream) build(ctx context.Context, r recipe, b *Binary, compiled Compiled) (*Binary, error) {
	if last, err := s.upToDate(ctx, r, b); last != nil || err != nil {
		return last, err
	}
	ldflags, err := s.ldflags(ctx, r, b)
	if err != nil {
		return nil, err
	}
	if err := s.compile(ctx, r, ldflags, compiled); err != nil {
		return nil, err
	}
	if b.SHA256, err = digest(r.out); err != nil {
		return nil, fmt.Errorf("build %s: %w", s, err)
	}
	if err := writeJSON(r.record(), b); err != nil {
		return nil, err
	}
	b.Fresh = true
	return b, nil
}

// compile runs go build into a temporary file and renames it, so that a killed run leaves no half binary.
func (s *Stream) compile(ctx context.Context, r recipe, ldflags string, compiled Compiled) error {
	if err := os.MkdirAll(filepath.Dir(r.out), 0o755); err != nil {
		return fmt.Errorf("build %s: %w", s, err)
	}
	fresh := r.out + ".tmp"
	defer os.Remove(fresh)
	args := []string{"build", "-v", "-ldflags", ldflags, "-o", fresh}
	if r.modfile != "" {
		args = append(args, "-modfile", r.modfile)
	}
	line := func(text string) {
		if compiled != nil && text != "" && !strings.ContainsAny(text, " \t:") {
			compiled(text)
		}
	}
	env := r.env
	if s.goCache != "" {
		env = append(env, "GOCACHE="+s.goCache)
	}
	if _, err := runGo(ctx, r.dir, env, line, append(args, r.pkg)...); err != nil {
		return fmt.Errorf("build %s: %w\nnext: %s", s, err, nextAfter(err))
	}
	if err := os.Rename(fresh, r.out); err != nil {
		return fmt.Errorf("build %s: %w", s, err)
	}
	return nil
}

// nextAfter tells what goes on from a failed build.
func nextAfter(err error) string {
	said := err.Error()
	switch {
	case strings.Contains(said, "no space left on device"):
		return "free some space (go clean -cache frees the most), then run the same command again"
	case strings.Contains(said, "missing go.sum entry"), strings.Contains(said, "updates to go.mod needed"):
		return "go mod tidy in the folder named above, then run the same command again"
	case strings.Contains(said, "module lookup disabled"), strings.Contains(said, "dial tcp"):
		return "check the network and GOPROXY, then run the same command again"
	}
	return "mend the file named above, then run the same command again"
}

// ldflags are the flags of s for a recipe; without an origin nothing is stamped.
func (s *Stream) ldflags(ctx context.Context, r recipe, b *Binary) (string, error) {
	if r.origin == nil {
		return linkerFlags(nil, origin{}, b)
	}
	from, err := r.origin(ctx)
	if err != nil {
		return "", err
	}
	flags, err := linkerFlags(s.LDFlags, from, b)
	if err != nil {
		return "", fmt.Errorf("ldflags of %s: %w", s, err)
	}
	return flags, nil
}

// linkerFlags strip symbols, as upstream's release builds do, and stamp the version by the templates.
func linkerFlags(templates []string, from origin, b *Binary) (string, error) {
	flags := []string{"-s", "-w"}
	st := Stamp{Version: b.Version, Commit: from.commit, TreeState: "clean", Date: from.date.UTC().Format(time.RFC3339)}
	majorMinor := semver.MajorMinor("v" + strings.TrimPrefix(b.Base, "v"))
	st.Major, st.Minor, _ = strings.Cut(strings.TrimPrefix(majorMinor, "v"), ".")
	if b.Dirty {
		st.TreeState = "dirty"
	}
	for _, text := range templates {
		flag, err := expand(text, st)
		if err != nil {
			return "", err
		}
		flags = append(flags, flag)
	}
	return strings.Join(flags, " "), nil
}

func (s *Stream) origin(ctx context.Context) (origin, error) {
	d, err := s.download(ctx, s.Pin.Version)
	if err != nil {
		return origin{}, err
	}
	released, err := releaseTime(d.Info)
	return origin{commit: s.Pin.Commit(), date: released}, err
}

func (b *pinBase) version(context.Context, *Stream) (string, error) { return b.stream.BaseVersion() }

// recipe builds in the stream's folder, so that the pin decides every dependency, with a copy of its go.mod that
// replaces the fetched modules by the tree.
func (b *pinBase) recipe(_ context.Context, s *Stream, dir string) (recipe, error) {
	replaces, err := b.replaces(dir)
	if err != nil {
		return recipe{}, err
	}
	f, err := modfile.Parse("go.mod", s.Pin.Mod, nil)
	if err != nil {
		return recipe{}, fmt.Errorf("build %s: %w", s, err)
	}
	for _, old := range f.Replace {
		if _, ok := replaces[old.Old.Path]; ok {
			if err := f.DropReplace(old.Old.Path, old.Old.Version); err != nil {
				return recipe{}, fmt.Errorf("build %s: %w", s, err)
			}
		}
	}
	for _, p := range slices.Sorted(maps.Keys(replaces)) {
		if err := f.AddReplace(p, "", replaces[p], ""); err != nil {
			return recipe{}, fmt.Errorf("build %s: %w", s, err)
		}
	}
	f.Cleanup()
	f.SortBlocks()
	mod, err := f.Format()
	if err != nil {
		return recipe{}, fmt.Errorf("build %s: %w", s, err)
	}
	file := filepath.Join(filepath.Dir(dir), "build", "go.mod")
	return recipe{
		dir: s.Dir, env: []string{"GOWORK=off"}, modfile: file, pkg: path.Join(s.Module, s.Package),
		inputs: []string{string(mod)}, origin: s.origin,
	}, errors.Join(writeIfChanged(file, mod), writeIfChanged(strings.TrimSuffix(file, ".mod")+".sum", s.Pin.Sum))
}

// writeIfChanged keeps the file's time when its bytes stay, which keeps go's own caches warm.
func writeIfChanged(path string, data []byte) error {
	_, err := WriteFile(path, data)
	return err
}
