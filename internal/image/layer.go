package image

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io"
	"os"
	"path"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// tarBlock is the unit of a tar file; two empty ones end it.
const tarBlock = 512

// layer makes a layer of the binary. replaced is the header of the file that it takes the place of, whose mode, owner
// and extended attributes it gets; nil: there is none, and the folders above it belong to the layer.
func (s Spec) layer(replaced *tar.Header, mediaType types.MediaType) (v1.Layer, error) {
	info, err := os.Stat(s.Binary)
	if err != nil {
		return nil, fmt.Errorf("make layer: %w", err)
	}
	h := &tar.Header{
		Typeflag: tar.TypeReg, Name: strings.TrimPrefix(s.Path, "/"), Mode: 0o755, Size: info.Size(), ModTime: s.Date,
	}
	var head bytes.Buffer
	w := tar.NewWriter(&head)
	if replaced == nil {
		err = s.folders(w)
	} else {
		h.Mode, h.Uid, h.Gid, h.Uname, h.Gname = replaced.Mode, replaced.Uid, replaced.Gid, replaced.Uname, replaced.Gname
		h.PAXRecords = attributes(replaced)
	}
	if err != nil {
		return nil, fmt.Errorf("make layer: %w", err)
	}
	if err := w.WriteHeader(h); err != nil {
		return nil, fmt.Errorf("make layer: %w", err)
	}
	tail := make([]byte, (tarBlock-info.Size()%tarBlock)%tarBlock+2*tarBlock)
	open := func() (io.ReadCloser, error) {
		f, err := os.Open(s.Binary)
		if err != nil {
			return nil, err
		}
		content := io.LimitReader(f, info.Size())
		return struct {
			io.Reader
			io.Closer
		}{io.MultiReader(bytes.NewReader(head.Bytes()), content, bytes.NewReader(tail)), f}, nil
	}
	layer, err := tarball.LayerFromOpener(open, tarball.WithMediaType(mediaType), tarball.WithCompressedCaching)
	if err != nil {
		return nil, fmt.Errorf("make layer: %w", err)
	}
	return layer, nil
}

// folders writes the folders above the binary. Over a base they are left out: there they have modes of their own.
func (s Spec) folders(w *tar.Writer) error {
	var names []string
	for dir := path.Dir(s.Path); dir != "/"; dir = path.Dir(dir) {
		names = append([]string{strings.TrimPrefix(dir, "/") + "/"}, names...)
	}
	for _, name := range names {
		if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: name, Mode: 0o755, ModTime: s.Date}); err != nil {
			return err
		}
	}
	return nil
}

// attributes are the extended attributes of a file, which a file's capabilities are one of.
func attributes(h *tar.Header) map[string]string {
	const xattr = "SCHILY.xattr."
	kept := map[string]string{}
	for key, value := range h.PAXRecords {
		if strings.HasPrefix(key, xattr) {
			kept[key] = value
		}
	}
	if len(kept) == 0 {
		return nil
	}
	return kept
}
