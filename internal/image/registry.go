package image

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
)

// remoteOptions are those of every request: credentials are those of docker, podman and skopeo.
func remoteOptions(ctx context.Context) []remote.Option {
	return []remote.Option{remote.WithContext(ctx), remote.WithAuthFromKeychain(authn.DefaultKeychain), remote.WithUserAgent("carry")}
}

// Push writes the image of a layout to a registry under a tag, and then its referrers. It gives the reference by
// digest.
func Push(ctx context.Context, dir, to string) (string, error) {
	tag, err := name.NewTag(to, name.StrictValidation)
	if err != nil {
		return "", fmt.Errorf("push image: %w\nnext: --push REGISTRY/REPOSITORY:TAG", err)
	}
	idx, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		return "", fmt.Errorf("push image: %w\nnext: carry image", err)
	}
	m, err := idx.IndexManifest()
	if err != nil {
		return "", fmt.Errorf("push image: %w\nnext: carry image", err)
	}
	reference := ""
	for _, desc := range m.Manifests { // the image comes first
		img, err := idx.Image(desc.Digest)
		if err != nil {
			return "", fmt.Errorf("push image: %w\nnext: carry image", err)
		}
		var ref name.Reference = tag.Context().Digest(desc.Digest.String())
		if reference == "" {
			reference, ref = ref.Name(), tag
		}
		if err := remote.Write(ref, img, remoteOptions(ctx)...); err != nil {
			return "", fmt.Errorf("push image: %w", explain(ref, err))
		}
	}
	return reference, nil
}

// explain says of an error what a person can do about it.
func explain(ref name.Reference, err error) error {
	registry := ref.Context().RegistryStr()
	var refused *transport.Error
	var network net.Error
	switch {
	case errors.Is(err, context.Canceled):
		return err
	case errors.As(err, &refused) && (refused.StatusCode == http.StatusUnauthorized || refused.StatusCode == http.StatusForbidden):
		return fmt.Errorf("%s is unauthorised: %w\nnext: podman login %s (or docker login), then the same command again", ref, err, registry)
	case errors.As(err, &refused) && refused.StatusCode == http.StatusNotFound:
		return fmt.Errorf("%s is not in the registry: %w\nnext: skopeo list-tags docker://%s", ref, err, ref.Context())
	case errors.As(err, &network):
		return fmt.Errorf("%s is unreachable: %w\nnext: check the name and the network, then run the same command again", registry, err)
	}
	return fmt.Errorf("%s: %w\nnext: run the same command again; if it stays, ask those who keep %s", ref, err, registry)
}

// explain is explain for an image of which only part could be read.
func (in *Input) explain(err error) error {
	if in.ref != nil {
		return explain(in.ref, err)
	}
	return fmt.Errorf("%w\nnext: %s", err, pullAgain)
}

// Pinned says whether a reference names one image for ever, by its digest.
func Pinned(reference string) bool {
	_, err := name.NewDigest(reference)
	return err == nil
}

// Repository is a reference without tag and digest.
func Repository(reference string) (string, error) {
	ref, err := name.ParseReference(reference)
	if err != nil {
		return "", err
	}
	return ref.Context().Name(), nil
}
