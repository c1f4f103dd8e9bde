package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"carry/internal/component"
)

func newReproduce() *cobra.Command {
	report := []*component.Reproduction{}
	return verb("reproduce", "Build patched binaries twice more, in other folders with empty build caches, and compare the bytes",
		func(cmd *cobra.Command, s *component.Stream) error {
			t, err := load(s)
			if err != nil {
				return err
			}
			p := newProgress("reproduce " + s.String())
			defer p.end()
			r, err := s.Reproduce(cmd.Context(), t.Series, p.tick)
			if err == nil {
				report = append(report, r)
			}
			return err
		},
		func(cmd *cobra.Command) error {
			if wantsJSON(cmd) {
				return printJSON(cmd, report)
			}
			for _, r := range report {
				how := "proven before"
				if r.Fresh {
					how = "twice more"
				}
				fmt.Fprintf(cmd.OutOrStdout(), "reproduced, %s: %s %s %s\n", how, r.Component, r.Stream, r.SHA256)
			}
			return nil
		})
}
