package check

import (
	"encoding/xml"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestJUnit(t *testing.T) {
	t.Parallel()
	r := fromFolder(t, readData(t, "r2-start-missing.txtar")).Judge("x")
	r.Findings[0].Verdict = MetNotOurs
	data, err := r.JUnit()
	if err != nil {
		t.Fatal(err)
	}
	var got junitSuite
	if err := xml.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if got.Tests != 3 || got.Failures != 1 || got.Errors != 1 || got.Cases[0].Failure == nil || got.Cases[1].Error == nil || got.Cases[2].Failure != nil || got.Cases[2].Error != nil {
		t.Errorf("%s", data)
	}
}

// TestText tells people each line of evidence with its place, and the same every time.
func TestText(t *testing.T) {
	t.Parallel()
	source := readData(t, "r1-must-gather.txtar")
	got := fromFolder(t, source).Judge("must-gather").Text()
	for _, want := range []string{
		"must-gather: must-gather; 3 logs, ",
		"R1 kube-controller-manager ends when the API refuses its start: MET\n",
		"/logs/previous.log:4: F0505 20:36:47.526298",
		"1/2 containers ready; kube-controller-manager, ready: false, restarts: 1, last end: Error, exit code 255",
		"not ours: kubelet: ",
		"controllermanager.go:200] Version: v1.23.5\n",
		"next: carry build kube-controller-manager",
		"fact: ",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if diff := cmp.Diff(got, fromFolder(t, source).Judge("must-gather").Text()); diff != "" {
		t.Error(diff)
	}
}

func TestVerdict(t *testing.T) {
	t.Parallel()
	for want, verdicts := range map[Verdict][]Verdict{
		NotMet:     {NotMet, NotMet},
		CannotTell: {NotMet, CannotTell},
		MetNotOurs: {CannotTell, MetNotOurs, CannotTell},
		Met:        {Met, MetNotOurs, CannotTell},
	} {
		var r Report
		for _, v := range verdicts {
			r.Findings = append(r.Findings, Finding{Verdict: v})
		}
		if got := r.Verdict(); got != want {
			t.Errorf("%v: %s, want %s", verdicts, got, want)
		}
	}
}

func TestClock(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		created, line string
		want          bool
	}{
		{"2022-02-04T10:05:23Z", "0204 10:10:40.126809", false},
		{"2022-02-04T10:45:23Z", "0204 10:10:40.126809", true},
		{"2022-01-01T00:05:00Z", "1231 23:59:00.000000", true},
		{"2021-12-31T23:55:00Z", "0101 00:05:00.000000", false},
		{"", "0204 10:10:40.126809", false},
		{"2022-02-04T10:45:23Z", "9999 99:99:99", false},
		{"2022-02-04T10:45:23Z", " ", false},
	} {
		if got := after(tt.created, tt.line); got != tt.want {
			t.Errorf("after(%q, %q) = %v", tt.created, tt.line, got)
		}
	}
}
