package series

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLedgerShowsSweeps: the figures of each stream's own sweep, and whether they are of this series.
func TestLedgerShowsSweeps(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const record = `{"component": "kube-controller-manager", "stream": "1.37", "series": "other", "planned": 221, "missing": 1,
		"totals": [{"side": "patched", "start": "fresh", "kind": "refused-12s", "cells": 220, "survived": 219}]}`
	if err := os.WriteFile(filepath.Join(dir, "1.37.json"), []byte(record), 0o644); err != nil {
		t.Fatal(err)
	}
	sweeps, err := ReadSweeps(dir)
	if err != nil {
		t.Fatal(err)
	}
	entries := []Entry{
		{Component: "kube-controller-manager", Stream: "1.23", Series: &Series{}},
		{Component: "kube-controller-manager", Stream: "1.37", Series: &Series{}},
	}
	_, got, _ := strings.Cut(Ledger(entries, nil, sweeps), "\n## Sweep of ")
	const want = `kube-controller-manager 1.37

| side | start | what the API does | start-up windows | survived |
|---|---|---|---|---|
| patched | fresh | refused-12s | 220 | 219 |

1 of 221 cells have not been run yet.

The patched side ran with another revision of the series (other).
`
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
