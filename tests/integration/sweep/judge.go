package sweep

import (
	"errors"
	"regexp"
	"slices"

	"carry/internal/controlplane"
	"carry/tests/integration"
)

// judge turns what ended the wait into an outcome.
func (r *runner) judge(err error, phase string) Result {
	var exit *controlplane.ExitedError
	var late *stuckError
	var decided *wrongError
	var timeout *controlplane.TimeoutError
	switch {
	case errors.As(err, &exit):
		return Result{Outcome: exited, Exit: exit.Exit.String(), Phase: phase, Detail: lastError(exit.Exit.Last)}
	case errors.As(err, &decided):
		return Result{Outcome: wrong, Detail: decided.decision}
	case errors.As(err, &late):
		return Result{Outcome: stuck, Detail: late.missing}
	case errors.As(err, &timeout):
		return Result{Outcome: stuck, Detail: timeout.Waiting}
	}
	return Result{Outcome: broken, Detail: err.Error()}
}

var (
	errorLine   = regexp.MustCompile(`^[EF]\d{4} |^panic:|^Error`)
	consequence = regexp.MustCompile(`leaderelection lost`) // said at every end of the leader, whatever the cause
	leaseLost   = regexp.MustCompile(`Failed to renew lease`)
)

// lastError is the last line that tells of an error and not only of the end of
// the leader, unless losing the lease is the cause; else the last line.
func lastError(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	lost := slices.ContainsFunc(lines, leaseLost.MatchString)
	said := lines[len(lines)-1]
	for _, line := range slices.Backward(lines) {
		if !errorLine.MatchString(line) {
			continue
		}
		if said = line; lost || !consequence.MatchString(line) {
			break
		}
	}
	return integration.WithoutChance(said)
}
