package check

import (
	"fmt"
	"strings"
)

// Evidence is all that was read of a source, before it is judged.
type Evidence struct {
	layouts    map[string]bool
	runs       []*run
	node       node
	statuses   []status
	gate       *gate
	noGateKind bool // the API knows no FeatureGate: not OpenShift
	namespaces map[string]bool
	version    *Quote // ClusterVersion
	facts      []Quote
	logs       int
	objects    int
	bytes      int64
	passed     int // files that the check does not read
	incomplete []string
	notes      []string
	loose      []*log
	// journals of a bootstrap machine that were read
	bootstrapJournals int
	links             tally // symbolic links
	names             tally // names that lead out
}

// tally counts what is told once, with the first of them.
type tally struct {
	count int
	first string
}

func (t *tally) add(name string) {
	if t.count++; t.count == 1 {
		t.first = name
	}
}

// gate is the FeatureGate "cluster".
type gate struct {
	featureSet string
	created    string // RFC 3339, "" if it is not told
	at         Quote
}

func newEvidence() *Evidence {
	return &Evidence{layouts: map[string]bool{}, namespaces: map[string]bool{}}
}

const notesKept = 50

// note tells something once.
func (e *Evidence) note(format string, args ...any) {
	e.notes = once(e.notes, fmt.Sprintf(format, args...))
}

// missing tells that something could not be read whole: what was not seen there proves nothing.
func (e *Evidence) missing(format string, args ...any) {
	e.incomplete = once(e.incomplete, fmt.Sprintf(format, args...))
}

func once(list []string, text string) []string {
	text = printable(text)
	for _, have := range list {
		if have == text {
			return list
		}
	}
	if len(list) == notesKept {
		return list
	}
	return append(list, text)
}

// addLog takes a log that was read.
func (e *Evidence) addLog(l *log) {
	e.logs++
	if l.role == roleLoose {
		if len(l.runs) == 0 && len(l.node.backOffs) == 0 && l.node.lines() == 0 {
			return
		}
		e.loose = append(e.loose, l)
		return
	}
	e.node.take(l.node)
	e.runs = append(e.runs, l.runs[l.component]...)
	switch {
	case l.role == roleNode && (l.bootstrap || l.layout == ""):
		e.bootstrapJournals++
	case l.role == roleComponent && !l.headed && len(l.runs[l.component]) == 0:
		e.note("%s has no line of a component's log", l.file)
	case l.role == roleComponent && len(l.runs[l.component]) == 0:
		e.runs = append(e.runs, &run{component: l.component, previous: l.previous, bootstrap: l.bootstrap, file: l.file})
	}
}

// settle decides about loose files: they count where nothing shows that the rest was collected by a tool, and for the
// component that their own lines prove.
func (e *Evidence) settle() {
	for _, l := range e.loose {
		if len(e.layouts) > 0 {
			e.passed++
			continue
		}
		e.node.take(l.node)
		for _, c := range []string{ControllerManager, VersionOperator} {
			if l.proven[c] {
				e.runs = append(e.runs, l.runs[c]...)
			}
		}
	}
	e.loose = nil
}

// addObject takes what an object tells.
func (e *Evidence) addObject(file string, o object) {
	e.objects++
	switch {
	case o.Kind == "Pod":
		e.addPod(file, o)
	case o.Kind == "" && o.Status.Metadata.Name != "":
		e.addInspected(file, o)
	case o.Kind == "FeatureGate" && o.Metadata.Name == "cluster":
		e.gate = &gate{o.Spec.FeatureSet, o.Metadata.CreationTimestamp,
			Quote{File: file, Text: printable(fmt.Sprintf("FeatureGate cluster, created %s: featureSet %q", o.Metadata.CreationTimestamp, o.Spec.FeatureSet))}}
	case o.Kind == "Namespace":
		e.namespaces[o.Metadata.Name] = true
	case o.Kind == "ClusterVersion":
		e.version = &Quote{File: file, Text: printable("ClusterVersion " + o.Metadata.Name + ": desired " + o.Status.Desired.Version)}
	case o.Kind == "ClusterOperator" && o.Metadata.Name == "cluster-api":
		e.facts = append(e.facts, Quote{File: file, Text: "ClusterOperator cluster-api" + conditions(o)})
	case o.Kind == "Lease" && (o.Metadata.Name == ControllerManager || o.Metadata.Namespace == versionNamespace):
		e.facts = append(e.facts, Quote{File: file, Text: printable(fmt.Sprintf("Lease %s/%s is held by %q", o.Metadata.Namespace, o.Metadata.Name, o.Spec.HolderIdentity))})
	}
}

func conditions(o object) string {
	text := ""
	for _, c := range o.Status.Conditions {
		text += " " + c.Type + "=" + c.Status
	}
	return printable(text)
}

// addPod takes the containers of ours.
func (e *Evidence) addPod(file string, o object) {
	ready := 0
	for _, c := range o.Status.Containers {
		if c.Ready {
			ready++
		}
	}
	for _, c := range o.Status.Containers {
		if c.Name == ControllerManager || c.Name == VersionOperator {
			e.addStatus(status{file, o.Metadata.Namespace + "/" + o.Metadata.Name, c, ready, len(o.Status.Containers)})
		}
	}
}

// addInspected takes what `crictl inspect` says.
func (e *Evidence) addInspected(file string, o object) {
	c := container{Name: o.Status.Metadata.Name, RestartCount: o.Status.Metadata.Attempt}
	if c.Name != ControllerManager && c.Name != VersionOperator {
		return
	}
	if o.Status.State == "CONTAINER_RUNNING" {
		c.Ready, c.State.Running = true, &struct{}{}
	} else {
		c.State.Terminated = &termination{o.Status.ExitCode, o.Status.Reason, o.Status.Message}
	}
	e.addStatus(status{file, file, c, 0, 0})
}

// addStatus keeps one of each: collectors write a pod's status into several files.
func (e *Evidence) addStatus(s status) {
	for _, have := range e.statuses {
		if have.where == s.where && have.Name == s.Name {
			return
		}
	}
	e.statuses = append(e.statuses, s)
	t := s.end()
	if t == nil || t.Message == "" {
		return
	}
	file := s.file
	if s.total > 0 {
		file += " (" + s.where + ")"
	}
	l := newLog(file, place{role: roleComponent, component: s.Name, previous: s.State.Terminated == nil})
	for text := range strings.Lines(t.Message) {
		l.read(0, []byte(text))
	}
	e.node.take(l.node)
	for _, r := range l.runs[s.Name] {
		r.tail = true
		e.runs = append(e.runs, r)
	}
}
