package integration

import (
	"strings"
	"testing"
	"time"
)

// told are runs in which all happened as the story has it, one event a second.
func told() (*run, *run) {
	events := func(lines ...string) []event {
		var all []event
		for i, line := range lines {
			verb, rest, _ := strings.Cut(line, "|")
			args, text, _ := strings.Cut(rest, "|")
			all = append(all, event{time.Unix(int64(i), 0), verb, strings.Fields(args), text})
		}
		return all
	}
	stream := target{"kube-controller-manager", "1.37"}
	b := &run{target: stream, side: base, family: family{name: "ipv6"}, events: events(
		"start||11", "begun|outage|", "log|Unable|F1130 13:27:50.380679 11 a.go:1] Unable to", "exited|1|code 1", "until|/x {.p} Terminating|")}
	p := &run{target: stream, side: patched, family: family{name: "ipv6"}, events: events(
		"start||22", "begun|outage|", "log|holding requests|I1130 13:27:50.380679 22 a.go:3] holding requests", "running||22", "allow|outage|",
		"begun|again|", "log|/apis|E1130 13:27:50.380679 22 a.go:2] Deletion",
		"allow|again|", "until|/x gone|", "running||22")}
	return b, p
}

func TestTell(t *testing.T) {
	t.Parallel()
	lines, err := tell(told())
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(lines, "\n")
	for _, want := range []string{
		"process 11 exits with code 1, 2.0 s after the API went away", "says F a.go:1] Unable to", "still Terminating",
		"back after 3.0 s, and fails discovery 1.0 s later", "whole after 2.0 s; 1.0 s later the namespace", "says I a.go:3] holding", "still process 22",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the story lacks %q:\n%s", want, text)
		}
	}
	if len(lines) > 12 {
		t.Errorf("%d lines are no short story", len(lines))
	}
}

func TestTellWantsTheTruth(t *testing.T) {
	t.Parallel()
	b, p := told()
	b.events = b.events[:3] // has not exited
	_, err := tell(b, p)
	wantError(t, err, "never happened: base: exited")

	b, p = told()
	p.events[len(p.events)-1].text = "23"
	_, err = tell(b, p)
	wantError(t, err, "a patched process that keeps its id")
}
