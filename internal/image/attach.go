package image

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// Attached is a referrer that was made.
type Attached struct {
	ArtifactType string `json:"artifactType"`
	Digest       string `json:"digest"`
}

// attachment is a file about the binary, to be attached to its image.
type attachment struct {
	artifactType, mediaType string
	data                    []byte
}

// beside are the files about a binary that are attached to its image, by what is put after its name. The order is that
// of the layout.
var beside = []struct{ suffix, artifactType string }{
	{".cdx.json", "application/vnd.cyclonedx+json"},
	{".provenance.json", "application/vnd.in-toto+json"},
}

func (s Spec) attachments() ([]attachment, error) {
	var found []attachment
	for _, b := range beside {
		data, err := os.ReadFile(s.Binary + b.suffix)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("attach: %w", err)
		}
		found = append(found, attachment{b.artifactType, b.artifactType, data})
	}
	return found, nil
}

// emptyJSON is the media type of a configuration that says nothing, {}.
const emptyJSON types.MediaType = "application/vnd.oci.empty.v1+json"

// Attach makes a referrer: a manifest of its own that points at the image it is about, as registries list them. The
// same subject, types and data give the same bytes.
func Attach(subject v1.Descriptor, artifactType, mediaType string, data []byte) (v1.Image, error) {
	blob, config := static.NewLayer(data, types.MediaType(mediaType)), []byte("{}")
	desc, err := descriptor(blob)
	if err != nil {
		return nil, fmt.Errorf("attach: %w", err)
	}
	manifest := v1.Manifest{
		SchemaVersion: 2, MediaType: types.OCIManifestSchema1, ArtifactType: artifactType,
		Config: v1.Descriptor{MediaType: emptyJSON}, Layers: []v1.Descriptor{desc}, Subject: &subject,
	}
	if manifest.Config.Digest, manifest.Config.Size, err = sum(config); err != nil {
		return nil, fmt.Errorf("attach: %w", err)
	}
	text, err := json.Marshal(manifest)
	if err != nil {
		return nil, fmt.Errorf("attach: %w", err)
	}
	return partial.CompressedToImage(&made{manifest: text, config: config, mediaType: manifest.MediaType, below: empty.Image, layer: blob})
}
