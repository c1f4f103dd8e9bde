package sweep

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// pretending is a sweep on control planes that are none.
func pretending(t *testing.T, run func(context.Context, Cell) (Result, error)) (*sweep, *Store, *bytes.Buffer) {
	t.Helper()
	s, out := estimating(t, 0, 2)
	s.subject, s.dir = subject, t.TempDir()
	s.planes = nil
	s.runCell = func(ctx context.Context, _ *plane, c Cell) (Result, error) { return run(ctx, c) }
	store, err := openStore(filepath.Join(s.dir, "results.jsonl"), subject)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return s, store, out
}

// TestInterrupt sends this process what Ctrl-C sends. What is finished stays,
// what is broken off and what was not begun is missing, and the same command
// goes on.
func TestInterrupt(t *testing.T) {
	ctx, stop := signal.NotifyContext(t.Context(), os.Interrupt)
	defer stop()
	var begun atomic.Int32
	s, store, out := pretending(t, func(ctx context.Context, c Cell) (Result, error) {
		if begun.Add(1) <= 2 {
			return Result{Cell: c.Name(), Outcome: survived, Starts: 1}, nil
		}
		if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
			t.Error(err)
		}
		<-ctx.Done()
		return Result{Cell: c.Name(), Outcome: broken, Detail: "broken off"}, nil
	})
	planned := s.plan.Cells(Choice{Sides: []string{patched}, Kinds: []string{"reset"}})
	err := s.crowd(ctx, []*plane{nil}, planned, store, newProgress(out, len(planned), nil))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("sweep: %v", err)
	}
	wantError(t, s.report(planned, store.all, Took{}, true),
		"interrupted: 2 of 4 cells have no result, the first is 1.37/patched/fresh/reset-12s/GET")
	all, _, err := readResults(filepath.Join(s.dir, "results.jsonl"), subject)
	if err != nil || len(all) != 2 {
		t.Errorf("kept %v, %v, want 2 results", all, err)
	}
	page, err := os.ReadFile(filepath.Join(s.dir, "sweep.html"))
	if err != nil || !strings.Contains(string(page), "Without a result") {
		t.Errorf("the page does not say what is missing: %v", err)
	}
	if diff := cmp.Diff(names(planned[2:]), names(s.todo(planned, store))); diff != "" {
		t.Errorf("the next run has to do (-want +got):\n%s", diff)
	}
}

// TestControlPlaneIsGone: what it has shown stays, and it is given no more.
func TestControlPlaneIsGone(t *testing.T) {
	t.Parallel()
	gone := errors.New("etcd exited")
	s, store, out := pretending(t, func(_ context.Context, c Cell) (Result, error) {
		return Result{Cell: c.Name(), Outcome: survived}, gone
	})
	planned := s.plan.Cells(Choice{})
	err := s.crowd(t.Context(), []*plane{nil, nil}, planned, store, newProgress(out, len(planned), nil))
	if !errors.Is(err, gone) || !strings.HasPrefix(err.Error(), "control plane: ") {
		t.Errorf("error %v", err)
	}
	if n := len(store.all); n == 0 || n > 2 {
		t.Errorf("%d results of two control planes", n)
	}
}
