package component

import (
	"context"
	"maps"
	"runtime"
)

// passed remembers checks that take minutes, by the content key of all that went in. Failures are not remembered.
type passed struct {
	path  string
	known map[string]string // key: what passed, for people
	used  map[string]string
	fixed []string // part of every key
	ran   int      // how many checks were not known
}

// passedChecks reads what has passed so far, from a file under out/. With all nothing counts as passed.
func (s *Stream) passedChecks(ctx context.Context, path string, all bool) (*passed, error) {
	version, err := goVersion(ctx, s.Dir)
	if err != nil {
		return nil, err
	}
	p := &passed{
		path: path, known: map[string]string{}, used: map[string]string{},
		fixed: []string{"verified 1", version, runtime.GOARCH, string(s.Pin.Mod), string(s.Pin.Sum)},
	}
	if !all {
		readJSON(p.path, &p.known)
	}
	return p, nil
}

// once runs check, unless it is known to pass with these inputs. check says whether it passed.
func (p *passed) once(what string, inputs []string, check func() (bool, error)) error {
	k := key(append(append(append([]string{}, p.fixed...), what), inputs...)...)
	if _, ok := p.known[k]; ok {
		p.used[k] = what
		return nil
	}
	p.ran++
	ok, err := check()
	if err == nil && ok {
		p.used[k] = what
		// Written at once: an interrupted run keeps what it has done.
		all := maps.Clone(p.known)
		maps.Copy(all, p.used)
		return writeJSON(p.path, all)
	}
	return err
}

// end forgets what this run did not ask for.
func (p *passed) end() error { return writeJSON(p.path, p.used) }
