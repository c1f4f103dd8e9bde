package integration

import (
	"fmt"
	"time"

	"carry/internal/faults"
)

// refuse arms a fault under a name, to begin at a request, after one, or at
// once, for a time or until it is allowed.
func (r *run) refuse(c call) error {
	name := c.args[0]
	if _, err := r.fault(name); err == nil {
		return fmt.Errorf("a fault is called %s already", name)
	}
	trigger, err := parseTrigger(c.args[2:])
	if err != nil {
		return err
	}
	armed, err := r.arm(c.args[1], trigger)
	if err != nil {
		return err
	}
	r.faults = append(r.faults, &armedFault{name: name, armed: armed, timed: trigger.For > 0})
	return nil
}

// arm arms a fault of the network or one of the proxy.
func (r *run) arm(name string, trigger faults.Trigger) (armed, error) {
	if c, ok := cuts[name]; ok {
		return r.armCut(c, trigger)
	}
	fault, err := faults.ParseFault(name)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w; of the network: address-removed, route-removed", err)
	case r.network != nil:
		return r.armElsewhere(fault, trigger), nil
	}
	return r.proxy.Refuse(fault, trigger), nil
}

func parseTrigger(words []string) (faults.Trigger, error) {
	if len(words) > 1 && words[0] == "for" {
		long, err := time.ParseDuration(words[1])
		if err != nil {
			return faults.Trigger{}, fmt.Errorf("parse time: %w", err)
		}
		trigger, err := parseTrigger(words[2:])
		trigger.For = long
		return trigger, err
	}
	if len(words) == 0 {
		return faults.Trigger{}, nil
	}
	if len(words) != 2 || words[0] != "at" && words[0] != "after" {
		return faults.Trigger{}, errMisuse
	}
	match, err := faults.ParseMatch(words[1])
	if err != nil {
		return faults.Trigger{}, err
	}
	if words[0] == "at" {
		return faults.Trigger{At: &match}, nil
	}
	return faults.Trigger{After: &match}, nil
}

// begun waits until a fault is on.
func (r *run) begun(c call) error {
	f, err := r.fault(c.args[0])
	if err != nil {
		return err
	}
	ctx, cancel := r.limited()
	defer cancel()
	if err := r.wait(ctx, f.armed.Begun(), "fault "+f.name+" to begin"); err != nil {
		return err
	}
	r.note("begun", c.args, "")
	return f.pace.begin(r.network)
}

// allow ends a fault, or waits for the end of one that has its time. One that
// has not begun was never felt, which is a mistake of the script's.
func (r *run) allow(c call) error {
	f, err := r.fault(c.args[0])
	if err != nil {
		return err
	}
	select {
	case <-f.armed.Begun():
	default:
		return fmt.Errorf("fault %s has not begun yet", f.name)
	}
	ctx, cancel := r.limited()
	defer cancel()
	if c.has("-paced") {
		if err := f.pace.check(ctx, r.network, r.expected()...); err != nil {
			return err
		}
	}
	if f.timed {
		if err := r.wait(ctx, f.armed.Ended(), "fault "+f.name+" to end"); err != nil {
			return err
		}
	}
	if err := f.allow(); err != nil {
		return err
	}
	r.note("allow", c.args, "")
	return nil
}

// allow ends the fault. The error is of a network that could not be cut or
// mended.
func (f *armedFault) allow() error {
	f.armed.Allow()
	if f, ok := f.armed.(interface{ failure() error }); ok {
		return f.failure()
	}
	return nil
}
