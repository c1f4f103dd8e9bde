package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"carry/internal/component"
)

// made is what fetch and apply report of one stream.
type made struct {
	Component string `json:"component"`
	Stream    string `json:"stream"`
	Tree      string `json:"tree"`
	Patches   int    `json:"patches"`
	Changed   bool   `json:"changed"`
}

func newFetch() *cobra.Command {
	return treeVerb("fetch", "Make the pristine tree of the pin under out/<component>/<stream>/src", fetch)
}

// treeVerb makes a verb that changes trees and reports each.
func treeVerb(name, short string, change func(cmd *cobra.Command, s *component.Stream, t *component.Tree) (bool, error)) *cobra.Command {
	report := []made{}
	return verb(name, short,
		func(cmd *cobra.Command, s *component.Stream) error {
			t, err := load(s)
			if err != nil {
				return err
			}
			changed, err := change(cmd, s, t)
			if err != nil {
				return err
			}
			report = append(report, made{s.Component.Name, s.Name, t.Dir, len(t.Series.Patches), changed})
			return nil
		},
		func(cmd *cobra.Command) error {
			if wantsJSON(cmd) {
				return printJSON(cmd, report)
			}
			for _, m := range report {
				state := "up to date"
				if m.Changed {
					state = "done"
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%s %s %s: %s, %d patches in the series: %s\n", name, m.Component, m.Stream, state, m.Patches, m.Tree)
			}
			return nil
		})
}

func fetch(cmd *cobra.Command, s *component.Stream, t *component.Tree) (bool, error) {
	defer step("fetch " + s.String())()
	return t.Fetch(cmd.Context())
}
