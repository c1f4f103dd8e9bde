package sweep

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOptions(t *testing.T) {
	t.Parallel()
	good := Options{Seed: "7", Workers: 2, Shard: "2/3", Side: base, Kind: "reset"}
	got, err := good.choice()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Choice{Seed: 7, Shard: 1, Shards: 3, Sides: []string{base}, Kinds: []string{"reset"}}, got); diff != "" {
		t.Errorf("choice (-want +got):\n%s", diff)
	}
	tests := []struct {
		options Options
		wantErr string
	}{
		{Options{Seed: "x", Workers: 1}, `seed "x" is no number`},
		{Options{Seed: "1", Workers: 0}, "0 workers"},
		{Options{Seed: "1", Workers: 1, Record: "x", Kind: "reset"}, "a part of the plan is not recorded"},
		{Options{Seed: "1", Workers: 1, Shard: "3/2"}, `shard "3/2"`},
		{Options{Seed: "1", Workers: 1, Shard: "1"}, `shard "1"`},
		{Options{Seed: "1", Workers: 1, Side: "left"}, `no side "left"`},
		{Options{Seed: "1", Workers: 1, Kind: "odd"}, `no kind "odd"`},
		{Options{Seed: "1", Workers: 1, Subset: "long"}, `no subset "long"`},
	}
	for _, test := range tests {
		_, err := test.options.choice()
		wantError(t, err, test.wantErr)
	}
}

// rootOf is a repository with one stream and no binaries.
func rootOf(t *testing.T, stream string) string {
	t.Helper()
	root := t.TempDir()
	pin := filepath.Join(root, "components", kcmName, stream)
	if err := os.MkdirAll(pin, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(pin, "go.mod"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return root
}

func TestMissingBinary(t *testing.T) {
	t.Parallel()
	o := Options{Root: rootOf(t, "1.37"), Stream: "1.37", Seed: "1", Workers: 1}
	wantError(t, Run(t.Context(), o, os.Stderr), "out/rig/etcd is not there\nnext: make base")
}

func TestPortInUse(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp6", "[::1]:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	port := taken.Addr().(*net.TCPAddr).Port
	o := Options{Root: rootOf(t, "1.37"), Stream: "1.37", Seed: "1", Workers: 2, Port: port - 1}
	wantError(t, Run(t.Context(), o, os.Stderr), fmt.Sprintf("proxies want ports %d to %d: listen tcp6 [::1]:%d: bind: address already in use", port-1, port, port))
}

func TestNoStream(t *testing.T) {
	t.Parallel()
	o := Options{Root: rootOf(t, "1.37"), Stream: "1.99", Seed: "1", Workers: 1}
	wantError(t, Run(t.Context(), o, os.Stderr), `no stream "1.99": want one of 1.37`)
}

func TestCellOfAnotherStream(t *testing.T) {
	t.Parallel()
	o := Options{Root: rootOf(t, "1.37"), Stream: "1.37", Seed: "1", Workers: 1, Cell: "1.23/base/restart/refused-12s/GET /api #1"}
	wantError(t, Run(t.Context(), o, os.Stderr), "is of another stream than 1.37")
}
