package check

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPlaceOf(t *testing.T) {
	t.Parallel()
	const kcm, cvo = ControllerManager, VersionOperator
	for name, want := range map[string]place{
		"quay-io-x/namespaces/openshift-kube-controller-manager/pods/kube-controller-manager-sno/kube-controller-manager/kube-controller-manager/logs/current.log":      {role: roleComponent, component: kcm, layout: layoutGather},
		"x/namespaces/openshift-kube-controller-manager/pods/kube-controller-manager-sno/kube-controller-manager/kube-controller-manager/logs/previous.log":             {role: roleComponent, component: kcm, previous: true, layout: layoutGather},
		"x/namespaces/openshift-kube-controller-manager/pods/kube-controller-manager-sno/kube-controller-manager/kube-controller-manager/logs/previous.insecure.log.gz": {role: roleComponent, component: kcm, previous: true, layout: layoutGather},
		"x/namespaces/openshift-kube-controller-manager/pods/kube-controller-manager-sno/cluster-policy-controller/cluster-policy-controller/logs/current.log":          {layout: layoutGather},
		"x/namespaces/openshift-cluster-version/pods/cluster-version-operator-0/cluster-version-operator/cluster-version-operator/logs/current.log":                     {role: roleComponent, component: cvo, layout: layoutGather},
		"x/namespaces/openshift-kube-controller-manager/core/pods.yaml":                                                                                                 {role: roleObjects},
		"x/namespaces/openshift-kube-controller-manager/pods/kube-controller-manager-sno/kube-controller-manager-sno.yaml":                                              {role: roleObjects},
		"x/cluster-scoped-resources/config.openshift.io/featuregates/cluster.yaml":                                                                                      {role: roleObjects, layout: layoutGather},
		"x/cluster-scoped-resources/config.openshift.io/featuregates.yaml":                                                                                              {role: roleObjects, layout: layoutGather},
		"x/cluster-scoped-resources/config.openshift.io/networks/cluster.yaml":                                                                                          {layout: layoutGather},
		"x/host_service_logs/masters/kubelet_service.log":                                                                                                               {role: roleNode, layout: layoutGather},
		"x/audit_logs/kube-apiserver/node-audit.log.gz":                                                                                                                 {},
		"log-bundle-1/bootstrap/journals/kubelet.log":                                                                                                                   {role: roleNode, bootstrap: true, layout: layoutBundle},
		"log-bundle-1/bootstrap/containers/kube-controller-manager-0123456789abcdef.log":                                                                                {role: roleComponent, component: kcm, bootstrap: true, layout: layoutBundle},
		"log-bundle-1/bootstrap/containers/kube-controller-manager-0123456789abcdef.inspect":                                                                            {role: roleObjects, bootstrap: true, layout: layoutBundle},
		"log-bundle-1/bootstrap/containers/kube-controller-manager-operator-0123456789abcdef.log":                                                                       {layout: layoutBundle, bootstrap: true},
		"log-bundle-1/control-plane/fd00::5/containers/cluster-version-operator-0123456789abcdef.log":                                                                   {role: roleComponent, component: cvo, layout: layoutBundle},
		"artifacts/e2e/gather-extra/artifacts/pods/openshift-kube-controller-manager_kube-controller-manager-m0_kube-controller-manager.log":                            {role: roleComponent, component: kcm, layout: layoutArtifacts},
		"pods/openshift-kube-controller-manager_kube-controller-manager-m0_kube-controller-manager_previous.log.gz":                                                     {role: roleComponent, component: kcm, previous: true, layout: layoutArtifacts},
		"pods/openshift-kube-controller-manager_kube-controller-manager-m0_cluster-policy-controller.log":                                                               {layout: layoutArtifacts},
		"pods/openshift-kube-controller-manager-operator_kube-controller-manager-operator-1_kube-controller-manager-operator.log":                                       {layout: layoutArtifacts},
		"nodes/master-0/journal.gz": {role: roleNode, layout: layoutArtifacts},
		"pods.json":                 {role: roleObjects},
		"gather-must-gather/artifacts/must-gather.tar": {role: roleArchive},
		"openshift-kube-controller-manager_kube-controller-manager-sno_1a2b/kube-controller-manager/0.log.20260101-120000.gz": {role: roleComponent, component: kcm},
		"openshift-kube-controller-manager_kube-controller-manager-sno_1a2b/kube-controller-manager/1.log":                    {role: roleComponent, component: kcm},
		"kube-controller-manager.log":    {role: roleComponent, component: kcm},
		"kube-controller-manager-18.log": {role: roleComponent, component: kcm},
		"kube-controller-manager.log.1":  {role: roleComponent, component: kcm, previous: true},
		"cluster-version-operator.log":   {role: roleComponent, component: cvo},
		"kube-apiserver.log":             {role: roleLoose},
		"cloud-controller-manager.log":   {role: roleLoose},
		"paste.txt":                      {role: roleLoose},
		"kube-controller-manager.argv":   {},
		"pki/ca.key":                     {},
		"bootkube.log":                   {role: roleNode},
	} {
		if diff := cmp.Diff(want, placeOf(name), cmp.AllowUnexported(place{})); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
