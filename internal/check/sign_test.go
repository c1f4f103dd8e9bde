package check

import (
	"strings"
	"testing"
)

// lines holds every line that the three reports quote, the forms of them in other versions, what the series' own
// mechanism logs, and lines that only look alike (kind 0, or one that ends nothing).
var recognised = []struct {
	name  string
	line  string
	want  kind
	group string // of the first group, a part
}{
	{"R1 lock", `E0505 20:36:46.587883 1 leaderelection.go:330] error retrieving resource lock kube-system/kube-controller-manager: Get "https://api-int.sno01271...:6443/api/v1/namespaces/kube-system/configmaps/kube-controller-manager?timeout=5s": dial tcp [fc00:1001::8de]:6443: connect: connection refused`, lockRefused, "connection refused"},
	{"R1 some", `E0505 20:36:47.526268 1 namespaced_resources_deleter.go:161] unable to get all supported resources from server: Get "https://api-int.sno01271...:6443/api": dial tcp [fc00:1001::8de]:6443: connect: connection refused`, discoveryFailed, "connection refused"},
	{"R1 any", `F0505 20:36:47.526298 1 namespaced_resources_deleter.go:164] Unable to get any supported resources from server: Get "https://api-int.sno01271...:6443/api": dial tcp [fc00:1001::8de]:6443: connect: connection refused`, ended, "connection refused"},
	{"R1 stack", `goroutine 413 [running]: k8s.io/kubernetes/vendor/k8s.io/klog/v2.stacks(0x1)`, stack, ""},
	{"R1 stack alone", `goroutine 413 [running]:`, stack, ""},
	{"R1 no log", `Error from server (BadRequest): container "kube-controller-manager" in pod "kube-controller-manager-sno01271" is not available`, logUnavailable, ControllerManager},
	{"R2 manifest", `0000_30_cluster-api_capi-operator_00_namespace.yaml`, gatedManifest, ""},
	{"R2 annotation", `    release.openshift.io/feature-gate: "TechPreviewNoUpgrade"`, gatedManifest, ""},
	{"R2 guess", `W0204 10:10:40.126809 1 start.go:142] Error getting featuregate value: Get "https://127.0.0.1:6443/apis/config.openshift.io/v1/featuregates/cluster": dial tcp 127.0.0.1:6443: connect: connection refused`, gateGuessed, "connection refused"},
	{"R2 decision", `I0204 10:19:53.097129 1 techpreviewchangestopper.go:97] Starting stop-on-techpreview-change controller with TechPreviewNoUpgrade false.`, gateDecided, "false"},
	{"R2 correction", `TechPreviewNoUpgrade was false, but the current feature set is "TechPreviewNoUpgrade"; requesting shutdown.`, gateCorrected, "TechPreviewNoUpgrade"},
	{"R2 correction, klog", `I0204 02:30:49.812345       1 techpreviewchangestopper.go:78] TechPreviewNoUpgrade was false, but the current feature set is "TechPreviewNoUpgrade"; requesting shutdown.`, gateCorrected, "TechPreviewNoUpgrade"},
	{"R2 stopper", `Shutting down stop-on-techpreview-change controller`, stopperEnded, ""},
	{"R2 graceful", `Graceful shutdown complete for ClusterVersionOperator 4.11.0-0.nightly-2022-03-04-063157.`, graceful, "4.11.0-0.nightly-2022-03-04-063157"},
	{"R2 next", `I0204 02:30:50.812345 1 techpreviewchangestopper.go:101] Starting stop-on-techpreview-change controller with TechPreviewNoUpgrade true.`, gateDecided, "true"},
	{"R2 lock", `E0204 02:30:50.812345 1 leaderelection.go:306] Failed to release lock: resource name may not be empty`, lockKept, "resource name"},
	{"R3 back-off", `Sep 03 16:23:02 localhost kubelet.sh[2826]: E0903 16:23:02.988613 2861 pod_workers.go:765] "Error syncing pod, skipping" err="failed to \"StartContainer\" for \"kube-controller-manager\" with CrashLoopBackOff: \"back-off 5m0s restarting failed container=kube-controller-manager pod=bootstrap-kube-controller-manager-localhost_kube-system(18ba2e2b...)\"" pod="kube-system/bootstrap-kube-controller-manager-localhost"`, backedOff, "5m0s"},
	{"R3 socket", `E0902 10:11:30.001696 36592 remote_runtime.go:334] "ContainerStatus from runtime service failed" err="rpc error: code = Unavailable desc = connection error: desc = \"transport: Error while dialing dial unix /var/run/crio/crio.sock: connect: permission denied\""`, socketDenied, ""},
	{"R3 sandbox", `f3b0   bootstrap-kube-apiserver-localhost   SANDBOX_NOTREADY`, sandboxNotReady, ""},
	{"R3 podman", `Sep 03 16:00:00 localhost systemd[1]: podman-auto-update.service: Failed with result 'exit-code'.`, unitFailed, ""},
	{"R3 podman start", `Sep 03 16:00:00 localhost systemd[1]: Failed to start Podman auto-update service.`, unitFailed, ""},
	{"R3 bootkube", `Sep 03 16:00:00 localhost systemd[1]: bootkube.service: Scheduled restart job, restart counter is at 2.`, bootkubeRestart, "2"},

	{"1.37 some", `E1130 20:18:48.002558   31083 namespaced_resources_deleter.go:162] "Unable to get all supported resources from server" err="Get \"https://[::1]:6443/api\": dial tcp [::1]:6443: connect: connection refused" logger="UnhandledError"`, discoveryFailed, "connection refused"},
	{"1.37 any", `E1130 20:18:48.002558   31083 namespaced_resources_deleter.go:166] "Unable to get any supported resources from server" err="Get \"https://[::1]:6443/api\": dial tcp [::1]:6443: connect: connection refused" logger="namespace-controller"`, ended, "connection refused"},
	{"1.37 controllers", `E1130 20:18:48.002558   31083 controllermanager.go:278] "Error building controllers" err="failed to discover resources: Get \"https://[::1]:6443/api\": dial tcp [::1]:6443: connect: connection refused"`, ended, "connection refused"},
	{"1.37 context", `E1130 20:18:48.002558   31083 controllermanager.go:271] "Error building controller context" err="failed to wait for apiserver being healthy: timed out"`, ended, "timed out"},
	{"1.37 command", `E1130 20:18:48.002558   31083 run.go:72] "command failed" err="unable to load configmap based request-header-client-ca-file: Get \"https://[::1]:6443/api\": dial tcp [::1]:6443: connect: connection refused"`, ended, "connection refused"},
	{"1.37 lease lock", `E1130 20:18:48.002558   31083 leaderelection.go:473] "Error retrieving lease lock" err="Get \"https://[::1]:6443/apis\": dial tcp [::1]:6443: connect: connection refused" lock="kube-system/kube-controller-manager"`, lockRefused, "connection refused"},
	{"1.37 lease lost", `E1130 20:18:48.002558   31083 controllermanager.go:413] "leaderelection lost/stopped"`, leaseLost, ""},
	{"1.37 start", `I1130 17:22:07.592263   20589 controllermanager.go:205] "Starting" version="v1.37.2+carry.8.a94036d41889"`, started, "v1.37.2+carry.8.a94036d41889"},
	{"1.37 lease", `I1130 20:18:48.002558   31083 leaderelection.go:272] "Successfully acquired lease" lock="kube-system/kube-controller-manager"`, leaseAcquired, ""},
	{"1.23 context", `F1130 17:54:11.477056   19030 controllermanager.go:233] error building controller context: unable to get any supported resources from server: Get "https://[::1]:6443/api": dial tcp [::1]:6443: connect: connection refused`, ended, "connection refused"},
	{"1.23 client", `F1130 17:54:11.477056   19030 client_builder_dynamic.go:154] Get "https://[::1]:6443/api/v1/namespaces/kube-system/serviceaccounts/namespace-controller": dial tcp [::1]:6443: connect: connection refused`, ended, "connection refused"},
	{"1.23 look-up", `unable to load configmap based request-header-client-ca-file: Get "https://[::1]:6443/api/v1": dial tcp [::1]:6443: connect: connection refused`, ended, "connection refused"},
	{"1.23 lease lost", `F1130 17:54:11.477056   19030 controllermanager.go:298] leaderelection lost`, leaseLost, ""},
	{"1.23 start", `I1130 17:54:11.477056   19030 controllermanager.go:200] Version: v1.23.5+carry.7.ab0cefeca7b1`, started, "v1.23.5+carry.7.ab0cefeca7b1"},
	{"operator start", `I1130 17:54:11.477056 1 start.go:23] ClusterVersionOperator 4.11.0-0.20230322131514.c659e6ccaca7+carry.7.0123456789ab`, started, "+carry.7."},
	{"panic", `panic: runtime error: invalid memory address or nil pointer dereference`, ended, "runtime error"},

	{"held", `I1130 20:18:42.594914   31149 gates.go:183] "API server cannot be reached, holding requests" address="[::1]:34397" err="dial tcp [::1]:34397: connect: connection refused"`, waiting, ""},
	{"still held", `I1130 20:18:42.594914   31149 gates.go:187] "API server still cannot be reached, holding requests" address="[::1]:34397" elapsed="30s" err="dial tcp [::1]:34397: connect: connection refused"`, waiting, ""},
	{"held no longer", `I1130 20:18:54.723496   31149 gates.go:195] "API server can be reached again" address="[::1]:34397" elapsed="12.128s"`, waited, "12.128s"},
	{"retried", `I1130 20:18:48.002558   31083 retry.go:83] "API server gives no lasting answer, waiting" for="client resourcequota-controller" elapsed="0s" err="the server is currently unable to handle the request"`, waiting, ""},
	{"retried no longer", `I1130 20:18:50.654938   31083 retry.go:64] "API server answers again" for="client resourcequota-controller" elapsed="2.652s"`, waited, "2.652s"},
	{"health", `I1130 20:18:50.654938   31083 app_helper.go:64] "API server isn't healthy yet, waiting" elapsed="0s" err="an error" response=""`, waiting, ""},
	{"health no longer", `I1130 20:18:50.654938   31083 app_helper.go:64] "API server is healthy now" elapsed="1m0.5s"`, waited, "1m0.5s"},
	{"operator held", `I1130 20:18:50.654938   1 gates.go:235] API server [::1]:6443 cannot be reached, holding requests: dial tcp [::1]:6443: connect: connection refused`, waiting, ""},
	{"operator still held", `I1130 20:18:50.654938   1 gates.go:239] API server [::1]:6443 still cannot be reached after 30s, holding requests: dial tcp [::1]:6443: connect: connection refused`, waiting, ""},
	{"operator held no longer", `I1130 20:18:50.654938   1 gates.go:247] API server [::1]:6443 can be reached again after 19.5s`, waited, "19.5s"},
	{"operator retried", `I1130 20:18:50.654938   1 wait.go:128] API server gives no lasting answer for featuregate, waiting (0s so far): status 403: forbidden`, waiting, ""},
	{"operator retried no longer", `I1130 20:18:50.654938   1 wait.go:134] API server answers again after 3.2s, for featuregate`, waited, "3.2s"},
	{"operator stopped", `I1130 20:18:50.654938   1 start.go:150] No answer about the featuregate; shutting down: context canceled`, waitEnded, "context canceled"},
	{"stamp", `"userAgent":"kube-controller-manager/v1.37.2+carry.8.a94036d41889.dirty (linux/amd64) kubernetes/unknown"`, stamped, ""},

	{"timestamps", `2022-05-05T20:36:47.526298123Z F0505 20:36:47.526298       1 namespaced_resources_deleter.go:164] Unable to get any supported resources from server: dial tcp [fc00:1001::8de]:6443: connect: connection refused`, ended, "connection refused"},
	{"runtime's file", `2022-05-05T20:36:47.526298123+00:00 stderr F F0505 20:36:47.526298       1 namespaced_resources_deleter.go:164] Unable to get any supported resources from server: dial tcp [fc00:1001::8de]:6443: connect: connection refused`, ended, "connection refused"},

	{"look-up that is tried again", `I1130 17:22:07.672424   20589 retry.go:83] "API server gives no lasting answer, waiting" for="authentication configuration" elapsed="0s" err="unable to load configmap based request-header-client-ca-file: Unauthorized"`, waiting, ""},
	{"look-up that is tolerated", `W1130 17:22:07.672424   20589 authentication.go:402] Error looking up in-cluster authentication configuration: unable to load configmap based request-header-client-ca-file: connection refused`, 0, ""},
	{"reflector", `E1130 17:22:07.672424   20589 reflector.go:227] "Failed to watch" err="failed to list *v1.ConfigMap: dial tcp [::1]:6443: connect: connection refused"`, 0, ""},
	{"other stopper", `I0204 10:19:53.097129 1 stopper.go:97] Starting some other controller with TechPreviewNoUpgrade false.`, 0, ""},
	{"other guess", `W0204 10:10:40.126809 1 operator.go:142] Error getting featuregate value: connection refused`, 0, ""},
	{"controller of the operator", `I0204 10:10:40.126809 1 cvo.go:300] Starting ClusterVersionOperator with minimum reconcile period 2m52s`, 0, ""},
	{"socket that is not there yet", `E0902 10:11:30.001696 36592 remote_runtime.go:334] "Status from runtime service failed" err="dial unix /var/run/crio/crio.sock: connect: no such file or directory"`, 0, ""},
	{"letters only", `FLAG: --feature-gates=""`, 0, ""},
	{"flag", `I1130 17:22:07.235582   20589 flags.go:64] FLAG: --allocate-node-cidrs="false"`, 0, ""},
	{"broken date", `F05x5 20:36:47 1 namespaced_resources_deleter.go:164] Unable to get any supported resources from server: connection refused`, 0, ""},
	{"no date", `namespaced_resources_deleter.go:164] Unable to get any supported resources from server: connection refused`, 0, ""},
	{"empty", ``, 0, ""},
	{"junk", "\x00\xff\xfe\x1b[31mF\x00", 0, ""},
}

