package image

import (
	"encoding/json"
	"errors"
	"fmt"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// made is an image of which manifest and configuration are given as bytes. mutate, which would do, writes a base's
// configuration anew and drops the fields it does not know.
type made struct {
	manifest, config []byte
	mediaType        types.MediaType
	below            v1.Image // where the other layers come from
	layer            partial.CompressedLayer
}

func (m *made) RawManifest() ([]byte, error)        { return m.manifest, nil }
func (m *made) RawConfigFile() ([]byte, error)      { return m.config, nil }
func (m *made) MediaType() (types.MediaType, error) { return m.mediaType, nil }

func (m *made) LayerByDigest(h v1.Hash) (partial.CompressedLayer, error) {
	own, err := m.layer.Digest()
	if err != nil || own == h {
		return m.layer, err
	}
	return m.below.LayerByDigest(h)
}

// bare is the binary over nothing.
func (s Spec) bare() (v1.Image, error) {
	layer, err := s.layer(nil, types.OCILayer)
	if err != nil {
		return nil, err
	}
	config, err := json.Marshal(v1.ConfigFile{
		OS: "linux", Architecture: Arch, RootFS: v1.RootFS{Type: "layers"}, Config: v1.Config{Entrypoint: []string{s.Path}},
	})
	if err != nil {
		return nil, fmt.Errorf("make image: %w", err)
	}
	manifest := &v1.Manifest{SchemaVersion: 2, MediaType: types.OCIManifestSchema1, Config: v1.Descriptor{MediaType: types.OCIConfigJSON}}
	return s.put(manifest, config, empty.Image, layer, map[string]string{LabelStamp: s.Stamp})
}

// put lays a layer on an image of which manifest and configuration are given, and labels it.
func (s Spec) put(manifest *v1.Manifest, config []byte, below v1.Image, layer v1.Layer, labels map[string]string) (v1.Image, error) {
	config, err := s.edit(config, layer, labels)
	if err != nil {
		return nil, fmt.Errorf("make configuration: %w", err)
	}
	desc, err := descriptor(layer)
	if err != nil {
		return nil, fmt.Errorf("make manifest: %w", err)
	}
	manifest.Config.Digest, manifest.Config.Size, err = sum(config)
	if err != nil {
		return nil, fmt.Errorf("make manifest: %w", err)
	}
	manifest.Config.Data = nil
	manifest.Layers = append(manifest.Layers, desc)
	manifest.Subject = nil // of the base's; this is another image
	text, err := json.Marshal(manifest)
	if err != nil {
		return nil, fmt.Errorf("make manifest: %w", err)
	}
	return partial.CompressedToImage(&made{manifest: text, config: config, mediaType: manifest.MediaType, below: below, layer: layer})
}

// edit changes what a new layer changes in a configuration, and leaves every other byte of meaning alone, known or
// not.
func (s Spec) edit(config []byte, layer v1.Layer, labels map[string]string) ([]byte, error) {
	var fields, inner map[string]json.RawMessage
	var rootfs v1.RootFS
	var history []json.RawMessage
	all := map[string]string{}
	if err := json.Unmarshal(config, &fields); err != nil {
		return nil, err
	}
	if err := errors.Join(read(fields, "rootfs", &rootfs), read(fields, "history", &history), read(fields, "config", &inner)); err != nil {
		return nil, err
	}
	if inner == nil {
		inner = map[string]json.RawMessage{}
	}
	if err := read(inner, "Labels", &all); err != nil {
		return nil, err
	}
	if all == nil {
		all = map[string]string{} // "Labels": null
	}
	for key, value := range labels {
		all[key] = value
	}
	diff, err := layer.DiffID()
	if err != nil {
		return nil, err
	}
	rootfs.DiffIDs = append(rootfs.DiffIDs, diff)
	created := v1.Time{Time: s.Date}
	step, err := json.Marshal(v1.History{Created: created, CreatedBy: "carry image", Comment: s.Stamp})
	if err != nil {
		return nil, err
	}
	history = append(history, step)
	if err := errors.Join(write(inner, "Labels", all), write(fields, "config", inner), write(fields, "rootfs", rootfs),
		write(fields, "history", history), write(fields, "created", created)); err != nil {
		return nil, err
	}
	return json.Marshal(fields)
}

func read(fields map[string]json.RawMessage, name string, into any) error {
	text, ok := fields[name]
	if !ok {
		return nil
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func write(fields map[string]json.RawMessage, name string, value any) error {
	text, err := json.Marshal(value)
	fields[name] = text
	return err
}
