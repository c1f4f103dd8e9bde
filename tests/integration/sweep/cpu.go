package sweep

import (
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"carry/internal/controlplane"
)

// spent is the CPU time of this process and of its children so far, as far as
// it can be read.
func spent(planes []*plane) time.Duration {
	total := usage(unix.RUSAGE_SELF) + usage(unix.RUSAGE_CHILDREN) // of the children, those that have ended
	for _, p := range planes {
		for _, child := range []*controlplane.Process{p.Etcd, p.APIServer} {
			total += processTime(child.PID())
		}
	}
	return total
}

func usage(who int) time.Duration {
	var u unix.Rusage
	if unix.Getrusage(who, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// processTime reads fields 14 and 15 of proc(5)'s stat, in ticks of 10 ms; 0
// once the process is gone.
func processTime(pid int) time.Duration {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	text := string(data)
	fields := strings.Fields(text[strings.LastIndex(text, ")")+1:]) // the name may hold anything
	var user, system int64
	if len(fields) < 13 {
		return 0
	}
	_, _ = fmt.Sscan(fields[11]+" "+fields[12], &user, &system)
	return time.Duration(user+system) * 10 * time.Millisecond
}
