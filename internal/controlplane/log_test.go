package controlplane

import (
	"bytes"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLogWakesWhoWaits(t *testing.T) {
	t.Parallel()
	var file bytes.Buffer
	l := newLog(&file)
	found := make(chan string)
	go func() {
		line, err := l.wait(soon(t), regexp.MustCompile("^two$"))
		if err != nil {
			t.Error(err)
		}
		found <- line
	}()
	for _, part := range []string{"one\ntw", "o", "\nthree"} {
		if _, err := l.Write([]byte(part)); err != nil {
			t.Fatal(err)
		}
	}
	if line := <-found; line != "two" {
		t.Errorf("found %q", line)
	}
	if _, ok := l.Find(regexp.MustCompile("three")); ok {
		t.Error("found a line that is not whole yet")
	}
	l.end()
	if _, ok := l.Find(regexp.MustCompile("three")); !ok {
		t.Error("the last line is not whole after the end")
	}
	if file.String() != "one\ntwo\nthree" {
		t.Errorf("file: %q", file.String())
	}
}

func TestLogEnds(t *testing.T) {
	t.Parallel()
	l := newLog(nil)
	waited := make(chan error)
	go func() {
		_, err := l.wait(soon(t), never)
		waited <- err
	}()
	l.end()
	if err := <-waited; err != errLogEnded {
		t.Errorf("error %v, want %v", err, errLogEnded)
	}
}

func TestLast(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		n          int
		want       []string
	}{
		{"fewer", "a\n", 3, []string{"a"}},
		{"last ones", "a\nb\nc\n", 2, []string{"b", "c"}},
		{"before the dump", "a\nF b\ngoroutine 413 [running]:\nmain.main()\n", 2, []string{"a", "F b"}},
		{"a dump is better than nothing", "goroutine 1 [running]:\nmain.main()\n", 1, []string{"main.main()"}},
	}
	for _, test := range tests {
		l := newLog(nil)
		if _, err := l.Write([]byte(test.text)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, l.Last(test.n)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}
