package bench

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Report is all that a run of kube-controller-manager has measured. A figure that is not there was not
// measured, and Missing says so.
type Report struct {
	Stream   string     `json:"stream"`
	Series   string     `json:"series"` // hash of the series
	Start    string     `json:"start"`
	Seed     uint64     `json:"seed"`
	Startup  *Startup   `json:"startup,omitempty"`
	Recovery []Recovery `json:"recovery"`
	Load     []Load     `json:"load"`
	Outcome
}

// finish sorts, names what is missing and judges the claims.
func (r *Report) finish(planned []string, done map[string]bool) {
	// Empty lists, and not null, for whoever reads the JSON.
	r.Recovery = append([]Recovery{}, r.Recovery...)
	slices.SortFunc(r.Recovery, func(a, b Recovery) int {
		return cmp.Or(cmp.Compare(a.Outage, b.Outage), cmp.Compare(a.Side, b.Side))
	})
	r.Load = inOrder(strains, r.Load)
	r.settle(r.claims(), planned, done)
}

// inOrder sorts loads as their strains are; an empty list is not null.
func inOrder(strains []strain, loads []Load) []Load {
	loads = append([]Load{}, loads...)
	rank := func(l Load) int { return slices.Index(strains, l.strain()) }
	slices.SortFunc(loads, func(a, b Load) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.Side, b.Side))
	})
	return loads
}

// say is a recovery in a line.
func (r Recovery) say() string {
	words := []string{fmt.Sprintf("works %.1f s after the return, %d restarts", r.Seconds, r.Restarts)}
	if r.LongestBackOff > 0 {
		words = append(words, fmt.Sprintf("longest back-off %.0f s", r.LongestBackOff))
	}
	if r.Bound > 0 {
		words = append(words, fmt.Sprintf("bound %.1f s", r.Bound))
	}
	return strings.Join(words, ", ")
}

// say is a load in a line.
func (l Load) say() string {
	if l.Exit != "" {
		return fmt.Sprintf("exited with %s after %.1f s", l.Exit, l.Wait)
	}
	words := []string{fmt.Sprintf("works after %.1f s, %d requests in the busiest 10 s, %.0f MiB", l.Seconds, l.After, l.RSSFunctional)}
	if l.Dials != nil {
		words = append(words, fmt.Sprintf("while waiting %d dials (%d at once, then %.2f a second)", l.Dials.All, l.Dials.First, l.Dials.Rate))
	}
	return strings.Join(words, ", ")
}
