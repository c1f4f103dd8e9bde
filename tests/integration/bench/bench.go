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
	subject  subject
	planes   []*plane
	begun    time.Time

	mu   sync.Mutex // guards what follows, and the subject's report
	out  io.Writer
	done map[string]bool // what has been measured, by name
}

// A subject is what the bench has to know of one component in particular.
type subject interface {
	report() report
	prepare(context.Context, *plane) error // once, when the control plane has come up
	tidy(context.Context, *plane) error    // before a cell: no start meets what the one before has left
	alone(section string) bool             // it uses one control plane, and nothing runs beside it
	section(ctx context.Context, name string) error
	planned() []string // names of all that the options measure
}

func (b *bench) newSubject(series string) subject {
	if b.Component == operator {
		return &operatorBench{bench: b, figures: OperatorReport{Component: operator, Stream: b.Stream, Series: series}}
	}
	return &kcmBench{bench: b, figures: Report{Stream: b.Stream, Series: series, Start: b.Start, Seed: b.Seed}}
}

func (b *bench) outcome() *Outcome { return b.subject.report().outcome() }

// Run measures and reports. It gives an error when something is missing, and
// when the figures break the contract; those are recorded all the same.
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
		found, err := integration.FindBinaries(o.Root, o.Component, o.Stream, side)
		if err != nil {
			return nil, err
		}
		b.binaries[side] = found.Component
		b.config.Etcd, b.config.APIServer = found.Etcd, found.APIServer
	}
	series, err := integration.BuiltSeries(o.Root, o.Component, o.Stream)
	if err != nil {
		return nil, err
	}
	b.subject = b.newSubject(series)
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
	for _, section := range sections[b.Component] {
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
	b.mu.Lock()
	defer b.mu.Unlock()
	r := b.subject.report()
	r.finish(b.subject.planned(), b.done)
	return save(r, b.dir())
}

func (b *bench) section(ctx context.Context, section string) error {
	workers := b.Workers
	if b.subject.alone(section) {
		workers = 1
	}
	if err := b.grow(ctx, workers); err != nil {
		return err
	}
	return b.subject.section(ctx, section)
}

// grow brings up control planes until there are so many, all at once, and
// readies each.
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
			if more[i], errs[i] = startPlane(ctx, b.config, had+i); errs[i] == nil {
				more[i].component = controlplane.ComponentConfig{Component: b.Component, Stream: b.Stream}
				errs[i] = b.subject.prepare(ctx, more[i])
			}
			if errs[i] != nil && more[i] != nil { // nothing can be measured on it
				more[i].Stop()
				more[i] = nil
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
				err := b.subject.tidy(ctx, p)
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

// note takes a figure in, and says so in a line.
func (b *bench) note(take func(), name, format string, args ...any) {
	b.mu.Lock()
	take()
	b.done[name] = true
	b.mu.Unlock()
	b.say(format, args...)
}

func (b *bench) trouble(what string, err error) {
	b.mu.Lock()
	b.outcome().Troubles = append(b.outcome().Troubles, fmt.Sprintf("%s: %v", what, err))
	b.mu.Unlock()
	b.say("FAILED %s: %v", what, err)
}

// cannotCount notes, once, why there are no dials in the report.
func (b *bench) cannotCount(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.outcome().Notes) == 0 {
		b.outcome().Notes = []string{fmt.Sprintf("dials are not counted: %v\nnext: run as root, or with CAP_NET_RAW", err)}
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
	if len(b.outcome().Troubles) == 0 {
		_ = os.RemoveAll(b.config.Dir) // in the way of nobody
	}
}

// conclude reports what there is, and gives an error for what is not.
func (b *bench) conclude(ctx context.Context) error {
	r, o := b.subject.report(), b.outcome()
	if err := b.write(); err != nil {
		return err
	}
	fmt.Fprintf(b.out, "\n%s\nreport: %s\n", r.table(), b.dir())
	bad := o.incomplete()
	switch {
	case b.Results == "":
	case bad != nil || ctx.Err() != nil || !b.whole() || len(o.Notes) > 0:
		fmt.Fprintln(b.out, "not recorded in the results: something is missing, or was left out")
	default:
		if err := record(r, b.Results, b.name()); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return errors.Join(errors.New("interrupted"), bad)
	}
	if len(o.Troubles) > 0 {
		return fmt.Errorf("%w\nlogs: %s", bad, b.config.Dir)
	}
	return errors.Join(bad, o.broken())
}
