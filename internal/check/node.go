package check

import "time"

// node is what kubelet, CRI-O, systemd and podman say in journals.
type node struct {
	backOffs    []backOff
	denied      quotes // the kubelet may not use CRI-O's socket
	sandbox     quotes
	podman      quotes
	unavailable quotes // containers whose logs the kubelet has lost
	bootkube    quotes // systemd starts bootkube again
}

// backOff is the longest that the kubelet let one of our containers wait.
type backOff struct {
	container, pod string
	longest        time.Duration
	at             Quote
	count          int
}

const backOffsKept = 64

// add takes a line of the node's programs; false if it is none.
func (n *node) add(f found, q Quote) bool {
	switch f.kind {
	case backedOff:
		n.backOff(f.group, q)
	case socketDenied:
		n.denied.add(q)
	case sandboxNotReady:
		n.sandbox.add(q)
	case unitFailed:
		n.podman.add(q)
	case logUnavailable:
		n.unavailable.add(q)
	case bootkubeRestart:
		n.bootkube.add(q)
	default:
		return false
	}
	return true
}

func (n *node) backOff(group []string, q Quote) {
	delay, err := time.ParseDuration(group[1])
	if container := group[2]; err != nil || container != ControllerManager && container != VersionOperator {
		return
	}
	n.merge(backOff{group[2], group[3], delay, q, 1})
}

func (n *node) merge(b backOff) {
	for i := range n.backOffs {
		have := &n.backOffs[i]
		if have.container != b.container || have.pod != b.pod {
			continue
		}
		if have.count += b.count; b.longest > have.longest {
			have.longest, have.at = b.longest, b.at
		}
		return
	}
	if len(n.backOffs) < backOffsKept {
		n.backOffs = append(n.backOffs, b)
	}
}

// take adds what another file's node has.
func (n *node) take(o node) {
	for _, b := range o.backOffs {
		n.merge(b)
	}
	n.denied.take(o.denied)
	n.sandbox.take(o.sandbox)
	n.podman.take(o.podman)
	n.unavailable.take(o.unavailable)
	n.bootkube.take(o.bootkube)
}

func (q *quotes) take(o quotes) {
	for _, one := range o.First {
		q.add(one)
	}
	q.Count += o.Count - len(o.First)
}

// lines counts what was recognised besides back-offs.
func (n *node) lines() int {
	return n.denied.Count + n.sandbox.Count + n.podman.Count + n.unavailable.Count + n.bootkube.Count
}
