package sweep

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"carry/internal/faults"
	"carry/tests/integration"
)

// What tests have a start ask for.
const (
	gates     = integration.FeatureGates
	ownEvents = "/api/v1/namespaces/openshift-cluster-version/events"
)

// cluster is an API that has only what the sweep looks for.
type cluster struct {
	state      string // of the ClusterVersion's newest history entry
	namespaces []string
}

func (c cluster) Request(_ context.Context, _, path string, _ io.Reader) (int, []byte, error) {
	name, ok := strings.CutPrefix(path, namespaces+"/")
	switch {
	case path == versions+"/version":
		return http.StatusOK, fmt.Appendf(nil, `{"status":{"history":[{"state":%q}]}}`, c.state), nil
	case ok && slices.Contains(c.namespaces, name):
		return http.StatusOK, nil, nil
	case ok:
		return http.StatusNotFound, nil, nil
	}
	return 0, nil, errors.New("asked for " + path)
}

// TestApplied: what must be there, what must not, and by whom.
func TestApplied(t *testing.T) {
	t.Parallel()
	both, one := []string{ungatedName, gatedName}, []string{ungatedName}
	tests := []struct {
		name, start string
		api         cluster
		made        int // namespaces, through the proxy
		script      string
		want        string // of judge; empty: well
		detail      string
	}{
		{"gated", gated, cluster{"Completed", both}, 2, lives, "", ""},
		{"gated, made again", gated, cluster{"Partial", both}, 2, lives, "", ""},
		{"gated, by others", gated, cluster{"Completed", both}, 0, lives, stuck, "the component itself has made 0 namespaces, not 2"},
		{"gated, guessed", gated, cluster{"Completed", one}, 1, lives, wrong, "reports its payload as applied, without the gated namespace"},
		{"gated, not yet", gated, cluster{"Partial", one}, 1, lives, stuck, "the payload is not reported as applied"},
		{"gated, exits", gated, cluster{"Completed", one}, 1, dies, exited, ""},
		{"default", plain, cluster{"Completed", one}, 1, lives, "", ""},
		{"default, nothing", plain, cluster{"Completed", nil}, 1, lives, stuck, "the ungated namespace is not there"},
		{"default, guessed", plain, cluster{"Partial", both}, 2, lives, wrong, "applies the gated namespace, without the gate"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, http.StatusCreated, test.script)
			a := r.attempt(operator())
			for range test.made {
				resp, err := r.client.Post(r.proxy.URL()+namespaces, "application/json", strings.NewReader("{}"))
				if err != nil {
					t.Fatal(err)
				}
				resp.Body.Close()
			}
			limit := time.Minute // an answer comes much earlier
			if test.want == stuck || test.want == wrong && test.start == gated {
				limit = time.Second
			}
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			wantOutcome(t, a.applied(ctx, test.api, target{test.start, 1, test.name != "gated, made again"}), test.want, test.detail)
		})
	}
}

// TestCreated: a write that was cut off may have been done, one without an
// answer yet or with another has not.
func TestCreated(t *testing.T) {
	t.Parallel()
	post := func(code int, fault string) faults.Request {
		return faults.Request{Method: http.MethodPost, Path: namespaces, Code: code, Fault: fault}
	}
	requests := []faults.Request{
		post(201, ""), post(0, "reset-after"), post(0, ""), post(409, ""), post(503, "unavailable"),
		{Method: http.MethodGet, Path: namespaces, Code: 200}, {Method: http.MethodPost, Path: lockMap, Code: 201},
	}
	if got := created(requests); got != 2 {
		t.Errorf("%d namespaces, want 2", got)
	}
}

// TestOperatorWindows: its namespaces are the system's, its lock has two halves.
func TestOperatorWindows(t *testing.T) {
	t.Parallel()
	var requests []faults.Request
	for _, r := range []struct{ method, path string }{
		{"GET", namespaces + "/" + gatedName}, {"POST", lockMap}, {"PUT", lockMap + "/version"}, {"PUT", lockLease + "/version"},
		{"PUT", lockMap + "/version"}, {"PUT", lockLease + "/version"}, {"POST", ownEvents}, {"POST", ownEvents},
	} {
		requests = append(requests, faults.Request{Method: r.method, Path: r.path})
	}
	want := windowsNamed(t, "GET "+namespaces+"/"+gatedName+" #1", "POST "+lockMap+" #1", "PUT "+lockMap+"/version #1",
		"PUT "+lockLease+"/version #1", "POST "+ownEvents+" #1")
	if diff := cmp.Diff(want, operator().windowsOf(requests)); diff != "" {
		t.Errorf("windows (-want +got):\n%s", diff)
	}
}

// TestOperatorReads: what is read by its name may be read once, or never again.
func TestOperatorReads(t *testing.T) {
	t.Parallel()
	read := func(path string) faults.Request {
		return faults.Request{Method: http.MethodGet, Path: path, Code: http.StatusOK, UserAgent: "o/v0 (l) kubernetes/$Format/shared-informer"}
	}
	got := operator().answered([]faults.Request{read(gates), read(gates + "/cluster"), read(lockMap + "/version"), read(versions)})
	want := []string{"shared-informer " + versions, "shared-informer " + gates}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("reads (-want +got):\n%s", diff)
	}
}

// operatorPlan has three windows in three families, and a rare one.
func operatorPlan(t *testing.T) Plan {
	t.Helper()
	p := Plan{Component: operatorName, Stream: "4.11", Series: "abc"}
	for _, start := range operator().starts {
		for _, side := range sides {
			p.Learned = append(p.Learned, Learned{
				Side: side, Start: start, Runs: 5, Rare: windowsNamed(t, "GET "+versions+"/version #2"),
				Windows: windowsNamed(t, "GET "+gates+"/cluster #1", "GET "+gates+"/cluster #2", "POST "+namespaces+" #1"),
			})
		}
	}
	return p
}

