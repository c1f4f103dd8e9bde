package sweep

import (
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/semver"
)

// Options are the flags as they were given. Empty fields mean what they say.
type Options struct {
	Root      string        // of the repository
	Out       string        // folder of results and report; empty: out/report/sweep below Root
	Component string        // empty: kube-controller-manager
	Stream    string        // empty: the component's newest
	Side      string        // base or patched; empty: both
	Kind      string        // empty: all
	Cell      string        // a single cell by name; empty: the plan
	Seed      string        // a number
	Shard     string        // i/n, i from 1; empty: 1/1
	Workers   int           // control planes
	Subset    string        // short; empty: the whole plan
	Plan      string        // file of learned windows; empty: the last one of this series, or learned now
	Merge     string        // files of results, separated by commas; nothing is run
	Port      int           // of the first control plane's proxy, the others follow; 0: any
	Limit     time.Duration // for the whole sweep; where the estimate is more, base is thinned; 0: none
	Thin      bool          // base's starts of one kind in one window of each family only
	Again     bool          // also what has a result
	Names     bool          // print the names of the cells, run nothing
	Record    string        // folder that keeps what the whole plan showed; empty: none
}

// findStream wants one that has a pin, and takes the newest where none is named.
func (o Options) findStream(component string) (string, error) {
	pins, err := filepath.Glob(filepath.Join(o.Root, "components", component, "*", "go.mod"))
	if err != nil {
		return "", fmt.Errorf("list streams: %w", err)
	}
	var streams []string
	for _, pin := range pins {
		streams = append(streams, filepath.Base(filepath.Dir(pin)))
	}
	if o.Stream == "" && len(streams) > 0 {
		return slices.MaxFunc(streams, func(a, b string) int { return semver.Compare("v"+a, "v"+b) }), nil
	}
	if !slices.Contains(streams, o.Stream) {
		return "", fmt.Errorf("no stream %q: want one of %s", o.Stream, strings.Join(streams, ", "))
	}
	return o.Stream, nil
}

// checkPorts wants those of the proxies to be free before anything is started.
func (o Options) checkPorts() error {
	if o.Port == 0 {
		return nil
	}
	for port := o.Port; port < o.Port+o.Workers; port++ {
		l, err := net.Listen("tcp6", fmt.Sprintf("[::1]:%d", port))
		if err != nil {
			return fmt.Errorf("proxies want ports %d to %d: %w\nnext: free it, or name another first one with -port",
				o.Port, o.Port+o.Workers-1, err)
		}
		if err := l.Close(); err != nil {
			return fmt.Errorf("look at port %d: %w", port, err)
		}
	}
	return nil
}

// choice checks the flags that narrow a plan.
func (o Options) choice() (Choice, error) {
	c := Choice{Thin: o.Thin}
	var err error
	if c.Seed, err = strconv.ParseInt(o.Seed, 10, 64); err != nil {
		return Choice{}, fmt.Errorf("seed %q is no number", o.Seed)
	}
	if o.Side != "" {
		if !slices.Contains(sides, o.Side) {
			return Choice{}, fmt.Errorf("no side %q: want %s", o.Side, strings.Join(sides, " or "))
		}
		c.Sides = []string{o.Side}
	}
	if o.Kind != "" {
		if _, err := kindNamed(o.Kind); err != nil {
			return Choice{}, err
		}
		c.Kinds = []string{o.Kind}
	}
	if o.Subset != "" && o.Subset != "short" {
		return Choice{}, fmt.Errorf("no subset %q: want short", o.Subset)
	}
	if o.Workers < 1 {
		return Choice{}, fmt.Errorf("%d workers: want at least 1", o.Workers)
	}
	if o.Record != "" && (o.Cell != "" || o.Subset != "" || o.Side != "" || o.Kind != "" || o.Shard != "") {
		return Choice{}, errors.New("a part of the plan is not recorded\nnext: the same command without -record, or the whole plan")
	}
	c.Shard, c.Shards, err = parseShard(o.Shard)
	return c, err
}

// parseShard reads "i/n" with i from 1, and gives it from 0.
func parseShard(text string) (shard, shards int, err error) {
	if text == "" {
		return 0, 1, nil
	}
	i, n, ok := strings.Cut(text, "/")
	shard, err1 := strconv.Atoi(i)
	shards, err2 := strconv.Atoi(n)
	if !ok || errors.Join(err1, err2) != nil || shard < 1 || shard > shards {
		return 0, 0, fmt.Errorf("shard %q: want i/n with i from 1 to n", text)
	}
	return shard - 1, shards, nil
}

// out is the folder of one subject.
func (o Options) out(s Subject) string {
	dir := o.Out
	if dir == "" {
		dir = filepath.Join(o.Root, "out", "report", "sweep")
	}
	name := s.Stream + "-" + s.Series
	if o.Subset != "" {
		name += "-" + o.Subset
	}
	if o.Shard != "" {
		name += "-" + strings.ReplaceAll(o.Shard, "/", "of")
	}
	return filepath.Join(dir, name)
}
