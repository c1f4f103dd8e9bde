package sweep

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var updateFlag = flag.Bool("update", false, "write the golden files")

// exampleReport has every outcome.
func exampleReport(t *testing.T) Report {
	t.Helper()
	all := map[string]Result{}
	outcomes := []Result{
		{Outcome: survived, Felt: 3, Starts: 1, Seconds: 7.1},
		{Outcome: exited, Exit: "code 1", Phase: "in the outage", Detail: `E run.go:72] "command failed" err="dial tcp ADDRESS: connect: connection refused <x>"`, Felt: 2, Starts: 1},
		{Outcome: stuck, Detail: "no service account in a namespace", Felt: 9, Starts: 1, Stall: 3.4},
		{Outcome: notReached, Starts: 3},
		{Outcome: broken, Detail: "control plane: exited", Starts: 1},
	}
	planned := examplePlan(t).Cells(Choice{Kinds: []string{"refused", "reset"}})
	for i, c := range planned[:len(planned)-1] { // the last one is missing
		r := outcomes[i%len(outcomes)]
		r.Cell, r.Rare = c.Name(), c.Rare
		all[r.Cell] = r
	}
	return newReport(subject, 1, planned, all)
}

func TestReportIsGolden(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := exampleReport(t)
	if err := errors.Join(r.write(dir), r.record(dir, Took{Cells: 9, Seconds: 60, CPU: 30, Cores: 2})); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"sweep.json", "sweep.xml", "sweep.html", subject.Stream + ".json"} {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		golden := filepath.Join("testdata", name)
		if *updateFlag {
			if err := os.WriteFile(golden, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s differs; if it is meant to: go test ./tests/integration/sweep -run Golden -update\n%s", name, diff)
		}
	}
}

func TestBad(t *testing.T) {
	t.Parallel()
	tests := []struct {
		side, outcome string
		rare, want    bool
	}{
		{patched, survived, false, false}, {patched, exited, false, true}, {patched, stuck, false, true},
		{patched, notReached, false, true}, {patched, broken, false, true}, {patched, notReached, true, false},
		{patched, exited, true, true}, {base, exited, false, false}, {base, stuck, false, false},
		{base, notReached, false, true}, {base, broken, false, true},
		{patched, wrong, false, true}, {patched, wrong, true, true}, {base, wrong, false, false},
	}
	for _, test := range tests {
		r := Result{Cell: "1.37/" + test.side + "/restart/refused-12s/GET /api #1", Outcome: test.outcome, Rare: test.rare}
		if bad(r) != test.want {
			t.Errorf("%+v is bad: %t", test, !test.want)
		}
	}
}

func TestLastError(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		lines []string
		want  string
	}{
		{"error before others", []string{`E1130 14:06:19.548807   16884 run.go:72] "x" [::1]:38597`, "I1130 14:06:19.548807   16884 a.go:1] bye"}, `E run.go:72] "x" ADDRESS`},
		{"cause before its consequence", []string{`E1130 14:06:19.548807   16884 a.go:1] "cause"`, `I1130 14:06:19.548807   16884 a.go:1] "between"`,
			`E1130 14:06:19.548807   16884 b.go:1] "leaderelection lost/stopped"`}, `E a.go:1] "cause"`},
		{"lease lost", []string{`E1130 14:06:19.548807   16884 a.go:1] "other"`, `I1130 14:06:19.548807   16884 a.go:1] "Failed to renew lease"`,
			`E1130 14:06:19.548807   16884 b.go:1] "leaderelection lost/stopped"`}, `E b.go:1] "leaderelection lost/stopped"`},
		{"only the consequence", []string{"x", `E1130 14:06:19.548807   16884 b.go:1] "leaderelection lost/stopped"`}, `E b.go:1] "leaderelection lost/stopped"`},
		{"no error", []string{"some", "words"}, "words"},
		{"nothing", nil, ""},
	}
	for _, test := range tests {
		if got := lastError(test.lines); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}
