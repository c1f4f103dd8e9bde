// Command carry turns pinned upstream releases and the project's patches into binaries, and checks both.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

func main() { os.Exit(run()) }

// needsWork is an error that is no failure: what was asked for was done, and a person has to go on from it.
type needsWork struct{ error }

// coded is an error with an exit code of its own.
type coded struct {
	code int
	error
}

// Exit codes: 0, 1 after a failure, 2 when a person has to go on; of check: 2 when a bug was met, 3 when the evidence
// does not tell, 4 when the cluster could not be asked.
const (
	exitFailed      = 1
	exitNeedsWork   = 2
	exitMet         = 2
	exitUnknown     = 3
	exitUnreachable = 4
)

// run gives the exit code; what is not 0 comes after one message on standard error.
func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := newRoot().ExecuteContext(ctx); err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("interrupted\nnext: run the same command again, it goes on where this one stopped")
		}
		fmt.Fprintf(os.Stderr, "carry: %v\n", hint(err))
		if work := (needsWork{}); errors.As(err, &work) {
			return exitNeedsWork
		}
		if c := (coded{}); errors.As(err, &c) {
			return c.code
		}
		return exitFailed
	}
	return 0
}

// hint adds what goes on from troubles that any step may meet and none can name better.
func hint(err error) error {
	full := strings.Contains(strings.ToLower(err.Error()), "no space left on device")
	if !full || strings.Contains(err.Error(), "next: ") {
		return err
	}
	return fmt.Errorf("%w\nnext: free some space (go clean -cache frees the most), then run the same command again", err)
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "carry",
		Short:         "Patched control-plane components from pinned upstream releases",
		Long:          "carry <verb> [component [stream]]: without component or stream, all of them.",
		SilenceUsage:  true, // a usage dump would bury the one message that matters
		SilenceErrors: true,
		Args:          cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cmd.Help()
		},
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.PersistentFlags().StringP("output", "o", "text", "output format: text or json")
	root.AddCommand(newFetch(), newApply(), newBuild(), newStatus(), newClean(), newNew(), newRefresh(), newRebase(), newExport(), newImage(), newPayload(), newVerify(), newUpdate(), newReproduce(), newAttest(), newCheck(), newDeps())
	return root
}
