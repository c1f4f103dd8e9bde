package controlplane

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// lastLines is how many lines an exit brings along.
const lastLines = 12

// Command says what to run.
type Command struct {
	Name  string        // names the process in errors and its files in Dir
	Path  string        // of the binary
	Args  []string      // without the name of the program
	Env   []string      // the whole environment; empty means an empty one
	Dir   string        // must exist; working directory, gets Name.argv, Name.env, Name.log
	Grace time.Duration // from SIGTERM to SIGKILL; 0 means 5 s

	Network *Namespace // it runs in; nil means the rig's own
	Hosts   string     // absolute path of the file that it sees as /etc/hosts, which needs root; empty means the machine's
}

// Process is a running or ended child process.
type Process struct {
	command Command
	cmd     *exec.Cmd
	log     *Log
	done    chan struct{}
	exit    Exit // valid once done is closed
}

// StartProcess runs the command. It returns once the process exists, which
// says nothing about its being ready.
func StartProcess(c Command) (*Process, error) {
	if c.Grace == 0 {
		c.Grace = 5 * time.Second
	}
	if err := keepFile(c, "argv", append([]string{c.Path}, c.Args...)); err != nil {
		return nil, err
	}
	if err := keepFile(c, "env", c.Env); err != nil {
		return nil, err
	}
	file, err := os.Create(keptFile(c, "log"))
	if err != nil {
		return nil, fmt.Errorf("keep log of %s: %w", c.Name, err)
	}
	p := &Process{command: c, cmd: command(c), log: newLog(file), done: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = p.log, p.log
	begun := make(chan error)
	goOnThread(func() { p.run(file, begun) })
	if err := <-begun; err != nil {
		return nil, fmt.Errorf("start %s: %w", c.Name, err)
	}
	return p, nil
}

func command(c Command) *exec.Cmd {
	cmd := exec.Command(c.Path, c.Args...)
	cmd.Dir = c.Dir
	cmd.Env = c.Env
	if cmd.Env == nil {
		cmd.Env = []string{} // nil would pass on the rig's own, proxies and all
	}
	// A group of its own, so that an interrupt at the terminal reaches the rig
	// alone, which then stops its children in order; SIGKILL from the kernel if
	// the rig dies without doing so.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	// What a process left behind may hold the pipe; its exit counts all the same.
	cmd.WaitDelay = time.Second
	return cmd
}

// run starts the process and waits for it on one thread: the kernel sends
// Pdeathsig when the thread that forked ends, not when the rig does, and an
// idle thread of a Go program may end at any time.
func (p *Process) run(file *os.File, begun chan<- error) {
	defer file.Close()
	err := p.start()
	begun <- err
	if err != nil {
		return
	}
	p.clearGroup()
	// The error says no more than the state below, or that the pipe was still
	// held after WaitDelay.
	_ = p.cmd.Wait()
	p.log.end()
	p.exit = exitOf(p.cmd.ProcessState)
	p.exit.Last = p.log.Last(lastLines)
	close(p.done)
}

// start moves the thread to where the process is to be, and starts it.
func (p *Process) start() error {
	if n := p.command.Network; n != nil {
		if err := n.enter(); err != nil {
			return err
		}
	}
	if hosts := p.command.Hosts; hosts != "" {
		if err := ownHosts(hosts); err != nil {
			return err
		}
	}
	return p.cmd.Start()
}

// clearGroup waits for the end of the process without collecting it, and kills
// what it left in its group. Once it is collected the kernel may give the
// number of the group to another.
func (p *Process) clearGroup() {
	for {
		err := unix.Waitid(unix.P_PID, p.PID(), nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	// Mostly there is nobody left to be killed.
	_ = syscall.Kill(-p.PID(), syscall.SIGKILL)
}

func exitOf(state *os.ProcessState) Exit {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return Exit{Code: -1, Signal: status.Signal()}
	}
	return Exit{Code: state.ExitCode()}
}

// Name returns the name the command was given.
func (p *Process) Name() string { return p.command.Name }

// PID returns the process id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Log returns what the process wrote so far, standard output and standard
// error as one.
func (p *Process) Log() *Log { return p.log }

// Done is closed once the process has ended and its log is whole.
func (p *Process) Done() <-chan struct{} { return p.done }

// Exit returns how the process ended; ok is false while it runs.
func (p *Process) Exit() (exit Exit, ok bool) {
	select {
	case <-p.done:
		return p.exit, true
	default:
		return Exit{}, false
	}
}

// Running returns nil while the process runs, else an ExitedError.
func (p *Process) Running() error {
	if exit, ended := p.Exit(); ended {
		return &ExitedError{Name: p.Name(), Exit: exit}
	}
	return nil
}

// WaitExit waits until the process has ended by itself. The error is a
// TimeoutError when ctx ends first.
func (p *Process) WaitExit(ctx context.Context) (Exit, error) {
	begin := time.Now()
	select {
	case <-p.done:
		return p.exit, nil
	case <-ctx.Done():
		return Exit{}, &TimeoutError{
			Waiting: p.Name() + " to exit", After: time.Since(begin), Seen: strings.Join(p.log.Last(1), ""),
		}
	}
}

// WaitLine waits for the first log line that matches. The error is an
// ExitedError when the process ended without such a line, a TimeoutError when
// ctx ended first.
func (p *Process) WaitLine(ctx context.Context, re *regexp.Regexp) (string, error) {
	line, err := p.log.wait(ctx, re)
	if errors.Is(err, errLogEnded) {
		<-p.done
		return "", &ExitedError{Name: p.Name(), Waiting: waitingForLine(re), Exit: p.exit}
	}
	return line, err
}

// Stop ends the process: SIGTERM to its group, SIGKILL after the grace. It is
// gone when Stop returns, and stopping it again is fine.
func (p *Process) Stop() Exit {
	p.signalGroup(syscall.SIGTERM)
	grace := time.NewTimer(p.command.Grace)
	defer grace.Stop()
	select {
	case <-p.done:
	case <-grace.C:
		p.signalGroup(syscall.SIGKILL)
		<-p.done
	}
	return p.exit
}

// Terminate asks the process to end, by SIGTERM to its group.
func (p *Process) Terminate() { p.signalGroup(syscall.SIGTERM) }

// signalGroup does nothing once the process has been waited for: its number
// may belong to another group by then.
func (p *Process) signalGroup(sig syscall.Signal) {
	if _, ended := p.Exit(); !ended {
		// The only error left is that it is gone already.
		_ = syscall.Kill(-p.PID(), sig)
	}
}

func keepFile(c Command, what string, lines []string) error {
	text := strings.Join(lines, "\n") + "\n"
	if err := os.WriteFile(keptFile(c, what), []byte(text), 0o600); err != nil {
		return fmt.Errorf("keep %s of %s: %w", what, c.Name, err)
	}
	return nil
}

func keptFile(c Command, what string) string {
	return filepath.Join(c.Dir, c.Name+"."+what)
}
