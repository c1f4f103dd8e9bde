package check

import (
	"archive/tar"
	"fmt"
	"io"
	"path"
	"strings"
)

// archive reads a tar file, compressed or not, as it comes. Nothing is written, and no link in it is followed.
func (c *collector) archive(within string, r io.Reader, depth int) error {
	if depth > nesting {
		return fmt.Errorf("more than %d archives within each other: not read", nesting)
	}
	in, err := plain(r)
	if err != nil {
		return err
	}
	entries := tar.NewReader(in)
	for {
		if c.ctx.Err() != nil {
			return c.ctx.Err()
		}
		h, err := entries.Next()
		if err == io.EOF { // what comes after the end may still show that the compressed file is cut
			_, err = io.Copy(io.Discard, in)
			return err
		}
		if err != nil {
			return fmt.Errorf("read archive: %w", err)
		}
		if err := c.entry(within, h, entries, depth); err != nil {
			return err
		}
	}
}

func (c *collector) entry(within string, h *tar.Header, r io.Reader, depth int) error {
	switch h.Typeflag {
	case tar.TypeReg:
	case tar.TypeSymlink, tar.TypeLink:
		c.links.add(within + h.Name)
		return nil
	default:
		return nil
	}
	if !local(h.Name) {
		c.names.add(within + h.Name)
		return nil
	}
	return c.file(within, path.Clean(h.Name), r, depth)
}

// local tells whether a name stays within its archive.
func local(name string) bool {
	if path.IsAbs(name) || strings.Contains(name, "\\") {
		return false
	}
	for _, element := range strings.Split(name, "/") {
		if element == ".." {
			return false
		}
	}
	return true
}
