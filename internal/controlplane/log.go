package controlplane

import (
	"bytes"
	"context"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// errLogEnded: no line matched and no more lines will come.
var errLogEnded = errors.New("log ended")

// stackDump is the first line of what Go prints when a process dies of a
// panic or of klog.Fatal: thousands of lines that hide the reason above them.
var stackDump = regexp.MustCompile(`^goroutine \d+ .*\[`)

// Log keeps what a process wrote, line by line, and wakes whoever waits for a
// line. It is the process's own output pipe, so that a line is an event and no
// file has to be polled.
type Log struct {
	out io.Writer // the file beside; nil means none

	mu    sync.Mutex
	lines []string
	rest  []byte        // the line being written
	ended bool          // no more lines
	grown chan struct{} // closed and replaced whenever something above changes
}

func newLog(out io.Writer) *Log {
	return &Log{out: out, grown: make(chan struct{})}
}

// Write takes the process's output in.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rest = append(l.rest, p...)
	for {
		line, rest, whole := bytes.Cut(l.rest, []byte("\n"))
		if !whole {
			break
		}
		l.lines = append(l.lines, string(line))
		l.rest = rest
	}
	l.wake()
	if l.out == nil {
		return len(p), nil
	}
	return l.out.Write(p)
}

// end makes a last line without a newline whole and lets waiters go.
func (l *Log) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.rest) > 0 {
		l.lines = append(l.lines, string(l.rest))
		l.rest = nil
	}
	l.ended = true
	l.wake()
}

func (l *Log) wake() {
	close(l.grown)
	l.grown = make(chan struct{})
}

// Find returns the first line that matches, if there is one already.
func (l *Log) Find(re *regexp.Regexp) (string, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return find(l.lines, re)
}

// Count returns how many lines match so far.
func (l *Log) Count(re *regexp.Regexp) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for _, line := range l.lines {
		if re.MatchString(line) {
			n++
		}
	}
	return n
}

func find(lines []string, re *regexp.Regexp) (string, bool) {
	i := slices.IndexFunc(lines, re.MatchString)
	if i < 0 {
		return "", false
	}
	return lines[i], true
}

// wait returns the first line that matches, errLogEnded when the log ended
// without one, a TimeoutError when ctx ended first.
func (l *Log) wait(ctx context.Context, re *regexp.Regexp) (string, error) {
	begin := time.Now()
	searched := 0
	for {
		l.mu.Lock()
		line, found := find(l.lines[searched:], re)
		searched = len(l.lines)
		ended, grown := l.ended, l.grown
		l.mu.Unlock()
		switch {
		case found:
			return line, nil
		case ended:
			return "", errLogEnded
		}
		select {
		case <-grown:
		case <-ctx.Done():
			return "", &TimeoutError{Waiting: waitingForLine(re), After: time.Since(begin), Seen: strings.Join(l.Last(1), "")}
		}
	}
}

// Last returns the last n lines that tell something: what comes after the
// beginning of a stack dump is left out.
func (l *Log) Last(n int) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	lines := l.lines
	if i := slices.IndexFunc(lines, stackDump.MatchString); i > 0 {
		lines = lines[:i]
	}
	return slices.Clone(lines[max(0, len(lines)-n):])
}

func waitingForLine(re *regexp.Regexp) string {
	return "a log line like " + re.String()
}
