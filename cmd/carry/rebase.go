package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"carry/internal/component"
	"carry/internal/series"
)

// rebaseFlags say where to, and what to do with the result.
type rebaseFlags struct {
	to, onto string
	write    bool
	as       string
	solved   bool
	compile  bool
	drop     []string
	force    bool
}

func newRebase() *cobra.Command {
	var f rebaseFlags
	cmd := &cobra.Command{
		Use:   "rebase component stream",
		Short: "Move a series to another base, on a copy, and report what became of each patch",
		Long: `Move a series to another base, on a copy in out/<component>/<stream>/rebase, and report what became of each patch.
Nothing under patches/ or components/ changes without --write. Exit code 0: the series can move as it is; 2: a person
has to go on; 1: failed.`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := errors.Join(checkOutput(cmd), f.check()); err != nil {
				return err
			}
			streams, err := targets(args)
			if err != nil {
				return err
			}
			return locked(cmd.Context(), streams[0], func() error { return f.run(cmd, streams[0]) })
		},
	}
	cmd.Flags().StringVar(&f.to, "to", "", "to another `VERSION` of upstream's module")
	cmd.Flags().StringVar(&f.onto, "onto", "", "to a git checkout, `DIR[@REV]`")
	cmd.Flags().BoolVar(&f.write, "write", false, "when nothing needs a person, write patch files and pin")
	cmd.Flags().StringVar(&f.as, "as", "", "with --write: as the stream `NAME`, which may be new")
	cmd.Flags().BoolVar(&f.solved, "solved", false, "take the commits in out/<component>/<stream>/rebase/src as the result")
	cmd.Flags().StringSliceVar(&f.drop, "drop", nil, "with --solved: the patch with this `SLUG` is left out on purpose")
	cmd.Flags().BoolVar(&f.compile, "compile", false, "compile what the patches touch, and the component, on the new base after every patch (minutes)")
	cmd.Flags().BoolVar(&f.force, "force", false, "throw away what somebody did in the copy")
	return cmd
}

func (f *rebaseFlags) check() error {
	switch {
	case (f.to == "") == (f.onto == ""):
		return errors.New("rebase where to?\nnext: add --to VERSION or --onto DIR[@REV], one of them")
	case f.write && f.onto != "":
		return errors.New("--write with --onto: a checkout is no pin\nnext: leave --write out and take the files in out/<component>/<stream>/rebase/patches, or use --to")
	case f.as != "" && !f.write, len(f.drop) > 0 && !f.solved:
		return errors.New("--as goes with --write, --drop with --solved\nnext: add that flag")
	case f.as != "" && (f.as != filepath.Base(f.as) || f.as[0] == '.'):
		return fmt.Errorf("--as %q is no name of a stream\nnext: name one like 1.38", f.as)
	}
	return nil
}

func (f *rebaseFlags) run(cmd *cobra.Command, s *component.Stream) error {
	if f.write {
		if to, err := s.FinishWrite(f.name(s), f.to); err != nil || to != nil {
			return f.written(cmd, s, to, err)
		}
	}
	r, err := f.rebase(cmd, s)
	if err != nil {
		return err
	}
	if err := f.report(cmd, s, r); err != nil || !f.write {
		return err
	}
	defer step("write pin and patches of " + s.Component.Name + " " + f.name(s))()
	to, err := r.Write(cmd.Context(), f.name(s))
	return f.written(cmd, s, to, err)
}

// name is the stream that --write writes.
func (f *rebaseFlags) name(s *component.Stream) string {
	if f.as != "" {
		return f.as
	}
	return s.Name
}

func (f *rebaseFlags) written(cmd *cobra.Command, s, to *component.Stream, err error) error {
	if err == nil && !wantsJSON(cmd) {
		fmt.Fprintf(cmd.OutOrStdout(), "written: %s and %s\nnext: carry verify --tests %s\n", relative(s, to.Dir), relative(s, to.Patches()), to)
	}
	return err
}

// rebase applies the series where it is now, then picks it to where it goes.
func (f *rebaseFlags) rebase(cmd *cobra.Command, s *component.Stream) (*component.Rebasing, error) {
	t, err := load(s)
	if err != nil {
		return nil, err
	}
	if _, err := apply(cmd, s, t); err != nil {
		return nil, err
	}
	defer step("rebase " + s.String())()
	var r *component.Rebasing
	if f.to != "" {
		if r, err = s.RebaseTo(cmd.Context(), t, f.to); err != nil {
			return nil, err
		}
	} else {
		from, err := component.Source(cmd.Context(), f.onto, "")
		if err != nil {
			return nil, err
		}
		r = s.RebaseOnto(t, from)
	}
	r.Compile = f.compile
	if f.solved {
		return r, r.Solved(cmd.Context(), f.drop)
	}
	return r, r.Run(cmd.Context(), f.force)
}

// report prints what became of each patch; what needs a person is an error of its own kind.
func (f *rebaseFlags) report(cmd *cobra.Command, s *component.Stream, r *component.Rebasing) error {
	if wantsJSON(cmd) {
		if err := printJSON(cmd, r.Report); err != nil {
			return err
		}
	} else {
		fmt.Fprint(cmd.OutOrStdout(), r.Report.Text())
	}
	if r.Report.Outcome != series.OutcomeNeedsWork {
		return nil
	}
	n := 0
	for _, p := range r.Report.Patches {
		if p.NeedsWork() {
			n++
		}
	}
	return needsWork{fmt.Errorf("rebase: %d of %d patches need a person, nothing is written\nnext: in %s, git cherry-pick them from old-series, or mend what does not compile, and commit; then carry rebase %s %s --solved --write",
		n, len(r.Report.Patches), relative(s, r.Dir()), s, f.target())}
}

func (f *rebaseFlags) target() string {
	if f.to != "" {
		return "--to " + f.to
	}
	return "--onto " + f.onto
}

// relative is a path as a person in the project's folder types it.
func relative(s *component.Stream, path string) string {
	if rel, err := filepath.Rel(s.Root, path); err == nil {
		return rel
	}
	return path
}
