// Package payload turns a release payload and patched images into the oc command that makes a release with them, after
// it has compared all that oc, or the cluster later, would stumble over. It runs nothing and pushes nothing.
package payload

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	imagev1 "github.com/openshift/api/image/v1"
	"golang.org/x/mod/semver"
	"sigs.k8s.io/yaml"

	"carry/internal/image"
)

// Release is a payload as it is: what its image-references say.
type Release struct {
	Name       string `json:"name"` // the release's version
	From       string `json:"from"` // reference by digest, or the file image-references
	Arch       string `json:"arch"` // of its images
	references *imagev1.ImageStream
	file       bool // From is a file
}

// maxReferences is how long image-references may be; a release's has some 200 kB.
const maxReferences = 16 << 20

// Load reads a release from a registry, by digest, or from a folder with image-references or
// release-manifests/image-references in it.
func Load(ctx context.Context, from string) (*Release, error) {
	if info, err := os.Stat(from); err == nil && info.IsDir() {
		return loadDir(from)
	}
	if err := pinned(ctx, "release", from); err != nil {
		return nil, err
	}
	in, err := image.Open(ctx, from, "")
	if err != nil {
		return nil, oneArch("release", from, err)
	}
	data, err := in.File("/release-manifests/image-references", maxReferences)
	if err != nil {
		return nil, fmt.Errorf("release %s: %w\nnext: name a release image, as oc adm release info does", from, err)
	}
	r := &Release{From: from}
	if r.Arch, err = in.Arch(); err != nil {
		return nil, err
	}
	return r, r.parse(data)
}

func loadDir(dir string) (*Release, error) {
	for _, name := range []string{"image-references", filepath.Join("release-manifests", "image-references")} {
		file := filepath.Join(dir, name)
		data, err := os.ReadFile(file)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("release %s: %w", dir, err)
		}
		r := &Release{From: file, file: true}
		return r, r.parse(data)
	}
	return nil, fmt.Errorf("release %s: no image-references in it\nnext: oc adm release extract --to=%s RELEASE", dir, dir)
}

// parse reads image-references.
func (r *Release) parse(data []byte) error {
	bad := func(why string) error {
		return fmt.Errorf("release %s: image-references %s\nnext: oc adm release extract it anew", r.From, why)
	}
	r.references = &imagev1.ImageStream{}
	if err := yaml.Unmarshal(data, r.references); err != nil {
		return bad("cannot be read: " + err.Error())
	}
	if r.references.Kind != "ImageStream" || r.references.APIVersion != imagev1.GroupVersion.String() {
		return bad("is no ImageStream of " + imagev1.GroupVersion.String())
	}
	seen := map[string]bool{}
	for _, tag := range r.references.Spec.Tags {
		if seen[tag.Name] {
			return bad("has the tag " + tag.Name + " twice")
		}
		seen[tag.Name] = true
		if tag.From == nil || tag.From.Kind != "DockerImage" || !image.Pinned(tag.From.Name) {
			return bad("names no image by digest for the tag " + tag.Name)
		}
	}
	r.Name = r.references.Name
	if !semver.IsValid("v" + r.Name) {
		return bad(fmt.Sprintf("has the name %q, which is no version", r.Name))
	}
	return nil
}

// image is what the payload has under a tag.
func (r *Release) image(name string) (string, error) {
	var known []string
	for _, tag := range r.references.Spec.Tags {
		if tag.Name == name {
			return tag.From.Name, nil
		}
		known = append(known, tag.Name)
	}
	slices.Sort(known)
	return "", fmt.Errorf("release %s has no tag %s\nnext: name another release; this one has %s", r.From, name, strings.Join(known, ", "))
}

// pinned refuses a reference that may be another image tomorrow, and tells which it is today.
func pinned(ctx context.Context, what, reference string) error {
	if image.Pinned(reference) {
		return nil
	}
	in, err := image.Open(ctx, reference, image.Arch)
	if err != nil {
		return fmt.Errorf("%s %s is not named by its digest, and cannot be looked up: %w", what, reference, err)
	}
	repository, err := image.Repository(reference)
	if err != nil {
		return err
	}
	return fmt.Errorf("%s %s is not named by its digest: it may be another image when oc runs\nnext: name it %s@%s", what, reference, repository, in.Digest)
}

// oneArch says what to do about an index.
func oneArch(what, reference string, err error) error {
	if many := (*image.ManyError)(nil); errors.As(err, &many) {
		return fmt.Errorf("%s %s is for several architectures: %s\nnext: name the one of its images that is wanted, by digest",
			what, reference, strings.Join(many.Choices, ", "))
	}
	return fmt.Errorf("%s: %w", what, err)
}
