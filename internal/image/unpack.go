package image

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"github.com/google/go-containerregistry/pkg/v1/mutate"
)

// Unpack writes the image's files, folders and links below dir, which it makes: what is needed to run its programs.
// Owners and devices are left out. Nothing is written outside dir, whatever the image says.
func (in *Input) Unpack(ctx context.Context, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("unpack %s: %w", in.Name, err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("unpack %s: %w", in.Name, err)
	}
	defer root.Close()
	content := mutate.Extract(in.img)
	defer content.Close()
	r := tar.NewReader(content)
	var hardLinks []*tar.Header
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = ctx.Err()
		}
		if err == nil && h.Typeflag == tar.TypeLink {
			hardLinks = append(hardLinks, h) // layers come from the top down: what it links to may follow
			continue
		}
		if err == nil {
			err = unpackOne(root, h, r)
		}
		if err != nil {
			return fmt.Errorf("unpack %s: %w", in.Name, err)
		}
	}
	for _, h := range hardLinks {
		if err := root.Link(relative(h.Linkname), relative(h.Name)); err != nil {
			return fmt.Errorf("unpack %s: %w", in.Name, err)
		}
	}
	return nil
}

// relative is a name of a tar entry below the root.
func relative(name string) string {
	return filepath.Clean(filepath.Join("/", filepath.FromSlash(name)))[1:]
}

func unpackOne(root *os.Root, h *tar.Header, content io.Reader) error {
	name := relative(h.Name)
	if name == "" {
		return nil
	}
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	switch h.Typeflag {
	case tar.TypeDir:
		// Never closed to others: what runs in it is nobody.
		if err := root.Mkdir(name, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
			return err
		}
	case tar.TypeSymlink:
		return root.Symlink(h.Linkname, name)
	case tar.TypeReg:
		return writeProgram(content, func() (*os.File, error) {
			return root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY|syscall.O_NOFOLLOW, os.FileMode(h.Mode)&0o777|0o444)
		})
	}
	return nil
}

// writeProgram writes a file that is going to be run. Nothing may be forked while it is open: the child would have it
// open for writing as well, and a file that somebody writes to cannot be run (ETXTBSY).
func writeProgram(content io.Reader, open func() (*os.File, error)) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	f, err := open()
	if err != nil {
		return err
	}
	_, err = io.Copy(f, content)
	return errors.Join(err, f.Close())
}
