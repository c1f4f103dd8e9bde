package image

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// Input is an image that is read: a base, or a part of a payload.
type Input struct {
	Name   string  // as given
	Digest v1.Hash // of the image's own manifest
	Note   string  // which image of an index it is; empty: there was no choice
	img    v1.Image
	ref    name.Reference // nil: in a layout
}

// ManyError says that there is a choice that nothing given decides.
type ManyError struct {
	Name    string
	Choices []string
}

func (e *ManyError) Error() string {
	return fmt.Sprintf("%s holds %d images: %s", e.Name, len(e.Choices), strings.Join(e.Choices, ", "))
}

// Open finds an image by a reference in a registry, or by an OCI layout, DIR or DIR@DIGEST. Of an index it takes the
// image for linux and arch; with an empty arch an index is a *ManyError.
func Open(ctx context.Context, given, arch string) (*Input, error) {
	if dir, digest, ok := layoutName(given); ok {
		return openLayout(given, dir, digest, arch)
	}
	ref, err := name.ParseReference(given)
	if err != nil {
		return nil, fmt.Errorf("open image %s: no folder, and no reference: %w\nnext: name an OCI layout or REGISTRY/REPOSITORY@DIGEST", given, err)
	}
	desc, err := remote.Get(ref, remoteOptions(ctx)...)
	if err != nil {
		return nil, fmt.Errorf("open image: %w", explain(ref, err))
	}
	if !desc.MediaType.IsIndex() {
		img, err := desc.Image()
		if err != nil {
			return nil, fmt.Errorf("open image: %w", explain(ref, err))
		}
		return &Input{Name: given, Digest: desc.Digest, img: img, ref: ref}, nil
	}
	idx, err := desc.ImageIndex()
	if err != nil {
		return nil, fmt.Errorf("open image: %w", explain(ref, err))
	}
	in, err := choose(given, idx, arch)
	if in != nil {
		in.ref = ref
	}
	return in, err
}

// layoutName takes DIR or DIR@DIGEST apart; ok is false where no such folder is.
func layoutName(given string) (dir, digest string, ok bool) {
	if info, err := os.Stat(given); err == nil && info.IsDir() {
		return given, "", true
	}
	i := strings.LastIndex(given, "@sha256:")
	if i < 0 {
		return "", "", false
	}
	info, err := os.Stat(given[:i])
	return given[:i], given[i+1:], err == nil && info.IsDir()
}

func openLayout(given, dir, digest, arch string) (*Input, error) {
	idx, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		return nil, fmt.Errorf("open image %s: no OCI layout: %w\nnext: skopeo copy docker://REFERENCE oci:%s", given, err, dir)
	}
	all, err := subjects(idx)
	if err != nil {
		return nil, fmt.Errorf("open image %s: %w\nnext: make the layout anew", given, err)
	}
	var chosen []v1.Descriptor
	var names []string
	for _, desc := range all {
		names = append(names, desc.Digest.String())
		if digest == "" || desc.Digest.String() == digest {
			chosen = append(chosen, desc)
		}
	}
	switch {
	case len(chosen) == 0:
		return nil, fmt.Errorf("open image %s: it is not in the layout, which holds %d images: %s\nnext: name one of them: %s@DIGEST",
			given, len(all), strings.Join(names, ", "), dir)
	case len(chosen) > 1:
		return nil, fmt.Errorf("open image: %w\nnext: name one of them: %s@DIGEST", &ManyError{given, names}, dir)
	}
	desc := chosen[0]
	if desc.MediaType.IsIndex() {
		inner, err := idx.ImageIndex(desc.Digest)
		if err != nil {
			return nil, fmt.Errorf("open image %s: %w", given, err)
		}
		return choose(given, inner, arch)
	}
	return fromIndex(given, idx, desc.Digest)
}

// subjects are what an index lists without the referrers of other manifests.
func subjects(idx v1.ImageIndex) ([]v1.Descriptor, error) {
	m, err := idx.IndexManifest()
	if err != nil {
		return nil, fmt.Errorf("read index: %w", err)
	}
	var found []v1.Descriptor
	for _, desc := range m.Manifests {
		if !desc.MediaType.IsImage() && !desc.MediaType.IsIndex() {
			continue
		}
		if desc.MediaType.IsImage() {
			img, err := idx.Image(desc.Digest)
			if err != nil {
				return nil, fmt.Errorf("read index: %w", err)
			}
			manifest, err := img.Manifest()
			if err != nil {
				return nil, fmt.Errorf("read manifest %s: %w", desc.Digest, err)
			}
			if manifest.Subject != nil {
				continue
			}
		}
		found = append(found, desc)
	}
	return found, nil
}

// choose takes the image for linux and arch out of an index.
func choose(given string, idx v1.ImageIndex, arch string) (*Input, error) {
	m, err := idx.IndexManifest()
	if err != nil {
		return nil, fmt.Errorf("open image %s: read index: %w", given, err)
	}
	var platforms []string
	var fits []v1.Hash
	for _, desc := range m.Manifests {
		if desc.Platform == nil || !desc.MediaType.IsImage() {
			continue
		}
		platforms = append(platforms, desc.Platform.OS+"/"+desc.Platform.Architecture+" "+desc.Digest.String())
		if desc.Platform.OS == "linux" && desc.Platform.Architecture == arch {
			fits = append(fits, desc.Digest)
		}
	}
	switch {
	case arch == "" || len(fits) > 1:
		return nil, fmt.Errorf("open image: %w\nnext: name one of them by its digest", &ManyError{given, platforms})
	case len(fits) == 0:
		return nil, fmt.Errorf("open image %s: none for linux/%s, it has: %s\nnext: build on a machine of one of these, or name another base",
			given, arch, strings.Join(platforms, ", "))
	}
	in, err := fromIndex(given, idx, fits[0])
	if in != nil {
		in.Note = fmt.Sprintf("%s is an index: taken linux/%s, %s", filepath.Base(given), arch, fits[0])
	}
	return in, err
}

func fromIndex(given string, idx v1.ImageIndex, digest v1.Hash) (*Input, error) {
	img, err := idx.Image(digest)
	if err != nil {
		return nil, fmt.Errorf("open image %s: %w", given, err)
	}
	return &Input{Name: given, Digest: digest, img: img}, nil
}

// Arch is the architecture the image says it is for.
func (in *Input) Arch() (string, error) {
	c, err := in.config()
	if err != nil {
		return "", err
	}
	return c.Architecture, nil
}

// Labels are the image's; nil when it has none.
func (in *Input) Labels() (map[string]string, error) {
	c, err := in.config()
	if err != nil {
		return nil, err
	}
	return c.Config.Labels, nil
}

func (in *Input) config() (*v1.ConfigFile, error) {
	c, err := in.img.ConfigFile()
	if err != nil {
		return nil, fmt.Errorf("read configuration of %s: %w", in.Name, in.explain(err))
	}
	if c.OS != "" && c.OS != "linux" {
		return nil, fmt.Errorf("image %s is for %s\nnext: name one for linux", in.Name, c.OS)
	}
	return c, nil
}

// pullAgain mends a damaged image.
const pullAgain = "copy the image anew (skopeo copy), then run the same command again"

// errNotFound says that an image has no such file.
var errNotFound = errors.New("no such file")
