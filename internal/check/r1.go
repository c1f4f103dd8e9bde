package check

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// judgeR1: kube-controller-manager ends its process because the API refused while it started.
func (e *Evidence) judgeR1() Finding {
	f := Finding{Name: "R1", Title: "kube-controller-manager ends when the API refuses its start", Bug: noBug, Component: ControllerManager}
	refused := func(r *run) bool { return r.ended != nil && r.ended.cause != "" }
	e.describe(&f, refused)
	runs := e.of(ControllerManager)
	e.evidenceR1(&f, runs)
	if e.node.unavailable.Count > 0 {
		f.NotOurs = append(f.NotOurs, kubeletProject.with("it does not bring the container back, and has lost its log", e.node.unavailable.lines()))
	}
	if i := slices.IndexFunc(runs, refused); i >= 0 {
		f.Verdict, f.Why = Met, fmt.Sprintf("a process of it ended because of: %s", runs[i].ended.cause)
		f.Next = e.nextR1(f)
		return f
	}
	unexplained := e.unexplained(ControllerManager)
	logs := slices.IndexFunc(runs, func(r *run) bool { return !r.tail }) >= 0
	switch {
	case len(f.NotOurs) > 0 && (!logs || len(unexplained) > 0):
		f.Verdict, f.Why = MetNotOurs, "the kubelet has lost the container; why the process ended can only be seen on the node"
		f.Next = []string{"on the node: crictl ps --all --name kube-controller-manager, then crictl logs CONTAINER; report the loss to the kubelet"}
	case len(unexplained) > 0:
		f.Verdict, f.Why = CannotTell, "its container has ended, and the log that says why is not there: "+unexplained[0]
		f.Missing = []string{"log of the ended container (oc logs --previous, or crictl logs on the node)"}
		f.Next = []string{"on the node: crictl ps --all --name kube-controller-manager, then crictl logs CONTAINER; check the file with carry check"}
	case !logs:
		f.Verdict, f.Why = CannotTell, "none of its logs is there"
		f.Missing = []string{"log of kube-controller-manager, current and previous"}
		f.Next = []string{"collect them: oc adm must-gather, or from the node's /var/log/pods"}
	default:
		f.Verdict, f.Why = NotMet, "no process of it ended because the API could not be reached"
		f.Why += otherEnds(runs)
	}
	return f
}

// evidenceR1 quotes ends, back-offs, restarts and what was waited for.
func (e *Evidence) evidenceR1(f *Finding, runs []*run) {
	var ends, refused quotes
	for _, r := range runs {
		if r.ended != nil {
			ends.add(r.ended.quote)
		}
		if r.leaseLost != nil {
			ends.add(*r.leaseLost)
		}
		refused.take(r.refused)
	}
	f.Evidence = append(f.Evidence, ends.lines()...)
	for _, s := range e.statuses {
		if s.Name == f.Component {
			f.Evidence = append(f.Evidence, s.quote())
		}
	}
	for _, b := range e.node.backOffs {
		if b.container == f.Component && !b.bootstrap() {
			f.Evidence = append(f.Evidence, b.at)
		}
	}
	if ends.Count > 0 { // a lease attempt that is tried again is nothing by itself
		f.Evidence = append(f.Evidence, refused.lines()...)
	}
	f.Evidence = append(f.Evidence, e.waits(f.Component)...)
}

func (e *Evidence) nextR1(f Finding) []string {
	next := []string{"carry build kube-controller-manager, and run that binary (README, Using the result)"}
	if f.Patched == "yes" {
		next = []string{"if the processes that ended were not patched ones, nothing; else report it to this project with the lines above"}
	}
	if len(f.NotOurs) > 0 {
		next = append(next, "report the lost container to the kubelet's project")
	}
	return next
}

// otherEnds says what else ended it, so that a reader does not look for it.
func otherEnds(runs []*run) string {
	text := ""
	for _, r := range runs {
		if r.ended != nil && !strings.Contains(text, "another reason") {
			text += "; one ended for another reason"
		}
		if r.leaseLost != nil && !strings.Contains(text, "lease") {
			text += "; one ended as it should when it could not renew its lease"
		}
	}
	return text
}

// unexplained are ended containers whose reason no log gives.
func (e *Evidence) unexplained(component string) []string {
	var all []string
	for _, s := range e.statuses {
		t := s.end()
		if s.Name != component || t == nil || t.ExitCode == 0 || t.killed() {
			continue
		}
		told := func(r *run) bool { return (r.ended != nil || r.leaseLost != nil) && s.has(r.file) }
		if !slices.ContainsFunc(e.of(component), told) {
			all = append(all, printable(s.String()))
		}
	}
	return all
}

// killed tells whether a signal ended it: SIGKILL, also when memory ran out, or SIGTERM.
func (t termination) killed() bool { return t.ExitCode == 137 || t.ExitCode == 143 }

// has tells whether a file is about the status's container.
func (s status) has(file string) bool {
	if file == s.file || strings.TrimSuffix(s.file, path.Ext(s.file)) == strings.TrimSuffix(file, path.Ext(file)) {
		return true
	}
	_, pod := s.pod()
	_, rest, ok := strings.Cut(file, pod)
	return ok && s.total > 0 && rest != "" && strings.Contains("/_ )", rest[:1])
}
