package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"carry/internal/component"
	"carry/internal/series"
)

// refreshed is what refresh reports of one patch file.
type refreshed struct {
	Component string `json:"component"`
	Stream    string `json:"stream"`
	File      string `json:"file"`
	State     string `json:"state"` // kept, renamed, changed, new or removed
	Was       string `json:"was,omitempty"`
}

func newRefresh() *cobra.Command {
	report := []refreshed{}
	return verb("refresh", "Write the commits of the tree as patch files",
		func(cmd *cobra.Command, s *component.Stream) error {
			t, err := load(s)
			if err != nil {
				return err
			}
			defer step("refresh " + s.String())()
			r, err := t.Refresh(cmd.Context())
			if err != nil {
				return err
			}
			report = append(report, refreshReport(s, r)...)
			return nil
		},
		func(cmd *cobra.Command) error { return printRefreshed(cmd, report) })
}

func refreshReport(s *component.Stream, r *series.Refresh) []refreshed {
	var report []refreshed
	for _, f := range r.Files {
		report = append(report, refreshed{s.Component.Name, s.Name, f.Name, f.State, f.Was})
	}
	for _, name := range r.Vanished {
		report = append(report, refreshed{s.Component.Name, s.Name, name, "removed", ""})
	}
	return report
}

// printRefreshed lists what changed; what was kept is only counted.
func printRefreshed(cmd *cobra.Command, report []refreshed) error {
	if wantsJSON(cmd) {
		return printJSON(cmd, report)
	}
	kept := 0
	for _, r := range report {
		if r.State == "kept" {
			kept++
			continue
		}
		was := ""
		if r.Was != "" && r.Was != r.File {
			was = " (was " + r.Was + ")"
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%s: patches/%s/%s/%s%s\n", r.State, r.Component, r.Stream, r.File, was)
	}
	fmt.Fprintf(cmd.OutOrStdout(), "refreshed: %d patches, %d of them unchanged\n", countFiles(report), kept)
	return nil
}

func countFiles(report []refreshed) int {
	n := 0
	for _, r := range report {
		if r.State != "removed" {
			n++
		}
	}
	return n
}
