package sweep

import (
	"path/filepath"
	"testing"
)

// TestTook: the parts of a sweep that went on, and of its shards, add up.
func TestTook(t *testing.T) {
	t.Parallel()
	paths := []string{filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")}
	for i, path := range append(paths, paths[0]) { // the first goes on
		s, err := openStore(path, subject)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.AddTook(Took{Cells: 10, Seconds: 60, CPU: 35, Cores: 4 - i}); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	took, err := merge(map[string]Result{}, subject, paths)
	if err != nil {
		t.Fatal(err)
	}
	if want := (Took{Cells: 30, Seconds: 180, CPU: 105, Cores: 2}); took != want {
		t.Errorf("%+v, want %+v", took, want)
	}
	if got := took.String(); got != "30 cells took 3m0s on 2 cores, 3.5 s of CPU each" {
		t.Error(got)
	}
}
