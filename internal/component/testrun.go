package component

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// outcomes are "pass", "fail" or "skip" by "package test"; a package itself has no test name.
type outcomes map[string]string

// testRun is one run of go test.
type testRun struct {
	outcomes
	panicked map[string]bool   // tests that ended by a panic or a time-out, not by an assertion
	notBuilt map[string]string // packages whose tests do not compile, and what the compiler said
	tally    map[string][]int  // passes and failures of each test, where it ran more than once
}

// testOptions choose what runs, and how.
type testOptions struct {
	overlay string   // file for -overlay; empty: the tree as it is on disk
	tests   []string // names of top-level tests; empty: all
	count   int      // how often; 0: once, and go may take the result from its cache
}

func (s *Stream) runTests(ctx context.Context, r recipe, pkgs []string, o testOptions, compiled Compiled) (*testRun, error) {
	if len(pkgs) == 0 {
		return &testRun{outcomes: outcomes{}}, nil
	}
	args := []string{"test", "-json", "-vet=off"} // what vet says is no test, and it would look at every dependency
	if r.modfile != "" {
		args = append(args, "-modfile", r.modfile)
	}
	if o.overlay != "" {
		args = append(args, "-overlay", o.overlay)
	}
	if len(o.tests) > 0 {
		args = append(args, "-run", "^("+strings.Join(o.tests, "|")+")$")
	}
	if o.count > 0 {
		args = append(args, fmt.Sprintf("-count=%d", o.count))
	}
	tick := func(string) {
		if compiled != nil {
			compiled("")
		}
	}
	out, err := runGo(ctx, r.dir, r.env, tick, append(args, pkgs...)...)
	found, readErr := readTests(out)
	if readErr != nil {
		return nil, fmt.Errorf("test %s: %w", s, readErr)
	}
	if len(found.outcomes) == 0 {
		return nil, fmt.Errorf("test %s: no test ran: %w", s, err)
	}
	return found, ctx.Err()
}

// testEvent is a line of go test -json.
type testEvent struct {
	Action, Package, ImportPath, Test, Output, FailedBuild string
}

var panicLine = regexp.MustCompile(`^\s*panic: `)

func readTests(out []byte) (*testRun, error) {
	run := &testRun{outcomes: outcomes{}, panicked: map[string]bool{}, notBuilt: map[string]string{}, tally: map[string][]int{}}
	said := map[string]string{}
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 16<<20) // a test may print long lines
	for lines.Scan() {
		var e testEvent
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			continue
		}
		name := strings.TrimSpace(e.Package + " " + e.Test)
		switch {
		case e.Action == "build-output" && !strings.HasPrefix(e.Output, "#"):
			said[e.ImportPath] += e.Output
		case e.Action == "output" && panicLine.MatchString(e.Output):
			run.panicked[name] = true
		case slices.Contains([]string{"pass", "fail", "skip"}, e.Action):
			run.take(name, e.Action)
			if e.FailedBuild != "" {
				run.notBuilt[e.Package] = said[e.FailedBuild]
			}
		}
	}
	return run, lines.Err()
}

// take counts one result. Of several a failure stays: a test that fails sometimes fails.
func (r *testRun) take(name, action string) {
	if r.tally[name] == nil {
		r.tally[name] = []int{0, 0}
	}
	switch action {
	case "pass":
		r.tally[name][0]++
	case "fail":
		r.tally[name][1]++
	}
	if r.outcomes[name] != "fail" {
		r.outcomes[name] = action
	}
}

// failed are the tests that failed by an assertion, as "package test", sorted. A test fails with its subtests; the
// top-level ones are given.
func (r *testRun) failed() []string {
	var names []string
	for name, outcome := range r.outcomes {
		_, test, ok := strings.Cut(name, " ")
		if ok && outcome == "fail" && !strings.Contains(test, "/") && !r.hasPanicked(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (r *testRun) hasPanicked(name string) bool {
	for other := range r.panicked {
		if other == name || strings.HasPrefix(other, name+"/") {
			return true
		}
	}
	return false
}

// top is the top-level test of "package test/subtest".
func top(name string) (pkg, test string) {
	pkg, test, _ = strings.Cut(name, " ")
	test, _, _ = strings.Cut(test, "/")
	return pkg, test
}
