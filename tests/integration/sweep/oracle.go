package sweep

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"carry/internal/controlplane"
	"carry/internal/faults"
)

// quiet is for how long a start has no new request when it is over.
const quiet = time.Second

// An expectation is a write, or an answered read, that a proxy has to see come
// from its component.
type expectation struct {
	match faults.Match
	text  string // what is missing without it
}

// met waits until the proxy has passed each of them on with success while the
// process runs.
func met(ctx context.Context, proxy *faults.Proxy, process *controlplane.Process, expected ...expectation) error {
	for _, e := range expected {
		ctx, cancel := context.WithCancelCause(ctx)
		stop := context.AfterFunc(ended(ctx, process), func() { cancel(process.Running()) })
		err := succeeded(ctx, proxy, e.match)
		stop()
		cancel(nil)
		if err != nil {
			if exit := process.Running(); exit != nil {
				return exit
			}
			return &stuckError{e.text, err}
		}
	}
	return process.Running()
}

// ended is done when the process is, or ctx.
func ended(ctx context.Context, process *controlplane.Process) context.Context {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		defer cancel()
		select {
		case <-process.Done():
		case <-ctx.Done():
		}
	}()
	return ctx
}

// stuckError says what a running component has not done in time.
type stuckError struct {
	missing string
	err     error
}

func (e *stuckError) Error() string { return e.missing + ": " + e.err.Error() }
func (e *stuckError) Unwrap() error { return e.err }

func succeeded(ctx context.Context, proxy *faults.Proxy, m faults.Match) error {
	for m.N = 1; ; m.N++ {
		r, err := proxy.WaitRequest(ctx, 0, m)
		if err != nil {
			return err
		}
		if r.Code/100 == 2 {
			return nil
		}
	}
}

// gone checks in the API that the namespace controller's last word was true.
func (p *plane) gone(ctx context.Context, namespace string) error {
	return controlplane.Poll(ctx, "namespace "+namespace+" to be gone", 50*time.Millisecond,
		func(ctx context.Context) (bool, string, error) {
			code, _, err := p.Request(ctx, http.MethodGet, "/api/v1/namespaces/"+namespace, nil)
			return code == http.StatusNotFound, fmt.Sprint(code), err
		})
}

// calm waits until the component has asked for nothing new for a while: there
// is no event for the end of a start.
func calm(ctx context.Context, proxy *faults.Proxy, process *controlplane.Process) error {
	return controlplane.Poll(ctx, "the start to calm down", quiet/5,
		func(context.Context) (bool, string, error) {
			rs := proxy.Requests()
			return len(rs) > 0 && time.Since(rs[len(rs)-1].Time) > quiet, fmt.Sprint(len(rs), " requests"), nil
		}, process)
}

// answered are the reads of collections and watches that had an answer, as
// client and path: what a component that has skipped nothing has asked for.
// What is in a namespace, or a single object, is left out.
func (c component) answered(requests []faults.Request) []string {
	var keys []string
	for _, r := range requests {
		if r.Method != http.MethodGet || r.Code/100 != 2 || strings.Contains(r.Path, "/namespaces/") {
			continue
		}
		if c.single != nil && c.single.MatchString(r.Path) {
			continue
		}
		keys = append(keys, agentName(r.UserAgent)+" "+r.Path)
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// nothingSkipped waits until all of asked have had an answer.
func nothingSkipped(ctx context.Context, a *attempt, asked []string) error {
	var missing string
	err := controlplane.Poll(ctx, "all lists and watches", quiet/5,
		func(context.Context) (bool, string, error) {
			had := a.plane.component.answered(a.proxy.Requests())
			i := slices.IndexFunc(asked, func(key string) bool {
				_, found := slices.BinarySearch(had, key)
				return !found
			})
			if i >= 0 {
				missing = asked[i]
			}
			return i < 0, missing, nil
		}, a.process)
	var late *controlplane.TimeoutError
	if errors.As(err, &late) {
		return &stuckError{"never asked: " + missing, err}
	}
	return err
}
