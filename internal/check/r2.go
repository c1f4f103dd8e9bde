package check

import (
	"fmt"
	"time"
)

const (
	techPreview      = "TechPreviewNoUpgrade"
	gatedNamespace   = "openshift-cluster-api"
	versionNamespace = "openshift-cluster-version"
	// correctionTime bounds how long after its decision a wrong one is seen: a lease of 137 s, the payload, and some.
	// What is corrected later was decided rightly, and the gate has changed since.
	correctionTime = 10 * time.Minute
)

// judgeR2: cluster-version-operator decides that there is no tech preview because the API refused.
func (e *Evidence) judgeR2() Finding {
	f := Finding{Name: "R2", Title: "cluster-version-operator decides about tech preview without an answer",
		Bug: "https://bugzilla.redhat.com/show_bug.cgi?id=2053359", Component: VersionOperator}
	e.describe(&f, func(r *run) bool { return r.guess != nil })
	guess := e.guess()
	e.evidenceR2(&f, guess)
	switch on := e.gateOn(guess); {
	case guess == nil:
		e.judgeUnguessed(&f)
	case on == "yes":
		f.Verdict, f.Why = Met, fmt.Sprintf("it could not ask for the FeatureGate (%s), took it for unset, and it is %s", guess.cause, techPreview)
		f.Why += e.outcome()
		f.Next = []string{"at once: oc -n openshift-cluster-version delete pod -l k8s-app=cluster-version-operator; its next start decides again",
			"carry build cluster-version-operator, and run that binary (README, Using the result)"}
	case on == "no":
		f.Verdict, f.Why = NotMet, fmt.Sprintf("it could not ask for the FeatureGate (%s) and guessed, but the guess was right: %s was not set then", guess.cause, techPreview)
	default:
		f.Verdict, f.Why = CannotTell, fmt.Sprintf("it could not ask for the FeatureGate (%s) and guessed; whether wrongly is not told", guess.cause)
		f.Missing = []string{"FeatureGate cluster"}
		f.Next = []string{"oc get featuregate cluster -o yaml > featuregate.yaml beside the log, and carry check again"}
	}
	return f
}

// guess is the first process that decided without an answer; a wrong one before one that was harmless.
func (e *Evidence) guess() *run {
	var first *run
	for _, r := range e.of(VersionOperator) {
		if r.guess == nil || r.decided == "true" {
			continue
		}
		if e.gateOn(r) == "yes" {
			return r
		}
		if first == nil {
			first = r
		}
	}
	return first
}

// gateOn tells whether the gate was set when a process guessed: yes, no, or "" for unknown.
func (e *Evidence) gateOn(r *run) string {
	switch {
	case r == nil:
		return ""
	case r.corrected != nil && within(r.decidedOn, r.correctedOn, correctionTime):
		return yesOrNo(r.current == techPreview)
	case e.gate == nil && !e.noGateKind:
		return ""
	case e.noGateKind || e.gate.featureSet != techPreview || after(e.gate.created, r.guessedOn) || r.corrected != nil:
		return "no"
	}
	return "yes"
}

func yesOrNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// judgeUnguessed is the verdict where no log shows a guess.
func (e *Evidence) judgeUnguessed(f *Finding) {
	decided := false
	for _, r := range e.of(VersionOperator) {
		decided = decided || r.decided != "" || r.waits.Count > 0
	}
	switch {
	case decided:
		f.Verdict, f.Why = NotMet, "it decided from an answer"
	case e.noGateKind:
		f.Verdict, f.Why = NotMet, "the API has no FeatureGate: this is not OpenShift"
	case e.gate != nil && e.gate.featureSet != techPreview:
		f.Verdict, f.Why = NotMet, "the cluster has no tech preview, so nothing was to be missed"
	case e.gate != nil && e.namespaces[gatedNamespace]:
		f.Verdict, f.Why = NotMet, "the gated manifests are applied"
	default:
		f.Verdict, f.Why = CannotTell, "the log of cluster-version-operator's start is not there"
		if e.gate == nil {
			f.Missing = append(f.Missing, "FeatureGate cluster")
		} else if len(e.namespaces) > 0 {
			f.Why = fmt.Sprintf("%s is set and namespace %s is not there, as in the report, but the log of the operator's start is missing", techPreview, gatedNamespace)
		}
		f.Missing = append(f.Missing, "log of cluster-version-operator from its start on")
		f.Next = []string{"collect it: oc -n openshift-cluster-version logs deployment/cluster-version-operator, also with --previous"}
	}
}

// outcome says what came of a wrong decision.
func (e *Evidence) outcome() string {
	for _, r := range e.of(VersionOperator) {
		if r.corrected != nil {
			return "; it saw so later and restarted, which may cost its lease of 137 s"
		}
	}
	switch {
	case e.namespaces[gatedNamespace]:
		return "; a later start decided rightly, the gated manifests are applied"
	case len(e.namespaces) > 0:
		return fmt.Sprintf("; namespace %s is missing among %d", gatedNamespace, len(e.namespaces))
	}
	return ""
}

func (e *Evidence) evidenceR2(f *Finding, guess *run) {
	for _, r := range e.of(VersionOperator) {
		for _, q := range []*Quote{r.guess, r.decision, r.corrected} {
			if q != nil && (guess != nil || q != r.guess) {
				f.Evidence = append(f.Evidence, *q)
			}
		}
		if guess != nil {
			f.Evidence = append(f.Evidence, r.more...)
		}
	}
	if e.gate != nil {
		f.Evidence = append(f.Evidence, e.gate.at)
		if n := len(e.namespaces); n > 0 && !e.namespaces[gatedNamespace] {
			f.Evidence = append(f.Evidence, Quote{File: "namespaces", Text: fmt.Sprintf("%s is not among the %d collected", gatedNamespace, n)})
		}
	}
	for _, s := range e.statuses {
		if s.Name == VersionOperator {
			f.Evidence = append(f.Evidence, s.quote())
		}
	}
	f.Evidence = append(f.Evidence, e.waits(VersionOperator)...)
}
