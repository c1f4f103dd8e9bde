package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"carry/internal/controlplane"
	"carry/tests/integration"
)

// bench is one run of the command.
type bench struct {
	Options
	config   controlplane.Config
	binaries map[string]string // by side
	planes   []*plane
	begun    time.Time

	mu     sync.Mutex // guards what follows
	out    io.Writer
	report Report
	done   map[string]bool // what has been measured, by name
}

// Run measures and reports. It gives an error when something is missing; what
// the figures are is none.
func Run(ctx context.Context, o Options, out io.Writer) error {
	b, err := prepare(o, out)
	if err != nil {
		return err
	}
	b.measure(ctx)
	b.stop()
	return b.conclude(ctx)
}

// prepare checks everything that can be checked before something is started.
func prepare(o Options, out io.Writer) (b *bench, err error) {
	if o.Root, err = filepath.Abs(o.Root); err != nil {
		return nil, fmt.Errorf("find repository: %w", err)
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	b = &bench{Options: o, binaries: map[string]string{}, begun: time.Now(), out: out, done: map[string]bool{}}
	for _, side := range sides {
		found, err := integration.FindBinaries(o.Root, component, o.Stream, side)
		if err != nil {
			return nil, err
		}
		b.binaries[side] = found.Component
		b.config.Etcd, b.config.APIServer = found.Etcd, found.APIServer
	}
	series, err := integration.BuiltSeries(o.Root, component, o.Stream)
	if err != nil {
		return nil, err
	}
	b.report = Report{Stream: o.Stream, Series: series, Start: o.Start, Seed: o.Seed}
	if b.config.PKI, err = controlplane.NewPKI(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(o.dir(), 0o755); err != nil {
		return nil, fmt.Errorf("make folder of bench: %w", err)
	}
	if b.config.Dir, err = os.MkdirTemp(o.dir(), "run-"); err != nil {
		return nil, fmt.Errorf("make folder of run: %w", err)
	}
	return b, nil
}

// measure runs the sections. One that fails leaves the others their turn, and
// what there is is written after each, for a run that is killed.
func (b *bench) measure(ctx context.Context) {
	for _, section := range sections {
		if !b.wants(section) || ctx.Err() != nil {
			continue
		}
		b.say("%s", section)
		if err := b.section(ctx, section); err != nil {
			b.trouble(section, err)
		}
		if err := b.write(); err != nil {
			b.trouble(section, err)
		}
	}
}

func (b *bench) write() error {
	b.report.finish(b.planned(), b.done)
	return b.report.write(b.dir())
}

func (b *bench) section(ctx context.Context, section string) error {
	workers := b.Workers
	if section == sectionStartup {
		workers = 1
	}
	if err := b.grow(ctx, workers); err != nil {
		return err
	}
	switch section {
	case sectionStartup:
		return b.startup(ctx)
	case sectionLoad:
		return b.share(ctx, b.loads())
	}
	return b.share(ctx, b.recoveries())
}

// grow brings up control planes until there are so many, all at once, and lets
// each see a first start.
func (b *bench) grow(ctx context.Context, n int) error {
	had := len(b.planes)
	if had >= n {
		return nil
	}
	b.say("starting %d control planes", n-had)
	more := make([]*plane, n-had)
	errs := make([]error, len(more))
	var group sync.WaitGroup
	for i := range more {
		group.Go(func() {
			if more[i], errs[i] = startPlane(ctx, b.config, b.Stream, had+i); errs[i] == nil {
				errs[i] = b.tidy(ctx, more[i])
			}
		})
	}
	group.Wait()
	b.planes = append(b.planes, slices.DeleteFunc(more, func(p *plane) bool { return p == nil })...)
	return errors.Join(errs...)
}

// A cell is one thing to measure on a control plane of its own.
type cell struct {
	name    string
	measure func(context.Context, *plane) error
}

// share hands cells to the control planes, in order. A cell that fails leaves
// the others theirs; a control plane that has died takes none any more.
func (b *bench) share(ctx context.Context, cells []cell) error {
	if len(b.planes) == 0 {
		return errors.New("no control plane runs")
	}
	queue := make(chan cell, len(cells))
	for _, c := range cells {
		queue <- c
	}
	close(queue)
	var group sync.WaitGroup
	for _, p := range b.planes {
		group.Go(func() {
			for c := range queue {
				if ctx.Err() != nil {
					return
				}
				err := b.tidy(ctx, p)
				if err == nil {
					err = c.measure(ctx, p)
				}
				if err != nil {
					b.trouble(c.name, err)
				}
				if p.Running() != nil {
					return // the cell has failed with it
				}
			}
		})
	}
	group.Wait()
	return nil
}

func (b *bench) loads() []cell {
	var cells []cell
	for _, s := range strains {
		for _, side := range sides {
			name := s.name(side)
			cells = append(cells, cell{name, func(ctx context.Context, p *plane) error {
				l, err := b.load(ctx, p, s, side)
				if err != nil {
					return err
				}
				b.note(func(r *Report) { r.Load = append(r.Load, l) }, name, "%s: %s", name, l.say())
				return nil
			}})
		}
	}
	return cells
}

// recoveries come longest first, so that all end at about the same time.
func (b *bench) recoveries() []cell {
	var cells []cell
	for _, a := range slices.Backward(absences) {
		for _, side := range sides {
			name := recoveryName(a.length.Seconds(), side)
			cells = append(cells, cell{name, func(ctx context.Context, p *plane) error {
				r, err := b.recovery(ctx, p, a, side)
				if err != nil {
					return err
				}
				b.note(func(report *Report) {
					if side == patched {
						r.Bound = bound(report.Startup, r.LeaseMissed)
					}
					report.Recovery = append(report.Recovery, r)
				}, name, "%s: %s", name, r.say())
				return nil
			}})
		}
	}
	return cells
}

// planned are the names of all that these options measure.
func (b *bench) planned() []string {
	var names []string
	if b.wants(sectionStartup) {
		for i := range b.Pairs {
			names = append(names, pairName(i+1))
		}
	}
	if b.wants(sectionLoad) {
		for _, c := range b.loads() {
			names = append(names, c.name)
		}
	}
	if b.wants(sectionRecovery) {
		for _, c := range b.recoveries() {
			names = append(names, c.name)
		}
	}
	return names
}

// note takes a figure in, and says so in a line.
func (b *bench) note(take func(*Report), name, format string, args ...any) {
	b.mu.Lock()
	take(&b.report)
	b.done[name] = true
	b.mu.Unlock()
	b.say(format, args...)
}

func (b *bench) trouble(what string, err error) {
	b.mu.Lock()
	b.report.Troubles = append(b.report.Troubles, fmt.Sprintf("%s: %v", what, err))
	b.mu.Unlock()
	b.say("FAILED %s: %v", what, err)
}

// cannotCount notes, once, why there are no dials in the report.
func (b *bench) cannotCount(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.report.Notes) == 0 {
		b.report.Notes = []string{fmt.Sprintf("dials are not counted: %v\nnext: run as root, or with CAP_NET_RAW", err)}
	}
}

func (b *bench) say(format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	fmt.Fprintf(b.out, "%4.0f s  %s\n", time.Since(b.begun).Seconds(), fmt.Sprintf(format, args...))
}

// stop ends the control planes, and removes what they leave unless it may tell
// why something failed.
func (b *bench) stop() {
	var group sync.WaitGroup
	for _, p := range b.planes {
		group.Go(p.Stop)
	}
	group.Wait()
	if len(b.report.Troubles) == 0 {
		_ = os.RemoveAll(b.config.Dir) // in the way of nobody
	}
}

// conclude reports what there is, and gives an error for what is not.
func (b *bench) conclude(ctx context.Context) error {
	r := &b.report
	if err := b.write(); err != nil {
		return err
	}
	fmt.Fprintf(b.out, "\n%s\nreport: %s\n", r.table(), filepath.Join(b.dir(), "bench.html"))
	bad := r.incomplete()
	switch {
	case b.Results == "":
	case bad != nil || ctx.Err() != nil || !b.whole() || len(r.Notes) > 0:
		fmt.Fprintln(b.out, "not recorded in the results: something is missing, or was left out")
	default:
		if err := r.record(b.Results, b.name()); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return errors.Join(errors.New("interrupted"), bad)
	}
	if len(r.Troubles) > 0 {
		return fmt.Errorf("%w\nlogs: %s", bad, b.config.Dir)
	}
	return bad
}
