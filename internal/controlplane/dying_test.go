package controlplane

import (
	"os"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"
)

func TestDying(t *testing.T) {
	t.Parallel()
	if dying(os.Getpid()) {
		t.Error("a process that runs is said to die")
	}
	zombie := exec.Command("/bin/true")
	if err := zombie.Start(); err != nil {
		t.Fatal(err)
	}
	if err := unix.Waitid(unix.P_PID, zombie.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil); err != nil {
		t.Fatal(err)
	}
	if !dying(zombie.Process.Pid) {
		t.Error("a process that is not collected yet is said to run")
	}
	if err := zombie.Wait(); err != nil {
		t.Fatal(err)
	}
	if !dying(zombie.Process.Pid) {
		t.Error("a process that is collected is said to run")
	}
}
