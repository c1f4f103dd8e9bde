package check

import (
	"fmt"
	"strings"
)

// object is what the check reads of any API object.
type object struct {
	Kind     string `json:"kind"`
	Metadata struct {
		Name              string `json:"name"`
		Namespace         string `json:"namespace"`
		CreationTimestamp string `json:"creationTimestamp"`
	} `json:"metadata"`
	Spec struct {
		FeatureSet     string `json:"featureSet"`     // FeatureGate
		HolderIdentity string `json:"holderIdentity"` // Lease
	} `json:"spec"`
	Status struct {
		Containers []container `json:"containerStatuses"` // Pod
		Desired    struct {    // ClusterVersion
			Version string `json:"version"`
		} `json:"desired"`
		Conditions []struct { // ClusterOperator
			Type   string `json:"type"`
			Status string `json:"status"`
		} `json:"conditions"`
		// What `crictl inspect` says of a container.
		Metadata struct {
			Name    string `json:"name"`
			Attempt int    `json:"attempt"`
		} `json:"metadata"`
		State    string `json:"state"`
		ExitCode int    `json:"exitCode"`
		Reason   string `json:"reason"`
		Message  string `json:"message"`
	} `json:"status"`
}

// container is a container's status in a Pod.
type container struct {
	Name         string         `json:"name"`
	Ready        bool           `json:"ready"`
	RestartCount int            `json:"restartCount"`
	State        containerState `json:"state"`
	LastState    containerState `json:"lastState"`
}

type containerState struct {
	Running *struct{} `json:"running"`
	Waiting *struct {
		Reason  string `json:"reason"`
		Message string `json:"message"`
	} `json:"waiting"`
	Terminated *termination `json:"terminated"`
}

type termination struct {
	ExitCode int    `json:"exitCode"`
	Reason   string `json:"reason"`
	Message  string `json:"message"` // the end of the log, where the pod asks for it
}

// status is a container of ours, as the API or the runtime described it.
type status struct {
	file, where string // where: namespace/pod, or the node's runtime
	container
	ready, total int // of the pod's containers
}

// String is one line about it.
func (s status) String() string {
	text := fmt.Sprintf("%s: container %s, ready: %v, restarts: %d", s.where, s.Name, s.Ready, s.RestartCount)
	if s.total > 0 {
		text = fmt.Sprintf("%s: %d/%d containers ready; %s, ready: %v, restarts: %d", s.where, s.ready, s.total, s.Name, s.Ready, s.RestartCount)
	}
	if w := s.State.Waiting; w != nil {
		text += ", waiting: " + w.Reason
		if w.Message != "" {
			text += " (" + w.Message + ")"
		}
	}
	for _, t := range []*termination{s.State.Terminated, s.LastState.Terminated} {
		if t != nil {
			text += fmt.Sprintf(", last end: %s, exit code %d", t.Reason, t.ExitCode)
			break
		}
	}
	return text
}

func (s status) quote() Quote { return Quote{File: s.file, Text: printable(s.String())} }

// end is how it last ended, nil if that is not told.
func (s status) end() *termination {
	if s.State.Terminated != nil {
		return s.State.Terminated
	}
	return s.LastState.Terminated
}

// pod is the namespace and the name of the pod.
func (s status) pod() (namespace, name string) {
	namespace, name, _ = strings.Cut(s.where, "/")
	return namespace, name
}
