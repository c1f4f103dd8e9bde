package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"carry/internal/component"
	"carry/internal/series"
)

func newVerify() *cobra.Command {
	findings := []series.Finding{}
	patches := 0
	var tests bool
	cmd := verb("verify", "Check what is checked in: patch files (P1 to P5) and the ledger",
		func(cmd *cobra.Command, s *component.Stream) error {
			t, err := load(s)
			if err != nil {
				return err
			}
			patches += len(t.Series.Patches)
			scenarios, err := scenarioNames(s)
			if err != nil {
				return err
			}
			findings = append(findings, t.Series.Check(scenarios)...)
			if _, err := apply(cmd, s, t); err != nil {
				return err
			}
			some, err := t.CheckRoundTrip(cmd.Context())
			findings = append(findings, some...)
			if err != nil || !tests {
				return err
			}
			some, err = compareTests(cmd, s, t)
			findings = append(findings, some...)
			return err
		},
		func(cmd *cobra.Command) error {
			stale, err := updateLedger(false)
			if err != nil {
				return err
			}
			if stale != "" {
				findings = append(findings, series.Finding{Path: stale, Line: 1, Rule: "ledger", Message: "stale", Next: "carry update"})
			}
			return printFindings(cmd, findings, patches)
		})
	cmd.Flags().BoolVar(&tests, "tests", false, "compare upstream's own tests of the touched packages on base and patched, too (P7)")
	return cmd
}

// compareTests turns every test that got worse into a finding, and says what was compared.
func compareTests(cmd *cobra.Command, s *component.Stream, t *component.Tree) ([]series.Finding, error) {
	p := newProgress("upstream's tests of " + s.String())
	c, err := s.CompareTests(cmd.Context(), t, p.tick)
	p.end()
	if err != nil {
		return nil, err
	}
	if !wantsJSON(cmd) && len(c.Packages) > 0 {
		fmt.Fprintf(cmd.OutOrStdout(), "upstream's tests of %s, %d packages: base %d passed, failed %v; patched %d passed, failed %v\n",
			s, len(c.Packages), c.Base.Passed, c.Base.Failed, c.Patched.Passed, c.Patched.Failed)
	}
	var findings []series.Finding
	for _, name := range c.Worse {
		findings = append(findings, series.Finding{Path: s.Patches(), Line: 1, Rule: "P7", Message: name, Next: "run the test in " + t.Dir + " and mend the patch"})
	}
	return findings, nil
}

func printFindings(cmd *cobra.Command, findings []series.Finding, patches int) error {
	if wantsJSON(cmd) {
		if err := printJSON(cmd, findings); err != nil {
			return err
		}
	} else {
		for _, f := range findings {
			fmt.Fprintln(cmd.ErrOrStderr(), f)
		}
	}
	if len(findings) > 0 {
		return fmt.Errorf("verify: %d findings in %d patches\nnext: see each finding", len(findings), patches)
	}
	if !wantsJSON(cmd) {
		fmt.Fprintf(cmd.OutOrStdout(), "verified: %d patches\n", patches)
	}
	return nil
}

// scenarioNames are the scenarios a Test: trailer of the stream's component may name.
func scenarioNames(s *component.Stream) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(s.Root, "tests", "integration", "scenarios", s.Component.Name, "*.txtar"))
	if err != nil {
		return nil, fmt.Errorf("list scenarios: %w", err)
	}
	var names []string
	for _, f := range files {
		names = append(names, strings.TrimSuffix(filepath.Base(f), ".txtar"))
	}
	return names, nil
}
