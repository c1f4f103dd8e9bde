package bench

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Options are the flags as they were given.
type Options struct {
	Root    string // of the repository
	Out     string // folder of the report; empty: out/report/bench below Root
	Results string // folder of the recorded results; empty: none are recorded

	Component string // empty: kube-controller-manager
	Stream    string // empty: the newest of the component

	Start   string // restart or fresh: the controllers' service accounts are deleted before
	Only    string // sections, separated by commas; empty: all
	Seed    uint64 // of the order within pairs, and of the resamples
	Pairs   int    // of starts without a fault
	Workers int    // cells at once, where they mostly wait
}

const (
	kcm      = "kube-controller-manager"
	operator = "cluster-version-operator"

	base    = "base"
	patched = "patched"

	restart = "restart"
	fresh   = "fresh"
)

var sides = []string{base, patched}

// sections of each component in the order in which they run: the first is alone
// on the machine, and the bound of recovery comes from it.
var sections = map[string][]string{
	kcm:      {sectionStartup, sectionLoad, sectionRecovery},
	operator: {sectionStartup, sectionLoad, sectionRecovery, sectionHandover},
}

const (
	sectionStartup  = "startup"
	sectionLoad     = "load"
	sectionRecovery = "recovery"
	sectionHandover = "handover"
)

// check fills in what was left out, and wants a stream that has a pin and
// values that make sense.
func (o *Options) check() error {
	if o.Component == "" {
		o.Component = kcm
	}
	if sections[o.Component] == nil {
		return fmt.Errorf("no bench of component %q: want %s or %s", o.Component, kcm, operator)
	}
	pins, err := filepath.Glob(filepath.Join(o.Root, "components", o.Component, "*", "go.mod"))
	if err != nil {
		return fmt.Errorf("list streams: %w", err)
	}
	var streams []string
	for _, pin := range pins {
		streams = append(streams, filepath.Base(filepath.Dir(pin)))
	}
	if o.Stream == "" && len(streams) > 0 {
		o.Stream = streams[len(streams)-1]
	}
	switch {
	case !slices.Contains(streams, o.Stream):
		return fmt.Errorf("no stream %q: want one of %s", o.Stream, strings.Join(streams, ", "))
	case o.Start != restart && o.Start != fresh:
		return fmt.Errorf("no start %q: want %s or %s", o.Start, restart, fresh)
	case o.Pairs < 1:
		return fmt.Errorf("%d pairs: want at least 1", o.Pairs)
	case o.Component == operator && o.Start != restart:
		return fmt.Errorf("no start %q of %s: it has one kind", o.Start, operator)
	case o.Workers < 1:
		return fmt.Errorf("%d workers: want at least 1", o.Workers)
	}
	for _, s := range o.chosen() {
		if !slices.Contains(sections[o.Component], s) {
			return fmt.Errorf("no section %q: want some of %s", s, strings.Join(sections[o.Component], ","))
		}
	}
	return nil
}

func (o Options) chosen() []string {
	if o.Only == "" {
		return sections[o.Component]
	}
	return strings.Split(o.Only, ",")
}

func (o Options) wants(section string) bool { return slices.Contains(o.chosen(), section) }

// whole says that a run with these options may be recorded: nothing that a
// claim needs was left out.
func (o Options) whole() bool {
	return o.Only == "" && o.Pairs >= leastPairs
}

// leastPairs is how many a ratio worth recording is taken from.
const leastPairs = 20

// name of the stream in files: starts of another kind have files of their own.
func (o Options) name() string {
	if o.Component == operator {
		return operator + "-" + o.Stream
	}
	if o.Start == fresh {
		return o.Stream + "-" + fresh
	}
	return o.Stream
}

func (o Options) dir() string {
	dir := o.Out
	if dir == "" {
		dir = filepath.Join(o.Root, "out", "report", "bench")
	}
	return filepath.Join(dir, o.name())
}
