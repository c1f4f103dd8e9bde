package bench

import (
	"context"
	"slices"
	"time"

	"carry/internal/faults"
)

// kcmBench measures kube-controller-manager.
type kcmBench struct {
	*bench
	figures Report
}

func (b *kcmBench) report() report { return &b.figures }

// prepare lets a control plane see a first start.
func (b *kcmBench) prepare(ctx context.Context, p *plane) error {
	if err := p.namespace(ctx); err != nil {
		return err
	}
	return b.tidy(ctx, p)
}

// alone: a start without a fault is timed with nothing beside it.
func (b *kcmBench) alone(section string) bool { return section == sectionStartup }

func (b *kcmBench) section(ctx context.Context, name string) error {
	switch name {
	case sectionStartup:
		start := func(ctx context.Context, p *plane, side string) (time.Duration, []faults.Request, error) {
			return b.start(ctx, p, side, b.Start)
		}
		return b.startup(ctx, start, func(s *Startup) { b.figures.Startup = s })
	case sectionLoad:
		return b.share(ctx, b.loads())
	}
	return b.share(ctx, b.recoveries())
}

func (b *kcmBench) loads() []cell {
	var cells []cell
	for _, s := range strains {
		for _, side := range sides {
			name := s.name(side)
			cells = append(cells, cell{name, func(ctx context.Context, p *plane) error {
				l, err := b.load(ctx, p, s, side)
				if err != nil {
					return err
				}
				b.note(func() { b.figures.Load = append(b.figures.Load, l) }, name, "%s: %s", name, l.say())
				return nil
			}})
		}
	}
	return cells
}

// recoveries come longest first, so that all end at about the same time.
func (b *kcmBench) recoveries() []cell {
	var cells []cell
	for _, a := range slices.Backward(absences) {
		for _, side := range sides {
			name := recoveryName(a.length.Seconds(), side)
			cells = append(cells, cell{name, func(ctx context.Context, p *plane) error {
				r, err := b.recovery(ctx, p, a, side)
				if err != nil {
					return err
				}
				b.note(func() {
					if side == patched {
						r.Bound = bound(b.figures.Startup, r.LeaseMissed)
					}
					b.figures.Recovery = append(b.figures.Recovery, r)
				}, name, "%s: %s", name, r.say())
				return nil
			}})
		}
	}
	return cells
}

func (b *kcmBench) planned() []string {
	var names []string
	if b.wants(sectionStartup) {
		names = b.pairs()
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
