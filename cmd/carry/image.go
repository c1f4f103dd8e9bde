package main

import (
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"carry/internal/component"
	"carry/internal/image"
)

// imageFlags say over what, from which source, and where to.
type imageFlags struct {
	build buildFlags // --source and --source-version, as carry build has them
	base  string
	bare  bool
	push  string
}

// madeImage is what carry image prints of one image.
type madeImage struct {
	Component string `json:"component"`
	Stream    string `json:"stream"`
	Version   string `json:"version"` // stamp of the binary
	Path      string `json:"path"`    // of the layout, relative to the project's folder
	Reference string `json:"reference,omitempty"`
	*image.Made
}

func newImage() *cobra.Command {
	var f imageFlags
	made := []madeImage{}
	var failed []error
	cmd := verb("image", "Put the patched binaries into container images: bare, or over a payload's image",
		func(cmd *cobra.Command, s *component.Stream) error {
			m, err := f.make(cmd, s)
			if err == nil {
				made = append(made, m)
			}
			failed = append(failed, err)
			return err
		},
		func(cmd *cobra.Command) error { return printImages(cmd, made, errors.Join(failed...) == nil) })
	cmd.Flags().StringVar(&f.base, "base", "", "put one layer over this image, a reference or an OCI layout, `REF|DIR[@DIGEST]`; needs --source")
	cmd.Flags().BoolVar(&f.bare, "bare", false, "over nothing, entrypoint the binary: for tests and plain Kubernetes")
	cmd.Flags().StringVar(&f.push, "push", "", "write the image to a registry as well, under `REGISTRY/REPOSITORY:TAG`")
	f.build.sourceFlags(cmd)
	cmd.MarkFlagsMutuallyExclusive("base", "bare")
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := f.check(cmd, args); err != nil {
			return err
		}
		return run(cmd, args)
	}
	return cmd
}

// check refuses flags that make sense for one stream only, or not at all.
func (f *imageFlags) check(cmd *cobra.Command, args []string) error {
	switch {
	case (f.base != "" || f.push != "") && len(args) < 2:
		return errors.New("--base and --push need one stream\nnext: carry image COMPONENT STREAM with the same flags")
	case f.base == "" && !f.bare:
		return errors.New("neither --base nor --bare\nnext: carry image --bare, or for a payload --base REF --source DIR[@REV]")
	case f.base != "" && f.build.source == "":
		return errors.New("--base without --source: a binary built from the pin does not know the flags that OpenShift starts it with\nnext: add --source DIR[@REV], the checkout that the payload's image was built from; or --bare instead of --base")
	}
	return f.build.check(cmd, args)
}

// make builds the binary as carry build does, and puts it into an image.
func (f *imageFlags) make(cmd *cobra.Command, s *component.Stream) (madeImage, error) {
	none := madeImage{}
	t, err := f.build.tree(cmd, s)
	if err != nil {
		return none, err
	}
	if _, err := apply(cmd, s, t); err != nil {
		return none, err // a tree with work of somebody's is no source of images
	}
	p := newProgress("image " + s.String())
	defer p.end()
	b, err := s.BuildPatched(cmd.Context(), t, p.tick)
	if err != nil {
		return none, err
	}
	if b.Dirty {
		return none, fmt.Errorf("image %s: the binary is %s\nnext: carry refresh, or carry clean --force", s, b.Version)
	}
	if _, err := document(cmd, s, t, b, 0); err != nil { // what lies beside the binary is attached
		return none, err
	}
	spec, err := imageSpec(cmd, s, t, b)
	if err != nil {
		return none, err
	}
	dir := s.Out("image")
	if t.FromSource() {
		dir = s.Out("source", "image")
	}
	return f.write(cmd, s, spec, b, dir)
}

func (f *imageFlags) write(cmd *cobra.Command, s *component.Stream, spec image.Spec, b *component.Binary, dir string) (madeImage, error) {
	none := madeImage{}
	var base *image.Input
	var err error
	if f.base != "" {
		if base, err = image.Open(cmd.Context(), f.base, image.Arch); err != nil {
			return none, err
		}
	}
	m, err := image.Make(cmd.Context(), spec, base, dir)
	if err != nil {
		return none, fmt.Errorf("image %s: %w", s, err)
	}
	made := madeImage{Component: s.Component.Name, Stream: s.Name, Version: b.Version, Path: s.Relative(dir), Made: m}
	if f.push != "" {
		made.Reference, err = image.Push(cmd.Context(), dir, f.push)
	}
	return made, err
}

func imageSpec(cmd *cobra.Command, s *component.Stream, t *component.Tree, b *component.Binary) (image.Spec, error) {
	origin, err := s.Origin(cmd.Context(), t)
	if err != nil {
		return image.Spec{}, err
	}
	about := s.Component.Image
	return image.Spec{
		Component: s.Component.Name, Binary: s.Absolute(b.Path), SHA256: b.SHA256, Path: about.Path, Stamp: b.Version,
		Version: b.Base, Commit: origin.Commit, Date: origin.Date, VersionKey: about.Version, Help: about.Help, Hidden: about.HiddenFlags,
	}, nil
}

// printImages lists what was made, or says in a line that there was nothing to do.
func printImages(cmd *cobra.Command, made []madeImage, complete bool) error {
	if wantsJSON(cmd) {
		return printJSON(cmd, made)
	}
	if len(made) == 0 {
		return nil
	}
	out := cmd.OutOrStdout()
	fresh := 0
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "COMPONENT\tSTREAM\tVERSION\tPATH\tDIGEST")
	for _, m := range made {
		if m.Fresh || m.Reference != "" {
			fresh++
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", m.Component, m.Stream, m.Version, m.Path, m.Digest)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if fresh == 0 && complete {
		fmt.Fprintf(out, "up to date: %d images\n", len(made))
		return nil
	}
	for _, m := range made {
		for _, note := range m.Notes {
			fmt.Fprintf(out, "%s %s: %s\n", m.Component, m.Stream, note)
		}
		for _, r := range m.Referrers {
			fmt.Fprintf(out, "%s %s: attached %s %s\n", m.Component, m.Stream, r.ArtifactType, r.Digest)
		}
		if m.Reference != "" {
			fmt.Fprintf(out, "%s %s: pushed %s\n", m.Component, m.Stream, m.Reference)
		}
	}
	return nil
}
