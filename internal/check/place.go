package check

import (
	"path"
	"regexp"
	"strings"
)

// role is what a file is read as.
type role int

const (
	rolePassed    role = iota // not read
	roleComponent             // the log of one of our components
	roleNode                  // a journal of the node's programs
	roleLoose                 // a text that nothing but its lines can place
	roleObjects               // YAML or JSON of API objects, or what the container runtime says of a container
	roleArchive               // a tar file within
)

// Layouts that files are recognised by.
const (
	layoutGather    = "must-gather"
	layoutBundle    = "installer log bundle"
	layoutArtifacts = "CI artifacts"
	layoutLoose     = "loose log files"
	layoutCluster   = "cluster"
)

// place is what a file's name says about it.
type place struct {
	role      role
	component string // of roleComponent
	previous  bool   // the log of a process that another one followed
	bootstrap bool   // of the bootstrap machine
	layout    string // that such a name belongs to, "" if any
}

const ours = `(kube-controller-manager|cluster-version-operator)`

var (
	rotated       = regexp.MustCompile(`^(.+\.log)(\.\d[\d-]*)?$`)
	gatherLog     = regexp.MustCompile(`(?:^|/)` + ours + `/` + ours + `/logs/(current|previous|previous\.insecure|rotated/.*)\.log`)
	runtimeLog    = regexp.MustCompile(`(?:^|/)` + ours + `/\d+\.log(\.\d[\d-]*)?$`)
	artifactsPod  = regexp.MustCompile(`/pods/[^/_]+_[^/_]+_[^/]+\.log$`)
	artifactsNode = regexp.MustCompile(`/nodes/[^/]+/journal`)
	artifactsLog  = regexp.MustCompile(`(?:^|/)pods/[^/_]+_[^/_]+_` + ours + `(_previous)?\.log$`)
	bundleLog     = regexp.MustCompile(`(?:^|/)containers/` + ours + `-[0-9a-f]{6,}\.(log|inspect)`)
	looseLog      = regexp.MustCompile(`^` + ours + `(?:[-_.](\d+|previous|current|base|patched|control))*\.log(\.\d[\d-]*)?$`)
	journal       = regexp.MustCompile(`^(journal|journal-previous)(\.log)?$|(^|[-_.])(kubelet|kubelet_service|crio|crio_service|bootkube|podman[\w-]*|release-image)\.(log|service\.log)(\.\d[\d-]*)?$`)
	objects       = regexp.MustCompile(`^(pods|namespaces|featuregates?|clusterversions?|clusteroperators?|leases)\.(ya?ml|json)$|^\d+_feature-gate\.yaml$`)
	inFolder      = regexp.MustCompile(`(?:^|/)(config\.openshift\.io/(featuregates|clusterversions|clusteroperators)|core/namespaces|coordination\.k8s\.io/leases|pods/[^/]+)/[^/]+\.ya?ml$`)
	tarball       = regexp.MustCompile(`\.(tar|tar\.gz|tgz)$`)
)

// placeOf tells from a slash-separated name, as collectors choose them, what a file is.
func placeOf(name string) place {
	name = strings.TrimPrefix(path.Clean(name), "./")
	if tarball.MatchString(name) {
		return place{role: roleArchive}
	}
	name = strings.TrimSuffix(name, ".gz")
	p := place{bootstrap: strings.Contains("/"+name, "/bootstrap/"), layout: layoutOf(name)}
	base := path.Base(name)
	switch {
	case strings.Contains("/"+name, "/audit_logs/"):
	case p.ownLog(name, base):
		p.role = roleComponent
	case bundleLog.MatchString(name):
		p.role = roleObjects
	case journal.MatchString(base) && !strings.Contains("/"+name, "/pods/"):
		p.role = roleNode
	case objects.MatchString(base), inFolder.MatchString(name):
		p.role = roleObjects
	case p.layout == "" && (rotated.MatchString(base) || strings.HasSuffix(base, ".txt")):
		p.role = roleLoose
	}
	return p
}

// ownLog finds whose log it is.
func (p *place) ownLog(name, base string) bool {
	if m := gatherLog.FindStringSubmatch(name); m != nil && m[1] == m[2] {
		p.component, p.previous = m[1], m[3] != "current"
		return true
	}
	if m := artifactsLog.FindStringSubmatch(name); m != nil {
		p.component, p.previous = m[1], m[2] != ""
		return true
	}
	if m := runtimeLog.FindStringSubmatch(name); m != nil {
		p.component = m[1]
		return true
	}
	if m := bundleLog.FindStringSubmatch(name); m != nil && m[2] == "log" {
		p.component = m[1]
		return true
	}
	if m := looseLog.FindStringSubmatch(base); m != nil && !strings.Contains("/"+name, "/pods/") {
		p.component, p.previous = m[1], strings.Contains(base, "previous") || m[3] != ""
		return true
	}
	return false
}

// layoutOf names the collector that makes such names.
func layoutOf(name string) string {
	name = "/" + name
	switch {
	case strings.Contains(name, "/cluster-scoped-resources/"), strings.Contains(name, "/host_service_logs/"),
		strings.Contains(name, "/namespaces/") && strings.Contains(name, "/logs/"):
		return layoutGather
	case strings.Contains(name, "/bootstrap/"), strings.Contains(name, "/control-plane/"):
		return layoutBundle
	case strings.Contains(name, "/gather-extra/"), artifactsPod.MatchString(name), artifactsNode.MatchString(name):
		return layoutArtifacts
	}
	return ""
}
