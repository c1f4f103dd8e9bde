package integration

import (
	"regexp"
	"testing"
	"time"

	"carry/internal/controlplane"
)

// TestTerminate: a process that goes on after SIGTERM is late, however little it does.
func TestTerminate(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, script, want string }{
		{"ends", "echo ready; exec sleep 60", passed},
		{"ends late", "trap 'trap - TERM; sleep 2; kill $$' TERM; echo ready; while :; do sleep 0.1; done", string(controlplane.TimedOut)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p, err := controlplane.StartProcess(controlplane.Command{
				Name: "c", Path: "/bin/sh", Args: []string{"-c", test.script}, Dir: t.TempDir(), Grace: time.Millisecond,
			})
			if err != nil {
				t.Fatal(err)
			}
			defer p.Stop()
			if _, err := p.WaitLine(t.Context(), regexp.MustCompile("ready")); err != nil {
				t.Fatal(err)
			}
			r := &run{ctx: t.Context(), component: p}
			r.err = r.exited(call{flags: []string{"-terminate"}, args: []string{"-1"}})
			if got := r.outcome(r.err != nil); got != test.want {
				t.Errorf("outcome %q, want %q: %v", got, test.want, r.err)
			}
		})
	}
}
