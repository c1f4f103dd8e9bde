package faults

import (
	"crypto/tls"
	"testing"
	"time"
)

func TestConnections(t *testing.T) {
	onBoth(t, func(t *testing.T, host string) {
		r := startRig(t, host, ok)
		r.mustGet(r.client(true), "/x")
		idle, err := tls.Dial("tcp", r.hostPort(), &tls.Config{RootCAs: r.cas})
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Connections(); got != 2 {
			t.Errorf("%d connections, want 2", got)
		}
		if err := idle.Close(); err != nil {
			t.Fatal(err)
		}
		tick := time.NewTicker(time.Millisecond) // the end of a connection has no event of its own
		defer tick.Stop()
		for ctx := background(t); r.Connections() > 1; {
			select {
			case <-tick.C:
			case <-ctx.Done():
				t.Fatal("a closed connection counts")
			}
		}
		r.Refuse(Refused(), Trigger{})
		if got := r.Connections(); got != 0 {
			t.Errorf("%d connections after a cut, want none", got)
		}
	})
}
