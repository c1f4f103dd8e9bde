package main

import (
	"errors"
	"fmt"
	"strconv"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"carry/internal/component"
	"carry/internal/series"
)

// buildFlags choose what is built instead of the whole series on the pin.
type buildFlags struct {
	base          bool
	rig           bool
	upto          int
	control       bool
	source        string
	sourceVersion string
}

func newBuild() *cobra.Command {
	var f buildFlags
	built := []*component.Binary{}
	var worked []error
	cmd := verb("build", "Fetch, apply and build the patched binaries (or the base ones)",
		func(cmd *cobra.Command, s *component.Stream) error {
			some, err := f.build(cmd, s)
			built = append(built, some...)
			worked = append(worked, err)
			return err
		},
		func(cmd *cobra.Command) error {
			if f.rig {
				some, err := buildRig(cmd)
				built = append(built, some...)
				worked = append(worked, err)
				if err != nil {
					return err
				}
			}
			return printBuilt(cmd, built, errors.Join(worked...) == nil)
		})
	cmd.Flags().BoolVar(&f.base, "base", false, "build the unpatched binaries that the pin's tool lines name")
	cmd.Flags().BoolVar(&f.rig, "rig", false, "build what the test rig needs beside them (tests/integration/pins), too")
	f.bind(cmd)
	for _, other := range []string{"upto", "source", "control"} {
		cmd.MarkFlagsMutuallyExclusive("base", other)
	}
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := f.check(cmd, args); err != nil {
			return err
		}
		return run(cmd, args)
	}
	return cmd
}

func (f *buildFlags) sourceFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.source, "source", "", "build from a checkout of upstream or of a fork, `DIR[@REV]`, instead of the pin")
	cmd.Flags().StringVar(&f.sourceVersion, "source-version", "", "the version the source is released as, where no v tag says it")
}

// bind adds the flags that choose a patched binary: carry build makes it, carry attest speaks of it.
func (f *buildFlags) bind(cmd *cobra.Command) {
	cmd.Flags().IntVar(&f.upto, "upto", 0, "apply the first `N` patches only, into out/<component>/<stream>/upto/N")
	cmd.Flags().BoolVar(&f.control, "control", false, "apply tests/integration/controls instead of the series, into out/<component>/<stream>/control")
	f.sourceFlags(cmd)
	cmd.MarkFlagsMutuallyExclusive("upto", "source")
	cmd.MarkFlagsMutuallyExclusive("control", "upto")
	cmd.MarkFlagsMutuallyExclusive("control", "source")
}

// check refuses flags that make sense for one stream only, or not at all.
func (f *buildFlags) check(cmd *cobra.Command, args []string) error {
	switch {
	case (cmd.Flags().Changed("upto") || f.source != "") && len(args) < 2:
		return fmt.Errorf("--upto and --source need one stream\nnext: carry %s COMPONENT STREAM with the same flags", cmd.Name())
	case f.sourceVersion != "" && f.source == "":
		return errors.New("--source-version without --source\nnext: add --source DIR[@REV]")
	case cmd.Flags().Changed("upto") && f.upto < 1:
		return errors.New("--upto takes a number of patches, 1 or more\nnext: for no patch at all, carry build --base")
	}
	return nil
}

// build makes what the flags ask of one stream.
func (f *buildFlags) build(cmd *cobra.Command, s *component.Stream) ([]*component.Binary, error) {
	if err := s.Unfinished(); err != nil {
		return nil, err
	}
	if f.base {
		p := newProgress("build base of " + s.String())
		defer p.end()
		return s.BuildBase(cmd.Context(), p.tick)
	}
	if f.control && !s.HasControls() {
		return nil, nil
	}
	t, err := f.tree(cmd, s)
	if err != nil {
		return nil, err
	}
	var work *component.WorkError
	if _, err := apply(cmd, s, t); errors.As(err, &work) {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s holds changes that no patch file has: building them, stamped .dirty\n", t.Dir)
	} else if err != nil {
		return nil, err
	}
	p := newProgress("build " + s.String())
	defer p.end()
	b, err := s.BuildPatched(cmd.Context(), t, p.tick)
	if err != nil {
		return nil, err
	}
	written, err := document(cmd, s, t, b, f.upto)
	if err != nil {
		return nil, err
	}
	if !b.Fresh && !wantsJSON(cmd) {
		sayWritten(cmd, written)
	}
	return []*component.Binary{b}, nil
}

func (f *buildFlags) tree(cmd *cobra.Command, s *component.Stream) (*component.Tree, error) {
	return f.treeFrom(s, func(sr *series.Series) (*component.Tree, error) {
		from, err := component.Source(cmd.Context(), f.source, f.sourceVersion)
		if err != nil {
			return nil, err
		}
		return s.SourceTree(from, sr), nil
	})
}

// treeFrom chooses the tree; a source's is made by the function.
func (f *buildFlags) treeFrom(s *component.Stream, source func(*series.Series) (*component.Tree, error)) (*component.Tree, error) {
	if f.control {
		controls, err := series.Load(s.Controls())
		if err != nil {
			return nil, err
		}
		return s.ControlTree(controls), nil
	}
	sr, err := series.Load(s.Patches())
	if err != nil {
		return nil, err
	}
	switch {
	case f.upto > 0:
		part, err := sr.Upto(f.upto)
		if err != nil {
			return nil, err
		}
		return s.Tree(part, "upto", strconv.Itoa(f.upto)), nil
	case f.source != "":
		return source(sr)
	}
	return s.Tree(sr), nil
}

func buildRig(cmd *cobra.Command) ([]*component.Binary, error) {
	root, err := projectRoot()
	if err != nil {
		return nil, err
	}
	pins, err := component.RigPins(root)
	if err != nil {
		return nil, err
	}
	var built []*component.Binary
	for _, pin := range pins {
		err := locked(cmd.Context(), pin, func() error {
			p := newProgress("build " + pin.String())
			defer p.end()
			b, err := pin.BuildRig(cmd.Context(), p.tick)
			if err == nil {
				built = append(built, b)
			}
			return err
		})
		if err != nil {
			return built, err
		}
	}
	return built, nil
}

// printBuilt lists what was built, or says in a line that there was nothing to do.
func printBuilt(cmd *cobra.Command, all []*component.Binary, complete bool) error {
	if wantsJSON(cmd) {
		return printJSON(cmd, all)
	}
	fresh := 0
	for _, b := range all {
		if b.Fresh {
			fresh++
		}
	}
	out := cmd.OutOrStdout()
	if fresh == 0 && complete {
		fmt.Fprintf(out, "up to date: %d binaries\n", len(all))
		return nil
	}
	if len(all) == 0 {
		return nil
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "COMPONENT\tSTREAM\tBASE\tPATCHES\tPATH\tSHA256")
	for _, b := range all {
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%s\t%s\n", b.Component, b.Stream, b.Base, b.Patches, b.Path, b.SHA256)
	}
	return w.Flush()
}
