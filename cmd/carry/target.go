package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"carry/internal/component"
	"carry/internal/series"
)

// targets are the streams that the arguments [component [stream]] of a verb name.
func targets(args []string) ([]*component.Stream, error) {
	root, err := projectRoot()
	if err != nil {
		return nil, err
	}
	var c, s string
	if len(args) > 0 {
		c = args[0]
	}
	if len(args) > 1 {
		s = args[1]
	}
	return component.Select(root, c, s)
}

func projectRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find project: %w", err)
	}
	return component.FindRoot(dir)
}

// verb makes a command over streams. each runs under the stream's lock; a failure of one stream does not keep the
// others from being tried.
func verb(name, short string, each func(cmd *cobra.Command, s *component.Stream) error, done func(cmd *cobra.Command) error) *cobra.Command {
	return &cobra.Command{
		Use:   name + " [component [stream]]",
		Short: short,
		Args:  cobra.MaximumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkOutput(cmd); err != nil {
				return err
			}
			streams, err := targets(args)
			if err != nil {
				return err
			}
			var failed []error
			for _, s := range streams {
				err := locked(cmd.Context(), s, func() error { return each(cmd, s) })
				failed = append(failed, err)
				if cmd.Context().Err() != nil {
					break
				}
			}
			return errors.Join(append(failed, done(cmd))...)
		},
	}
}

// locked runs do while no other carry works on the stream.
func locked(ctx context.Context, s *component.Stream, do func() error) error {
	unlock, err := s.Lock(ctx, func() {
		fmt.Fprintf(os.Stderr, "waiting for another carry that works on %s\n", s)
	})
	if err != nil {
		return err
	}
	defer unlock()
	return do()
}

// load gives the stream's series and its tree. A stream that is half written is neither the old nor the new one.
func load(s *component.Stream) (*component.Tree, error) {
	if err := s.Unfinished(); err != nil {
		return nil, err
	}
	sr, err := series.Load(s.Patches())
	if err != nil {
		return nil, err
	}
	return s.Tree(sr), nil
}

func checkOutput(cmd *cobra.Command) error {
	if o := cmd.Flag("output").Value.String(); o != "text" && o != "json" {
		return fmt.Errorf("unknown output %q\nnext: -o text or -o json", o)
	}
	return nil
}

func wantsJSON(cmd *cobra.Command) bool { return cmd.Flag("output").Value.String() == "json" }

func printJSON(cmd *cobra.Command, v any) error {
	enc := json.NewEncoder(cmd.OutOrStdout())
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
