package main

import (
	"github.com/spf13/cobra"

	"carry/internal/component"
)

func newApply() *cobra.Command {
	return treeVerb("apply", "Fetch, then put the series on the tree, one commit per patch", apply)
}

func apply(cmd *cobra.Command, s *component.Stream, t *component.Tree) (bool, error) {
	fetched, err := fetch(cmd, s, t)
	if err != nil {
		return false, err
	}
	defer step("apply " + s.String())()
	applied, err := t.Apply(cmd.Context())
	return fetched || applied, err
}
