package check

import (
	"fmt"
	"slices"
)

// describe fills in which versions run and whether they are patched and cured. waited says what patched processes are
// seen to have outlived, "" if nothing of the kind was met.
func (e *Evidence) describe(f *Finding, failed func(*run) bool) {
	var patchedFailed, waits int
	longest := ""
	runs := e.of(f.Component)
	for _, r := range runs {
		if !r.patched {
			continue
		}
		waits += r.waits.Count
		if longer(r.longest, longest) {
			longest = r.longest
		}
		if failed(r) {
			patchedFailed++
		}
	}
	f.Running = versions(runs, false)
	if len(f.Running) == 0 { // the container is down: the process before it is the one that ran
		f.Running = versions(runs, true)
	}
	running := len(f.Running)
	patched := 0
	for _, v := range f.Running {
		if v.Patched {
			patched++
		}
	}
	switch {
	case running == 0:
		f.Patched, f.Cured = "unknown", "cannot tell: no version of it was found"
	case patched == 0:
		f.Patched, f.Cured = "no", "no: it runs without the series"
	case patched < running:
		f.Patched, f.Cured = "some", "in part: not every process of it is patched"
	case patchedFailed > 0:
		f.Patched, f.Cured = "yes", "no: it is patched and it happened all the same"
	case waits > 0:
		f.Patched, f.Cured = "yes", fmt.Sprintf("yes: it waited for the API%s, and went on", forAsLong(longest))
	default:
		f.Patched, f.Cured = "yes", "patched, but not tried: the API was there whenever it was needed"
	}
}

func forAsLong(longest string) string {
	if longest == "" {
		return ""
	}
	return ", " + longest + " at the longest"
}

const versionsKept = 8

// versions are those of the processes that are, or are not, followed by another; one of each.
func versions(runs []*run, previous bool) []Version {
	var all []Version
	for _, r := range runs {
		v := Version{r.version, r.patched, r.at}
		known := func(have Version) bool { return have.Version == v.Version && have.Patched == v.Patched }
		if r.previous == previous && (v.Version != "" || v.Patched) && len(all) < versionsKept && !slices.ContainsFunc(all, known) {
			all = append(all, v)
		}
	}
	return all
}

// of are the processes of a component, in the order in which they were read.
func (e *Evidence) of(component string) []*run {
	var runs []*run
	for _, r := range e.runs {
		if r.component == component {
			runs = append(runs, r)
		}
	}
	return runs
}

// waits are the lines of the series' own mechanism.
func (e *Evidence) waits(component string) []Quote {
	var all quotes
	for _, r := range e.of(component) {
		all.take(r.waits)
	}
	return all.lines()
}
