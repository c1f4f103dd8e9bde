package integration

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"carry/internal/controlplane"
)

// apiAddress is where the component of the first report looked for its API.
const (
	apiAddress       = "fc00:1001::8de"
	componentAddress = "fc00:1001::1"
	apiRange         = "fc00:1001::/64"
)

// Kinds of networks that a scenario may ask for.
const (
	namespaces = "namespaces" // the API at apiAddress, over a link
	localhost  = "localhost"  // the API at localhost, which is ::1 and 127.0.0.1, on the second only
)

// network is where the component of one run is when it is not where the rig
// is. Of the API only the proxy's listener is in it: etcd and kube-apiserver
// stay with the rig, and so does the proxy's way to them.
type network struct {
	kind      string
	component *controlplane.Namespace
	api       *controlplane.Namespace // the proxy listens here
}

// newNetwork makes a network of a kind; the empty one is nil, the rig's own.
func newNetwork(kind string) (*network, error) {
	if kind == "" {
		return nil, nil
	}
	n := &network{kind: kind}
	if err := n.make(); err != nil {
		n.close()
		return nil, fmt.Errorf("make network: %w\nnext: be root, and have ip(8): make deps", err)
	}
	return n, nil
}

// tryNetwork says why there can be no network of any kind, if so.
func tryNetwork() error {
	n, err := newNetwork(namespaces)
	n.close()
	return err
}

func (n *network) make() error {
	var err error
	if n.component, err = controlplane.NewNamespace(); err != nil {
		return err
	}
	if n.kind == localhost {
		n.api = n.component
		return ip(n.component, nil, "link set lo up")
	}
	if n.api, err = controlplane.NewNamespace(); err != nil {
		return err
	}
	// No detection of duplicate addresses: it would keep them useless for a
	// second. The API's side has a route to the component that does not come
	// and go with its address, since it still has to reset connections then.
	err = ip(n.component, n.api,
		"link set lo up",
		"link add api type veth peer name component netns "+otherNamespace,
		"link set api up",
		"addr add "+componentAddress+"/64 dev api nodad")
	if err != nil {
		return err
	}
	return ip(n.api, nil,
		"link set component up",
		"addr add "+apiAddress+"/64 dev component nodad",
		"route add "+componentAddress+"/128 dev component")
}

// close may be called on a nil network.
func (n *network) close() {
	if n != nil {
		n.component.Close()
		n.api.Close()
	}
}

// atComponent is where the component runs; nil is with the rig.
func (n *network) atComponent() *controlplane.Namespace {
	if n == nil {
		return nil
	}
	return n.component
}

// atAPI calls a function where the proxy listens.
func (n *network) atAPI(do func() error) error {
	if n == nil {
		return do()
	}
	return n.api.Do(do)
}

// listen is the address that the proxy listens on.
func (n *network) listen(family controlplane.Family) string {
	switch {
	case n == nil:
		return family.Loopback()
	case n.kind == localhost:
		return controlplane.IPv4.Loopback()
	}
	return apiAddress
}

// server is the proxy's URL as the component gets it.
func (n *network) server(proxy string) (string, error) {
	if n == nil || n.kind != localhost {
		return proxy, nil
	}
	u, err := url.Parse(proxy)
	if err != nil {
		return "", fmt.Errorf("name API server: %w", err)
	}
	u.Host = net.JoinHostPort("localhost", u.Port())
	return u.String(), nil
}

// hosts writes the component's /etc/hosts below a directory, and returns its
// path; empty is the machine's.
func (n *network) hosts(dir string) (string, error) {
	if n == nil || n.kind != localhost {
		return "", nil
	}
	path := filepath.Join(dir, "hosts")
	if err := os.WriteFile(path, []byte("::1 localhost\n127.0.0.1 localhost\n"), 0o644); err != nil {
		return "", fmt.Errorf("write hosts: %w", err)
	}
	return path, nil
}

// finish checks that the run had anything to do with what its network is for.
func (n *network) finish() error {
	if n == nil || n.kind != localhost {
		return nil
	}
	failed, err := n.tcp("AttemptFails")
	if err == nil && failed == 0 {
		err = errors.New("nothing was refused to the component: it never tried the first address of localhost")
	}
	return err
}

// dials is how often the component has tried to connect so far: at localhost
// an attempt takes both addresses while it fails.
func (n *network) dials() (int, error) {
	if n == nil || n.kind != localhost {
		return 0, fmt.Errorf("dials are counted at # network: %s only", localhost)
	}
	opened, err := n.tcp("ActiveOpens")
	return opened / 2, err
}

// tcp reads a counter of TCP, of both families, where the component runs.
func (n *network) tcp(name string) (int, error) {
	var data []byte
	err := n.component.Do(func() (err error) {
		data, err = os.ReadFile("/proc/thread-self/net/snmp")
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("read counters of TCP: %w", err)
	}
	return counter(string(data), "Tcp:", name)
}

// counter finds a value in /proc/net/snmp: a line of names is followed by one
// of numbers.
func counter(snmp, protocol, name string) (int, error) {
	var names []string
	for line := range strings.Lines(snmp) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] != protocol {
			continue
		}
		if names == nil {
			names = words
			continue
		}
		for i, word := range words {
			if i < len(names) && names[i] == name {
				return strconv.Atoi(word)
			}
		}
	}
	return 0, fmt.Errorf("no counter %s %s", protocol, name)
}

// otherNamespace is how ip's lines name the other namespace that it was given.
const otherNamespace = "/proc/self/fd/3"

// ip runs lines of ip(8) in a namespace.
func ip(in, other *controlplane.Namespace, lines ...string) error {
	cmd := exec.Command("ip", "-6", "-batch", "-")
	cmd.Stdin = strings.NewReader(strings.Join(lines, "\n") + "\n")
	if other != nil {
		cmd.ExtraFiles = []*os.File{other.File()}
	}
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	err := in.Do(cmd.Run)
	if errors.Is(err, exec.ErrNotFound) {
		return err
	}
	if err != nil {
		return fmt.Errorf("ip %s: %w: %s", strings.Join(lines, "; "), err, bytes.TrimSpace(said.Bytes()))
	}
	return nil
}
