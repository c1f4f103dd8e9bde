package payload

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	"golang.org/x/mod/semver"
)

// Plan is how a release with the patched images is made.
type Plan struct {
	Release *Release `json:"release"`
	// Mappings are in the order of their tags.
	Mappings []Mapping `json:"mappings"`
	// ToImageBase is the image the release's own layer has to lie on; empty: the one it lies on now.
	ToImageBase string `json:"toImageBase,omitempty"`
	ToImage     string `json:"toImage"`
	// ToName is the new release's version; empty: that of the old one.
	ToName string `json:"toName,omitempty"`
}

// Mapping puts an image in the place of the one that the payload has under a tag.
type Mapping struct {
	Component string `json:"component"`
	Tag       string `json:"tag"`
	Image     string `json:"image"` // by digest
	Replaces  string `json:"replaces"`
}

// New compares images and release, and plans a release with them that is written to toImage. toName may be empty.
func New(ctx context.Context, r *Release, patched []Patched, toImage, toName string) (*Plan, error) {
	if len(patched) == 0 {
		return nil, errors.New("no image\nnext: carry payload RELEASE COMPONENT=IMAGE")
	}
	to, err := name.NewTag(toImage, name.StrictValidation)
	if err != nil {
		return nil, fmt.Errorf("--to-image: %w\nnext: --to-image REGISTRY/REPOSITORY:TAG", err)
	}
	if toName != "" && !semver.IsValid("v"+toName) {
		return nil, fmt.Errorf("--name %q is no version\nnext: --name as 4.11.9-carry.1", toName)
	}
	p := &Plan{Release: r, ToImage: to.Name(), ToName: toName}
	for _, one := range patched {
		if err := r.check(ctx, one); err != nil {
			return nil, err
		}
		old, err := r.image(one.Tag)
		if err != nil {
			return nil, err
		}
		p.Mappings = append(p.Mappings, Mapping{Component: one.Component, Tag: one.Tag, Image: one.Reference, Replaces: old})
		if one.ReleaseBase {
			p.ToImageBase = one.Reference
		}
	}
	slices.SortFunc(p.Mappings, func(a, b Mapping) int { return cmp.Compare(a.Tag, b.Tag) })
	return p, nil
}

// Command is oc's argument list, with the images as arguments.
func (p *Plan) Command() []string {
	args := p.options()
	for _, m := range p.Mappings {
		args = append(args, m.Tag+"="+m.Image)
	}
	return args
}

// CommandWithFile is Command with the images in a mapping file.
func (p *Plan) CommandWithFile(file string) []string {
	return append(p.options(), "--mapping-file="+file)
}

func (p *Plan) options() []string {
	args := []string{"oc", "adm", "release", "new"}
	if p.Release.file {
		// The tags of a payload name images where they are; the default mode would look for a public repository.
		args = append(args, "--from-image-stream-file="+p.Release.From, "--reference-mode=source")
	} else {
		args = append(args, "--from-release="+p.Release.From)
	}
	if name := cmp.Or(p.ToName, p.Release.Name); p.ToName != "" || p.Release.file {
		args = append(args, "--name="+name)
	}
	if p.ToImageBase != "" {
		// The operator that a cluster runs is the one in the release image. oc takes that from the old operator's image
		// unless it is told, whatever the tag says.
		args = append(args, "--to-image-base="+p.ToImageBase)
	}
	return append(args, "--to-image="+p.ToImage)
}

// MappingFile is the file for oc's --mapping-file.
func (p *Plan) MappingFile() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# Patched images for release %s, %s\n", p.Release.Name, p.Release.From)
	for _, m := range p.Mappings {
		fmt.Fprintf(&b, "%s=%s\n", m.Tag, m.Image)
	}
	return []byte(b.String())
}

// Script is the command as a shell script.
func (p *Plan) Script() []byte {
	var b strings.Builder
	b.WriteString("#!/bin/sh\n# Needs oc, and credentials for both registries.\nexec " + Shell(p.Command()) + "\n")
	return []byte(b.String())
}

// Shell is an argument list as a shell reads it, one argument a line after the command's name.
func Shell(args []string) string {
	var words []string
	for _, a := range args {
		if strings.ContainsFunc(a, special) {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		words = append(words, a)
	}
	verb := min(4, len(words)) // oc adm release new
	return strings.Join(append([]string{strings.Join(words[:verb], " ")}, words[verb:]...), " \\\n  ")
}

// special says whether a shell would read more into a character than itself.
func special(r rune) bool {
	return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("-_./:@=+,%", r))
}
