package check

import (
	"fmt"
	"slices"
)

// Verdict is what the evidence says of one report.
type Verdict string

// Unknown is no kind of "not met": what was needed to tell was not there.
const (
	Met        Verdict = "met"
	MetNotOurs Verdict = "met but not ours"
	NotMet     Verdict = "not met"
	CannotTell Verdict = "cannot tell"
)

// Report is the result of a check.
type Report struct {
	Source     string    `json:"source"`
	Layouts    []string  `json:"layouts"`              // what the source was recognised as
	Logs       int       `json:"logs"`                 // files read line by line
	Bytes      int64     `json:"bytes"`                // of those
	Objects    int       `json:"objects"`              // API objects read
	Passed     int       `json:"passed"`               // files that are no business of the check
	Incomplete []string  `json:"incomplete,omitempty"` // what could not be read whole
	Notes      []string  `json:"notes,omitempty"`
	Facts      []Quote   `json:"facts,omitempty"` // leases, versions
	Findings   []Finding `json:"findings"`        // one for each report
}

// noBug is written where a report has no public number.
const noBug = "none public"

// Finding is the verdict about one report, and what it rests on.
type Finding struct {
	Name      string    `json:"name"` // R1, R2, R3
	Title     string    `json:"title"`
	Bug       string    `json:"bug"` // URL, or "none public"
	Component string    `json:"component"`
	Verdict   Verdict   `json:"verdict"`
	Why       string    `json:"why"`
	Missing   []string  `json:"missing,omitempty"` // evidence that would tell
	Running   []Version `json:"running,omitempty"`
	Patched   string    `json:"patched"` // yes, no, some or unknown
	Cured     string    `json:"cured"`
	Evidence  []Quote   `json:"evidence,omitempty"`
	NotOurs   []NotOurs `json:"notOurs,omitempty"`
	Next      []string  `json:"next,omitempty"`
}

// Version is what a process of the component said it is.
type Version struct {
	Version string `json:"version"` // "" if only its log lines show that it is patched
	Patched bool   `json:"patched"`
	At      Quote  `json:"at"`
}

// NotOurs is a part of a report that belongs to another project.
type NotOurs struct {
	Project  string  `json:"project"`
	URL      string  `json:"url"`
	What     string  `json:"what"`
	Evidence []Quote `json:"evidence"`
}

// Projects that parts of the reports belong to.
var (
	kubeletProject = NotOurs{Project: "kubelet", URL: "https://github.com/kubernetes/kubernetes/issues"}
	crioProject    = NotOurs{Project: "CRI-O", URL: "https://github.com/cri-o/cri-o/issues"}
	podmanProject  = NotOurs{Project: "Podman", URL: "https://github.com/containers/podman/issues"}
)

func (n NotOurs) with(what string, evidence []Quote) NotOurs {
	n.What, n.Evidence = what, evidence
	return n
}

// Names are those of the reports.
var Names = []string{"R1", "R2", "R3"}

// Judge draws the verdicts from the evidence. only names the reports wanted, all if it is empty.
func (e *Evidence) Judge(source string, only ...string) Report {
	r := Report{Source: source, Layouts: e.layout(), Logs: e.logs, Bytes: e.bytes, Objects: e.objects, Passed: e.passed,
		Incomplete: e.incomplete, Notes: e.tell(), Facts: e.clusterFacts()}
	for _, judge := range []func() Finding{e.judgeR1, e.judgeR2, e.judgeR3} {
		if f := judge(); len(only) == 0 || slices.Contains(only, f.Name) {
			r.Findings = append(r.Findings, e.doubt(f))
		}
	}
	return r
}

// doubt turns "not met" into "cannot tell" where a part of the evidence could not be read.
func (e *Evidence) doubt(f Finding) Finding {
	if f.Verdict == NotMet && len(e.incomplete) > 0 {
		f.Verdict = CannotTell
		f.Why = "nothing of it in what could be read, but not all could be read"
		f.Missing = append(f.Missing, "what is listed as incomplete")
		f.Next = []string{"collect it again, whole"}
	}
	return f
}

func (e *Evidence) layout() []string {
	var names []string
	for _, name := range []string{layoutCluster, layoutGather, layoutBundle, layoutArtifacts} {
		if e.layouts[name] {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		names = []string{layoutLoose}
	}
	return names
}

// tell adds what was passed over for safety to the notes, once each.
func (e *Evidence) tell() []string {
	notes := e.notes
	if e.links.count > 0 {
		notes = append(notes, printable(fmt.Sprintf("%d links were not followed, the first of them %s", e.links.count, e.links.first)))
	}
	if e.names.count > 0 {
		notes = append(notes, printable(fmt.Sprintf("%d names lead out of their archive and were not read, the first of them %s", e.names.count, e.names.first)))
	}
	return notes
}

func (e *Evidence) clusterFacts() []Quote {
	if e.version == nil {
		return e.facts
	}
	return append([]Quote{*e.version}, e.facts...)
}

// Verdict is the one that decides about a whole report: met before unknown before not met.
func (r Report) Verdict() Verdict {
	verdict := NotMet
	for _, f := range r.Findings {
		switch {
		case f.Verdict == Met, f.Verdict == MetNotOurs && verdict != Met, f.Verdict == CannotTell && verdict == NotMet:
			verdict = f.Verdict
		}
	}
	return verdict
}
