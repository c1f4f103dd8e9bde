package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"carry/internal/check"
)

// checkFlags say where the evidence is, and where the verdicts go.
type checkFlags struct {
	kubeconfig string
	wait       time.Duration
	reports    []string
	junit      string
}

func newCheck() *cobra.Command {
	var f checkFlags
	cmd := &cobra.Command{
		Use:   "check [path]",
		Short: "Tell from a cluster, or from what was collected of it, which of the three bugs it has met",
		Long: `Tell from a cluster, or from what was collected of it, which of the three bugs it has met, and whether what runs there
is patched. The path is a must-gather, an installer log bundle, a CI job's artifacts or loose log files, as a folder or an
archive. A cluster (--kubeconfig) is only read. Exit code 0: nothing met; 2: something met; 3: cannot tell; 4: the cluster
refuses connections for all of --wait; 1: failed.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := errors.Join(checkOutput(cmd), f.check(args)); err != nil {
				return err
			}
			return f.run(cmd, args)
		},
	}
	cmd.Flags().StringVar(&f.kubeconfig, "kubeconfig", "", "read the live cluster of this `FILE`")
	cmd.Flags().DurationVar(&f.wait, "wait", time.Minute, "how long a cluster that refuses connections is asked again")
	cmd.Flags().StringSliceVar(&f.reports, "report", nil, "only about these reports: `R1,R2,R3`")
	cmd.Flags().StringVar(&f.junit, "junit", "", "also write the verdicts as JUnit to `FILE`")
	return cmd
}

func (f *checkFlags) check(args []string) error {
	switch {
	case (f.kubeconfig == "") == (len(args) == 0):
		return errors.New("check what?\nnext: name a path of collected files, or a cluster with --kubeconfig FILE, one of them")
	case f.wait < 0:
		return fmt.Errorf("--wait %s is no time to wait\nnext: give one like 20m, or 0 to ask once", f.wait)
	}
	for _, name := range f.reports {
		if !slices.Contains(check.Names, name) {
			return fmt.Errorf("no report %q\nnext: name some of %s", name, strings.Join(check.Names, ", "))
		}
	}
	return nil
}

func (f *checkFlags) run(cmd *cobra.Command, args []string) error {
	source, evidence, err := f.read(cmd, args)
	if err != nil {
		return errors.Join(err, f.writeJUnit(func() ([]byte, error) { return check.UnreadJUnit(err, f.reports...) }))
	}
	r := evidence.Judge(source, f.reports...)
	if err := f.writeJUnit(r.JUnit); err != nil {
		return err
	}
	if wantsJSON(cmd) {
		err = printJSON(cmd, r)
	} else {
		_, err = fmt.Fprint(cmd.OutOrStdout(), r.Text())
	}
	return errors.Join(err, outcome(r))
}

// writeJUnit writes what is made, if somebody wants it.
func (f *checkFlags) writeJUnit(of func() ([]byte, error)) error {
	if f.junit == "" {
		return nil
	}
	data, err := of()
	if err != nil {
		return err
	}
	if err := os.WriteFile(f.junit, data, 0o644); err != nil {
		return fmt.Errorf("write verdicts: %w", err)
	}
	return nil
}

// read collects the evidence; an API that stays away is an error of its own kind.
func (f *checkFlags) read(cmd *cobra.Command, args []string) (string, *check.Evidence, error) {
	if len(args) > 0 {
		evidence, err := check.Read(cmd.Context(), args[0])
		return args[0], evidence, err
	}
	waiting := func(err error) {
		fmt.Fprintf(os.Stderr, "waiting for the API, up to %s: %v\n", f.wait, err)
	}
	evidence, err := check.Cluster(cmd.Context(), f.kubeconfig, check.Options{Wait: f.wait, Waiting: waiting})
	if gone := (check.Unreachable{}); errors.As(err, &gone) {
		err = coded{exitUnreachable, fmt.Errorf("check %s: %w\nnext: wait longer (--wait 20m; absences of 9 and 19 minutes were seen), or collect on the node and name the folder", f.kubeconfig, err)}
	}
	return f.kubeconfig, evidence, err
}

// outcome is an error where something was met or cannot be told: a CI job sees it by the exit code.
func outcome(r check.Report) error {
	named := map[check.Verdict][]string{}
	for _, f := range r.Findings {
		named[f.Verdict] = append(named[f.Verdict], f.Name)
	}
	met := append(named[check.Met], named[check.MetNotOurs]...)
	switch r.Verdict() {
	case check.Met, check.MetNotOurs:
		return coded{exitMet, fmt.Errorf("check: met: %s\nnext: what the verdict says after next", strings.Join(met, ", "))}
	case check.CannotTell:
		return coded{exitUnknown, fmt.Errorf("check: cannot tell: %s\nnext: collect what the verdict calls missing, or narrow with --report", strings.Join(named[check.CannotTell], ", "))}
	}
	return nil
}
