package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"carry/internal/attest"
	"carry/internal/component"
	"carry/internal/series"
)

// attestFlags choose the binary, as those of carry build do, and what is done about it.
type attestFlags struct {
	build    buildFlags
	verify   bool
	given    attest.Files // handed over elsewhere; empty: those under out/
	written  []string
	verdicts []*attest.Verdict
	failed   bool // some stream's documents could not be written
}

func newAttest() *cobra.Command {
	var f attestFlags
	cmd := verb("attest", "Write SBOM and provenance beside the patched binaries, or verify them",
		func(cmd *cobra.Command, s *component.Stream) error {
			err := f.each(cmd, s)
			f.failed = f.failed || err != nil
			return err
		}, f.print)
	cmd.Long = `Write SBOM (CycloneDX) and provenance (SLSA, in-toto) beside the patched binaries, as carry build does, or verify them:
make both again from the checked-in pin, the patches and the binary, and tell every difference.`
	f.build.bind(cmd)
	cmd.Flags().BoolVar(&f.verify, "verify", false, "compare the documents with binary, pin and patches instead of writing them")
	cmd.Flags().StringVar(&f.given.Binary, "binary", "", "verify this binary `FILE`, made elsewhere; what was built is read from its provenance")
	cmd.Flags().StringVar(&f.given.SBOM, "sbom", "", "its SBOM, `FILE`")
	cmd.Flags().StringVar(&f.given.Provenance, "provenance", "", "its provenance, `FILE`")
	cmd.MarkFlagsRequiredTogether("binary", "sbom", "provenance")
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := errors.Join(checkOutput(cmd), f.build.check(cmd, args)); err != nil {
			return err
		}
		if f.given.Binary != "" {
			return f.handedOver(cmd, args)
		}
		return run(cmd, args)
	}
	return cmd
}

// each writes or verifies the documents of one stream's binary.
func (f *attestFlags) each(cmd *cobra.Command, s *component.Stream) error {
	if f.build.control && !s.HasControls() {
		return nil
	}
	t, err := f.build.tree(cmd, s)
	if err != nil {
		return err
	}
	if f.verify {
		return f.judge(cmd, s, t, f.build.upto, attest.Beside(s.BinaryPath(t)))
	}
	b, err := s.Built(cmd.Context(), t)
	if err != nil {
		return err
	}
	if b.Dirty {
		return fmt.Errorf("attest %s: built from changes that no patch file has\nnext: commit them, carry refresh %[1]s, carry build %[1]s", s)
	}
	written, err := document(cmd, s, t, b, f.build.upto)
	f.written = append(f.written, written...)
	return err
}

// document writes the documents beside a binary just built or found up to date, and tells which files it wrote. A
// binary with somebody's changes in it has none: patches and pin do not say what it is.
func document(cmd *cobra.Command, s *component.Stream, t *component.Tree, b *component.Binary, upto int) ([]string, error) {
	path := filepath.Join(s.Root, b.Path)
	if b.Dirty {
		files := attest.Beside(path)
		return nil, errors.Join(remove(files.SBOM), remove(files.Provenance))
	}
	in, err := s.Inputs(cmd.Context(), t)
	if err != nil {
		return nil, err
	}
	in.Upto = upto
	described, err := attest.Described(path, b.SHA256)
	if err != nil {
		return nil, err
	}
	documents, err := attest.Make(in, described)
	if err != nil {
		return nil, err
	}
	return documents.Write(path)
}

// remove is content with a file that is not there.
func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("remove document of another binary: %w", err)
	}
	return nil
}

func (f *attestFlags) judge(cmd *cobra.Command, s *component.Stream, t *component.Tree, upto int, files attest.Files) error {
	in, err := s.Inputs(cmd.Context(), t)
	if err != nil {
		return err
	}
	in.Upto = upto
	v, err := attest.Verify(in, files)
	if err == nil {
		f.verdicts = append(f.verdicts, v)
	}
	return err
}

// handedOver verifies files from elsewhere. The provenance says what they are; arguments say what they have to be.
func (f *attestFlags) handedOver(cmd *cobra.Command, args []string) error {
	f.verify = true
	claim, err := attest.ReadBuild(f.given.Provenance)
	if err != nil {
		return fmt.Errorf("%w\nnext: ask for the provenance that carry wrote with the binary", err)
	}
	if len(args) < 2 {
		args = append(args, []string{claim.Component, claim.Stream}[len(args):]...)
	}
	streams, err := targets(args)
	if err != nil {
		return err
	}
	s := streams[0]
	t, err := claimedTree(s, claim)
	if err != nil {
		return err
	}
	if err := f.judge(cmd, s, t, claim.Upto, f.given); err != nil {
		return err
	}
	if claim.Source != "" {
		v := f.verdicts[len(f.verdicts)-1]
		v.Claimed = append(v.Claimed, "source commit", "source version")
	}
	return f.print(cmd)
}

// claimedTree names the tree that a provenance speaks of; it need not be there.
func claimedTree(s *component.Stream, claim *attest.Build) (*component.Tree, error) {
	f := buildFlags{control: claim.Control, upto: claim.Upto, source: claim.Source}
	return f.treeFrom(s, func(sr *series.Series) (*component.Tree, error) {
		return s.SourceTree(component.Claimed(claim.Source, claim.SourceVersion), sr), nil
	})
}
