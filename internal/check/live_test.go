package check

import (
	"context"
	"errors"
	"fmt"
	"io"
	stdlog "log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// api answers with the text at a path; a number in front of it is another status than 200.
type api struct {
	answers map[string]string
	mu      sync.Mutex
	away    int // requests that are still answered with 503
	asked   []string
}

func (a *api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	a.asked = append(a.asked, r.Method+" "+r.URL.Path)
	away := a.away > 0
	a.away--
	a.mu.Unlock()
	key := r.URL.Path
	if r.URL.Query().Get("previous") == "true" {
		key += " previous"
	}
	if token := r.URL.Query().Get("continue"); token != "" {
		key += " " + token
	}
	answer, ok := a.answers[key]
	switch {
	case away:
		answer = "503 starting"
	case !ok:
		answer = `404 {"kind": "Status", "message": "not found"}`
	}
	var status int
	if n, _ := fmt.Sscanf(answer, "%3d ", &status); n == 1 {
		w.WriteHeader(status)
		answer = answer[4:]
	}
	_, _ = w.Write([]byte(answer)) // a client that went away is not the server's business
}

func (a *api) serve(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(a)
	t.Cleanup(server.Close)
	return kubeconfig(t, server.URL)
}

func kubeconfig(t *testing.T, server string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kubeconfig")
	text := "apiVersion: v1\nkind: Config\ncurrent-context: c\nclusters: [{name: c, cluster: {server: '" + server +
		"'}}]\nusers: [{name: u, user: {token: t}}]\ncontexts: [{name: c, context: {cluster: c, user: u}}]\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const (
	kcmPods = "/api/v1/namespaces/openshift-kube-controller-manager/pods"
	cvoPods = "/api/v1/namespaces/openshift-cluster-version/pods"
	kcmLog  = kcmPods + "/kube-controller-manager-m0/log"
	cvoLog  = cvoPods + "/cluster-version-operator-0/log"
	gates   = "/apis/config.openshift.io/v1/featuregates"
)

// cluster is one on which nothing was met.
func cluster() map[string]string {
	return map[string]string{
		"/api/v1/namespaces":   `{"metadata": {"continue": "2"}, "items": [{"metadata": {"name": "default"}}]}`,
		"/api/v1/namespaces 2": `{"items": [{"metadata": {"name": "kube-system"}}]}`,
		gates:                  `{"items": [{"metadata": {"name": "cluster", "creationTimestamp": "2022-02-04T10:05:23Z"}, "spec": {"featureSet": "TechPreviewNoUpgrade"}}]}`,
		kcmPods:                `{"items": [` + livePod("openshift-kube-controller-manager", "kube-controller-manager-m0", ControllerManager, `{"running": {}}`) + `]}`,
		cvoPods:                `{"items": [` + livePod("openshift-cluster-version", "cluster-version-operator-0", VersionOperator, `{"running": {}}`) + `]}`,
		kcmLog:                 "I0505 20:36:40.000000 1 controllermanager.go:200] Version: v1.23.5\n",
		kcmLog + " previous":   "I0505 20:36:40.000000 1 controllermanager.go:200] Version: v1.23.5\nF0505 20:36:40.000000 1 controllermanager.go:298] leaderelection lost\n",
		cvoLog:                 "I0204 10:10:39.000000 1 start.go:23] ClusterVersionOperator 4.10.0\nI0204 10:10:40.000000 1 techpreviewchangestopper.go:97] Starting stop-on-techpreview-change controller with TechPreviewNoUpgrade true.\n",
		cvoLog + " previous":   "",
		"/apis/coordination.k8s.io/v1/namespaces/kube-system/leases": `{"items": [{"metadata": {"name": "kube-controller-manager", "namespace": "kube-system"}, "spec": {"holderIdentity": "m0_1"}}]}`,
		"/apis/config.openshift.io/v1/clusterversions":               `{"items": [{"metadata": {"name": "version"}, "status": {"desired": {"version": "4.10.0"}}}]}`,
	}
}

func livePod(namespace, name, container, state string) string {
	return fmt.Sprintf(`{"metadata": {"name": %q, "namespace": %q}, "status": {"containerStatuses": [{"name": %q, "ready": true, "restartCount": 1, "state": %s, "lastState": {"terminated": {"exitCode": 255, "reason": "Error"}}}]}}`, name, namespace, container, state)
}

func TestCluster(t *testing.T) {
	t.Parallel()
	const wrongGuess = "W0204 10:10:40.126809 1 start.go:142] Error getting featuregate value: dial tcp 127.0.0.1:6443: connect: connection refused\n"
	for name, tt := range map[string]struct {
		edit func(map[string]string)
		want string
	}{
		"nothing met": {func(map[string]string) {}, "R1: not met, patched no\nR2: not met, patched no\nR3: not met\n"},
		"R1":          {func(a map[string]string) { a[kcmLog+" previous"] = fatalLine }, "R1: met, patched no\nR2: not met\nR3: not met\n"},
		"R2":          {func(a map[string]string) { a[cvoLog] = wrongGuess }, "R1: not met\nR2: met, why is missing among 2\nR3: not met\n"},
		"R1, its log lost": {func(a map[string]string) {
			lost := `400 {"kind": "Status", "message": "container \"kube-controller-manager\" in pod \"kube-controller-manager-m0\" is not available"}`
			a[kcmLog], a[kcmLog+" previous"] = lost, lost
		}, "R1: met but not ours, not ours kubelet\nR2: not met\nR3: not met\n"},
		"no OpenShift": {func(a map[string]string) {
			for path := range a {
				if strings.Contains(path, "openshift") && !strings.HasPrefix(path, kcmPods) {
					delete(a, path)
				}
			}
		}, "R1: not met\nR2: not met, why this is not OpenShift\nR3: not met\n"},
		"gate forbidden": {func(a map[string]string) {
			a[gates], a[cvoLog] = `403 {"message": "featuregates is forbidden"}`, wrongGuess
		}, "R1: not met\nR2: cannot tell, missing FeatureGate\nR3: not met\n"},
		"no logs": {func(a map[string]string) { delete(a, kcmLog); delete(a, kcmLog+" previous") }, "R1: cannot tell, why exit code 255\nR2: not met\nR3: not met\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := &api{answers: cluster()}
			tt.edit(a.answers)
			e, err := Cluster(context.Background(), a.serve(t), Options{})
			if err != nil {
				t.Fatal(err)
			}
			wantVerdicts(t, tt.want, e.Judge("live"))
			a.mu.Lock()
			defer a.mu.Unlock()
			for _, asked := range a.asked {
				if !strings.HasPrefix(asked, "GET ") {
					t.Errorf("asked %s", asked)
				}
			}
		})
	}
}

