package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

	"carry/internal/faults"
)

// Pair is two starts without a fault, one after the other.
type Pair struct {
	Base    float64 `json:"base"` // seconds from the first request to functional
	Patched float64 `json:"patched"`
	First   string  `json:"first"` // the side that started first
}

// Startup is what the pairs say together.
type Startup struct {
	Pairs   []Pair  `json:"pairs"`
	Base    float64 `json:"base"` // medians, in seconds
	Patched float64 `json:"patched"`
	// Ratio is the median of patched/base of the pairs, Low and High the ends
	// of its 95% interval.
	Ratio    float64  `json:"ratio"`
	Low      float64  `json:"low"`
	High     float64  `json:"high"`
	Requests Requests `json:"requests"`
}

// newStartup wants at least one pair.
func newStartup(pairs []Pair, requests Requests, seed uint64) *Startup {
	s := &Startup{Pairs: pairs, Requests: requests}
	var bases, patcheds, ratios []float64
	for _, p := range pairs {
		bases, patcheds, ratios = append(bases, p.Base), append(patcheds, p.Patched), append(ratios, p.Patched/p.Base)
	}
	s.Base, s.Patched, s.Ratio = median(bases), median(patcheds), median(ratios)
	s.Low, s.High = interval(ratios, seed)
	return s
}

// starting is a single start without a fault of one side; it gives the time from
// its first request until it works, and the requests until then.
type starting func(ctx context.Context, p *plane, side string) (took time.Duration, seen []faults.Request, err error)

// startup runs the pairs, alone on the first control plane. What it has at an
// error is kept.
func (b *bench) startup(ctx context.Context, start starting, keep func(*Startup)) error {
	var pairs []Pair
	requests := map[string][][]string{}
	for i, baseFirst := range order(b.Pairs, b.Seed) {
		pair := Pair{First: patched}
		turn := []string{patched, base}
		if baseFirst {
			pair.First, turn = base, []string{base, patched}
		}
		took := map[string]float64{}
		for _, side := range turn {
			seconds, seen, err := start(ctx, b.planes[0], side)
			if err != nil {
				return fmt.Errorf("pair %d, %s: %w", i+1, side, err)
			}
			took[side] = seconds.Seconds()
			requests[side] = append(requests[side], asked(seen))
		}
		pair.Base, pair.Patched = rounded(took[base]), rounded(took[patched])
		pairs = append(pairs, pair)
		b.note(func() { keep(newStartup(pairs, compareRequests(requests[base], requests[patched]), b.Seed)) },
			pairName(i+1), "start-up, pair %d of %d: base %.2f s, patched %.2f s", i+1, b.Pairs, pair.Base, pair.Patched)
	}
	return nil
}

// pairs are the names of what startup measures.
func (b *bench) pairs() []string {
	var names []string
	for i := range b.Pairs {
		names = append(names, pairName(i+1))
	}
	return names
}

// rounded to a millisecond, which is more than the rig can tell.
func rounded(seconds float64) float64 { return float64(int64(seconds*1000+0.5)) / 1000 }

func pairName(n int) string { return fmt.Sprintf("start-up pair %d", n) }

// start is a single start without a fault; it gives the time from its first
// request to functional, and the requests until then.
func (b *kcmBench) start(ctx context.Context, p *plane, side, kind string) (took time.Duration, seen []faults.Request, err error) {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	d, w, err := p.ready(ctx, kind)
	if err != nil {
		return 0, nil, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	process, err := p.launch(b.binaries[side], w)
	if err != nil {
		return 0, nil, err
	}
	defer process.Stop()
	if err := functional(ctx, w, d, process, p.Etcd, p.APIServer); err != nil {
		return 0, nil, err
	}
	works := time.Now()
	seen = before(w.Requests(), works)
	p.undone = false
	return works.Sub(seen[0].Time), seen, p.gone(ctx, d)
}

// before are the requests that came until then.
func before(requests []faults.Request, then time.Time) []faults.Request {
	for i, r := range requests {
		if r.Time.After(then) {
			return requests[:i]
		}
	}
	return requests
}

// tidy lets a start do what the last one on this control plane has left
// undone. It also warms up a control plane that has seen none.
func (b *kcmBench) tidy(ctx context.Context, p *plane) error {
	if !p.undone && p.starts > 0 {
		return nil
	}
	if _, _, err := b.start(ctx, p, patched, restart); err != nil {
		return fmt.Errorf("warm up control plane: %w", err)
	}
	return nil
}
