package controlplane

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var (
	ready    = regexp.MustCompile(`^ready$`)
	childPID = regexp.MustCompile(`^child (\d+)$`)
	never    = regexp.MustCompile(`never written`)
)

func TestEarlyExitIsNoTimeout(t *testing.T) {
	t.Parallel()
	p := startHelper(t, "exit")
	_, err := p.WaitLine(soon(t), never)
	if OutcomeOf(err) != Exited {
		t.Fatalf("outcome %s of %v, want exited", OutcomeOf(err), err)
	}
	want := "helper exited with code 7 before a log line like never written; its last lines:\n\tI am about to end\n\tE that is why"
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Errorf("error (-want +got):\n%s", diff)
	}
	if err := p.Running(); OutcomeOf(err) != Exited {
		t.Errorf("running: %v, want exited", err)
	}
}

func TestLineBeforeTheExitIsFound(t *testing.T) {
	t.Parallel()
	p := startHelper(t, "exit")
	<-p.Done()
	line, err := p.WaitLine(soon(t), regexp.MustCompile("^E "))
	if err != nil || line != "E that is why" {
		t.Errorf("line %q, error %v", line, err)
	}
}

func TestExit(t *testing.T) {
	t.Parallel()
	tests := []struct {
		mode string
		want Exit
		text string
	}{
		{"exit", Exit{Code: 7, Last: []string{"I am about to end", "E that is why"}}, "code 7"},
		{"fatal", Exit{Code: 255, Last: []string{"F the reason"}}, "code 255"},
		{"suicide", Exit{Code: -1, Signal: syscall.SIGKILL}, "signal killed"},
	}
	for _, test := range tests {
		t.Run(test.mode, func(t *testing.T) {
			t.Parallel()
			got, err := startHelper(t, test.mode).WaitExit(soon(t))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got, cmp.Transformer("last", func(l []string) string { return strings.Join(l, "\n") })); diff != "" {
				t.Errorf("exit (-want +got):\n%s", diff)
			}
			if got.String() != test.text {
				t.Errorf("text %q, want %q", got, test.text)
			}
		})
	}
}

func TestTimeoutIsNoExit(t *testing.T) {
	t.Parallel()
	p := startHelper(t, "wait")
	if _, err := p.WaitLine(soon(t), ready); err != nil {
		t.Fatal(err)
	}
	_, err := p.WaitLine(briefly(t), never)
	if OutcomeOf(err) != TimedOut || !strings.Contains(err.Error(), "a log line like never written; last seen: ready") {
		t.Errorf("line: outcome %s of %v", OutcomeOf(err), err)
	}
	_, err = p.WaitExit(briefly(t))
	if OutcomeOf(err) != TimedOut || !strings.Contains(err.Error(), "helper to exit") {
		t.Errorf("exit: outcome %s of %v", OutcomeOf(err), err)
	}
	if err := p.Running(); err != nil {
		t.Errorf("running: %v", err)
	}
}

func TestStop(t *testing.T) {
	t.Parallel()
	tests := []struct {
		mode string
		want syscall.Signal
	}{{"wait", syscall.SIGTERM}, {"stubborn", syscall.SIGKILL}}
	for _, test := range tests {
		t.Run(test.mode, func(t *testing.T) {
			t.Parallel()
			command := helperCommand(t.TempDir(), test.mode)
			command.Grace = 100 * time.Millisecond
			if test.want == syscall.SIGTERM {
				command.Grace = time.Minute
			}
			p, err := StartProcess(command)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := p.WaitLine(soon(t), ready); err != nil {
				t.Fatal(err)
			}
			if exit := p.Stop(); exit.Signal != test.want {
				t.Errorf("stopped by %v, want %v", exit, test.want)
			}
			if again := p.Stop(); again.Signal != test.want {
				t.Errorf("second stop: %v", again)
			}
		})
	}
}

func TestStopReachesTheGroup(t *testing.T) {
	t.Parallel()
	p := startHelper(t, "parent") // which SIGTERM ends, but not its child
	child := pidOf(t, p)
	if _, err := p.WaitLine(soon(t), ready); err != nil {
		t.Fatal(err)
	}
	p.Stop()
	gone(t, child)
}

// TestChildrenDieWithTheRig kills a rig that has no chance to stop its child.
func TestChildrenDieWithTheRig(t *testing.T) {
	t.Parallel()
	rig := startHelper(t, "rig")
	child := pidOf(t, rig)
	if err := syscall.Kill(rig.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	gone(t, child)
}

func pidOf(t *testing.T, p *Process) int {
	t.Helper()
	line, err := p.WaitLine(soon(t), childPID)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(childPID.FindStringSubmatch(line)[1])
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// gone waits until a process that is nobody's child here has ended; a zombie
// has.
func gone(t *testing.T, pid int) {
	t.Helper()
	ended := func(context.Context) (bool, string, error) {
		stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
		if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
			return true, "", nil
		}
		_, state, _ := strings.Cut(string(stat), ") ")
		return strings.HasPrefix(state, "Z"), string(stat), err
	}
	if err := Poll(soon(t), "the child to be gone", 5*time.Millisecond, ended); err != nil {
		syscall.Kill(pid, syscall.SIGKILL)
		t.Error(err)
	}
}

func TestKeptFiles(t *testing.T) {
	t.Setenv("CONTROLPLANE_SECRET", "of the rig")
	dir := t.TempDir()
	command := helperCommand(dir, "environment")
	command.Args = []string{"--a=b c", "--d"}
	p, err := StartProcess(command)
	if err != nil {
		t.Fatal(err)
	}
	<-p.Done()
	environment := helperMode + "=environment\nDIR=" + dir + "\n"
	for what, want := range map[string]string{
		"argv": os.Args[0] + "\n--a=b c\n--d\n",
		"env":  environment,
		"log":  environment, // nothing of the rig's own has come through
	} {
		got, err := os.ReadFile(filepath.Join(dir, "helper."+what))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
}

func TestNoEnvironmentIsEmpty(t *testing.T) {
	t.Parallel()
	p, err := StartProcess(Command{Name: "env", Path: "/usr/bin/env", Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	exit, err := p.WaitExit(soon(t))
	if err != nil || exit.Code != 0 || len(exit.Last) > 0 {
		t.Errorf("exit %v with %q, error %v", exit, exit.Last, err)
	}
}

func TestStartSaysWhy(t *testing.T) {
	t.Parallel()
	_, err := StartProcess(Command{Name: "nothing", Path: "/no/such/binary", Dir: t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), "start nothing: ") || OutcomeOf(err) != Unknown {
		t.Errorf("outcome %s of %v", OutcomeOf(err), err)
	}
	_, err = StartProcess(Command{Name: "nothing", Path: "/bin/true", Dir: "/no/such/directory"})
	if err == nil || !strings.Contains(err.Error(), "keep argv of nothing: ") {
		t.Errorf("error %v", err)
	}
}
