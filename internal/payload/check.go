package payload

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"

	"carry/internal/image"
)

// Patched is a patched image and the place it takes in a payload.
type Patched struct {
	Component   string
	Reference   string // by digest
	Tag         string // of the payload
	ReleaseBase bool   // the release's own layer lies on it
}

// knownVersions are the names that oc lets a payload's images have versions of.
var knownVersions = []string{"kubernetes", "kubernetes-tests", "machine-os", "kernel", "crio", "kubectl"}

// check refuses an image that does not fit the release.
func (r *Release) check(ctx context.Context, p Patched) error {
	old, err := r.image(p.Tag)
	if err != nil {
		return err
	}
	if err := pinned(ctx, "image", p.Reference); err != nil {
		return err
	}
	in, err := image.Open(ctx, p.Reference, "")
	if err != nil {
		return oneArch("image", p.Reference, err)
	}
	if err := r.checkArch(ctx, p, in, old); err != nil {
		return err
	}
	labels, err := in.Labels()
	if err != nil {
		return err
	}
	base := labels[image.LabelBase]
	switch {
	case labels[image.LabelStamp] != "" && base == "":
		return fmt.Errorf("image %s holds the binary of %s and nothing else, and a payload needs what is beside it\nnext: carry image %s STREAM --base %s --source DIR",
			p.Reference, p.Component, p.Component, old)
	case base != "" && base != digest(old):
		return fmt.Errorf("image %s lies on %s, and the release has %s as %s\nnext: carry image %s STREAM --base %s --source DIR",
			p.Reference, base, digest(old), p.Tag, p.Component, old)
	}
	return r.checkVersions(p, old, labels[image.LabelVersions])
}

// checkArch compares with the release; that of a folder is the one of the image that is replaced.
func (r *Release) checkArch(ctx context.Context, p Patched, in *image.Input, old string) error {
	if r.Arch == "" {
		replaced, err := image.Open(ctx, old, "")
		if err != nil {
			return oneArch("the release's "+p.Tag, old, err)
		}
		if r.Arch, err = replaced.Arch(); err != nil {
			return err
		}
	}
	arch, err := in.Arch()
	if err != nil {
		return err
	}
	if arch != r.Arch {
		return fmt.Errorf("image %s is for %s, the release for %s\nnext: carry image on a machine of that architecture", p.Reference, arch, r.Arch)
	}
	return nil
}

// checkVersions holds the versions an image's label names against those of every other image: oc makes no release in
// which one name has two versions.
func (r *Release) checkVersions(p Patched, old, label string) error {
	own, err := image.Versions(label)
	if err != nil {
		return fmt.Errorf("image %s: %w\nnext: carry image %s STREAM --base, which keeps the label", p.Reference, err, p.Component)
	}
	for key := range own {
		if !slices.Contains(knownVersions, key) {
			return fmt.Errorf("image %s: label %s names a version of %s, which oc does not know\nnext: leave it out; oc knows %s",
				p.Reference, image.LabelVersions, key, strings.Join(knownVersions, ", "))
		}
	}
	for _, tag := range r.references.Spec.Tags {
		others, err := image.Versions(tag.Annotations[image.LabelVersions])
		if err != nil {
			return fmt.Errorf("release %s, tag %s: %w\nnext: name another release", r.From, tag.Name, err)
		}
		for _, key := range knownVersions {
			has, theirs := own[key], others[key]
			switch {
			case theirs == "" || key == "kubectl": // oc takes kubectl's from the image cli
			case tag.Name == p.Tag && has == "":
				return fmt.Errorf("image %s has no version of %s in its label %s, the release's %s has %s\nnext: carry image %s STREAM --base, which keeps the label",
					p.Reference, key, image.LabelVersions, p.Tag, theirs, p.Component)
			case has != "" && has != theirs:
				return fmt.Errorf("image %s is %s %s, the release's %s %s (label %s): oc makes no release with both\nnext: carry image %s STREAM --base %s --source DIR",
					p.Reference, key, has, tag.Name, theirs, image.LabelVersions, p.Component, old)
			}
		}
	}
	return nil
}

func digest(reference string) string {
	d, err := name.NewDigest(reference)
	if err != nil {
		return ""
	}
	return d.DigestStr()
}