// TestClusterComesBack answers 503 at first.
func TestClusterComesBack(t *testing.T) {
	t.Parallel()
	a, told := &api{answers: cluster(), away: 3}, 0
	e, err := Cluster(context.Background(), a.serve(t), Options{Wait: time.Minute, Every: time.Millisecond, Waiting: func(error) { told++ }})
	if err != nil {
		t.Fatal(err)
	}
	wantVerdicts(t, "R1: not met\nR2: not met\nR3: not met\n", e.Judge("live"))
	if told != 1 {
		t.Errorf("told %d times that it waits", told)
	}
}

// TestClusterRefuses has a port that nobody listens on.
func TestClusterRefuses(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	path, told := kubeconfig(t, "https://"+l.Addr().String()), 0
	_, err = Cluster(context.Background(), path, Options{Wait: 30 * time.Millisecond, Every: 10 * time.Millisecond, Waiting: func(error) { told++ }})
	if gone := (Unreachable{}); !errors.As(err, &gone) || !strings.Contains(err.Error(), "connection refused") || told != 1 {
		t.Errorf("error %v, told %d times", err, told)
	}
	ctx, cancel := context.WithCancel(context.Background())
	_, err = Cluster(ctx, path, Options{Wait: time.Hour, Every: time.Millisecond, Waiting: func(error) { cancel() }})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that it was interrupted", err)
	}
}

// TestClusterUnknown has what waiting does not mend.
func TestClusterUnknown(t *testing.T) {
	t.Parallel()
	secure := httptest.NewUnstartedServer(&api{})
	secure.Config.ErrorLog = stdlog.New(io.Discard, "", 0) // the client's refusal is what is wanted
	secure.StartTLS()
	t.Cleanup(secure.Close)
	broken := filepath.Join(t.TempDir(), "broken")
	if err := os.WriteFile(broken, []byte("\x00"), 0o600); err != nil {
		t.Fatal(err)
	}
	notAPI := cluster()
	notAPI["/api/v1/namespaces"] = "<html>"
	for name, tt := range map[string]struct{ kubeconfig, want string }{
		"absent":       {filepath.Join(t.TempDir(), "absent"), "no such file"},
		"broken":       {broken, "read kubeconfig"},
		"unauthorized": {(&api{answers: map[string]string{"/api/v1/namespaces": `401 {"message": "Unauthorized"}`}}).serve(t), "status 401: Unauthorized"},
		"authority":    {kubeconfig(t, secure.URL), "unknown authority"},
		"no API":       {(&api{answers: notAPI}).serve(t), "is this the API of a cluster?"},
	} {
		_, err := Cluster(context.Background(), tt.kubeconfig, Options{Wait: time.Hour})
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Count(err.Error(), "\nnext: ") != 1 {
			t.Errorf("%s: error %v, want %q and what is next", name, err, tt.want)
		}
	}
}
