package controlplane

import "slices"

const (
	operatorName      = "cluster-version-operator"
	operatorNamespace = "openshift-cluster-version"
	// operatorUser is who OpenShift's operator is; prepared by whoever uses it,
	// since the rights come from a binding and not from bootstrap roles.
	operatorUser = "system:serviceaccount:" + operatorNamespace + ":default"
)

// clusterVersionOperatorArgv is how OpenShift's deployment runs it, less the
// listener for metrics and its certificates. The rig's own come last.
func clusterVersionOperatorArgv(kubeconfig string) Argv {
	return Argv{
		"start",
		"--release-image=registry.example.com/release@sha256:" + releaseDigest,
		"--enable-auto-update=false",
		"--v=2",
		"--node-name=rig",

		"--listen=",
		"--kubeconfig=" + kubeconfig,
	}
}

// releaseDigest names an image that nobody pulls: the payload is a directory.
const releaseDigest = "3a5f2f0c9e0c4d2d8ef0d5a8a3f2c7b1e6d49b07c1f8e2a4b6d8f0a2c4e6f801"

// environment is that of the component's process; an entry takes the place of
// an earlier one of the same name.
func (config ComponentConfig) environment() []string {
	var env []string
	if config.Component == operatorName {
		env = append(env, "CLUSTER_PROFILE=self-managed-high-availability", "PAYLOAD_OVERRIDE="+config.Payload)
	}
	return slices.Concat(env, config.Env)
}
