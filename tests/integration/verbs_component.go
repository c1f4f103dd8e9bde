package integration

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"

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
	component, err := r.plane.StartComponent(controlplane.ComponentConfig{
		Component: r.target.component, Stream: r.target.stream, Path: r.binaries.component,
		Server: server, Start: r.starts, Hosts: hosts, Flags: c.args,
	})
	if err != nil {
		return err
	}
	r.component, r.ended = component, false
	r.note("start", c.args, strconv.Itoa(component.PID()))
	return nil
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
// exit code.
func (r *run) exited(c call) error {
	if r.component == nil {
		return errNotStarted
	}
	want, err := strconv.Atoi(c.args[0])
	if err != nil {
		return fmt.Errorf("exit code: %w", err)
	}
	exit, err := r.end(c.has("-terminate"))
	if err != nil {
		return err
	}
	r.ended = true
	if exit.Code != want {
		return wrongf("want code %d: %v", want, &controlplane.ExitedError{Name: r.component.Name(), Exit: exit})
	}
	r.note("exited", c.args, exit.String())
	return nil
}

// end waits for the component's end, or asks for it. What is asked must have
// died within its limit, and may be taken down later.
func (r *run) end(ask bool) (controlplane.Exit, error) {
	if ask {
		r.component.Terminate()
		ctx, cancel := context.WithTimeout(r.ctx, terminateLimit)
		defer cancel()
		if exit, err := r.component.WaitExit(ctx); err == nil || !r.component.Dying() {
			return exit, err
		}
	}
	ctx, cancel := r.limited()
	defer cancel()
	return r.component.WaitExit(ctx)
}

// logLine waits for a line of the component's log; negated it wants none so
// far.
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
	ctx, cancel := r.limited()
	defer cancel()
	line, err := r.component.WaitLine(ctx, re)
	if err != nil {
		return err
	}
	if n := r.component.Log().Count(re); c.has("-once") && n > 1 {
		return wrongf("there are %d, the first is: %s", n, line)
	}
	if c.has("-detail") {
		r.detail = withoutChance(line)
	}
	r.note("log", c.args, line)
	return nil
}
