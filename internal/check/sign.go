package check

import (
	"regexp"
	"strings"
)

// Components that the series are for, as their containers are called.
const (
	ControllerManager = "kube-controller-manager"
	VersionOperator   = "cluster-version-operator"
)

// kind is what a line says.
type kind int

const (
	started         kind = iota + 1 // a process begins: its version
	stamped                         // a version stamp somewhere else in a line
	ended                           // kube-controller-manager or cluster-version-operator ends its process
	leaseLost                       // it ends as it should: the lease could not be renewed
	leaseAcquired                   // it leads
	discoveryFailed                 // discovery failed, nothing ended yet
	lockRefused                     // a lease attempt was refused; normal while it is tried again
	waiting                         // the series' own: it waits
	waited                          // the series' own: the wait is over
	waitEnded                       // the series' own: it was stopped while it waited
	gateGuessed                     // tech preview was decided without an answer
	gateDecided                     // what was decided
	gateCorrected                   // the decision was seen to be wrong
	stopperEnded                    // the controller that sees it ended
	graceful                        // cluster-version-operator ended in order
	lockKept                        // its lock was not given back
	gatedManifest                   // a manifest of a feature gate is named
	backedOff                       // the kubelet does not restart a container yet
	socketDenied                    // the kubelet may not use CRI-O's socket
	sandboxNotReady                 // a pod's sandbox is not ready
	unitFailed                      // podman-auto-update fails
	logUnavailable                  // the kubelet has lost a container
	bootkubeRestart                 // systemd starts bootkube again
	stack                           // a goroutine dump
)

// sign is one form of line that says something. A line has it when it holds the needle, comes from one of the severities
// and sources, and its message matches.
type sign struct {
	kind     kind
	of       string // component that says it, "" for the node's programs
	needle   []byte // looked for first: an expression on every line would be too slow
	severity string // any of these letters, "" for any
	from     string // klog's source file, "" for any
	proves   bool   // nobody but that component says it
	match    *regexp.Regexp
}

// found is a recognised line: its groups are the sign's own.
type found struct {
	*sign
	entry
	group []string
}

func re(expression string) *regexp.Regexp { return regexp.MustCompile(expression) }

