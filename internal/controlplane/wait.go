package controlplane

import (
	"context"
	"time"
)

// lastWord is how long an event may lag behind the end of the process that
// brought it about: they reach the rig on different ways.
const lastWord = time.Second

// WaitEvent waits until event is closed while all the processes run. The error
// is an ExitedError when one of them ends first, a TimeoutError when ctx does.
func WaitEvent(ctx context.Context, event <-chan struct{}, waiting string, processes ...*Process) error {
	begin := time.Now()
	watch, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan *Process, len(processes))
	for _, p := range processes {
		go func() {
			select {
			case <-p.done:
				ended <- p
			case <-watch.Done():
			}
		}()
	}
	select {
	case <-event:
		return nil
	case p := <-ended:
		return p.endedBefore(event, waiting)
	case <-ctx.Done():
		return &TimeoutError{Waiting: waiting, After: time.Since(begin)}
	}
}

func (p *Process) endedBefore(event <-chan struct{}, waiting string) error {
	late := time.NewTimer(lastWord)
	defer late.Stop()
	select {
	case <-event:
		return nil
	case <-late.C:
		return &ExitedError{Name: p.Name(), Waiting: waiting, Exit: p.exit}
	}
}

// A Condition reports whether something is so, and else what is there instead.
// An error ends the wait.
type Condition func(ctx context.Context) (met bool, seen string, err error)

// Poll asks for a condition that has no event, once per tick, while all the
// processes run. The error is an ExitedError when one of them ends first, a
// TimeoutError when ctx does, else the condition's.
func Poll(ctx context.Context, waiting string, tick time.Duration, met Condition, processes ...*Process) error {
	begin := time.Now()
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	var seen string
	for {
		ok, now, err := met(ctx)
		if ctx.Err() != nil { // whatever the condition made of that
			return &TimeoutError{Waiting: waiting, After: time.Since(begin), Seen: seen}
		}
		if err != nil || ok {
			return err
		}
		seen = now
		for _, p := range processes {
			if exit, ended := p.Exit(); ended {
				return &ExitedError{Name: p.Name(), Waiting: waiting, Exit: exit}
			}
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
		}
	}
}
