package bench

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"carry/internal/faults"
)

// exampleOperatorReport is of a whole run in which all claims hold.
func exampleOperatorReport() *OperatorReport {
	r := &OperatorReport{Component: operator, Stream: "4.11", Series: "abc"}
	var pairs []Pair
	for i := range leastPairs {
		pairs = append(pairs, Pair{Base: 2, Patched: 2 + float64(i%3)/20, First: sides[i%2]})
	}
	r.Startup = newStartup(pairs, compareRequests([][]string{{"GET /api"}}, [][]string{{"GET /api"}}), 1)
	for _, s := range operatorStrains {
		for _, side := range sides {
			l := Load{Side: side, Phase: s.phase, Fault: s.fault, After: 60, Peak: 20, Seconds: 2, RSSFunctional: 60}
			if s.fault != "" {
				l.Wait, l.Requests = 15, 1
			}
			r.Load = append(r.Load, l)
		}
	}
	for _, outage := range operatorAbsences {
		for _, side := range sides {
			for run := range operatorRuns {
				x := GatedRecovery{Side: side, Outage: outage.Seconds(), Run: run + 1, Seconds: 0.4, Lines: 2, Dials: 5, Burst: 1}
				if side == base {
					x.Seconds, x.Restarts, x.Lines = 150, 1, 0
				}
				r.Recovery = append(r.Recovery, x)
			}
		}
	}
	for run := range handovers {
		m := meetings[run%len(meetings)]
		r.Handover = append(r.Handover, Handover{Side: patched, Run: run + 1, Meets: m.name, InFlight: run%2 == 0, Exit: 0.5, Free: true, Seconds: 2})
	}
	for run := range baseHandovers {
		r.Handover = append(r.Handover, Handover{Side: base, Run: run + 1, Meets: meetings[run].name, InFlight: true, Seconds: 150})
	}
	return r
}

func TestOperatorClaims(t *testing.T) {
	t.Parallel()
	slowest := func(r *OperatorReport) *GatedRecovery { return &r.runs(60, patched)[3] }
	change := func(r *OperatorReport, with func(*GatedRecovery)) {
		x := *slowest(r)
		with(&x)
		for i, y := range r.Recovery {
			if y.Side == x.Side && y.Run == x.Run && y.Outage == x.Outage {
				r.Recovery[i] = x
			}
		}
	}
	tests := []struct {
		name  string
		spoil func(*OperatorReport)
		want  string // results in order: holds, fails, unknown
	}{
		{"all", func(*OperatorReport) {}, "hhhhhhhhh"},
		{"asks more", func(r *OperatorReport) { loadOf(r.Load, strain{running, "unavailable"}, patched).Requests = 2 }, "hhfhhhhhh"},
		{"burst", func(r *OperatorReport) { loadOf(r.Load, strain{atStart, "unavailable"}, patched).After = 73 }, "hhhfhhhhh"},
		{"slow", func(r *OperatorReport) { r.Startup.High = 1.2 }, "fhhhhhhhh"},
		{"late", func(r *OperatorReport) { change(r, func(x *GatedRecovery) { x.Seconds = 2.01 }) }, "hhhhfhhhh"},
		{"restarted", func(r *OperatorReport) { change(r, func(x *GatedRecovery) { x.Restarts = 1 }) }, "hhhhfhhhh"},
		{"talks", func(r *OperatorReport) { change(r, func(x *GatedRecovery) { x.Lines = 5 }) }, "hhhhhfhhh"},
		{"silent", func(r *OperatorReport) { change(r, func(x *GatedRecovery) { x.Lines = 1 }) }, "hhhhhfhhh"},
		{"dials", func(r *OperatorReport) { change(r, func(x *GatedRecovery) { x.Burst = 2 }) }, "hhhhhhfhh"},
		{"dials not counted", func(r *OperatorReport) { change(r, func(x *GatedRecovery) { x.Dials, x.Burst = 0, 0 }) }, "hhhhhhuhh"},
		{"lock kept", func(r *OperatorReport) { r.Handover[4].Free = false }, "hhhhhhhfh"},
		{"no recovery", func(r *OperatorReport) { r.Recovery = nil }, "hhhhuuuhh"},
		{"handover late", func(r *OperatorReport) { r.Handover[4].Seconds = 5.1 }, "hhhhhhhfh"},
		{"handover failed", func(r *OperatorReport) { r.Handover[4].Code = 2 }, "hhhhhhhfh"},
		{"handovers missing", func(r *OperatorReport) { r.Handover = r.Handover[1:] }, "hhhhhhhuu"},
		{"no renewal met", func(r *OperatorReport) { r.Handover[0].InFlight = false }, "hhhhhhhhf"},
	}
	for _, test := range tests {
		r := exampleOperatorReport()
		test.spoil(r)
		r.finish(nil, nil)
		got := ""
		for _, c := range r.Claims {
			got += map[string]string{holds: "h", fails: "f", unknown: "u"}[c.Result]
		}
		if got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

func TestOperatorReportThroughJSON(t *testing.T) {
	t.Parallel()
	r := exampleOperatorReport()
	r.finish([]string{"a", "b"}, map[string]bool{"a": true})
	dir := t.TempDir()
	if err := record(r, dir, "x"); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "bench-x.json"))
	if err != nil {
		t.Fatal(err)
	}
	var again OperatorReport
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&again); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r, &again); diff != "" {
		t.Errorf("the report has changed on its way through JSON:\n%s", diff)
	}
	for _, want := range []string{"60 s    base     10", "150.00 (150.00 to 150.00)", "Missing\n  b\n", meetings[1].name} {
		if !strings.Contains(r.table(), want) {
			t.Errorf("the table has no %q:\n%s", want, r.table())
		}
	}
}

