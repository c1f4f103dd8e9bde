package controlplane

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"
)

// helperMode makes the test binary play a child process instead.
const helperMode = "CONTROLPLANE_HELPER"

func TestMain(m *testing.M) {
	if mode := os.Getenv(helperMode); mode != "" {
		os.Exit(helper(mode))
	}
	os.Exit(m.Run())
}

// helper is what a child does: speaks, and ends by itself or not.
func helper(mode string) int {
	switch mode {
	case "exit":
		fmt.Println("I am about to end")
		fmt.Fprint(os.Stderr, "E that is why") // a last line without a newline
		return 7
	case "fatal":
		fmt.Println("F the reason\ngoroutine 1 [running]:\nmain.main()\n\t/somewhere/main.go:1")
		return 255
	case "suicide":
		return int(suicide())
	case "environment":
		fmt.Println(strings.Join(os.Environ(), "\n"))
		return 0
	case "wait":
		fmt.Println("ready")
		select {}
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
		fmt.Println("ready")
		select {}
	case "parent": // leaves a child of its own in its group
		return parent("stubborn")
	case "rig": // plays the rig
		return parent("wait")
	case "rig elsewhere": // with the child in another network
		return parent("wait elsewhere")
	}
	return 2
}

func suicide() syscall.Signal {
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}

// parent starts a child and tells its process id once that is ready. As a rig
// it does so by StartProcess, else in its own group.
func parent(mode string) int {
	if mode, elsewhere := strings.CutSuffix(mode, " elsewhere"); mode == "wait" {
		command := helperCommand(os.Getenv("DIR"), mode)
		if elsewhere {
			var err error
			if command.Network, err = NewNamespace(); err != nil {
				fmt.Println(err)
				return 1
			}
		}
		p, err := StartProcess(command)
		if err != nil {
			fmt.Println(err)
			return 1
		}
		if _, err := p.WaitLine(context.Background(), ready); err != nil {
			fmt.Println(err)
			return 1
		}
		fmt.Println("child", p.PID())
		select {}
	}
	child, err := os.StartProcess(os.Args[0], os.Args[:1], &os.ProcAttr{
		Env: []string{helperMode + "=" + mode}, Files: []*os.File{nil, os.Stdout, os.Stderr},
	})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println("child", child.Pid)
	select {}
}

func helperCommand(dir, mode string) Command {
	return Command{
		Name: "helper", Path: os.Args[0], Dir: dir,
		Env: []string{helperMode + "=" + mode, "DIR=" + dir},
	}
}

// startHelper starts the test binary as a child and stops it with the test.
func startHelper(t *testing.T, mode string) *Process {
	t.Helper()
	p, err := StartProcess(helperCommand(t.TempDir(), mode))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Stop() })
	return p
}

// soon ends what hangs; no test that passes takes that long.
func soon(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// briefly is for what must run out.
func briefly(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	t.Cleanup(cancel)
	return ctx
}
