package series

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzParse holds the reader of patch files against what the rest relies on: it never panics, it refuses or accepts,
// and what it accepts stays inside the tree and can go through every check and into an export. Run it by
// go test ./internal/series -fuzz FuzzParse; testdata/fuzz holds what was worth keeping.
func FuzzParse(f *testing.F) {
	text := wellFormed(f)
	f.Add([]byte(text))
	for _, seed := range []string{
		"From x\n",
		strings.Replace(text, "area/a.go", "../a.go", -1),
		strings.Replace(text, "\n@@", "\nrename from area/a.go\nrename to area/b.go\n@@", 1),
		strings.Replace(text, "Fix: do it.", "Fix: do it.\n---\nnotes", 1),
		text + text,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Parse("0001-fuzz.patch", data)
		if (p == nil) == (err == nil) {
			t.Fatalf("patch %v and error %v", p, err)
		}
		if err != nil {
			refusalIsUseful(t, err, data)
			return
		}
		for _, name := range p.touched() {
			if !inside(name) || filepath.Clean(filepath.Join("/tree", name)) == "/tree" {
				t.Errorf("touches %q", name)
			}
		}
		s := &Series{Patches: []*Patch{p}}
		for _, found := range s.Check(nil) {
			if found.Line < 1 || found.Line > 1+bytes.Count(data, []byte("\n")) {
				t.Errorf("%v is not in the file", found)
			}
		}
		if slug := p.Slug(); strings.ContainsAny(slug, "/ \n") || len(slug) > 52 {
			t.Errorf("slug %q", slug)
		}
		for _, wrong := range CheckUpstreamMessage(p.UpstreamMessage("A", "a@example.invalid")) {
			if strings.HasPrefix(wrong, "a mention") {
				t.Errorf("exported with %s", wrong)
			}
		}
		_ = p.Section("Problem")
	})
}

// refusalIsUseful wants a line that is in the file, a reason and what mends it.
func refusalIsUseful(t *testing.T, err error, data []byte) {
	t.Helper()
	found, rest := Findings(err)
	if rest != nil || len(found) != 1 {
		t.Fatalf("error %v is no finding", err)
	}
	if f := found[0]; f.Line < 1 || f.Line > 1+bytes.Count(data, []byte("\n")) || f.Message == "" || f.Next == "" {
		t.Errorf("finding %+v", f)
	}
}
