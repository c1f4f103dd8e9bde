package sweep

import (
	"context"
	"sync"
	"time"
)

// pulseTick is how often a machine that is not stalled lets a process run.
const pulseTick = 100 * time.Millisecond

// pulse notes when the machine has not let this process run: then it has not
// let the component run either, and a lease that was lost proves nothing.
type pulse struct {
	mu   sync.Mutex
	gaps []gap
	last time.Time
}

// gap is a time in which nothing ran.
type gap struct{ begun, ended time.Time }

// beat notes gaps until ctx ends.
func (p *pulse) beat(ctx context.Context) {
	p.at(time.Now())
	ticker := time.NewTicker(pulseTick)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			p.at(time.Now())
		case <-ctx.Done():
			return
		}
	}
}

func (p *pulse) at(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.last.IsZero() && now.Sub(p.last) > 2*pulseTick {
		p.gaps = append(p.gaps, gap{p.last, now})
	}
	p.last = now
}

// longest is the longest gap that reached into the time since begun, in whole
// tenths of a second; 0: none.
func (p *pulse) longest(begun time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	var most time.Duration
	for _, g := range p.gaps {
		if g.ended.After(begun) {
			most = max(most, g.ended.Sub(g.begun))
		}
	}
	return most.Round(pulseTick)
}
