package faults

type reset struct{ mute }

// Reset is a kube-apiserver behind a load balancer without backends: the port listens and every
// connection is reset as soon as it is there, as are the open ones.
func Reset() Fault { return reset{} }

func (reset) Name() string                { return "reset" }
func (reset) strike() func(*conn, string) { return resets }

func (reset) admits(c *conn) bool {
	c.reset()
	return false
}
