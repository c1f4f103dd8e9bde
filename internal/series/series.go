// Package series turns a folder of patch files into commits on a base tree, and checks that the files follow the
// project's rules. A series is the ordered patches of one stream; one patch is one file, one commit, one change.
package series

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
)

// Patch is one patch file, parsed.
type Patch struct {
	Path     string // as found, relative to the working directory or absolute
	Name     string // NNNN-slug.patch
	Number   int    // from the name; 0 when the name has none
	Subject  string // unfolded, class included
	Body     string // without the subject, trailers included
	Trailers []Trailer
	Files    []*gitdiff.File
	Data     []byte // the file's bytes
}

// Trailer is one "Key: value" line of a patch's last paragraph, continuation lines folded in.
type Trailer struct {
	Key, Value string
}

// Series is the ordered patches of one stream. No patches is a valid series: the base itself.
type Series struct {
	Dir     string
	Patches []*Patch
	// incomplete: a file of the folder is no patch, so numbers and dependencies say nothing.
	incomplete bool
}

// Load reads dir/*.patch in the order of their names. A folder that does not exist is an empty series. Every file
// that cannot be a patch is named in the error, not the first one alone.
func Load(dir string) (*Series, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read series: %w", err)
	}
	s := &Series{Dir: dir}
	var bad []error
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".patch" {
			continue
		}
		p, err := load(filepath.Join(dir, e.Name()))
		if err != nil {
			bad = append(bad, err)
			continue
		}
		s.Patches = append(s.Patches, p)
	}
	sort.Slice(s.Patches, func(i, j int) bool { return s.Patches[i].Name < s.Patches[j].Name })
	s.incomplete = len(bad) > 0
	return s, errors.Join(bad...)
}

func load(path string) (*Patch, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read patch: %w", err)
	}
	p, err := Parse(filepath.Base(path), data)
	var bad *BadPatch
	if errors.As(err, &bad) {
		bad.Path = path
	}
	if err != nil {
		return nil, err
	}
	p.Path = path
	return p, nil
}

// Upto is the series of the first n patches; an error when there are fewer.
func (s *Series) Upto(n int) (*Series, error) {
	if n < 1 || n > len(s.Patches) {
		return nil, fmt.Errorf("series %s has %d patches, not %d\nnext: choose --upto from 1 to %d, or --base for none",
			s.Dir, len(s.Patches), n, len(s.Patches))
	}
	return &Series{Dir: s.Dir, Patches: s.Patches[:n]}, nil
}

// Hash is the first 12 hex digits of the sha256 over every file's name and diff, in order. It is stamped into binaries
// and recorded with results, so that each says which patches it speaks of: what a message says changes neither
// (docs/decisions/0011).
func (s *Series) Hash() string { return s.hash((*Patch).Diff) }

// FileHash is the same over every file's name and all of its bytes: a tree has the messages too.
func (s *Series) FileHash() string { return s.hash(func(p *Patch) []byte { return p.Data }) }

func (s *Series) hash(part func(*Patch) []byte) string {
	h := sha256.New()
	for _, p := range s.Patches {
		fmt.Fprintf(h, "%s\x00", p.Name)
		h.Write(part(p))
	}
	return hex.EncodeToString(h.Sum(nil))[:12]
}

// Diff is what the patch changes: its file from the first line that begins with "diff --git" on.
func (p *Patch) Diff() []byte {
	return p.Data[bytes.Index(p.Data, []byte("\ndiff --git "))+1:] // all of it where there is no such line
}

// Touched are the paths the series changes, sorted, each once.
func (s *Series) Touched() []string {
	seen := map[string]bool{}
	var paths []string
	for _, p := range s.Patches {
		for _, f := range p.Files {
			for _, name := range []string{f.OldName, f.NewName} {
				if name != "" && !seen[name] {
					seen[name] = true
					paths = append(paths, name)
				}
			}
		}
	}
	sort.Strings(paths)
	return paths
}

// trailers reads the last paragraph of a commit message, if every line of it is a trailer or continues one.
func trailers(body string) []Trailer {
	paragraphs := strings.Split(strings.TrimSpace(body), "\n\n")
	var found []Trailer
	for _, line := range strings.Split(paragraphs[len(paragraphs)-1], "\n") {
		key, value, ok := strings.Cut(line, ": ")
		switch {
		case strings.HasPrefix(line, " ") && len(found) > 0:
			found[len(found)-1].Value += " " + strings.TrimSpace(line)
		case ok && !strings.ContainsAny(key, " \t"):
			found = append(found, Trailer{Key: key, Value: strings.TrimSpace(value)})
		default:
			return nil
		}
	}
	return found
}

// Trailer gives the value of the first trailer of that name, "" when there is none.
func (p *Patch) Trailer(key string) string {
	for _, t := range p.Trailers {
		if t.Key == key {
			return t.Value
		}
	}
	return ""
}
