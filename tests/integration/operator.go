package integration

import (
	"bytes"
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
	"clusterversion":  "/apis/config.openshift.io/v1/clusterversions",
	"clusteroperator": "/apis/config.openshift.io/v1/clusteroperators",
	"featuregate":     "/apis/config.openshift.io/v1/featuregates",
	"infrastructure":  "/apis/config.openshift.io/v1/infrastructures",
	"proxy":           "/apis/config.openshift.io/v1/proxies",
}

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

// prepareOperator makes the cluster one that the operator can run in, which
// has no ClusterVersion and no FeatureGate yet.
func (r *run) prepareOperator(ctx context.Context) error {
	for _, access := range operatorAccess {
		if err := r.create(ctx, access.path, []byte(access.object)); err != nil {
			return err
		}
	}
	for name, objects := range operatorResources {
		file, err := r.layout.definition(r.target, name)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("read definition: %w", err)
		}
		if err := r.create(ctx, definitions, data); err != nil {
			return err
		}
		if err := r.served(ctx, objects); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) create(ctx context.Context, path string, object []byte) error {
	code, answer, err := r.plane.Request(ctx, http.MethodPost, path, bytes.NewReader(object))
	if err == nil && code != http.StatusCreated {
		err = fmt.Errorf("status %d: %s", code, answer)
	}
	if err != nil {
		return fmt.Errorf("prepare cluster: POST %s: %w", path, err)
	}
	return nil
}

// served waits until a resource is, which is a moment after its definition.
func (r *run) served(ctx context.Context, path string) error {
	condition := func(ctx context.Context) (bool, string, error) {
		code, answer, err := r.plane.Request(ctx, http.MethodGet, path, nil)
		return code == http.StatusOK, fmt.Sprintf("%d %s %v", code, answer, err), nil
	}
	return controlplane.Poll(ctx, path+" to be served", pollTick, condition, r.plane.Etcd, r.plane.APIServer)
}

// setup tells scripts where things are: the payload, and the definitions of
// resources, by the end of their files' names.
func (r *run) setup(env *testscript.Env) error {
	if r.target.component != operator {
		return nil
	}
	env.Setenv("PAYLOAD", r.layout.payload())
	for name := range operatorResources {
		file, err := r.layout.definition(r.target, name)
		if err != nil {
			return err
		}
		env.Setenv(strings.ToUpper(name), file)
	}
	return nil
}

// payload is the directory of the release that the operator applies.
func (l layout) payload() string { return filepath.Join(l.root, "tests", "integration", "payload") }

// definition finds the one of a resource in the module that the stream's pin
// names: newer ones forbid to leave tech preview, and have moved.
func (l layout) definition(t target, name string) (string, error) {
	api, err := l.apiModule(t)
	if err != nil {
		return "", err
	}
	found, err := filepath.Glob(filepath.Join(api, "config", "v1", "*_"+name+".crd.yaml"))
	if err != nil || len(found) != 1 {
		return "", fmt.Errorf("find definition of %s: %d files in %s (%v)", name, len(found), api, err)
	}
	return found[0], nil
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