func TestOperatorCells(t *testing.T) {
	t.Parallel()
	p := operatorPlan(t)
	tests := []struct {
		kind, side string
		thin       bool
		want       int
	}{
		{"refused", patched, false, (3 + 1 + 3) * 2}, // 12 s everywhere, and where it is rare; 1 s everywhere
		{"refused", base, false, 3 * 2},
		{"refused", base, true, 3 + 2},
		{"unavailable", patched, false, 3 * 2},
		{"unavailable", base, false, 3 * 2},
		{"reset", patched, false, 2 * 2},
		{"reset", base, false, 0},
		{"reset-after", patched, false, 1 * 2}, // of the write
		{"empty-discovery", patched, false, 0},
	}
	for _, test := range tests {
		cells := p.Cells(Choice{Sides: []string{test.side}, Kinds: []string{test.kind}, Thin: test.thin})
		if len(cells) != test.want {
			t.Errorf("%+v: %d cells:\n%s", test, len(cells), strings.Join(names(cells), "\n"))
		}
		for _, c := range cells {
			if got, err := p.Find(c.Name()); err != nil || got != c || c.shortLease() {
				t.Errorf("%s: %+v, %v", c.Name(), got, err)
			}
		}
	}
	_, err := p.Find("4.11/base/restart/refused-12s/GET " + gates + "/cluster #1")
	wantError(t, err, "no such window")
}

// TestOperatorRetries: the bound is longer by what the log says has failed.
func TestOperatorRetries(t *testing.T) {
	t.Parallel()
	const lock = 57200 * time.Millisecond // 2.2 x 26 s
	tests := []struct {
		line, side, kind string
		held             bool
		want             time.Duration
	}{
		{"attempting to acquire leader lease openshift-cluster-version/version...", patched, "refused", true, 0},
		{"error retrieving resource lock openshift-cluster-version/version: x", patched, "refused", true, lock},
		{"nothing", patched, "refused", false, lock},
		{"nothing", patched, "unavailable", true, 12 * time.Second},
		{"nothing", base, "refused", true, 12 * time.Second},
		{"error running apply for namespace", patched, "refused", true, applyRetry},
		{"unable to synchronize image (waiting 20s)", patched, "refused", true, syncRetry},
	}
	for _, test := range tests {
		t.Run(test.line+" "+test.side+" "+test.kind, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, http.StatusCreated, "echo '"+test.line+"'; "+lives)
			if _, err := r.process.WaitLine(t.Context(), regexp.MustCompile(`.`)); err != nil {
				t.Fatal(err)
			}
			if test.held {
				resp, err := r.client.Post(r.proxy.URL()+lockLease, "application/json", strings.NewReader("{}"))
				if err != nil {
					t.Fatal(err)
				}
				resp.Body.Close()
			}
			c := Cell{Side: test.side, Kind: test.kind, Length: 12 * time.Second}
			if got := operatorRetries(r.attempt(operator()), c); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
}

// TestOperatorReport: a wrong decision is counted, shown and kept.
func TestOperatorReport(t *testing.T) {
	t.Parallel()
	of := Subject{Component: operatorName, Stream: "4.11", Series: "abc"}
	planned := operatorPlan(t).Cells(Choice{Sides: []string{patched}, Kinds: []string{"reset-after"}})
	all := map[string]Result{}
	for _, c := range planned {
		all[c.Name()] = Result{Cell: c.Name(), Outcome: wrong, Detail: "applies the gated namespace, without the gate"}
	}
	r := newReport(of, 1, planned, all)
	if len(r.Totals) != 2 || r.Totals[0].Wrong != 1 || r.badCount() != 2 {
		t.Errorf("totals %v, %d bad", r.Totals, r.badCount())
	}
	page, err := r.html()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<h1>cluster-version-operator 4.11", `id="matrix-gated"`, `id="matrix-default"`, "<th>wrong</th>", `<td class="wrong">`} {
		if !bytes.Contains(page, []byte(want)) {
			t.Errorf("the page has no %s", want)
		}
	}
	dir := t.TempDir()
	if err := r.record(dir, Took{}); err != nil {
		t.Fatal(err)
	}
	kept, err := os.ReadFile(filepath.Join(dir, "4.11.json"))
	if err != nil || !bytes.Contains(kept, []byte(`"component": "cluster-version-operator"`)) || !bytes.Contains(kept, []byte(`"wrong": 1`)) {
		t.Errorf("kept %s, %v", kept, err)
	}
}

func TestComponents(t *testing.T) {
	t.Parallel()
	for _, c := range components() {
		if got := named(c.kept()); got.name != c.name {
			t.Errorf("%s is kept as %q, which is %q", c.name, c.kept(), got.name)
		}
	}
	o := Options{Root: rootOf(t, "1.37"), Component: "etcd", Seed: "1", Workers: 1}
	wantError(t, Run(t.Context(), o, io.Discard), `no sweep of component "etcd": want one of kube-controller-manager, cluster-version-operator`)
	o.Component, o.Stream = operatorName, "4.11"
	wantError(t, Run(t.Context(), o, io.Discard), `no stream "4.11"`)
}

// TestNewestStream is that of the numbers, not of the letters.
func TestNewestStream(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, stream := range []string{"1.9", "1.23"} {
		pin := filepath.Join(root, "components", kcmName, stream)
		if err := os.MkdirAll(pin, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(pin, "go.mod"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := (Options{Root: root}).findStream(kcmName); got != "1.23" || err != nil {
		t.Errorf("%q, %v, want 1.23", got, err)
	}
}
