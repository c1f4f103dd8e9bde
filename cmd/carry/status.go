package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"carry/internal/component"
)

func newStatus() *cobra.Command {
	report := []component.Status{}
	return verb("status", "Show pins, series, trees and binaries without changing them",
		func(cmd *cobra.Command, s *component.Stream) error {
			t, err := load(s)
			if err != nil {
				return err
			}
			st, err := s.Status(cmd.Context(), t)
			if err != nil {
				return err
			}
			report = append(report, st)
			return nil
		},
		func(cmd *cobra.Command) error {
			if wantsJSON(cmd) {
				return printJSON(cmd, report)
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "COMPONENT\tSTREAM\tBASE\tPATCHES\tSERIES\tTREE\tBINARY")
			for _, s := range report {
				fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%s\t%s\t%s\n", s.Component, s.Stream, s.Base, s.Patches, s.Series, s.Tree, s.Binary)
			}
			return w.Flush()
		})
}
