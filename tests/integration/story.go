package integration

import (
	"fmt"
	"strings"
	"time"
)

// story tells what the two sides of namespace-discovery-refused did, from what
// their verbs saw. An event that is missing makes it an error, since the story
// would not be true.
type story struct {
	base, patched *run
	lines         []string
	missing       []string
}

// tell returns about ten lines.
func tell(base, patched *run) ([]string, error) {
	s := story{base: base, patched: patched}
	s.add("A namespace is being deleted and still holds a configmap. kube-controller-manager %s starts,", base.target.stream)
	s.add("as released (base) and with our patches (patched), each with its own API, over %s.", base.family.name)
	s.tellBase()
	s.tellPatched()
	if len(s.missing) > 0 {
		return nil, fmt.Errorf("tell story: never happened: %s", strings.Join(s.missing, ", "))
	}
	return s.lines, nil
}

func (s *story) tellBase() {
	start, outage := s.find(s.base, "start", ""), s.find(s.base, "begun", "outage")
	said, exit := s.find(s.base, "log", ""), s.find(s.base, "exited", "")
	left := s.find(s.base, "until", "Terminating")
	s.add("base:    process %s starts; %s later its API refuses connections, as the namespace controller is made", start.text, since(start, outage))
	s.add("base:    says %s", message(said.text))
	s.add("base:    process %s exits with %s, %s after the API went away", start.text, exit.text, since(outage, exit))
	s.add("base:    nobody deletes the namespace: it is still %s", last(left.args))
}

func (s *story) tellPatched() {
	start, outage := s.find(s.patched, "start", ""), s.find(s.patched, "begun", "outage")
	lives, first := s.find(s.patched, "running", ""), s.find(s.patched, "allow", "outage")
	again := s.find(s.patched, "begun", "again")
	held := s.find(s.patched, "log", "holding requests")
	said, back := s.find(s.patched, "log", "/apis"), s.find(s.patched, "allow", "again")
	gone := s.find(s.patched, "until", "gone")
	end := s.findLast(s.patched, "running")
	s.add("patched: process %s starts; %s later its API refuses connections, as the namespace controller is made", start.text, since(start, outage))
	s.add("patched: says %s", message(held.text))
	s.add("patched: process %s runs on; the API is back after %s, and fails discovery %s later, as the namespace is deleted",
		lives.text, since(outage, first), since(first, again))
	s.add("patched: says %s", message(said.text))
	s.add("patched: discovery is whole after %s; %s later the namespace and its content are gone", since(again, back), since(back, gone))
	s.add("patched: it is still process %s, never restarted", end.text)
	if start.text != end.text {
		s.missing = append(s.missing, "a patched process that keeps its id")
	}
}

func (s *story) add(format string, args ...any) {
	s.lines = append(s.lines, fmt.Sprintf(format, args...))
}

// find returns the first event of a verb with an argument that holds a word;
// empty holds in all.
func (s *story) find(r *run, verb, word string) event {
	for _, e := range r.events {
		if e.verb == verb && strings.Contains(strings.Join(e.args, " "), word) {
			return e
		}
	}
	s.missing = append(s.missing, strings.TrimSpace(string(r.side)+": "+verb+" "+word))
	return event{}
}

func (s *story) findLast(r *run, verb string) event {
	for i := len(r.events) - 1; i >= 0; i-- {
		if r.events[i].verb == verb {
			return r.events[i]
		}
	}
	return s.find(r, verb, "")
}

func since(from, to event) string {
	return fmt.Sprintf("%.1f s", to.time.Sub(from.time).Round(100*time.Millisecond).Seconds())
}

// message is a log line without the header that only klog's readers need.
func message(line string) string {
	return klogHeader.ReplaceAllString(line, "$1 ")
}

func last(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return words[len(words)-1]
}
