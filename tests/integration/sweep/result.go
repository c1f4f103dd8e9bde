package sweep

import (
	"fmt"
	"strings"
)

// Outcomes of a cell.
const (
	survived   = "survived"
	exited     = "exited"
	stuck      = "stuck"       // runs, but has not done in time what it does without a fault
	wrong      = "wrong"       // runs, and has decided wrongly
	notReached = "not reached" // the window did not come: unknown
	broken     = "unknown"     // the rig itself failed
)

// Result is what one cell showed.
type Result struct {
	Cell    string  `json:"cell"`
	Outcome string  `json:"outcome"`
	Exit    string  `json:"exit,omitempty"`    // "code 1"
	Phase   string  `json:"phase,omitempty"`   // when it exited: before the fault, in it, or after the return
	Detail  string  `json:"detail,omitempty"`  // the last error line, or what is missing
	Felt    int     `json:"felt"`              // requests that met the fault, the window's own among them
	Starts  int     `json:"starts"`            // until the window was reached
	Seconds float64 `json:"seconds,omitempty"` // from the API's return to functional
	Open    int     `json:"open,omitempty"`    // connections at the end
	Stall   float64 `json:"stall,omitempty"`   // the longest time in which the machine let nothing run
	Rare    bool    `json:"rare,omitempty"`
}

// known says that the result says something of the component.
func (r Result) known() bool { return r.Outcome != notReached && r.Outcome != broken }

// bad says that a result fails the sweep: the base may exit, get stuck or
// decide wrongly; nothing may be unknown.
func bad(r Result) bool {
	switch {
	case r.Outcome == survived, r.Rare && r.Outcome == notReached:
		return false
	case strings.Contains(r.Cell, "/"+base+"/"):
		return r.Outcome == notReached || r.Outcome == broken
	}
	return true
}

// stalled says that the machine, and not the component, may be behind a result.
func (r Result) stalled() bool { return r.Stall > 2 }

// say is the outcome in a line.
func (r Result) say() string {
	words := []string{r.Outcome}
	if r.Exit != "" {
		words = append(words, "with "+r.Exit)
	}
	if r.Phase != "" {
		words = append(words, r.Phase)
	}
	if r.Detail != "" {
		words = append(words, "- "+r.Detail)
	}
	if r.Outcome == survived {
		words = append(words, fmt.Sprintf("- works %.1f s after the return", r.Seconds))
	}
	if r.stalled() {
		words = append(words, fmt.Sprintf("(the machine stalled for %.1f s)", r.Stall))
	}
	return strings.Join(words, " ")
}
