// Package image turns a built binary into a container image, without a daemon: over nothing, or as one layer over the
// image whose binary it replaces. What it writes depends on the binary, the base and the series alone, so that two
// clones give the same digest. It refuses a base that the binary does not fit.
package image

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// Labels that carry itself sets or reads.
const (
	LabelStamp    = "carry.stamp" // version of the binary, as it is stamped
	LabelBase     = "carry.base"  // digest of the manifest the layer was put on; not on bare images
	LabelVersions = "io.openshift.build.versions"
	LabelCommit   = "io.openshift.build.commit.id"
)

// Arch is the architecture of every binary that is built here.
const Arch = runtime.GOARCH

// Spec is the binary and what is known of it.
type Spec struct {
	Component string
	Binary    string    // file; what lies beside it as Binary.cdx.json and Binary.provenance.json is attached
	SHA256    string    // of the binary, hex
	Path      string    // of the binary in the image, absolute
	Stamp     string    // what the binary says it is
	Version   string    // upstream's version, the stamp's first part
	Commit    string    // of the source; empty: from a pin that names none
	Date      time.Time // of the series; file and image are dated by it
	// VersionKey is the component's own name in LabelVersions; empty: it has none there.
	VersionKey string
	// Help are argument lists with which the binary prints flags; Hidden are flags that no help shows.
	Help   [][]string
	Hidden []string
}

// Made is an image in an OCI layout. It is recorded beside the layout, as DIR.json.
type Made struct {
	Digest    string     `json:"digest"`
	Platform  string     `json:"platform"`
	Base      string     `json:"base,omitempty"` // digest of the base's manifest; empty: bare
	Notes     []string   `json:"notes,omitempty"`
	Referrers []Attached `json:"referrers,omitempty"`
	Key       string     `json:"key"` // of everything that went in
	// Fresh says that this run made it; false: it was up to date.
	Fresh bool `json:"built"`
}

// Make writes the image of a binary to dir, as an OCI layout, unless it is there. base is nil for a bare image.
func Make(ctx context.Context, s Spec, base *Input, dir string) (*Made, error) {
	attachments, err := s.attachments()
	if err != nil {
		return nil, err
	}
	m := &Made{Platform: "linux/" + Arch, Key: s.key(base, attachments)}
	if base != nil {
		m.Base = base.Digest.String()
	}
	if last := recorded(dir); last != nil && last.Key == m.Key {
		last.Fresh = false
		return last, nil
	}
	fresh := dir + ".tmp"
	if err := os.RemoveAll(fresh); err != nil {
		return nil, fmt.Errorf("make image: %w", err)
	}
	defer os.RemoveAll(fresh)
	if err := m.write(ctx, s, base, attachments, fresh); err != nil {
		return nil, err
	}
	if err := os.RemoveAll(dir); err != nil {
		return nil, fmt.Errorf("make image: %w", err)
	}
	if err := os.Rename(fresh, dir); err != nil {
		return nil, fmt.Errorf("make image: %w", err)
	}
	m.Fresh = true
	return m, m.record(dir)
}

func (m *Made) write(ctx context.Context, s Spec, base *Input, attachments []attachment, dir string) error {
	out, err := newLayout(dir)
	if err != nil {
		return err
	}
	var img v1.Image
	if base == nil {
		img, err = s.bare()
	} else if base, m.Notes, err = s.admit(ctx, base, out); err == nil {
		img, err = s.over(base)
	}
	if err != nil {
		return err
	}
	subject, err := out.add(img, s.Stamp)
	if err == nil && base != nil {
		err = out.drop(base)
	}
	if err != nil {
		return err
	}
	m.Digest = subject.Digest.String()
	for _, a := range attachments {
		referrer, err := Attach(subject, a.artifactType, a.mediaType, a.data)
		if err != nil {
			return err
		}
		desc, err := out.add(referrer, "")
		if err != nil {
			return err
		}
		m.Referrers = append(m.Referrers, Attached{ArtifactType: a.artifactType, Digest: desc.Digest.String()})
	}
	return nil
}

// key changes whenever the image would.
func (s Spec) key(base *Input, attachments []attachment) string {
	h := sha256.New()
	part := func(text string) { fmt.Fprintf(h, "%d:%s", len(text), text) }
	part("image 1")
	part(runtime.Version()) // its compression makes the layer's bytes
	text, _ := json.Marshal(struct {
		Component, SHA256, Path, Stamp, Version, Commit, VersionKey string
		Date                                                        time.Time
		Help                                                        [][]string
		Hidden                                                      []string
	}{s.Component, s.SHA256, s.Path, s.Stamp, s.Version, s.Commit, s.VersionKey, s.Date, s.Help, s.Hidden})
	part(string(text))
	if base != nil {
		part(base.Digest.String())
	}
	for _, a := range attachments {
		part(a.artifactType)
		part(string(a.data))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// recorded is the record of what dir holds; nil when there is none, or when the layout does not hold it.
func recorded(dir string) *Made {
	data, err := os.ReadFile(dir + ".json")
	if err != nil {
		return nil
	}
	var m Made
	if err := json.Unmarshal(data, &m); err != nil {
		return nil
	}
	if _, err := os.Stat(dir); err != nil {
		return nil // Open would take it for a reference
	}
	in, err := Open(context.Background(), dir, Arch)
	if err != nil || in.Digest.String() != m.Digest {
		return nil
	}
	return &m
}

func (m *Made) record(dir string) error {
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return fmt.Errorf("record image: %w", err)
	}
	fresh := filepath.Join(filepath.Dir(dir), "."+filepath.Base(dir)+".json.tmp")
	if err := os.WriteFile(fresh, append(data, '\n'), 0o644); err != nil {
		return fmt.Errorf("record image: %w", err)
	}
	if err := os.Rename(fresh, dir+".json"); err != nil {
		return fmt.Errorf("record image: %w", err)
	}
	return nil
}
