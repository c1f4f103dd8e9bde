package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"carry/internal/component"
	"carry/internal/series"
)

func newUpdate() *cobra.Command {
	return &cobra.Command{
		Use:   "update",
		Short: "Write what is generated: ledger and track record in patches/README.md",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			changed, err := updateLedger(true)
			if err != nil {
				return err
			}
			if changed == "" {
				fmt.Fprintln(cmd.OutOrStdout(), "up to date: patches/README.md")
				return nil
			}
			fmt.Fprintln(cmd.OutOrStdout(), "written: "+changed)
			return nil
		},
	}
}

// updateLedger writes the ledger, or only looks; it gives the path of a file that changed or would.
func updateLedger(write bool) (string, error) {
	root, err := projectRoot()
	if err != nil {
		return "", err
	}
	streams, err := component.Select(root, "", "")
	if err != nil {
		return "", err
	}
	var entries []series.Entry
	for _, s := range streams {
		sr, err := series.Load(s.Patches())
		if err != nil {
			return "", err
		}
		entries = append(entries, series.Entry{Component: s.Component.Name, Stream: s.Name, Series: sr})
	}
	kept := filepath.Join(root, "tests", "integration", "results")
	results, err := series.ReadResults(kept)
	if err != nil {
		return "", err
	}
	sweeps, err := series.ReadSweeps(filepath.Join(kept, "sweep"))
	if err != nil {
		return "", err
	}
	path := filepath.Join(root, "patches", "README.md")
	changed, err := series.UpdateReadme(path, series.Ledger(entries, results, sweeps), write)
	if err != nil || !changed {
		return "", err
	}
	return path, nil
}
