package image

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/match"
	"github.com/google/go-containerregistry/pkg/v1/partial"
)

// refName is the annotation by which tools find an image in a layout that holds referrers as well.
const refName = "org.opencontainers.image.ref.name"

// layoutDir is an OCI layout that is being written.
type layoutDir struct{ layout.Path }

func newLayout(dir string) (layoutDir, error) {
	p, err := layout.Write(dir, empty.Index)
	if err != nil {
		return layoutDir{}, fmt.Errorf("write layout %s: %w", dir, err)
	}
	return layoutDir{p}, nil
}

// add writes an image or a referrer; a stamp makes it the image that the layout is for.
func (l layoutDir) add(img v1.Image, stamp string) (v1.Descriptor, error) {
	if err := l.WriteImage(img); err != nil {
		return v1.Descriptor{}, fmt.Errorf("write layout: %w", err)
	}
	desc, err := descriptor(img)
	if err != nil {
		return v1.Descriptor{}, fmt.Errorf("write layout: %w", err)
	}
	subject := desc
	if stamp != "" {
		desc.Platform = &v1.Platform{OS: "linux", Architecture: Arch}
		desc.Annotations = map[string]string{refName: Tag(stamp)}
	} else if desc.ArtifactType, err = partial.ArtifactType(img); err != nil {
		return v1.Descriptor{}, fmt.Errorf("write layout: %w", err)
	}
	if err := l.AppendDescriptor(desc); err != nil {
		return v1.Descriptor{}, fmt.Errorf("write layout: %w", err)
	}
	return subject, nil
}

// copy takes an image into the layout, checks it, and gives it as it reads from there. drop takes away again what is
// not a layer.
func (l layoutDir) copy(in *Input) (copied *Input, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("read %s: %w", in.Name, in.explain(err))
		}
	}()
	if err := l.WriteImage(in.img); err != nil {
		return nil, err
	}
	manifest, err := in.img.Manifest()
	if err != nil {
		return nil, err
	}
	for _, desc := range append([]v1.Descriptor{{Digest: in.Digest}, manifest.Config}, manifest.Layers...) {
		if err := l.check(desc.Digest); err != nil {
			return nil, err
		}
	}
	desc, err := descriptor(in.img)
	if err != nil {
		return nil, err
	}
	if err := l.AppendDescriptor(desc); err != nil {
		return nil, err
	}
	img, err := l.Image(in.Digest)
	return &Input{Name: in.Name, Digest: in.Digest, Note: in.Note, img: img}, err
}

// drop takes a copied image's manifest and configuration out of the layout.
func (l layoutDir) drop(in *Input) error {
	config, err := in.img.ConfigName()
	if err == nil {
		err = errors.Join(l.RemoveDescriptors(match.Digests(in.Digest)), l.RemoveBlob(config), l.RemoveBlob(in.Digest))
	}
	if err != nil {
		return fmt.Errorf("write layout: %w", err)
	}
	return nil
}

// check holds a copied blob against its digest.
func (l layoutDir) check(want v1.Hash) error {
	content, err := l.Blob(want)
	if err != nil {
		return err
	}
	defer content.Close()
	got, _, err := v1.SHA256(content)
	if err == nil && got != want {
		err = fmt.Errorf("what should be %s has the digest %s", want, got)
	}
	return err
}

// descriptor is that of an image, artifact or layer, without what the library guesses of it.
func descriptor(of partial.Describable) (desc v1.Descriptor, err error) {
	if desc.Digest, err = of.Digest(); err != nil {
		return desc, err
	}
	if desc.Size, err = of.Size(); err != nil {
		return desc, err
	}
	desc.MediaType, err = of.MediaType()
	return desc, err
}

func sum(data []byte) (v1.Hash, int64, error) { return v1.SHA256(bytes.NewReader(data)) }

// Tag is a stamp as a tag, in which a + is not allowed.
func Tag(stamp string) string { return strings.ReplaceAll(stamp, "+", "-") }
