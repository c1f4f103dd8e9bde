package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"carry/internal/component"
	"carry/internal/series"
)

// verifier gathers what is wrong, over all streams.
type verifier struct {
	tests, all, quick bool
	findings          []series.Finding
	patches           int
	ran               int // how many checks needed the compiler
}

func newVerify() *cobra.Command {
	var v verifier
	cmd := &cobra.Command{
		Use:   "verify [component [stream]]",
		Short: "Check what is checked in: patch files (P1 to P7 of patches/README.md) and the ledger",
		Long: `Check what is checked in: patch files (P1 to P7 of patches/README.md) and the ledger. Everything that is wrong is told
in one run, as path:line: rule: message, with what mends it. What needs the compiler is run again only when its inputs
have changed.`,
		Args: cobra.MaximumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkOutput(cmd); err != nil {
				return err
			}
			streams, err := targets(args)
			if err != nil {
				return err
			}
			return v.run(cmd, streams)
		},
	}
	cmd.Flags().BoolVar(&v.tests, "tests", false, "compare upstream's own tests of touched packages on base and patched where no result is recorded (minutes)")
	cmd.Flags().BoolVar(&v.all, "all", false, "check and compare everything again, whatever is recorded")
	cmd.Flags().BoolVar(&v.quick, "quick", false, "leave out what compiles each patch by itself: whether its tests guard it (P6), whether each prefix compiles (P7)")
	return cmd
}

// run goes from what is cheap to what is not: the files of every stream, the ledger, then the trees.
func (v *verifier) run(cmd *cobra.Command, streams []*component.Stream) error {
	v.findings = []series.Finding{}
	var failed []error
	trees := map[*component.Stream]*component.Tree{}
	for _, s := range streams {
		t, err := v.files(s)
		failed = append(failed, err)
		trees[s] = t
	}
	failed = append(failed, v.ledger())
	for _, s := range streams {
		if trees[s] == nil || cmd.Context().Err() != nil {
			continue
		}
		failed = append(failed, locked(cmd.Context(), s, func() error { return v.tree(cmd, s, trees[s]) }))
	}
	return errors.Join(append(failed, v.print(cmd))...)
}

// files checks what the patch files alone show. A file that is no patch is a finding, and ends what can be said of its
// stream.
func (v *verifier) files(s *component.Stream) (*component.Tree, error) {
	if err := s.Unfinished(); err != nil {
		return nil, err
	}
	sr, err := series.Load(s.Patches())
	found, err := series.Findings(err)
	v.findings = append(v.findings, found...)
	v.patches += len(sr.Patches) + len(found)
	scenarios, scenarioErr := scenarioNames(s)
	if err := errors.Join(err, scenarioErr); err != nil {
		return nil, err
	}
	v.findings = append(v.findings, sr.Check(scenarios)...)
	if len(found) > 0 {
		return nil, nil
	}
	return s.Tree(sr), nil
}

func (v *verifier) ledger() error {
	stale, err := updateLedger(false)
	if found, rest := series.Findings(err); len(found) > 0 {
		return rest // told with the files
	}
	if err == nil && stale != "" {
		v.findings = append(v.findings, series.Finding{Path: stale, Line: 1, Rule: "ledger", Message: "stale: patches or results have changed", Next: "carry update"})
	}
	return err
}

// tree checks what the applied series shows.
func (v *verifier) tree(cmd *cobra.Command, s *component.Stream, t *component.Tree) error {
	_, err := apply(cmd, s, t)
	var refused *series.ApplyError
	if errors.As(err, &refused) {
		v.findings = append(v.findings, refused.Finding())
		return nil
	}
	if err != nil {
		return err
	}
	found, err := t.CheckCommits(cmd.Context())
	v.findings = append(v.findings, found...)
	if err != nil {
		return err
	}
	if !v.quick {
		compiles, err := v.patchByPatch(cmd, s, t)
		if err != nil || !compiles {
			return err
		}
	}
	return v.upstreamTests(cmd, s, t)
}

// patchByPatch compiles each patch on those before it, and runs its tests without it. It reports whether all compile.
func (v *verifier) patchByPatch(cmd *cobra.Command, s *component.Stream, t *component.Tree) (compiles bool, err error) {
	p := newProgress("verify " + s.String())
	found, ran, err := s.CheckSeries(cmd.Context(), t, v.all, p.tick)
	p.end()
	v.findings = append(v.findings, found...)
	v.ran += ran
	return !slices.ContainsFunc(found, func(f series.Finding) bool { return f.Rule == "P7" }), err
}

// upstreamTests turns every test that got worse into a finding. Without --tests the recorded comparison is looked at.
func (v *verifier) upstreamTests(cmd *cobra.Command, s *component.Stream, t *component.Tree) error {
	c, err := s.RecordedTests(cmd.Context(), t)
	if err != nil {
		return err
	}
	if v.all || v.tests && c == nil {
		p := newProgress("upstream's tests of " + s.String())
		c, err = s.CompareTests(cmd.Context(), t, p.tick)
		p.end()
		if err != nil {
			return err
		}
		v.ran++
		sayComparison(cmd, s, c)
	}
	if c == nil {
		v.findings = append(v.findings, series.Finding{Path: s.Patches(), Line: 1, Rule: "P7",
			Message: "upstream's tests of the touched packages were not compared on base and on these patches", Next: "carry verify --tests " + s.String()})
		return nil
	}
	for _, name := range c.Worse {
		v.findings = append(v.findings, series.Finding{Path: s.Patches(), Line: 1, Rule: "P7", Message: name,
			Next: "run the test in " + t.Dir + ", mend the patch, carry refresh " + s.String()})
	}
	return nil
}

func sayComparison(cmd *cobra.Command, s *component.Stream, c *component.TestComparison) {
	if wantsJSON(cmd) || len(c.Packages) == 0 {
		return
	}
	fmt.Fprintf(cmd.OutOrStdout(), "upstream's tests of %s, %d packages: base %d passed, failed %v; patched %d passed, failed %v\n",
		s, len(c.Packages), c.Base.Passed, c.Base.Failed, c.Patched.Passed, c.Patched.Failed)
	for _, name := range c.Flaky {
		fmt.Fprintf(cmd.OutOrStdout(), "flaky: %s\n", name)
	}
}

func (v *verifier) print(cmd *cobra.Command) error {
	wrong := 0
	for i, f := range v.findings {
		if root, err := projectRoot(); err == nil { // as a person or an editor opens it from there
			v.findings[i].Path = strings.TrimPrefix(f.Path, root+"/")
			v.findings[i].Next = strings.ReplaceAll(f.Next, root+"/", "")
		}
		if !f.Warning {
			wrong++
		}
	}
	if wantsJSON(cmd) {
		if err := printJSON(cmd, v.findings); err != nil {
			return err
		}
	} else {
		for _, f := range v.findings {
			fmt.Fprintln(cmd.ErrOrStderr(), f)
		}
	}
	if wrong > 0 {
		return fmt.Errorf("verify: %d findings in %d patches\nnext: see each finding", wrong, v.patches)
	}
	if !wantsJSON(cmd) {
		fmt.Fprintf(cmd.OutOrStdout(), "verified: %d patches, %d checks by the compiler run, the others known\n", v.patches, v.ran)
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
