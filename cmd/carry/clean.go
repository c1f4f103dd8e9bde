package main

import (
	"github.com/spf13/cobra"

	"carry/internal/component"
	"carry/internal/series"
)

func newClean() *cobra.Command {
	var force bool
	cmd := verb("clean", "Remove what was made under out/, but for changes that no patch file has",
		func(cmd *cobra.Command, s *component.Stream) error {
			sr, err := series.Load(s.Patches())
			if err != nil {
				sr = &series.Series{Dir: s.Patches()} // a broken patch file must not keep anybody from cleaning
			}
			return s.Clean(cmd.Context(), s.Tree(sr), force)
		},
		func(*cobra.Command) error { return nil })
	cmd.Flags().BoolVar(&force, "force", false, "remove trees with such changes, too")
	return cmd
}
