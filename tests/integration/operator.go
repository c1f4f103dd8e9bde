package integration

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"carry/internal/controlplane"
)

const operator = "cluster-version-operator"

// Where the operator's objects are: the halves of its lock, each named
// "version"; what it reads; and the namespaces of its payload.
const (
	OperatorConfigMaps = "/api/v1/namespaces/openshift-cluster-version/configmaps"
	OperatorLeases     = "/apis/coordination.k8s.io/v1/namespaces/openshift-cluster-version/leases"
	ClusterVersions    = "/apis/config.openshift.io/v1/clusterversions"
	ClusterOperators   = "/apis/config.openshift.io/v1/clusteroperators"
	FeatureGates       = "/apis/config.openshift.io/v1/featuregates"

	UngatedNamespace = "openshift-ungated"     // for everybody
	GatedNamespace   = "openshift-cluster-api" // for tech preview
)

// operatorAccess is what OpenShift's payload has for its operator: a namespace,
// and all rights for the account that it runs as.
var operatorAccess = []struct{ path, object string }{
	{"/api/v1/namespaces", `{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "openshift-cluster-version"}}`},
	{"/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", `{
		"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
		"metadata": {"name": "cluster-version-operator"},
		"roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"},
		"subjects": [{"kind": "ServiceAccount", "namespace": "openshift-cluster-version", "name": "default"}]}`},
}

// operatorResources are the definitions that the operator needs, by the end of
// their files' names, and where objects of each are then.
var operatorResources = map[string]string{
	"clusterversion":  ClusterVersions,
	"clusteroperator": ClusterOperators,
	"featuregate":     FeatureGates,
	"infrastructure":  "/apis/config.openshift.io/v1/infrastructures",
	"proxy":           "/apis/config.openshift.io/v1/proxies",
}

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

// PrepareOperator makes the cluster of a control plane one that the operator of
// a stream can run in, which has no ClusterVersion and no FeatureGate yet. The
// definitions are those that the stream's pin names, below the root of the
// repository.
func PrepareOperator(ctx context.Context, plane *controlplane.ControlPlane, root, stream string) error {
	files, err := layout{root}.definitions(target{operator, stream})
	if err != nil {
		return err
	}
	for _, access := range operatorAccess {
		if err := create(ctx, plane, access.path, access.object); err != nil {
			return err
		}
	}
	for name, objects := range operatorResources {
		data, err := os.ReadFile(files[name])
		if err != nil {
			return fmt.Errorf("read definition: %w", err)
		}
		if err := create(ctx, plane, definitions, string(data)); err != nil {
			return err
		}
		if err := served(ctx, plane, objects); err != nil {
			return err
		}
	}
	return nil
}

func create(ctx context.Context, plane *controlplane.ControlPlane, path, object string) error {
	if err := plane.Want(ctx, http.MethodPost, path, object, http.StatusCreated); err != nil {
		return fmt.Errorf("prepare cluster: %w", err)
	}
	return nil
}

// operatorLeaves is what a start of the operator writes and what it decides by,
// the lock first.
var operatorLeaves = []string{
	OperatorConfigMaps + "/version", OperatorLeases + "/version",
	ClusterVersions + "/version", FeatureGates + "/cluster", ClusterOperators,
	"/api/v1/namespaces/openshift-cluster-version/events",
}

// ResetOperator takes away everything that starts of the operator have left in
// a cluster of PrepareOperator, and makes a ClusterVersion and a FeatureGate
// that none has seen. An empty feature set is that of most clusters. No
// operator may run.
func ResetOperator(ctx context.Context, plane *controlplane.ControlPlane, featureSet string) error {
	for _, path := range operatorLeaves {
		if err := plane.Want(ctx, http.MethodDelete, path, "", http.StatusOK, http.StatusNotFound); err != nil {
			return err
		}
	}
	for _, name := range []string{UngatedNamespace, GatedNamespace} {
		if err := plane.PurgeNamespace(ctx, name); err != nil {
			return err
		}
	}
	for _, o := range []struct{ resource, kind, name, spec string }{
		{"featuregate", "FeatureGate", "cluster", fmt.Sprintf(`"featureSet":%q`, featureSet)},
		{"clusterversion", "ClusterVersion", "version", `"clusterID":"5f0f9d9e-0b0b-4a51-9c8a-0c6b8f1f2a3d"`},
	} {
		object := fmt.Sprintf(`{"apiVersion":"config.openshift.io/v1","kind":%q,"metadata":{"name":%q},"spec":{%s}}`, o.kind, o.name, o.spec)
		if err := create(ctx, plane, operatorResources[o.resource], object); err != nil {
			return err
		}
	}
	return nil
}

// served waits until a resource is, which is a moment after its definition.
func served(ctx context.Context, plane *controlplane.ControlPlane, path string) error {
	condition := func(ctx context.Context) (bool, string, error) {
		code, answer, err := plane.Request(ctx, http.MethodGet, path, nil)
		return code == http.StatusOK, fmt.Sprintf("%d %s %v", code, answer, err), nil
	}
	return controlplane.Poll(ctx, path+" to be served", pollTick, condition, plane.Etcd, plane.APIServer)
}

// setup tells scripts where things are: the payload, and the definitions of
// resources, by the end of their files' names.
func (r *run) setup(env *testscript.Env) error {
	if r.target.component != operator {
		return nil
	}
	env.Setenv("PAYLOAD", OperatorPayload(r.layout.root))
	files, err := r.layout.definitions(r.target)
	for name, file := range files {
		env.Setenv(strings.ToUpper(name), file)
	}
	return err
}

// OperatorPayload is the directory of the release that the operator applies,
// below the root of the repository.
func OperatorPayload(root string) string {
	return filepath.Join(root, "tests", "integration", "payload")
}

// definitions finds those of operatorResources in the module that the stream's
// pin names: newer ones forbid to leave tech preview, and have moved.
func (l layout) definitions(t target) (map[string]string, error) {
	api, err := l.apiModule(t)
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	for name := range operatorResources {
		found, err := filepath.Glob(filepath.Join(api, "config", "v1", "*_"+name+".crd.yaml"))
		if err != nil || len(found) != 1 {
			return nil, fmt.Errorf("find definition of %s: %d files in %s (%v)", name, len(found), api, err)
		}
		files[name] = found[0]
	}
	return files, nil
}

func (l layout) apiModule(t target) (string, error) {
	cmd := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/openshift/api")
	cmd.Dir = filepath.Join(l.root, "components", t.component, t.stream)
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=readonly")
	out, err := cmd.Output()
	dir := strings.TrimSpace(string(out))
	if err != nil || dir == "" {
		return "", fmt.Errorf("find github.com/openshift/api of %s %s: %v\nnext: make base", t.component, t.stream, err)
	}
	return dir, nil
}
