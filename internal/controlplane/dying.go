package controlplane

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// exiting is PF_EXITING of the kernel's include/linux/sched.h.
const exiting = 0x4

// Dying reports whether nothing of the program runs any more: the process has
// ended, or it is about to as soon as the kernel has taken it down. On a crowded
// machine that alone was seen to take more than a second, since the last thread
// has to wait for a CPU to give back the memory.
func (p *Process) Dying() bool {
	if _, ended := p.Exit(); ended {
		return true
	}
	return dying(p.PID())
}

// dying looks at the flags of the main thread, which is the one that is left as
// a zombie. A process that is not there any more is dead.
func dying(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return true
	}
	// The name, in parentheses, may hold anything.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	flags, err := strconv.ParseUint(string(fields[6]), 10, 64)
	return err == nil && flags&exiting != 0
}
