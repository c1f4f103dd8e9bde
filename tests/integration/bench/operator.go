package bench

import (
	"context"
	"fmt"
	"slices"
	"time"

	"carry/tests/integration"
)

// operatorBench measures cluster-version-operator: how long a tech-preview
// cluster waits for what needs the gate, and how long a shutdown keeps the next
// process from leading.
type operatorBench struct {
	*bench
	figures OperatorReport
}

const (
	techPreview = "TechPreviewNoUpgrade" // is what the payload's second namespace needs
	gatedPath   = "/api/v1/namespaces/" + integration.GatedNamespace
	versionPath = integration.ClusterVersions + "/version"
	lockMap     = integration.OperatorConfigMaps + "/version"
	lockLease   = integration.OperatorLeases + "/version"
)

// operatorAbsences are the outages, from the first dial on.
var operatorAbsences = []time.Duration{time.Second, 8 * time.Second, time.Minute}

const (
	operatorRuns  = 10 // of each outage on each side
	handovers     = 20 // of patched
	baseHandovers = 3  // which take minutes
	// A base that has lost its lock waits for 137 s and a retry of 26 s, and one
	// that died before that for the kubelet.
	operatorLimit = 8 * time.Minute
)

func (b *operatorBench) report() report { return &b.figures }

func (b *operatorBench) prepare(ctx context.Context, p *plane) error {
	p.component.Payload = integration.OperatorPayload(b.Root)
	return integration.PrepareOperator(ctx, p.ControlPlane, b.Root, b.Stream)
}

// tidy has nothing to do: each cell says which feature set it begins with.
func (b *operatorBench) tidy(context.Context, *plane) error { return nil }

// alone: a start without a fault is timed with nothing beside it.
func (b *operatorBench) alone(section string) bool { return section == sectionStartup }

func (b *operatorBench) section(ctx context.Context, name string) error {
	switch name {
	case sectionStartup:
		return b.startup(ctx, b.start, func(s *Startup) { b.figures.Startup = s })
	case sectionLoad:
		return b.share(ctx, b.loads())
	case sectionHandover:
		return b.share(ctx, b.handovers())
	}
	return b.share(ctx, b.recoveries())
}

func (b *operatorBench) loads() []cell {
	var cells []cell
	for _, s := range operatorStrains {
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
func (b *operatorBench) recoveries() []cell {
	var cells []cell
	for _, outage := range slices.Backward(operatorAbsences) {
		for _, side := range sides {
			for run := range operatorRuns {
				name := fmt.Sprintf("recovery from %.0f s, %s, run %d", outage.Seconds(), side, run+1)
				cells = append(cells, cell{name, func(ctx context.Context, p *plane) error {
					r, err := b.recovery(ctx, p, outage, side)
					if err != nil {
						return err
					}
					r.Run = run + 1
					b.note(func() { b.figures.Recovery = append(b.figures.Recovery, r) }, name, "%s: %s", name, r.say())
					return nil
				}})
			}
		}
	}
	return cells
}

func (b *operatorBench) handovers() []cell {
	var cells []cell
	for _, side := range sides {
		runs := handovers
		if side == base {
			runs = baseHandovers
		}
		for run := range runs {
			name := fmt.Sprintf("handover, %s, run %d", side, run+1)
			cells = append(cells, cell{name, func(ctx context.Context, p *plane) error {
				h, err := b.handover(ctx, p, side, meetings[run%len(meetings)])
				if err != nil {
					return err
				}
				h.Run = run + 1
				b.note(func() { b.figures.Handover = append(b.figures.Handover, h) }, name, "%s: %s", name, h.say())
				return nil
			}})
		}
	}
	return cells
}

func (b *operatorBench) planned() []string {
	var names []string
	if b.wants(sectionStartup) {
		names = b.pairs()
	}
	var cells []cell
	if b.wants(sectionLoad) {
		cells = append(cells, b.loads()...)
	}
	if b.wants(sectionRecovery) {
		cells = append(cells, b.recoveries()...)
	}
	if b.wants(sectionHandover) {
		cells = append(cells, b.handovers()...)
	}
	for _, c := range cells {
		names = append(names, c.name)
	}
	return names
}
