package bench

import (
	"flag"
	"os"
	"os/signal"
	"syscall"
	"testing"
)

var (
	benchFlag = flag.Bool("bench-run", false, "run the bench")
	options   Options
)

func init() {
	o := &options
	flag.StringVar(&o.Root, "root", "../../..", "root of the repository")
	flag.StringVar(&o.Out, "out", "", "folder of the report (default out/report/bench)")
	flag.StringVar(&o.Results, "results", "../results", "folder that gets bench-STREAM.json of a whole run; empty: none")
	flag.StringVar(&o.Component, "component", kcm, "what is measured, or "+operator)
	flag.StringVar(&o.Stream, "stream", "", "stream of the component (default the newest)")
	flag.StringVar(&o.Start, "start", restart, "restart, or fresh: the service accounts are deleted before each start")
	flag.StringVar(&o.Only, "only", "", "sections, separated by commas: startup, load, recovery (default all); of the operator also handover")
	flag.Uint64Var(&o.Seed, "seed", 1, "order within the pairs, and resamples")
	flag.IntVar(&o.Pairs, "pairs", leastPairs, "of starts without a fault")
	flag.IntVar(&o.Workers, "workers", 4, "control planes at once where processes mostly wait, about 500 MB each")
}

// TestBench is the command: go test ./tests/integration/bench -bench-run -v.
func TestBench(t *testing.T) {
	if !*benchFlag {
		t.Skip("make bench runs it: -bench-run")
	}
	ctx, stop := signal.NotifyContext(t.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := Run(ctx, options, os.Stdout); err != nil {
		t.Fatal(err)
	}
}
