package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"carry/internal/component"
	"carry/internal/payload"
)

// payloadFlags say where the new release goes.
type payloadFlags struct {
	toImage string
	name    string
	dir     string
}

// planned is what carry payload prints.
type planned struct {
	*payload.Plan
	Command []string `json:"command"`
	Script  string   `json:"script"`  // file with the command
	Mapping string   `json:"mapping"` // file for oc's --mapping-file
}

func newPayload() *cobra.Command {
	var f payloadFlags
	cmd := &cobra.Command{
		Use:   "payload release component=image...",
		Short: "Write the oc command that makes a release with patched images; nothing is run or pushed",
		Long: `Write the oc command that makes a release with patched images, and a mapping file for it, after comparing what would
make the command, or the cluster, fail. release: a release image by digest, or a folder with image-references in it;
image: what carry image --push printed. Nothing is run or pushed.`,
		Args: cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkOutput(cmd); err != nil {
				return err
			}
			return f.run(cmd, args[0], args[1:])
		},
	}
	cmd.Flags().StringVar(&f.toImage, "to-image", "", "where oc is to write the new release, `REGISTRY/REPOSITORY:TAG`")
	cmd.Flags().StringVar(&f.name, "name", "", "`VERSION` of the new release; without, that of the old one")
	cmd.Flags().StringVar(&f.dir, "to", "", "write the files to `DIR`; without, to out/payload")
	_ = cmd.MarkFlagRequired("to-image")
	return cmd
}

func (f *payloadFlags) run(cmd *cobra.Command, release string, images []string) error {
	root, err := projectRoot()
	if err != nil {
		return err
	}
	patched, err := patchedImages(root, images)
	if err != nil {
		return err
	}
	defer step("payload")()
	r, err := payload.Load(cmd.Context(), release)
	if err != nil {
		return err
	}
	plan, err := payload.New(cmd.Context(), r, patched, f.toImage, f.name)
	if err != nil {
		return err
	}
	dir := f.dir
	if dir == "" {
		dir = filepath.Join(root, "out", "payload")
	}
	p := planned{Plan: plan, Command: plan.Command(), Script: filepath.Join(dir, "release-new.sh"), Mapping: filepath.Join(dir, "mapping")}
	if err := p.write(dir); err != nil {
		return err
	}
	if wantsJSON(cmd) {
		return printJSON(cmd, p)
	}
	out := cmd.OutOrStdout()
	fmt.Fprintln(out, payload.Shell(p.Command))
	fmt.Fprintf(out, "\nthe same is in %s; with the images in a file:\n\n%s\n", p.Script, payload.Shell(plan.CommandWithFile(p.Mapping)))
	return nil
}

func (p planned) write(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("write payload: %w", err)
	}
	if err := os.WriteFile(p.Script, p.Plan.Script(), 0o755); err != nil {
		return fmt.Errorf("write payload: %w", err)
	}
	if err := os.WriteFile(p.Mapping, p.MappingFile(), 0o644); err != nil {
		return fmt.Errorf("write payload: %w", err)
	}
	return nil
}

// patchedImages reads arguments component=image.
func patchedImages(root string, args []string) ([]payload.Patched, error) {
	var patched []payload.Patched
	seen := map[string]bool{}
	for _, arg := range args {
		name, reference, ok := strings.Cut(arg, "=")
		if !ok || reference == "" {
			return nil, fmt.Errorf("%q is not COMPONENT=IMAGE\nnext: as kube-controller-manager=REGISTRY/REPOSITORY@DIGEST", arg)
		}
		streams, err := component.Select(root, name, "")
		if err != nil {
			return nil, err
		}
		if seen[name] {
			return nil, fmt.Errorf("%s is named twice\nnext: name one image for it", name)
		}
		seen[name] = true
		about := streams[0].Component.Image
		patched = append(patched, payload.Patched{Component: name, Reference: reference, Tag: about.Tag, ReleaseBase: about.ReleaseBase})
	}
	return patched, nil
}
