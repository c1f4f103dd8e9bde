package integration

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"carry/internal/controlplane"
)

// startComponent starts the component through the proxy, as OpenShift does but
// for the flags given. It may be started again once it has ended.
func (r *run) startComponent(c call) error {
	if r.component != nil && !r.ended {
		return errors.New("it was started before, and its end not waited for")
	}
	server, err := r.network.server(r.proxy.URL())
	if err != nil {
		return err
	}
	hosts, err := r.network.hosts(r.dir)
	if err != nil {
		return err
	}
	r.starts++
	env, flags := environmentAndFlags(c.args)
	component, err := r.plane.StartComponent(controlplane.ComponentConfig{
		Component: r.target.component, Stream: r.target.stream, Path: r.binaries.component,
		Server: server, Start: r.starts, Hosts: hosts, Flags: flags,
		Env: env, Payload: OperatorPayload(r.layout.root),
	})
	if err != nil {
		return err
	}
	r.component, r.ended = component, false
	r.note("start", c.args, strconv.Itoa(component.PID()))
	return nil
}

// environmentAndFlags tells NAME=VALUE from --FLAG=VALUE.
func environmentAndFlags(words []string) (env, flags []string) {
	for _, word := range words {
		if strings.HasPrefix(word, "-") {
			flags = append(flags, word)
		} else {
			env = append(env, word)
		}
	}
	return env, flags
}

var errNotStarted = errors.New("the component was not started")

// stillRunning wants the process that was started to run without a break.
func (r *run) stillRunning(c call) error {
	if r.component == nil {
		return errNotStarted
	}
	if err := r.component.Running(); err != nil {
		return err
	}
	r.note("running", c.args, strconv.Itoa(r.component.PID()))
	return nil
}

// exited waits for the component's end, which it may ask for, and wants its
// exit code, and that it was not sooner after its start than a time that may be
// given; negated it wants the component to be there still, although asked.
func (r *run) exited(c call) error {
	if r.component == nil {
		return errNotStarted
	}
	if c.neg {
		return r.remains(c)
	}
	if len(c.args) == 0 {
		return errMisuse
	}
	want, err := strconv.Atoi(c.args[0])
	if err != nil {
		return fmt.Errorf("exit code: %w", err)
	}
	var least time.Duration
	if len(c.args) == 2 {
		if least, err = time.ParseDuration(c.args[1]); err != nil {
			return fmt.Errorf("least time: %w", err)
		}
	}
	var limit time.Duration
	switch {
	case c.has("-leader"):
		limit = leaderTerminateLimit
	case c.has("-terminate"):
		limit = terminateLimit
	}
	exit, err := r.end(limit)
	if err != nil {
		return err
	}
	r.ended = true
	if exit.Code != want {
		return wrongf("want code %d: %v", want, &controlplane.ExitedError{Name: r.component.Name(), Exit: exit})
	}
	if lived := r.lived(); least > 0 && lived < least {
		return wrongf("it ended %s after its start, want %s at least", lived.Round(time.Millisecond), least)
	}
	r.note("exited", c.args, exit.String())
	return nil
}

// lived is the time since the last start; 0 without one.
func (r *run) lived() time.Duration {
	for _, e := range slices.Backward(r.events) {
		if e.verb == "start" {
			return time.Since(e.time)
		}
	}
	return 0
}

// end waits for the component's end. With a limit it asks for it first: what is
// asked must have died within that, and may be taken down later.
func (r *run) end(limit time.Duration) (controlplane.Exit, error) {
	if limit > 0 {
		r.component.Terminate()
		ctx, cancel := context.WithTimeout(r.ctx, limit)
		defer cancel()
		if exit, err := r.component.WaitExit(ctx); err == nil || !r.component.Dying() {
			return exit, err
		}
	}
	ctx, cancel := r.limited()
	defer cancel()
	return r.component.WaitExit(ctx)
}

// remains wants the component to run on when it is asked to end, for as long as
// its end may take.
func (r *run) remains(c call) error {
	if len(c.args) > 0 || !c.has("-terminate") {
		return errMisuse
	}
	r.component.Terminate()
	ctx, cancel := context.WithTimeout(r.ctx, terminateLimit)
	defer cancel()
	exit, err := r.component.WaitExit(ctx)
	var late *controlplane.TimeoutError
	if errors.As(err, &late) {
		return nil
	}
	return errors.Join(err, wrongf("it ended: %s", exit))
}

// logLine waits for a line of the component's log, for as long as verbs wait or
// for a time that may be given; negated it wants none so far.
func (r *run) logLine(c call) error {
	if r.component == nil {
		return errNotStarted
	}
	re, err := regexp.Compile(c.args[0])
	if err != nil {
		return fmt.Errorf("parse regexp: %w", err)
	}
	if c.neg {
		if line, found := r.component.Log().Find(re); found {
			return wrongf("there is one: %s", line)
		}
		return nil
	}
	limit := r.waitLimit()
	if len(c.args) == 2 {
		if limit, err = time.ParseDuration(c.args[1]); err != nil {
			return fmt.Errorf("most time: %w", err)
		}
	}
	ctx, cancel := context.WithTimeout(r.ctx, limit)
	defer cancel()
	line, err := r.component.WaitLine(ctx, re)
	if err != nil {
		return err
	}
	if n := r.component.Log().Count(re); c.has("-once") && n > 1 {
		return wrongf("there are %d, the first is: %s", n, line)
	}
	if c.has("-detail") {
		r.detail = withoutChance(strings.ReplaceAll(line, r.dir, "DIR")) // where the run was is chance, too
	}
	r.note("log", c.args, line)
	return nil
}
