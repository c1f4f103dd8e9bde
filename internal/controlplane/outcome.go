package controlplane

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"
)

// Outcome says in which of three ways a wait failed. They are never mixed: a
// process that ended is not slow, and a wait that broke off says nothing.
type Outcome string

const (
	Exited   Outcome = "exited"    // a process ended before what was waited for
	TimedOut Outcome = "timed out" // the deadline passed, everything still ran
	Unknown  Outcome = "unknown"   // anything else: the run proves nothing
)

// OutcomeOf sorts an error of this package; an error of another kind, nil
// included, is Unknown.
func OutcomeOf(err error) Outcome {
	var exited *ExitedError
	var late *TimeoutError
	switch {
	case errors.As(err, &exited):
		return Exited
	case errors.As(err, &late):
		return TimedOut
	}
	return Unknown
}

// Exit is how a process ended.
type Exit struct {
	Code   int            // exit code, -1 when a signal ended it
	Signal syscall.Signal // 0 unless a signal ended it
	Last   []string       // last log lines, stack dumps left out
}

func (e Exit) String() string {
	if e.Signal != 0 {
		return "signal " + e.Signal.String()
	}
	return fmt.Sprintf("code %d", e.Code)
}

// ExitedError says that a process ended while something else was expected.
type ExitedError struct {
	Name    string // of the process
	Waiting string // what for; empty means that it should just have run
	Exit    Exit
}

func (e *ExitedError) Error() string {
	text := e.Name + " exited with " + e.Exit.String()
	if e.Waiting != "" {
		text += " before " + e.Waiting
	}
	if len(e.Exit.Last) == 0 {
		return text + " and without a word"
	}
	return text + "; its last lines:\n\t" + strings.Join(e.Exit.Last, "\n\t")
}

// TimeoutError says that a deadline passed while all processes ran.
type TimeoutError struct {
	Waiting string        // what for
	After   time.Duration // since the wait began
	Seen    string        // what was there instead; empty means nothing worth telling
}

func (e *TimeoutError) Error() string {
	text := fmt.Sprintf("timed out after %s waiting for %s", e.After.Round(100*time.Millisecond), e.Waiting)
	if e.Seen != "" {
		text += "; last seen: " + e.Seen
	}
	return text
}
