package integration

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"carry/internal/controlplane"
)

func TestWithoutChance(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want string }{
		{"klog, IPv6", `F0505 20:36:47.526298       1 deleter.go:164] Unable: Get "https://[fc00:1001::8de]:6443/api": dial tcp [fc00:1001::8de]:6443: connect: connection refused`,
			`F deleter.go:164] Unable: Get "https://ADDRESS/api": dial tcp ADDRESS: connect: connection refused`},
		{"IPv4", `E1130 13:27:50.380679 1234567 a.go:1] "x" err="read tcp 127.0.0.1:4444->127.0.0.1:6443: reset"`,
			`E a.go:1] "x" err="read tcp ADDRESS->ADDRESS: reset"`},
		{"localhost", `I1130 13:27:50.380679 1 a.go:1] "x" address="localhost:41234" err="dial tcp [::1]:41234: refused"`,
			`I a.go:1] "x" address="ADDRESS" err="dial tcp ADDRESS: refused"`},
		{"earlier attempt", `E1130 13:27:50.380679 1 a.go:1] "x" err="dial tcp [::1]:1: refused - error from a previous attempt: read tcp [::1]:2->[::1]:1: reset" n="m"`,
			`E a.go:1] "x" err="dial tcp ADDRESS: refused" n="m"`},
		{"reset", `F1130 13:27:50.380679 1 a.go:1] Get "https://[::1]:1/x": write tcp [::1]:2->[::1]:1: write: connection reset by peer`,
			`F a.go:1] Get "https://ADDRESS/x": connection reset`},
		{"nothing to take out", "left in etcd: /registry/configmaps/doomed/content", "left in etcd: /registry/configmaps/doomed/content"},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, withoutChance(test.in)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestResultsWrite(t *testing.T) {
	t.Parallel()
	one := result{Component: "c", Stream: "1.2", Scenario: "s", Side: "patched", Family: "ipv6", Outcome: passed, Detail: `a->b "c"`}
	other, bad := one, one
	other.Side, bad.Outcome = "base", "exited"
	write := func(name string, all ...result) string {
		var rs results
		for _, r := range all {
			rs.add(r)
		}
		if err := rs.write(name, "ipv6", map[string]bool{other.key(): true}); err != nil {
			t.Fatal(err)
		}
		if filepath.Ext(name) != ".json" {
			name = filepath.Join(name, "scenarios-ipv6.json")
		}
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	dir := filepath.Join(t.TempDir(), "made")
	first := write(dir, one, other)
	if diff := cmp.Diff(first, write(filepath.Join(dir, "file.json"), other, one)); diff != "" {
		t.Errorf("the order of the runs shows (-one +other):\n%s", diff)
	}
	if !strings.Contains(first, `a->b`) || strings.Index(first, "base") > strings.Index(first, "patched") {
		t.Errorf("want the base first and the detail as it is:\n%s", first)
	}
	for _, order := range [][]result{{one, bad, one}, {bad, one}} {
		if got := write(dir, order...); !strings.Contains(got, "exited") {
			t.Errorf("a run that failed is forgotten:\n%s", got)
		}
	}
	// What was not run now stays, if it still is a run.
	if got := write(dir, one, other); got != first {
		t.Errorf("got %s\nwant %s", got, first)
	}
	if got := write(dir, bad); !strings.Contains(got, `"base"`) || strings.Count(got, `"scenario"`) != 2 {
		t.Errorf("the other side is forgotten:\n%s", got)
	}
	if got := write(dir); strings.Contains(got, `"patched"`) || !strings.Contains(got, `"base"`) {
		t.Errorf("want the side that still is a run, and no other:\n%s", got)
	}
	if got := write(filepath.Join(t.TempDir(), "new")); got != "[]\n" {
		t.Errorf("no results: %q", got)
	}
}

func TestOutcome(t *testing.T) {
	t.Parallel()
	exited := &controlplane.ExitedError{Name: "c"}
	late := &controlplane.TimeoutError{Waiting: "x", After: time.Second}
	tests := []struct {
		name   string
		err    error
		failed bool
		want   string
	}{
		{"passed", nil, false, "passed"},
		{"comparison of testscript's", nil, true, "failed"},
		{"wrong answer", fmt.Errorf("api: %w", wrongf("status 404")), true, "failed"},
		{"exited", fmt.Errorf("log: %w", exited), true, "exited"},
		{"timed out", fmt.Errorf("log: %w", late), true, "timed out"},
		{"anything else", errors.New("no such file"), true, "unknown"},
	}
	for _, test := range tests {
		if got := (&run{err: test.err}).outcome(test.failed); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

func TestSeriesHash(t *testing.T) {
	t.Parallel()
	hash := func(files map[string]string) string {
		dir := t.TempDir()
		for name, text := range files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		sum, err := seriesHash(dir)
		if err != nil {
			t.Fatal(err)
		}
		return sum
	}
	// printf '0001-a.patch\0one0002-b.patch\0two' | sha256sum
	if got, want := hash(map[string]string{"0002-b.patch": "two", "0001-a.patch": "one", "README": "x"}), "5f6c94ff77ca"; got != want {
		t.Errorf("hash %s, want %s", got, want)
	}
	if hash(map[string]string{"0001-a.patch": "one"}) == hash(map[string]string{"0001-b.patch": "one"}) {
		t.Error("the name does not count")
	}
}

func TestCheckBuilt(t *testing.T) {
	t.Parallel()
	const patch, note = "patches/a/1.2/0001-x.patch", "out/a/1.2/bin/a.json"
	sum := sha256.Sum256([]byte("0001-x.patch\x00"))
	series := hex.EncodeToString(sum[:])[:12]
	tests := []struct{ name, note, wantErr string }{
		{"as it should be", `{"series": "` + series + `"}`, ""},
		{"dirty", `{"series": "` + series + `", "dirty": true}`, "is not built from the patch files"},
		{"another series", `{"series": "0123456789ab"}`, "is not built from the patch files"},
		{"no note", "", "next: make"},
		{"no JSON", "x", "decode out/a/1.2/bin/a.json"},
	}
	for _, test := range tests {
		l := treeOf(t, patch, "out/a/1.2/bin/a")
		if test.note != "" {
			if err := os.WriteFile(filepath.Join(l.root, note), []byte(test.note), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		t.Log(test.name)
		wantError(t, l.checkBuilt(target{"a", "1.2"}), test.wantErr)
	}
}
