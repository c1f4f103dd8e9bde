package sweep

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"time"

	"carry/internal/controlplane"
	"carry/internal/faults"
)

// What the operator waits, at most, before it tries again to apply one
// manifest, and the payload: a sixteenth of the 4 min between two looks,
// doubled, and a fifth more.
const (
	applyRetry = 15 * time.Second
	syncRetry  = 36 * time.Second
)

var (
	applyTrouble = regexp.MustCompile(`error running apply for`)
	syncTrouble  = regexp.MustCompile(`unable to synchronize image`)
)

// operatorRetries are those of the lock, and of what the log says has failed.
// The pauses of a cache double, so that one is about as long as the outage at
// most; what is refused patched holds, and has none.
func operatorRetries(a *attempt, c Cell) time.Duration {
	d := leaseRetries(a, 26*time.Second)
	if c.Side == base || c.Kind != "refused" {
		d += c.Length
	}
	if _, found := a.process.Log().Find(applyTrouble); found {
		d += applyRetry
	}
	if _, found := a.process.Log().Find(syncTrouble); found {
		d += syncRetry
	}
	return d
}

// operatorOver waits until the operator has reported that its payload is
// applied, as the gate of this start wants it.
func operatorOver(ctx context.Context, a *attempt) error {
	return a.applied(ctx, a.plane, target{a.start, 1, true})
}

// operatorWorks wants the payload applied, takes a part of it away again and
// has the operator look at once: an override of an object that is not there
// changes the task, and nothing else.
func operatorWorks(ctx context.Context, a *attempt) error {
	if err := operatorOver(ctx, a); err != nil {
		return err
	}
	if err := a.plane.PurgeNamespace(ctx, ungatedName); err != nil {
		return err
	}
	const nothing = `{"spec":{"overrides":[{"kind":"ConfigMap","group":"","namespace":"none","name":"none","unmanaged":true}]}}`
	if err := a.plane.Want(ctx, http.MethodPatch, versions+"/version", nothing, http.StatusOK); err != nil {
		return err
	}
	return a.applied(ctx, a.plane, target{a.start, 2, false})
}

// applied waits until the payload is. A wrong decision may come before it, or
// instead of it.
func (a *attempt) applied(ctx context.Context, api requester, want target) error {
	var now release
	err := controlplane.Poll(ctx, "the payload to be applied", quiet/5,
		func(ctx context.Context) (bool, string, error) {
			var err error
			if now, err = releaseOf(ctx, api); err != nil {
				return false, "", err
			}
			now.created = created(a.proxy.Requests())
			missing := now.missing(want)
			return missing == "", missing, now.wrong(want)
		}, a.process)
	var late *controlplane.TimeoutError
	switch {
	case !errors.As(err, &late):
		return err
	case want.start == gated && now.completed && !now.gated:
		return &wrongError{"reports its payload as applied, without the gated namespace"}
	}
	return &stuckError{now.missing(want), err}
}

// wrongError says what a running component has decided wrongly.
type wrongError struct{ decision string }

func (e *wrongError) Error() string { return e.decision }

// target is what a payload has to have come to.
type target struct {
	start string
	times int  // that the operator itself has made the ungated namespace
	told  bool // that it has reported so; a second report may take 15 s
}

// release is how far the payload has come.
type release struct {
	completed      bool // the operator has reported so
	ungated, gated bool // the namespaces are there
	created        int  // namespaces that the operator itself has made
}

// missing is empty when nothing is.
func (r release) missing(want target) string {
	times := want.times
	if want.start == gated {
		times++
	}
	switch {
	case want.told && !r.completed:
		return "the payload is not reported as applied"
	case !r.ungated:
		return "the ungated namespace is not there"
	case want.start == gated && !r.gated:
		return "the gated namespace is not there"
	case r.created < times:
		return fmt.Sprintf("the component itself has made %d namespaces, not %d", r.created, times)
	}
	return ""
}

// wrong is an error as soon as there is what must not be.
func (r release) wrong(want target) error {
	if want.start == plain && r.gated {
		return &wrongError{"applies the gated namespace, without the gate"}
	}
	return nil
}

// clusterVersion is what the sweep reads of one.
type clusterVersion struct {
	Status struct {
		History []struct{ State string }
	}
}

// requester is the API, past the proxy.
type requester interface {
	Request(ctx context.Context, method, path string, body io.Reader) (code int, answer []byte, err error)
}

// releaseOf looks; who has made what it sees, it cannot know.
func releaseOf(ctx context.Context, api requester) (r release, err error) {
	code, answer, err := api.Request(ctx, http.MethodGet, versions+"/version", nil)
	if err != nil {
		return release{}, err
	}
	var v clusterVersion
	if code != http.StatusOK || json.Unmarshal(answer, &v) != nil {
		return release{}, fmt.Errorf("look at ClusterVersion: %d %s", code, answer)
	}
	r.completed = len(v.Status.History) > 0 && v.Status.History[0].State == "Completed"
	for name, there := range map[string]*bool{ungatedName: &r.ungated, gatedName: &r.gated} {
		if code, _, err = api.Request(ctx, http.MethodGet, namespaces+"/"+name, nil); err != nil {
			return release{}, err
		}
		*there = code == http.StatusOK
	}
	return r, nil
}

// created counts the namespaces that the component has made: the proxy has
// passed its request on with success, or cut it off, when it may have been done.
func created(requests []faults.Request) int {
	n := 0
	for _, r := range requests {
		done := r.Code/100 == 2 || r.Code == 0 && r.Fault != ""
		if r.Method == http.MethodPost && r.Path == namespaces && done {
			n++
		}
	}
	return n
}
