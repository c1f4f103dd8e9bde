package check

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// climbed is the kubelet's delay from which a bootstrap is held up: the fifth step of 10, 20, 40, 80, 160, 300 s. A few
// ends while the API comes up for the first time are seen in good bootstraps, too.
const climbed = 160 * time.Second

// bootstrap tells whether a back-off is of a pod of the bootstrap machine.
func (b backOff) bootstrap() bool { return strings.HasPrefix(b.pod, "bootstrap-") }

// judgeR3: on the bootstrap machine a component of ours ends again and again until the kubelet waits for minutes.
func (e *Evidence) judgeR3() Finding {
	f := Finding{Name: "R3", Title: "components on the bootstrap machine climb to a long back-off",
		Bug: "https://bugzilla.redhat.com/show_bug.cgi?id=2001078", Component: ControllerManager}
	worst := e.worstBackOff()
	if worst != nil {
		f.Component = worst.container
	}
	e.describe(&f, func(*run) bool { return worst != nil && worst.longest >= climbed })
	e.evidenceR3(&f)
	f.NotOurs = e.notOursR3()
	ends := e.bootstrapEnds(f.Component)
	refused := slices.ContainsFunc(ends, func(r *run) bool { return r.ended.cause != "" })
	switch {
	case worst != nil && worst.longest >= climbed && (refused || len(ends) == 0):
		f.Verdict, f.Why = Met, fmt.Sprintf("the kubelet lets %s wait for %s before it starts it again", worst.container, worst.longest)
		if !refused {
			f.Why += "; no log of it says why it ended, so that the API refused is likely and not shown"
			f.Missing = []string{"log of " + worst.container + " on the bootstrap machine"}
		}
		f.Next = []string{"carry build " + worst.container + ", and install with it (README, Using the result)"}
	case len(f.NotOurs) > 0:
		f.Verdict, f.Why = MetNotOurs, "the node's own programs fail, as in the report: "+projects(f.NotOurs)
		f.Next = []string{"report it there; no component of ours is in a long back-off"}
	case worst != nil && worst.longest >= climbed:
		f.Verdict, f.Why = NotMet, worst.container+" is in a long back-off, but ended for another reason than a refused API"
	case worst != nil:
		f.Verdict, f.Why = NotMet, fmt.Sprintf("no back-off of a component of ours was longer than %s", worst.longest)
	case e.bootstrapJournals > 0:
		f.Verdict, f.Why = NotMet, "no component of ours was in a back-off"
	case e.version != nil || e.layouts[layoutCluster] || e.layouts[layoutGather]:
		f.Verdict, f.Why = NotMet, "the cluster came up: its bootstrap is over"
	default:
		f.Verdict, f.Why = CannotTell, "no journal of a bootstrap machine is there"
		f.Missing = []string{"bootstrap/journals/kubelet.log of an installer log bundle"}
		f.Next = []string{"openshift-install gather bootstrap"}
	}
	return f
}

// worstBackOff is the longest on the bootstrap machine.
func (e *Evidence) worstBackOff() *backOff {
	var worst *backOff
	for i, b := range e.node.backOffs {
		if b.bootstrap() && (worst == nil || b.longest > worst.longest) {
			worst = &e.node.backOffs[i]
		}
	}
	return worst
}

// bootstrapEnds are the processes that ended on the bootstrap machine; in loose files, anywhere.
func (e *Evidence) bootstrapEnds(component string) []*run {
	var ends []*run
	for _, r := range e.of(component) {
		if r.ended != nil && (r.bootstrap || len(e.layouts) == 0) {
			ends = append(ends, r)
		}
	}
	return ends
}

func (e *Evidence) evidenceR3(f *Finding) {
	for _, b := range e.node.backOffs {
		if b.bootstrap() {
			q := b.at
			if b.count > 1 {
				q.Text += fmt.Sprintf(" (the longest of %d)", b.count)
			}
			f.Evidence = append(f.Evidence, q)
		}
	}
	for _, r := range e.bootstrapEnds(f.Component) {
		f.Evidence = appendFew(f.Evidence, r.ended.quote)
	}
	f.Evidence = append(f.Evidence, e.node.bootkube.lines()...)
}

// notOursR3 are the parts of the report that belong to others. A sandbox that is not ready is nothing by itself: every
// pod that has ended has one.
func (e *Evidence) notOursR3() []NotOurs {
	var parts []NotOurs
	if n := e.node; n.denied.Count > 0 {
		parts = append(parts, crioProject.with("the kubelet is not permitted to use its socket", append(n.denied.lines(), n.sandbox.lines()...)))
	}
	if e.node.podman.Count > 0 {
		parts = append(parts, podmanProject.with("podman-auto-update.service fails", e.node.podman.lines()))
	}
	return parts
}

func projects(parts []NotOurs) string {
	var names []string
	for _, p := range parts {
		names = append(names, p.Project)
	}
	return strings.Join(names, ", ")
}