func TestRenewed(t *testing.T) {
	t.Parallel()
	whole := []faults.Request{
		{Method: "GET", Path: lockMap, Code: 200}, {Method: "GET", Path: lockLease, Code: 200},
		{Method: "PUT", Path: lockMap, Code: 200}, {Method: "PUT", Path: lockLease, Code: 200},
	}
	for n := range whole {
		if renewed(whole[:n]) {
			t.Errorf("after %d requests", n)
		}
	}
	if !renewed(whole) {
		t.Error("not after all")
	}
	whole[3].Code = 0
	if renewed(whole) {
		t.Error("before the last answer")
	}
}

func TestWaitingLine(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"I1130 1 gates.go:180] API server [::1]:6443 cannot be reached, holding requests: dial tcp":          true,
		"I1130 1 gates.go:183] API server [::1]:6443 still cannot be reached after 30s, holding requests: x": true,
		"I1130 1 gates.go:191] API server [::1]:6443 can be reached again after 1m0.5s":                      true,
		"I1130 1 retry.go:110] API server gives no lasting answer for featuregate, waiting (0s so far): x":   true,
		"I1130 1 retry.go:118] API server answers again after 1s, for featuregate":                           true,
		`I1130 1 hold.go:113] "API server cannot be reached, holding requests" address="[::1]:6443" err="x"`: true,
		`I1130 1 hold.go:117] "API server still cannot be reached, holding requests" address="[::1]:6443"`:   true,
		`I1130 1 hold.go:125] "API server can be reached again" address="[::1]:6443" elapsed="1s"`:           true,
		`I1130 1 retry.go:88] "API server gives no lasting answer, waiting" for="client" elapsed="0s"`:       true,
		`I1130 1 retry.go:70] "API server answers again" for="client" elapsed="3s"`:                          true,
		"E1130 1 reflector.go:127] failed to list *v1.FeatureGate: connection refused":                       false,
	} {
		if got := waitingLine.MatchString(line); got != want {
			t.Errorf("%t: %s", got, line)
		}
	}
}

func TestBurstOf(t *testing.T) {
	t.Parallel()
	at := func(seconds ...float64) (times []time.Time) {
		for _, s := range seconds {
			times = append(times, time.Unix(0, int64(s*1e9)))
		}
		return times
	}
	for _, tt := range []struct {
		times []time.Time
		want  int
	}{{nil, 0}, {at(1), 1}, {at(1, 1.9, 2.8), 1}, {at(1, 2.5, 3.3, 4.5), 2}, {at(1, 1, 1.5, 3), 3}} {
		if got := burstOf(tt.times); got != tt.want {
			t.Errorf("%v: %d, want %d", tt.times, got, tt.want)
		}
	}
}
