package main

import (
	"fmt"
	"os"
	"os/exec"
)

// condition knows what a script may need of the machine. What is missing is printed and counted by the caller; in CI
// nothing may be missing.
func condition(name string) (bool, error) {
	if name != "tmpfs" {
		return false, fmt.Errorf("unknown condition %q", name)
	}
	if canMount() {
		return true, nil
	}
	if os.Getenv("CI") != "" {
		return false, fmt.Errorf("condition %q does not hold, and in CI nothing may be missing", name)
	}
	fmt.Println("not run: scripts that need [tmpfs]: mounting needs root and unshare (make deps)")
	return false, nil
}

// canMount tells whether a mount namespace with a small file system of its own can be made.
func canMount() bool {
	return exec.Command("unshare", "--mount", "mount", "-t", "tmpfs", "none", os.TempDir()).Run() == nil
}
