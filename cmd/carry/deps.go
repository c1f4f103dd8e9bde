package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"
)

// dependency is a program that building and testing take from the distribution.
type dependency struct {
	program, pkg string
	why          string // what is not run without it
}

var dependencies = []dependency{
	{"git", "git", "fetch and apply"},
	{"gcc", "gcc", "unit tests: the race detector links with it"},
	{"unshare", "util-linux", "script tests of a full disk"},
	{"ip", "iproute2", "scenarios with a network of their own"},
	{"chromium", "chromium", "the browser test of the sweep's page"},
	{"skopeo", "skopeo", "the test that another program reads our images"},
}

func newDeps() *cobra.Command {
	return &cobra.Command{
		Use:   "deps",
		Short: "Install the distribution packages that building and testing need (root on Debian), or say which",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			missing := missingDependencies()
			if len(missing) == 0 {
				return nil
			}
			if os.Geteuid() == 0 && present("apt-get") {
				if err := install(cmd, missing); err != nil {
					return err
				}
				missing = missingDependencies()
			}
			return reportMissing(cmd, missing)
		},
	}
}

func present(program string) bool {
	_, err := exec.LookPath(program)
	return err == nil
}

func missingDependencies() []dependency {
	var missing []dependency
	for _, d := range dependencies {
		if !present(d.program) {
			missing = append(missing, d)
		}
	}
	return missing
}

func packages(of []dependency) string {
	var names []string
	for _, d := range of {
		names = append(names, d.pkg)
	}
	return strings.Join(names, " ")
}

func install(cmd *cobra.Command, missing []dependency) error {
	for _, args := range [][]string{
		{"update", "--quiet"},
		append([]string{"install", "--yes", "--quiet", "--no-install-recommends"}, strings.Fields(packages(missing))...),
	} {
		apt := exec.CommandContext(cmd.Context(), "apt-get", args...)
		apt.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		apt.Stdout, apt.Stderr = cmd.ErrOrStderr(), cmd.ErrOrStderr()
		if err := apt.Run(); err != nil {
			return fmt.Errorf("apt-get %s: %w\nnext: install %s yourself", args[0], err, packages(missing))
		}
	}
	return nil
}

// reportMissing counts and names what will not run. In CI nothing may be missing.
func reportMissing(cmd *cobra.Command, missing []dependency) error {
	if len(missing) == 0 {
		return nil
	}
	for _, d := range missing {
		fmt.Fprintf(cmd.ErrOrStderr(), "missing %s: not run without it: %s\n", d.program, d.why)
	}
	next := "next: apt-get install " + packages(missing)
	if os.Getenv("CI") != "" {
		return errors.New("packages are missing\n" + next)
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "%d programs missing\n%s\n", len(missing), next)
	return nil
}
