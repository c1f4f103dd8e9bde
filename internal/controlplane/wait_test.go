package controlplane

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestWaitEvent(t *testing.T) {
	t.Parallel()
	happened := make(chan struct{})
	close(happened)
	ended := startHelper(t, "exit")
	<-ended.Done()
	running := startHelper(t, "wait")

	if err := WaitEvent(soon(t), happened, "it", running); err != nil {
		t.Errorf("event: %v", err)
	}
	if err := WaitEvent(soon(t), happened, "it", ended); err != nil {
		t.Errorf("event, and the process has ended since: %v", err)
	}
	err := WaitEvent(soon(t), nil, "it", running, ended)
	if OutcomeOf(err) != Exited || !strings.Contains(err.Error(), "helper exited with code 7 before it; ") {
		t.Errorf("outcome %s of %v, want exited", OutcomeOf(err), err)
	}
	if err := WaitEvent(briefly(t), nil, "it", running); OutcomeOf(err) != TimedOut {
		t.Errorf("outcome %s of %v, want timed out", OutcomeOf(err), err)
	}
}

func TestPoll(t *testing.T) {
	t.Parallel()
	ended := startHelper(t, "exit")
	<-ended.Done()
	asked := 0
	atThird := func(context.Context) (bool, string, error) { asked++; return asked == 3, "not yet", nil }
	not := func(context.Context) (bool, string, error) { return false, "not yet", nil }
	broken := func(context.Context) (bool, string, error) { return false, "", errors.New("broken") }

	if err := Poll(soon(t), "it", time.Millisecond, atThird); err != nil || asked != 3 {
		t.Errorf("asked %d times: %v", asked, err)
	}
	if err := Poll(soon(t), "it", time.Millisecond, not, ended); OutcomeOf(err) != Exited {
		t.Errorf("outcome %s of %v, want exited", OutcomeOf(err), err)
	}
	err := Poll(briefly(t), "it", time.Millisecond, not)
	if OutcomeOf(err) != TimedOut || !strings.HasSuffix(err.Error(), "waiting for it; last seen: not yet") {
		t.Errorf("outcome %s of %v, want timed out", OutcomeOf(err), err)
	}
	if err := Poll(soon(t), "it", time.Millisecond, broken); OutcomeOf(err) != Unknown || err.Error() != "broken" {
		t.Errorf("outcome %s of %v, want unknown", OutcomeOf(err), err)
	}
}
