package sweep

import (
	"flag"
	"os"
	"os/signal"
	"syscall"
	"testing"
)

var (
	sweepFlag = flag.Bool("sweep", false, "run the sweep")
	options   Options
)

func init() {
	o := &options
	flag.StringVar(&o.Root, "root", "../../..", "root of the repository")
	flag.StringVar(&o.Out, "out", "", "folder of results and report (default out/report/sweep)")
	flag.StringVar(&o.Component, "component", kcmName, "component: also "+operatorName)
	flag.StringVar(&o.Stream, "stream", "", "stream of the component (default its newest)")
	flag.StringVar(&o.Side, "side", "", "base or patched (default both)")
	flag.StringVar(&o.Kind, "kind", "", "one kind of fault (default all)")
	flag.StringVar(&o.Cell, "cell", "", "run one cell by name")
	flag.StringVar(&o.Seed, "seed", "1", "order of cells, and choice among the windows of a family")
	flag.StringVar(&o.Shard, "shard", "", "i/n: the i-th of n parts; needs -plan, the same for all")
	flag.IntVar(&o.Workers, "workers", 14, "control planes at once, about 500 MB each")
	flag.StringVar(&o.Subset, "subset", "", "short: a window of every family in which the base exits")
	flag.StringVar(&o.Plan, "plan", "", "file of learned windows (default: learned once for each series)")
	flag.StringVar(&o.Merge, "merge", "", "results files, separated by commas: report on them all, run nothing")
	flag.IntVar(&o.Port, "port", 0, "port of the first proxy, the others follow (default any)")
	flag.DurationVar(&o.Limit, "limit", 0, "where the sweep is estimated to take longer, as 90m: as -thin")
	flag.BoolVar(&o.Thin, "thin", false, "base's fresh, or default, starts in one window of each family only")
	flag.BoolVar(&o.Again, "again", false, "also what has a result")
	flag.StringVar(&o.Record, "record", "", "folder that keeps what the whole plan showed, as STREAM.json")
	flag.BoolVar(&o.Names, "names", false, "print the names of the plan's cells")
}

// TestSweep is the command: go test ./tests/integration/sweep -sweep -v.
func TestSweep(t *testing.T) {
	if !*sweepFlag && options.Subset == "" && options.Cell == "" {
		t.Skip("make sweep runs it: -sweep, -subset short or -cell NAME")
	}
	ctx, stop := signal.NotifyContext(t.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := Run(ctx, options, os.Stdout); err != nil {
		t.Fatal(err)
	}
}
