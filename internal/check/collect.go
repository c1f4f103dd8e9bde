package check

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"strings"
)

// collector reads files of whatever source into evidence, one after the other, none of them whole.
type collector struct {
	ctx context.Context
	*Evidence
}

// nesting bounds archives within archives.
const nesting = 4

// file takes one file in. name is slash-separated within the source, within names the archives around it.
func (c *collector) file(within, name string, r io.Reader, depth int) error {
	p := placeOf(name)
	c.placed(name, p)
	if p.role == rolePassed {
		c.passed++
		return nil
	}
	full := within + name
	if err := c.as(p, full, name, r, depth); err != nil {
		if c.ctx.Err() != nil {
			return c.ctx.Err()
		}
		c.missing("%s: %v", full, broken(err))
	}
	return nil
}

// placed notes what a name alone tells.
func (c *collector) placed(name string, p place) {
	if p.layout != "" {
		c.layouts[p.layout] = true
	}
	if m := inNamespace.FindStringSubmatch(name); m != nil {
		c.namespaces[m[1]] = true
	}
}

// inNamespace is a must-gather's folder of a namespace.
var inNamespace = regexp.MustCompile(`(?:^|/)namespaces/([a-z0-9][a-z0-9-]*)/.`)

func (c *collector) as(p place, full, name string, r io.Reader, depth int) error {
	if p.role == roleArchive {
		return c.archive(full+"!", r, depth+1)
	}
	r, err := plain(r)
	if err != nil {
		return err
	}
	if p.role == roleObjects {
		hint := kindOf(name)
		return eachObject(r, func(o object) {
			if o.Kind == "" {
				o.Kind = hint
			}
			c.addObject(full, o)
		})
	}
	l := newLog(full, p)
	read, err := eachLine(c.ctx, r, l.read)
	c.bytes += read
	c.addLog(l)
	return err
}

// plain takes off gzip where there is some, whatever the name says.
func plain(r io.Reader) (io.Reader, error) {
	in := bufio.NewReader(r)
	if magic, _ := in.Peek(2); string(magic) != "\x1f\x8b" {
		return in, nil
	}
	z, err := gzip.NewReader(in)
	if err != nil {
		return nil, fmt.Errorf("read gzip: %w", err)
	}
	return z, nil
}

// kindOf is what a file named after a kind holds: items of a list that a server sends do not say it themselves.
func kindOf(name string) string {
	base, _, _ := strings.Cut(path.Base(name), ".")
	return map[string]string{"pods": "Pod", "namespaces": "Namespace", "featuregate": "FeatureGate", "featuregates": "FeatureGate",
		"clusterversion": "ClusterVersion", "clusterversions": "ClusterVersion", "clusteroperators": "ClusterOperator", "leases": "Lease"}[base]
}

// broken words an error of a file that is not whole.
func broken(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("truncated: it ends in the middle")
	}
	return err
}
