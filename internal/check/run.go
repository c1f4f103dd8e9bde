package check

import "strings"

// run is what one process of a component did, as far as its log says.
type run struct {
	component string
	previous  bool // from a log that another process of the container follows
	opened    bool // its first line was seen
	bootstrap bool // on the bootstrap machine
	tail      bool // no log, but the end of one from the pod's status
	file      string
	version   string
	patched   bool
	at        Quote // the version's line, or the line that shows the series' mechanism
	ended     *end
	leaseLost *Quote
	refused   quotes // lease attempts and discovery that failed and were tried again
	waits     quotes
	longest   string // of the waits that ended
	guess     *Quote
	cause     string // of the guess
	decided   string // "true" or "false", "" if it is not in the log
	decision  *Quote
	corrected *Quote
	current   string // feature set that the correction names
	// klog's date and time of guess, decision and correction, "MMDD hh:mm:ss.ffffff"
	guessedOn, decidedOn, correctedOn string
	more                              []Quote
}

// end is why a process ended its work.
type end struct {
	quote Quote
	cause string // why the API could not be asked, "" for another reason
}

// add takes one recognised line of the run's own log.
func (r *run) add(f found, q Quote) {
	switch f.kind {
	case started:
		r.opened, r.version, r.at = true, f.group[1], q
		r.patched = r.patched || stamp.MatchString(r.version)
	case stamped:
		r.stamp(stamp.FindString(f.message), q)
	case ended:
		r.end(f, q)
	case leaseLost:
		r.leaseLost = &q
	case discoveryFailed, lockRefused:
		r.refused.add(q)
	case waiting, waited, waitEnded:
		r.wait(f, q)
	case lockKept, graceful, stack:
		r.more = appendFew(r.more, q)
	default:
		r.gate(f, q)
	}
}

// stamp believes a version stamp anywhere in the log of the component: in requests it logs, for example.
func (r *run) stamp(version string, q Quote) {
	r.patched = true
	if r.version == "" {
		r.version, r.at = version, q
	}
}

// end keeps the first reason: the errors after it come of it.
func (r *run) end(f found, q Quote) {
	if r.ended != nil || r.leaseLost != nil {
		return
	}
	text := f.group[1]
	cause := unreachable(text)
	if f.source == "namespaced_resources_deleter.go" && cause == "" && emptyAnswer(text) {
		cause = "an empty discovery answer"
	}
	r.ended = &end{q, cause}
}

// emptyAnswer tells whether the deleter ended without an error, as 1.23 and 1.37 word it.
func emptyAnswer(text string) bool {
	return strings.HasSuffix(text, "<nil>") || !strings.Contains(text, "err=") && !strings.HasPrefix(text, ": ")
}

// wait notes the series' own mechanism: only patched processes log it.
func (r *run) wait(f found, q Quote) {
	r.patched = true
	if r.at.Text == "" {
		r.at = q
	}
	r.waits.add(q)
	if f.kind == waited && longer(f.group[1], r.longest) {
		r.longest = f.group[1]
	}
}

// gate follows the decision about tech preview.
func (r *run) gate(f found, q Quote) {
	switch f.kind {
	case gateGuessed:
		if r.cause = unreachable(f.group[1]); r.cause != "" {
			r.guess, r.guessedOn = &q, f.month+" "+f.clock
		}
	case gateDecided:
		r.decided, r.decision, r.decidedOn = f.group[1], &q, f.month+" "+f.clock
	case gateCorrected:
		r.corrected, r.current, r.correctedOn = &q, f.group[1], f.month+" "+f.clock
	}
}

const fewQuotes = 4

func appendFew(to []Quote, q Quote) []Quote {
	if len(to) == fewQuotes {
		return to
	}
	return append(to, q)
}
