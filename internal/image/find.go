package image

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// Names by which a layer takes away what lower layers have: one file, or a folder's whole content.
const (
	whiteout = ".wh."
	opaque   = ".wh..wh..opq"
)

// File gives the content of a regular file of the image, at most max bytes.
func (in *Input) File(file string, max int64) ([]byte, error) {
	var data []byte
	_, err := in.find(file, func(_ *tar.Header, content io.Reader) error {
		var err error
		data, err = io.ReadAll(io.LimitReader(content, max+1))
		if err == nil && int64(len(data)) > max {
			err = fmt.Errorf("more than %d bytes", max)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read %s of %s: %w", file, in.Name, err)
	}
	return data, nil
}

// find looks for a file from the uppermost layer down, as a container would see it, and hands its header and content
// to take. It ends with the layer that has the file or takes it away. What is not there is errNotFound.
func (in *Input) find(file string, take func(*tar.Header, io.Reader) error) (*tar.Header, error) {
	layers, err := in.img.Layers()
	if err != nil {
		return nil, fmt.Errorf("read layers: %w", err)
	}
	for _, layer := range slices.Backward(layers) {
		found, gone, err := findIn(layer, strings.TrimPrefix(path.Clean(file), "/"), take)
		if err != nil {
			return nil, fmt.Errorf("read layer %s: %w", digestOf(layer), err)
		}
		if found != nil {
			return found, nil
		}
		if gone {
			break
		}
	}
	return nil, errNotFound
}

// findIn looks through one layer. gone: lower layers do not count any more.
func findIn(layer v1.Layer, file string, take func(*tar.Header, io.Reader) error) (found *tar.Header, gone bool, err error) {
	content, err := layer.Uncompressed()
	if err != nil {
		return nil, false, err
	}
	defer content.Close()
	r := tar.NewReader(content)
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil, gone, nil
		}
		if err != nil {
			return nil, false, err
		}
		entry := strings.TrimPrefix(path.Clean("/"+h.Name), "/")
		switch {
		case entry == file && h.Typeflag == tar.TypeDir:
			gone = true
		case entry == file:
			return h, false, take(h, r)
		case hides(entry, h.Typeflag, file):
			gone = true
		}
	}
}

// hides says whether an entry of a layer takes file away from the layers below.
func hides(entry string, kind byte, file string) bool {
	dir, base := path.Split(entry)
	dir = strings.TrimSuffix(dir, "/")
	switch {
	case base == opaque:
		return within(dir, file)
	case strings.HasPrefix(base, whiteout):
		gone := path.Join(dir, strings.TrimPrefix(base, whiteout))
		return gone == file || within(gone, file)
	}
	return kind != tar.TypeDir && within(entry, file)
}

// within says whether file is below dir; everything is below the root, "".
func within(dir, file string) bool { return dir == "" || strings.HasPrefix(file, dir+"/") }

func digestOf(layer v1.Layer) string {
	d, err := layer.Digest()
	if err != nil {
		return "without a digest"
	}
	return d.String()
}
