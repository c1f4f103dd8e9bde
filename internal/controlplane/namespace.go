package controlplane

import (
	"context"
	"fmt"
	"net"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// A Namespace is a network of its own: interfaces, routes, ports and counters.
// It has no name on the machine, so that the kernel takes it away, with all
// that is in it, once the rig and the processes in it are gone, however they
// ended. Making one needs root. The nil namespace is the rig's own network.
type Namespace struct{ file *os.File }

// NewNamespace makes an empty network: not even its loopback is up.
func NewNamespace() (*Namespace, error) {
	n := &Namespace{}
	err := onThread(func() (err error) {
		if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
			return fmt.Errorf("unshare: %w", err)
		}
		n.file, err = os.Open("/proc/thread-self/ns/net")
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("make network namespace: %w", err)
	}
	return n, nil
}

// Do calls a function in the namespace: what it opens, dials or starts is
// there and stays there. Goroutines that it begins are not.
func (n *Namespace) Do(do func() error) error {
	if n == nil {
		return do()
	}
	return onThread(func() error {
		if err := n.enter(); err != nil {
			return err
		}
		return do()
	})
}

// Dial connects from within the namespace to a literal address: to look up a
// name would take more goroutines.
func (n *Namespace) Dial(ctx context.Context, network, address string) (conn net.Conn, err error) {
	err = n.Do(func() (err error) {
		conn, err = new(net.Dialer).DialContext(ctx, network, address)
		return err
	})
	return conn, err
}

// File refers to the namespace for as long as that is not closed.
func (n *Namespace) File() *os.File { return n.file }

// Close lets go of the namespace. Closing a nil one is fine.
func (n *Namespace) Close() {
	if n != nil {
		// A descriptor that was only held has nothing to lose in closing.
		_ = n.file.Close()
	}
}

// enter moves the thread it is called on, which must end with its goroutine.
func (n *Namespace) enter() error {
	if err := unix.Setns(int(n.file.Fd()), unix.CLONE_NEWNET); err != nil {
		return fmt.Errorf("enter network namespace: setns: %w", err)
	}
	return nil
}

func onThread(do func() error) error {
	result := make(chan error, 1)
	goOnThread(func() { result <- do() })
	return <-result
}

// goOnThread is a go statement for what changes its thread: that is never
// unlocked, so that it ends with the goroutine and runs nothing else. The main
// thread cannot end, and /proc/self would show what it was made into: it
// stands aside until another has done it.
func goOnThread(do func()) {
	go func() {
		runtime.LockOSThread()
		if unix.Gettid() != os.Getpid() {
			do()
			return
		}
		defer runtime.UnlockOSThread()
		done := make(chan struct{})
		goOnThread(func() {
			defer close(done)
			do()
		})
		<-done
	}()
}

// ownHosts puts a file in the place of /etc/hosts, for the thread it is called
// on, which must end with its goroutine, and for what that starts.
func ownHosts(file string) error {
	if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
		return fmt.Errorf("make mount namespace: unshare: %w", err)
	}
	// Where mounts are shared, as systemd has it, the machine would see this one.
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("make mounts private: %w", err)
	}
	if err := unix.Mount(file, "/etc/hosts", "", unix.MS_BIND, ""); err != nil {
		return fmt.Errorf("mount %s over /etc/hosts: %w", file, err)
	}
	return nil
}
