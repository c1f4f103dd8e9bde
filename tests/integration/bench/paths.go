package bench

import (
	"cmp"
	"regexp"
	"slices"

	"carry/internal/faults"
)

var (
	ownNamespace = regexp.MustCompile(`/namespaces/bench-\d+`)
	inNamespace  = regexp.MustCompile(`(/namespaces/\{\}/[^/]+)/[^/]+`)
	chanceName   = regexp.MustCompile(`/(events|secrets)/[^/]+$`)
)

// pathTemplate writes {} for what differs from start to start: the names of the
// bench's namespaces, of objects in them, of events and, in 1.23, of the secrets
// with tokens.
func pathTemplate(path string) string {
	path = ownNamespace.ReplaceAllString(path, "/namespaces/{}")
	path = inNamespace.ReplaceAllString(path, "$1/{}")
	return chanceName.ReplaceAllString(path, "/$1/{}")
}

// asked are the methods and path templates of one start, each once.
func asked(requests []faults.Request) []string {
	var all []string
	for _, r := range requests {
		all = append(all, r.Method+" "+pathTemplate(r.Path))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Difference is a request that not every start made before it was functional.
type Difference struct {
	Request string `json:"request"` // method and path template
	Base    int    `json:"base"`    // starts that made it
	Patched int    `json:"patched"`
	Kind    string `json:"kind"`
}

// Kinds of differences.
const (
	onlyBase    = "only base"    // more than half of base's starts, none of patched's
	onlyPatched = "only patched" // the other way round
	someStarts  = "some starts"  // neither: chance has a part in it
)

// Requests compares what the starts of both sides made.
type Requests struct {
	BaseStarts    int          `json:"baseStarts"`
	PatchedStarts int          `json:"patchedStarts"`
	Common        int          `json:"common"`      // methods and templates that every start made
	Differences   []Difference `json:"differences"` // those that not every start made
}

func compareRequests(ofBase, ofPatched [][]string) Requests {
	r := Requests{BaseStarts: len(ofBase), PatchedStarts: len(ofPatched), Differences: []Difference{}}
	counts := map[string]*Difference{}
	count := func(starts [][]string, add func(*Difference)) {
		for _, request := range slices.Concat(starts...) {
			if counts[request] == nil {
				counts[request] = &Difference{Request: request}
			}
			add(counts[request])
		}
	}
	count(ofBase, func(d *Difference) { d.Base++ })
	count(ofPatched, func(d *Difference) { d.Patched++ })
	for _, d := range counts {
		if d.Base == r.BaseStarts && d.Patched == r.PatchedStarts {
			r.Common++
			continue
		}
		d.Kind = someStarts
		switch {
		case d.Patched == 0 && 2*d.Base > r.BaseStarts:
			d.Kind = onlyBase
		case d.Base == 0 && 2*d.Patched > r.PatchedStarts:
			d.Kind = onlyPatched
		}
		r.Differences = append(r.Differences, *d)
	}
	slices.SortFunc(r.Differences, func(a, b Difference) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Request, b.Request))
	})
	return r
}

// onlyOne are the differences that one side makes and the other does not.
func (r Requests) onlyOne() []Difference {
	var some []Difference
	for _, d := range r.Differences {
		if d.Kind != someStarts {
			some = append(some, d)
		}
	}
	return some
}
