package sweep

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	"carry/internal/controlplane"
)

// component is what the sweep has to know of one component in particular.
// Everything else is the same for all of them.
type component struct {
	name     string
	starts   []string // kinds of start, in the order in which they run
	inherits string   // the one that finds what an earlier start has made; empty: none
	thin     string   // the one that -thin thins on base, where another holds every exit that it holds
	decides  bool     // it acts on an answer for as long as it lives, and can be wrong

	waves  func(stream string) []wave  // what is swept
	system func(namespace string) bool // one that every run has
	lease  func(path string) bool      // of the election's lock, or of what holds it
	single *regexp.Regexp              // paths of objects that it reads by their names: neither lists nor watches; nil: none
	made   []string                    // paths of the collections in which it leaves something

	prepare func(context.Context, *plane) error   // once for a control plane; nil: nothing
	arrange func(context.Context, *attempt) error // before a start: what the last one left goes, what this one needs comes

	config  func(p *plane, shortLease bool) controlplane.ComponentConfig // what is particular to its launch
	over    func(context.Context, *attempt) error                        // waits until a start has done what it does
	works   func(context.Context, *attempt) error                        // waits until it does what it is for, from now on
	retries func(*attempt, Cell) time.Duration                           // by how much its own retries put off what it does

	goroutines func(context.Context, *plane) (int, error) // that it has; nil: it does not tell
}

// components are all that have a sweep.
func components() []component { return []component{kcm(), operator()} }

// componentNamed finds one; empty: kube-controller-manager.
func componentNamed(name string) (component, error) {
	if name == "" {
		name = kcmName
	}
	var names []string
	for _, c := range components() {
		if c.name == name {
			return c, nil
		}
		names = append(names, c.name)
	}
	return component{}, fmt.Errorf("no sweep of component %q: want one of %s", name, strings.Join(names, ", "))
}

// kept is how a plan, a store and a report name it: kube-controller-manager
// has no name there.
func (c component) kept() string {
	if c.name == kcmName {
		return ""
	}
	return c.name
}

// named is the other way round. What has no sweep has no starts either.
func named(kept string) component {
	c, _ := componentNamed(kept)
	return c
}

// allStarts are those of all components.
func allStarts() []string {
	var all []string
	for _, c := range components() {
		all = append(all, c.starts...)
	}
	return all
}

// thinned says in words what -thin leaves out.
func (c component) thinned() string {
	return fmt.Sprintf("base's %s starts in one window of each family only", c.thin)
}
