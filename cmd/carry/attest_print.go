package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"carry/internal/attest"
)

// told is how many differences of one binary are printed; -o json has all of them.
const told = 20

// print gives what was written, or every verdict; a verdict that is false is an error.
func (f *attestFlags) print(cmd *cobra.Command) error {
	if f.verify {
		return f.printVerdicts(cmd)
	}
	written := []string{}
	for _, path := range f.written {
		written = append(written, fromRoot(path))
	}
	if wantsJSON(cmd) {
		return printJSON(cmd, written)
	}
	sayWritten(cmd, written)
	if len(written) == 0 && !f.failed {
		fmt.Fprintln(cmd.OutOrStdout(), "up to date: SBOM and provenance")
	}
	return nil
}

func sayWritten(cmd *cobra.Command, paths []string) {
	for _, path := range paths {
		fmt.Fprintln(cmd.OutOrStdout(), "written: "+fromRoot(path))
	}
}

// fromRoot is a path as a person opens it from the project's folder.
func fromRoot(path string) string {
	root, err := projectRoot()
	if err != nil {
		return path
	}
	if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

func (f *attestFlags) printVerdicts(cmd *cobra.Command) error {
	wrong := []*attest.Verdict{}
	all := []*attest.Verdict{}
	for _, v := range f.verdicts {
		v.Binary, v.SBOM, v.Provenance = fromRoot(v.Binary), fromRoot(v.SBOM), fromRoot(v.Provenance)
		all = append(all, v)
		if !v.OK {
			wrong = append(wrong, v)
		}
	}
	if wantsJSON(cmd) {
		if err := printJSON(cmd, all); err != nil {
			return err
		}
	} else {
		for _, v := range all {
			say(cmd, v)
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	next := fmt.Sprintf("carry build %s %s, with the same flags, builds it from pin and patches as they are and writes both documents", wrong[0].Component, wrong[0].Stream)
	if f.given.Binary != "" {
		next = "do not use the binary, or verify it in the checkout that it was built from"
	}
	return fmt.Errorf("attest: false for %d of %d binaries\nnext: %s", len(wrong), len(all), next)
}

func say(cmd *cobra.Command, v *attest.Verdict) {
	if v.OK {
		claimed := ""
		if len(v.Claimed) > 0 {
			claimed = "; not checked here, as the provenance says: " + strings.Join(v.Claimed, ", ")
		}
		fmt.Fprintf(cmd.OutOrStdout(), "verified: %s %s %s%s\n", v.Component, v.Stream, v.Binary, claimed)
		return
	}
	for i, d := range v.Differences {
		if i == told {
			fmt.Fprintf(cmd.ErrOrStderr(), "%s: and %d more (-o json)\n", v.Binary, len(v.Differences)-told)
			break
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s\n", v.Binary, d)
	}
}
