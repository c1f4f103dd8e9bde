package bench

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// rss is the resident memory of a process in MiB; 0 once it is gone.
func rss(pid int) float64 {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	fields := strings.Fields(string(data))
	if err != nil || len(fields) < 2 {
		return 0
	}
	pages, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return 0
	}
	return float64(pages) * float64(os.Getpagesize()) / (1 << 20)
}

// connections counts those that are open to a port, from their client's end.
func connections(port uint16) (int, error) {
	data, err := os.ReadFile("/proc/net/tcp6")
	if err != nil {
		return 0, fmt.Errorf("count connections: %w", err)
	}
	return connectionsIn(string(data), port), nil
}

// connectionsIn reads the form of /proc/net/tcp6: number, local and remote
// address, state, of which 01 is an open connection.
func connectionsIn(table string, port uint16) int {
	n := 0
	for line := range strings.Lines(table) {
		fields := strings.Fields(line)
		if len(fields) > 3 && strings.HasSuffix(fields[2], fmt.Sprintf(":%04X", port)) && fields[3] == "01" {
			n++
		}
	}
	return n
}
