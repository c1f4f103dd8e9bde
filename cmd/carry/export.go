package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"carry/internal/component"
	"carry/internal/series"
)

// exportFlags say onto what, and how thoroughly it is checked first.
type exportFlags struct {
	onto  string
	quick bool
}

func newExport() *cobra.Command {
	var f exportFlags
	cmd := &cobra.Command{
		Use:   "export component stream [patch]",
		Short: "Make upstream pull requests of patches: commits, title and body; nothing is pushed",
		Long: `Make upstream pull requests of patches (by number or slug; without one, of all): commits on upstream's layout without
class and trailers, signed off by whoever exports, with title and body. Upstream's checks run first. Nothing is pushed.`,
		Args: cobra.RangeArgs(2, 3),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkOutput(cmd); err != nil {
				return err
			}
			streams, err := targets(args[:2])
			if err != nil {
				return err
			}
			return locked(cmd.Context(), streams[0], func() error { return f.run(cmd, streams[0], args[2:]) })
		},
	}
	cmd.Flags().StringVar(&f.onto, "onto", "", "onto a checkout of upstream, `DIR[@REV]`, instead of the pin")
	cmd.Flags().BoolVar(&f.quick, "quick", false, "leave vet and unit tests out (minutes)")
	return cmd
}

func (f *exportFlags) run(cmd *cobra.Command, s *component.Stream, names []string) error {
	t, err := load(s)
	if err != nil {
		return err
	}
	if _, err := apply(cmd, s, t); err != nil {
		return err
	}
	patches, err := chosenPatches(t.Series, names)
	if err != nil {
		return err
	}
	p := newProgress("export " + s.String())
	defer p.end()
	x, err := f.prepare(cmd, s, t, p)
	if err != nil {
		return err
	}
	made := []*component.Exported{}
	var failed []error
	for _, patch := range patches {
		one, err := x.Patch(cmd.Context(), patch)
		failed = append(failed, err)
		if err == nil {
			made = append(made, one)
		}
	}
	return errors.Join(append(failed, f.print(cmd, made))...)
}

func (f *exportFlags) prepare(cmd *cobra.Command, s *component.Stream, t *component.Tree, p *progress) (*component.Export, error) {
	if f.onto == "" {
		x, err := s.NewExport(cmd.Context(), t, nil, p.tick)
		if x != nil {
			x.Quick = f.quick
		}
		return x, err
	}
	from, err := component.Source(cmd.Context(), f.onto, "")
	if err != nil {
		return nil, err
	}
	x, err := s.NewExport(cmd.Context(), t, from, p.tick)
	if x != nil {
		x.Quick = f.quick
	}
	return x, err
}

func chosenPatches(sr *series.Series, names []string) ([]*series.Patch, error) {
	if len(names) == 0 {
		return sr.Patches, nil
	}
	p, err := sr.Find(names[0])
	return []*series.Patch{p}, err
}

func (f *exportFlags) print(cmd *cobra.Command, made []*component.Exported) error {
	if wantsJSON(cmd) {
		return printJSON(cmd, made)
	}
	out := cmd.OutOrStdout()
	for _, e := range made {
		if e.Dir == "" {
			fmt.Fprintf(out, "%s: %s: %s\n", e.Patch, e.State, e.Why)
			continue
		}
		fmt.Fprintf(out, "%s: %s, %d commits in %s, branch %s of %s\n", e.Patch, e.State, len(e.Commits), e.Dir, e.Branch, e.Repo)
	}
	if f.quick {
		fmt.Fprintln(out, "not run: vet and unit tests (--quick)")
	}
	return nil
}