func TestRecognise(t *testing.T) {
	t.Parallel()
	for _, tt := range recognised {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f, ok := everySign.recognise([]byte(tt.line))
			switch {
			case ok != (tt.want != 0):
				t.Fatalf("recognised: %v, want %v: %+v", ok, !ok, f.entry)
			case !ok:
			case f.kind != tt.want:
				t.Errorf("kind %d, want %d", f.kind, tt.want)
			case tt.group != "" && !strings.Contains(f.group[1], tt.group):
				t.Errorf("group %q, want one with %q", f.group[1], tt.group)
			}
		})
	}
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`dial tcp [::1]:6443: connect: connection refused`:                                                        "connection refused",
		`Get "https://[::1]:6443/api": EOF`:                                                                       "EOF",
		`x509: certificate signed by unknown authority`:                                                           "",
		`serviceaccounts is forbidden`:                                                                            "",
		`cloud provider could not be initialized: dial tcp 10.0.0.2:443: connect: connection refused`:             "",
		`Get "http://169.254.169.254/latest/meta-data": dial tcp 169.254.169.254:80: connect: connection refused`: "",
	} {
		if got := unreachable(text); got != want {
			t.Errorf("unreachable(%q) = %q, want %q", text, got, want)
		}
	}
}

func FuzzRecognise(f *testing.F) {
	for _, tt := range recognised {
		f.Add([]byte(tt.line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		l := newLog("kube-controller-manager.log", placeOf("kube-controller-manager.log"))
		l.read(1, line)
		if text := printable(string(line)); strings.ContainsAny(text, "\n\r\x1b\x00") {
			t.Errorf("%q can be printed", text)
		}
	})
}
