package series

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"carry/internal/git"
)

// rounds is how many random series each property is tried on; a failing seed is in the subtest's name.
const rounds = 6

func eachSeed(t *testing.T, property func(t *testing.T, rng *rand.Rand)) {
	t.Helper()
	for seed := range uint64(rounds) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			t.Parallel()
			property(t, rand.New(rand.NewPCG(seed, 5)))
		})
	}
}

// identities are the patch-ids and messages of commits.
func identities(t *testing.T, r git.Repo) []string {
	t.Helper()
	commits, err := r.Between(t.Context(), "base", "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, c := range commits {
		data, err := Format(t.Context(), r, c.Hash)
		if err != nil {
			t.Fatal(err)
		}
		id, err := r.PatchID(t.Context(), data)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, id+" "+c.Message)
	}
	return all
}

// TestApplyUndoesRefresh: commits to files to commits is the identity on messages, patch-ids and the tree.
func TestApplyUndoesRefresh(t *testing.T) {
	eachSeed(t, func(t *testing.T, rng *rand.Rand) {
		r := randomSeries(t, rng)
		dir := filepath.Join(t.TempDir(), "s")
		_, s := refresh(t, r, dir)
		want, tree := identities(t, r), mustRun(t, r, "rev-parse", "HEAD^{tree}")
		mustRun(t, r, "reset", "--quiet", "--hard", "base")
		if err := Apply(t.Context(), r, s); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, identities(t, r)); diff != "" {
			t.Error(diff)
		}
		if got := mustRun(t, r, "rev-parse", "HEAD^{tree}"); got != tree {
			t.Errorf("tree %s, want %s", got, tree)
		}
		if plan := planned(t, r, dir); plan.Changed() {
			t.Errorf("a second refresh changes %v", states(plan))
		}
		if found, err := s.CheckRoundTrip(t.Context(), r, "base"); err != nil || len(found) != 0 {
			t.Errorf("round trip: %v, %v", found, err)
		}
	})
}

// TestDroppedEqualsNeverHad: a patch that is dropped in the tree leaves what a series without it gives.
func TestDroppedEqualsNeverHad(t *testing.T) {
	eachSeed(t, func(t *testing.T, rng *rand.Rand) {
		r := randomSeries(t, rng)
		without, tree := identities(t, r), strings.TrimSpace(mustRun(t, r, "rev-parse", "HEAD^{tree}"))
		// The one that is dropped sits before the others, in a file of its own.
		series := mustRun(t, r, "rev-parse", "HEAD")
		mustRun(t, r, "checkout", "--quiet", "-B", "carry", "base")
		commitFiles(t, r, message("area: to be dropped"), map[string]string{"apart.go": "package apart\n"})
		mustRun(t, r, "cherry-pick", "base.."+strings.TrimSpace(series))
		dir := filepath.Join(t.TempDir(), "s")
		refresh(t, r, dir)
		mustRun(t, r, "rebase", "--quiet", "--onto", "base", "HEAD^{/to be dropped}", "carry")
		plan, s := refresh(t, r, dir)
		if diff := cmp.Diff([]string{"0001-area-to-be-dropped.patch"}, plan.Vanished); diff != "" {
			t.Error(diff)
		}
		mustRun(t, r, "reset", "--quiet", "--hard", "base")
		if err := Apply(t.Context(), r, s); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(without, identities(t, r)); diff != "" {
			t.Error(diff)
		}
		if got := strings.TrimSpace(mustRun(t, r, "rev-parse", "HEAD^{tree}")); got != tree {
			t.Errorf("tree %s, want %s", got, tree)
		}
	})
}