// signs in order: of those with the same needle, the first that fits is the line's.
var signs = []sign{
	// kube-controller-manager. The fatal line of the first report, 1.23 and 1.37 (which logs it as an error and ends).
	{ended, ControllerManager, []byte("upported resources"), "FE", "namespaced_resources_deleter.go", true, re(`^"?Unable to get any supported resources from server(.*)`)},
	{discoveryFailed, ControllerManager, []byte("upported resources"), "E", "namespaced_resources_deleter.go", true, re(`^"?[Uu]nable to get all supported resources from server(.*)`)},
	{discoveryFailed, ControllerManager, []byte("upported resources"), "E", "", false, re(`nable to get all supported resources from server(.*)`)},
	{discoveryFailed, ControllerManager, []byte("esource discovery returned no resources"), "E", "", false, re(`returned no resources(.*)`)},
	{leaseLost, ControllerManager, []byte("leaderelection lost"), "FE", "", false, re(`leaderelection lost`)},
	{started, ControllerManager, []byte(`"Starting" version=`), "I", "controllermanager.go", false, re(`version="([^"]+)"`)},
	{started, ControllerManager, []byte("Version: "), "I", "controllermanager.go", false, re(`^Version: (\S+)`)},
	{ended, ControllerManager, []byte(`"Error building controller`), "E", "controllermanager.go", false, re(`^"Error building controller(?:s| context)"(.*)`)},
	{ended, ControllerManager, []byte(`"command failed"`), "E", "run.go", false, re(`^"command failed"(.*)`)},
	{ended, ControllerManager, []byte("Error looking up the authentication configuration"), "E", "", false, re(`^"Error looking up the authentication configuration"(.*)`)},
	{ended, ControllerManager, []byte("unable to load configmap based request-header-client-ca-file: "), "-", "", false, re(`^(?:Error: )?unable to load configmap based request-header-client-ca-file: (.*)`)},

	// What the series' own mechanism logs, structured in kube-controller-manager, printed in cluster-version-operator.
	{waiting, "", []byte("API server "), "I", "", false, re(`^"?API server .*(?:cannot be reached|cannot be reached after \S+), holding requests`)},
	{waiting, "", []byte("API server "), "I", "", false, re(`^"?API server gives no lasting answer.*, waiting`)},
	{waiting, "", []byte("API server "), "I", "", false, re(`^"API server isn't healthy yet, waiting"`)},
	{waited, "", []byte("API server "), "I", "", false, re(`^"API server (?:can be reached again|answers again|is healthy now)".*elapsed="?([0-9a-zµ.]+)`)},
	{waited, "", []byte("API server "), "I", "", false, re(`^API server (?:\S+ can be reached again|answers again) after ([0-9a-zµ.]+[0-9a-zµ])`)},
	{waitEnded, VersionOperator, []byte("No answer about the featuregate; shutting down"), "I", "", true, re(`shutting down: (.*)`)},

	// cluster-version-operator.
	{gateGuessed, VersionOperator, []byte("Error getting featuregate value: "), "W", "start.go", false, re(`^Error getting featuregate value: (.*)`)},
	{gateDecided, VersionOperator, []byte("Starting stop-on-techpreview-change controller"), "", "", true, re(`with TechPreviewNoUpgrade (true|false)`)},
	{gateCorrected, VersionOperator, []byte("TechPreviewNoUpgrade was "), "", "", true, re(`^TechPreviewNoUpgrade was (?:true|false), but the current feature set is "([^"]*)"; (?:requesting shutdown|no shutdown function configured)`)},
	{stopperEnded, VersionOperator, []byte("Shutting down stop-on-techpreview-change controller"), "", "", true, re(`.`)},
	{graceful, VersionOperator, []byte("Graceful shutdown complete for ClusterVersionOperator"), "", "", true, re(`ClusterVersionOperator (\S+?)\.?$`)},
	{started, VersionOperator, []byte("ClusterVersionOperator "), "I", "start.go", true, re(`^ClusterVersionOperator (v?\d\S*)$`)},
	{lockKept, VersionOperator, []byte("Failed to release lock"), "E", "", false, re(`^Failed to release lock: (.*)`)},
	{gatedManifest, VersionOperator, []byte("capi-operator_00_namespace.yaml"), "", "", false, re(`\d{4}_\d\d_cluster-api_capi-operator_00_namespace\.yaml`)},
	{gatedManifest, VersionOperator, []byte("release.openshift.io/feature-gate"), "", "", false, re(`feature-gate: "?TechPreviewNoUpgrade`)},

	// Of both, after what is said more exactly above.
	{leaseAcquired, "", []byte("uccessfully acquired lease"), "I", "", false, re(`^"?[Ss]uccessfully acquired lease`)},
	{lockRefused, "", []byte("rror retrieving "), "E", "", false, re(`^"?[Ee]rror retrieving (?:resource|lease) lock"? ?(.*)`)},
	{stack, "", []byte("goroutine "), "", "", false, re(`^goroutine \d+ \[`)},
	{ended, "", []byte("panic: "), "-", "", false, re(`^panic: (.*)`)},

	// The node's programs.
	{backedOff, "", []byte("restarting failed container="), "", "", false, re(`back-off (\S+) restarting failed container=(\S+) pod=([^\s("\\]+)`)},
	{socketDenied, "", []byte("crio.sock"), "", "", false, re(`crio\.sock: connect: permission denied`)},
	{sandboxNotReady, "", []byte("SANDBOX_NOTREADY"), "", "", false, re(`SANDBOX_NOTREADY`)},
	{unitFailed, "", []byte("podman-auto-update"), "", "", false, re(`podman-auto-update.*[Ff]ail|Failed to start Podman auto-update`)},
	{unitFailed, "", []byte("Podman auto-update"), "", "", false, re(`Failed to start (?:podman-auto-update\.service - )?Podman auto-update`)},
	{logUnavailable, "", []byte("is not available"), "", "", false, re(`container \\?"(kube-controller-manager|cluster-version-operator)\\?" in pod \\?"([^"\\]+)\\?" is not available`)},
	{bootkubeRestart, "", []byte("bootkube.service"), "", "", false, re(`bootkube\.service: Scheduled restart job, restart counter is at (\d+)`)},
	{stamped, "", []byte("+carry."), "", "", false, stamp},
}

// stamp is how carry marks what it builds.
var stamp = re(`v?\d[\w.-]*\+carry\.\d+\.[0-9a-f]+(?:\.dirty)?`)

// fatal is the sign of a line that klog ends the process with.
var fatal = sign{kind: ended}

// hasHeader looks for klog's severity and date near the start of a line, without an expression.
func hasHeader(line []byte, severities string) bool {
	const prefix, date = 200, 4
	for i := 0; i+date < len(line) && i < prefix; i++ {
		if strings.IndexByte(severities, line[i]) >= 0 && digits(line[i+1:i+1+date]) {
			return true
		}
	}
	return false
}

func digits(s []byte) bool {
	for i := range s {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

func (s *sign) fits(e entry) ([]string, bool) {
	switch {
	case s.severity == "-" && e.severity != 0:
		return nil, false
	case s.severity != "" && s.severity != "-" && !strings.ContainsRune(s.severity, rune(e.severity)):
		return nil, false
	case s.from != "" && s.from != e.source:
		return nil, false
	}
	group := s.match.FindStringSubmatch(e.message)
	return group, group != nil
}
