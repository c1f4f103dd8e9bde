package check

import (
	"bytes"
	"slices"
)

// recogniser looks for some of the signs, for each needle once.
type recogniser []group

// group are the signs that share a needle.
type group struct {
	needle []byte
	signs  []*sign
}

// The signs that each kind of log can have; fewer needles make a large log go faster.
var (
	everySign      = recogniserOf(func(*sign) bool { return true })
	nodeSigns      = recogniserOf((*sign).node)
	componentSigns = map[string]recogniser{
		ControllerManager: recogniserOf(func(s *sign) bool { return s.saidBy(ControllerManager) }),
		VersionOperator:   recogniserOf(func(s *sign) bool { return s.saidBy(VersionOperator) }),
	}
)

func recogniserOf(keep func(*sign) bool) recogniser {
	var r recogniser
	for i := range signs {
		s := &signs[i]
		if !keep(s) {
			continue
		}
		at := slices.IndexFunc(r, func(g group) bool { return bytes.Equal(g.needle, s.needle) })
		if at < 0 {
			at, r = len(r), append(r, group{needle: s.needle})
		}
		r[at].signs = append(r[at].signs, s)
	}
	return r
}

// node tells whether the node's programs say it.
func (s *sign) node() bool {
	return slices.Contains([]kind{backedOff, socketDenied, sandboxNotReady, unitFailed, logUnavailable, bootkubeRestart}, s.kind)
}

// saidBy tells whether a component's log can have it; what is kept instead of a lost log is a line of the kubelet's.
func (s *sign) saidBy(component string) bool {
	return s.of == component || s.of == "" && (!s.node() || s.kind == logUnavailable)
}

// recognise says what a line tells.
func (r recogniser) recognise(line []byte) (found, bool) {
	parsed := false
	var e entry
	for _, g := range r {
		if !bytes.Contains(line, g.needle) {
			continue
		}
		if !parsed {
			e, parsed = parse(string(line)), true
		}
		for _, s := range g.signs {
			if fields, ok := s.fits(e); ok {
				return found{s, e, fields}, true
			}
		}
	}
	// Whatever else klog calls fatal ends the process too.
	if hasHeader(line, "F") {
		if e := parse(string(line)); e.severity == 'F' {
			return found{&fatal, e, []string{e.message, e.message}}, true
		}
	}
	return found{}, false
}
