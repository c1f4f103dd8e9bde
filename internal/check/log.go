package check

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Limits of what is held in memory at once.
const (
	lineLength = 64 << 10 // bytes of a line that are looked at; the rest of it is passed over
	runsKept   = 64       // runs of one log file
)

// eachLine calls do with every line and its number, cut to lineLength. The text is only valid within do.
func eachLine(ctx context.Context, r io.Reader, do func(n int, line []byte)) (int64, error) {
	in := bufio.NewReaderSize(r, lineLength)
	var read int64
	for n := 1; ; n++ {
		if n%4096 == 1 && ctx.Err() != nil {
			return read, ctx.Err()
		}
		line, err := in.ReadSlice('\n')
		read += int64(len(line))
		if len(line) > 0 {
			do(n, line)
		}
		for errors.Is(err, bufio.ErrBufferFull) {
			if ctx.Err() != nil {
				return read, ctx.Err()
			}
			line, err = in.ReadSlice('\n')
			read += int64(len(line))
		}
		if err == io.EOF {
			return read, nil
		}
		if err != nil {
			return read, fmt.Errorf("read line %d: %w", n, err)
		}
	}
}

// log is one log file while it is read.
type log struct {
	place
	file   string
	runs   map[string][]*run // by component; for a loose file, of each that it could be
	proven map[string]bool   // components that something in the file shows it is of
	headed bool              // some line has a klog header
	node   node              // what the node's programs say in it
}

func newLog(file string, p place) *log {
	return &log{place: p, file: file, runs: map[string][]*run{}, proven: map[string]bool{}}
}

// read takes a line in.
func (l *log) read(n int, line []byte) {
	l.headed = l.headed || hasHeader(line, "IWEF")
	f, ok := l.signs().recognise(line)
	if !ok {
		return
	}
	q := Quote{l.file, n, printable(strings.TrimSpace(string(line)))}
	if l.node.add(f, q) {
		return
	}
	for _, c := range l.components() {
		if f.of != "" && f.of != c {
			continue
		}
		l.proven[c] = l.proven[c] || f.proves
		l.run(c, f).add(f, q)
	}
}

// signs are those that such a file can have.
func (l *log) signs() recogniser {
	switch l.role {
	case roleComponent:
		return componentSigns[l.component]
	case roleNode:
		return nodeSigns
	}
	return everySign
}

// components are those whose log this can be.
func (l *log) components() []string {
	switch l.role {
	case roleComponent:
		return []string{l.component}
	case roleLoose:
		return []string{ControllerManager, VersionOperator}
	}
	return nil
}

// run gives the process that a line belongs to: a version line after other lines begins a new one.
func (l *log) run(component string, f found) *run {
	runs := l.runs[component]
	if len(runs) > 0 && (f.kind != started || !runs[len(runs)-1].opened && runs[len(runs)-1].ended == nil) {
		return runs[len(runs)-1]
	}
	if len(runs) > 0 {
		runs[len(runs)-1].previous = true
	}
	if len(runs) == runsKept { // the first and the latest say most
		runs = append(runs[:runsKept/2], runs[runsKept/2+1:]...)
	}
	l.runs[component] = append(runs, &run{component: component, previous: l.previous, bootstrap: l.bootstrap, file: l.file})
	return l.runs[component][len(l.runs[component])-1]
}
