package controlplane

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/mod/semver"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// ComponentConfig says which component to start, and how it sees the API.
type ComponentConfig struct {
	Component string   // "kube-controller-manager"
	Stream    string   // "1.37"; decides which controllers are named
	Path      string   // of the binary
	Server    string   // https://host:port it believes to be the API: the proxy
	Start     int      // 1 for the first start in this directory, 2 for the next
	Hosts     string   // see Command
	Env       []string // NAME=VALUE, put into the environment; empty means OpenShift's as it is
	Payload   string   // the operator's: directory of the release payload
	Flags     []string // put into the argv in the way of Argv.With; empty means OpenShift's as they are
}

// StartComponent runs the component in the control plane's directory. It
// returns once the process exists.
func (c *ControlPlane) StartComponent(config ComponentConfig) (*Process, error) {
	argv, err := c.componentArgv(config)
	if err != nil {
		return nil, err
	}
	name := config.Component
	if config.Start > 1 {
		name = fmt.Sprintf("%s-%d", name, config.Start)
	}
	return StartProcess(Command{
		Name: name,
		Path: config.Path,
		Args: argv.With(config.Flags...),
		Env:  config.environment(),
		Dir:  c.config.Dir,

		Network: c.config.ComponentNetwork, Hosts: config.Hosts,
	})
}

func (c *ControlPlane) componentArgv(config ComponentConfig) (Argv, error) {
	switch config.Component {
	case "kube-controller-manager":
	case operatorName:
		kubeconfig, err := c.writeKubeconfig(config.Server, c.pki.operatorToken)
		return clusterVersionOperatorArgv(kubeconfig), err
	default:
		return nil, fmt.Errorf("start component %s: its flags are not known", config.Component)
	}
	kubeconfig, err := c.writeKubeconfig(config.Server, c.pki.token)
	if err != nil {
		return nil, err
	}
	port, err := c.hold(c.config.ComponentNetwork)
	if err != nil {
		return nil, err
	}
	c.componentPort.Store(int64(port))
	return c.kubeControllerManagerArgv(config.Stream, kubeconfig, port), nil
}

// kubeControllerManagerArgv is how OpenShift's bootstrap runs it, less what
// upstream does not know (--openshift-config, whose content stands here as
// flags) and less the recycler templates, which are files of a node. The
// bootstrap, unlike the steady pod, gives no client CA and no request-header
// CA, so that both are looked up through the API. The flags of the rig itself
// come last.
func (c *ControlPlane) kubeControllerManagerArgv(stream, kubeconfig string, port int) Argv {
	pki := func(name string) string { return filepath.Join(c.pkiDir(), name) }
	return Argv{
		"--kubeconfig=" + kubeconfig,
		"--authentication-kubeconfig=" + kubeconfig,
		"--authorization-kubeconfig=" + kubeconfig,
		"--v=2",
		"--controllers=" + controllers(stream),
		"--use-service-account-credentials=true",
		"--leader-elect=true",
		"--leader-elect-resource-lock=leases",
		"--leader-elect-lease-duration=15s",
		"--leader-elect-renew-deadline=12s",
		"--leader-elect-retry-period=3s",
		"--kube-api-qps=150",
		"--kube-api-burst=300",
		"--allocate-node-cidrs=false",
		"--cluster-cidr=" + c.config.Family.clusterRange(),
		"--service-cluster-ip-range=" + c.config.Family.serviceRange(),
		"--enable-dynamic-provisioning=true",
		"--flex-volume-plugin-dir=" + filepath.Join(c.config.Dir, "flexvolume"), // made when it is not there
		"--root-ca-file=" + pki(caCert),
		"--service-account-private-key-file=" + pki(accountKey),
		"--cluster-signing-cert-file=" + pki(caCert),
		"--cluster-signing-key-file=" + pki(caKey),
		"--cluster-signing-duration=720h",

		"--bind-address=" + c.config.Family.Loopback(),
		fmt.Sprintf("--secure-port=%d", port),
		"--permit-port-sharing", // the rig holds the port
		"--cert-dir=" + filepath.Join(c.config.Dir, "serving"),
	}
}

// controllers is OpenShift's choice; 4.10, which is 1.23, has no controller
// for SELinux warnings yet.
func controllers(stream string) string {
	const all = "*,-ttl,-bootstrapsigner,-tokencleaner"
	if semver.Compare("v"+stream, "v1.32") < 0 {
		return all
	}
	return all + ",selinux-warning-controller"
}

// writeKubeconfig names the server, its CA and a bearer token: a client
// certificate would end at the proxy.
func (c *ControlPlane) writeKubeconfig(server, token string) (string, error) {
	const name = "rig"
	config := api.NewConfig()
	config.Clusters[name] = &api.Cluster{Server: server, CertificateAuthorityData: c.pki.caPEM}
	config.AuthInfos[name] = &api.AuthInfo{Token: token}
	config.Contexts[name] = &api.Context{Cluster: name, AuthInfo: name}
	config.CurrentContext = name
	data, err := clientcmd.Write(*config)
	if err != nil {
		return "", fmt.Errorf("encode kubeconfig: %w", err)
	}
	path := filepath.Join(c.config.Dir, "kubeconfig")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return "", fmt.Errorf("write kubeconfig: %w", err)
	}
	return path, nil
}
