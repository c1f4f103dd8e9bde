package check

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Read reads what was collected at a path: a folder, a tar file or a single log.
func Read(ctx context.Context, path string) (*Evidence, error) {
	c := &collector{ctx, newEvidence()}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w\nnext: name a folder or an archive of collected files, or a cluster with --kubeconfig FILE", path, errors.Unwrap(err))
	}
	switch {
	case info.IsDir():
		err = c.folder(path)
	case info.Mode().IsRegular():
		err = c.single(path)
	default:
		err = fmt.Errorf("read %s: neither a folder nor a file\nnext: name a folder or an archive of collected files", path)
	}
	if err != nil {
		return nil, err
	}
	c.settle()
	return c.Evidence, c.known(path)
}

// folder walks below a path. Nothing outside of it can be opened: os.Root refuses, whatever a link or a race does.
func (c *collector) folder(path string) error {
	root, err := os.OpenRoot(path)
	if err != nil {
		return fmt.Errorf("read %s: %w\nnext: make it readable for you", path, err)
	}
	defer root.Close()
	return c.walk(root.FS())
}

// walk reads all regular files of a file system, in the order of their names.
func (c *collector) walk(files fs.FS) error {
	return fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case c.ctx.Err() != nil:
			return c.ctx.Err()
		case err != nil:
			c.missing("%s: cannot be read: %v", name, errors.Unwrap(err))
			return nil
		case d.Type()&fs.ModeSymlink != 0:
			c.links.add(name)
			return nil
		case !d.Type().IsRegular(): // a pipe would never end
			return nil
		}
		return c.open(files, name)
	})
}

func (c *collector) open(files fs.FS, name string) error {
	if p := placeOf(name); p.role == rolePassed {
		c.placed(name, p)
		c.passed++
		return nil
	}
	f, err := files.Open(name)
	if err != nil {
		c.missing("%s: cannot be read: %v", name, errors.Unwrap(err))
		return nil
	}
	defer f.Close()
	return c.file("", name, f, 0)
}

// single reads one file: an archive, or a log of whatever name.
func (c *collector) single(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("read %s: %w\nnext: make it readable for you", path, errors.Unwrap(err))
	}
	defer f.Close()
	name := filepath.Base(path)
	in, err := plain(f)
	if err != nil {
		return fmt.Errorf("read %s: %w\nnext: collect it again", path, err)
	}
	buffered := bufio.NewReader(in)
	if magic, _ := buffered.Peek(262); tarball.MatchString(name) || len(magic) == 262 && string(magic[257:]) == "ustar" {
		if err := c.archive("", buffered, 0); err != nil {
			if c.ctx.Err() != nil {
				return c.ctx.Err()
			}
			c.missing("%s: %v", name, broken(err))
		}
		return nil
	}
	if placeOf(name).role == rolePassed {
		name += ".log"
	}
	return c.file("", name, buffered, 0)
}

// known is the error of a source in which nothing is what the check reads.
func (c *collector) known(path string) error {
	const next = "next: name a must-gather, an installer log bundle, a CI job's artifacts, or a folder with kube-controller-manager.log or cluster-version-operator.log"
	switch {
	case len(c.runs) > 0 || len(c.statuses) > 0 || c.objects > 0 || len(c.node.backOffs) > 0 || c.node.lines() > 0:
		return nil
	case len(c.layouts) > 0:
		return nil // its verdicts say what is missing
	case len(c.incomplete) > 0:
		return fmt.Errorf("read %s: %s\n%s", path, c.incomplete[0], "next: collect it again")
	case c.logs+c.passed == 0:
		return fmt.Errorf("read %s: no files in it\n%s", path, next)
	}
	return fmt.Errorf("read %s: nothing that the check knows in %s\n%s", path, count(c.logs+c.passed, "file"), next)
}
