package sweep

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var subject = Subject{Stream: "1.37", Series: "abc"}

// storeOf writes results into a new file.
func storeOf(t *testing.T, results ...Result) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "results.jsonl")
	s, err := openStore(path, subject)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		if err := s.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestStoreGoesOn(t *testing.T) {
	t.Parallel()
	path := storeOf(t, Result{Cell: "a", Outcome: survived}, Result{Cell: "b", Outcome: notReached}, Result{Cell: "c", Outcome: exited})
	broken, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := broken.WriteString(`{"cell":"d","outc`); err != nil { // killed here
		t.Fatal(err)
	}
	if err := broken.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := openStore(path, subject)
	if err != nil {
		t.Fatal(err)
	}
	for cell, want := range map[string]bool{"a": true, "b": false, "c": true, "d": false} {
		if s.Known(cell) != want {
			t.Errorf("%s is known: %t", cell, !want)
		}
	}
	if err := s.Add(Result{Cell: "e", Outcome: survived}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	all, _, err := readResults(path, subject)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 4 || all["e"].Outcome != survived {
		t.Errorf("read %v", all)
	}
}

func TestStoreOfAnotherSeries(t *testing.T) {
	t.Parallel()
	path := storeOf(t)
	_, err := openStore(path, Subject{Stream: "1.37", Series: "new"})
	wantError(t, err, "is of stream 1.37, series abc; wanted stream 1.37, series new")
	if err := os.WriteFile(path, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = openStore(path, subject)
	wantError(t, err, "is no results file of a sweep")
}

func TestMerge(t *testing.T) {
	t.Parallel()
	r := func(cell, outcome string) Result { return Result{Cell: cell, Outcome: outcome} }
	one := storeOf(t, r("a", survived), r("b", survived), r("c", exited), r("d", notReached), r("e", survived))
	two := storeOf(t, r("b", exited), r("c", survived), r("d", survived), r("e", notReached), r("f", survived))
	got := map[string]Result{}
	if _, err := merge(got, subject, []string{one, two}); err != nil {
		t.Fatal(err)
	}
	want := map[string]Result{
		"a": r("a", survived), "b": r("b", exited), "c": r("c", exited), "d": r("d", survived), "e": r("e", survived), "f": r("f", survived),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("merged (-want +got):\n%s", diff)
	}
}
