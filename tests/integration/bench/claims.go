package bench

import (
	"fmt"
	"strings"
)

// A Claim is a sentence of the contract (TOLERANCE.md has them by number), and
// what the figures say of it.
type Claim struct {
	Rule   string `json:"rule"`
	Text   string `json:"text"`
	Result string `json:"result"`
	Detail string `json:"detail,omitempty"`
}

// Results of claims.
const (
	holds   = "holds"
	fails   = "does not hold"
	unknown = "unknown" // what it needs was not measured
)

// verdict collects the figures of one claim; none at all leave it unknown.
type verdict struct {
	figures []string
	judged  int
	against int
}

func (v *verdict) add(ok bool, format string, args ...any) {
	v.judged++
	if !ok {
		v.against++
		format += " (!)"
	}
	v.mention(format, args...)
}

// mention adds a figure that decides nothing.
func (v *verdict) mention(format string, args ...any) {
	v.figures = append(v.figures, fmt.Sprintf(format, args...))
}

// claim wants as many judged figures as were planned.
func (v verdict) claim(rule, text string, wanted int) Claim {
	c := Claim{Rule: rule, Text: text, Result: holds, Detail: strings.Join(v.figures, "; ")}
	switch {
	case v.against > 0:
		c.Result = fails
	case v.judged < wanted:
		c.Result = unknown
	}
	return c
}

const (
	mostSlower  = 1.10 // times base's start
	mostBurst   = 1.2  // times the requests of a start without a fault
	mostDials   = 1.0  // per second
	mostHealthy = 3.0  // seconds
)

func (r *Report) claims() []Claim {
	return []Claim{
		r.claimRestarts(), r.claimHealthy(), r.claimBound(), r.Startup.claimTime(), r.Startup.claimRequests(),
		r.claimLines(), r.claimDials(), claimAnswered(strains, r.Load), claimBurst(strains, r.Load), r.claimConnections(),
	}
}

func (r *Report) claimRestarts() Claim {
	var v verdict
	for _, x := range r.recoveries(patched) {
		v.add(x.Restarts == 0, "%.0f s: %d", x.Outage, x.Restarts)
	}
	return v.claim("K1", "patched is never restarted in an outage", len(absences))
}

func (r *Report) claimHealthy() Claim {
	var v verdict
	wanted := 0
	for _, s := range strains {
		if s.phase != atStart {
			continue
		}
		wanted++
		if l := r.loadOf(s, patched); l != nil && l.Healthy > 0 {
			v.add(l.Healthy <= mostHealthy, "%s: %.1f s", s, l.Healthy)
		}
	}
	return v.claim("K1", fmt.Sprintf("patched answers /healthz with 200 within %.0f s of its start, whatever the API does", mostHealthy), wanted)
}

func (r *Report) claimBound() Claim {
	var v verdict
	for _, x := range r.recoveries(patched) {
		if x.Bound > 0 {
			v.add(x.Seconds <= x.Bound, "%.0f s: %.1f s of %.1f s", x.Outage, x.Seconds, x.Bound)
		}
	}
	// Where an attempt at the lease cannot have failed is not told apart here.
	most := bound(r.Startup, true)
	for _, l := range r.Load {
		if l.Side == patched && l.Fault != "" && most > 0 {
			v.add(l.Seconds <= most, "%s: %.1f s of %.1f s", l.strain(), l.Seconds, most)
		}
	}
	return v.claim("bound", "patched works within the time of a start without a fault, 3 s and, where an attempt at the lease failed, 2.2 retry periods", len(absences)+len(strains)-1)
}

func (s *Startup) claimTime() Claim {
	var v verdict
	if s != nil && len(s.Pairs) >= leastPairs {
		v.add(s.High <= mostSlower, "%.3f, interval %.3f to %.3f, %d pairs", s.Ratio, s.Low, s.High, len(s.Pairs))
	}
	return v.claim("K8", fmt.Sprintf("a start takes at most %.2f times as long as base's (upper end of the 95%% interval)", mostSlower), 1)
}

func (s *Startup) claimRequests() Claim {
	var v verdict
	if s != nil {
		v.add(len(s.Requests.onlyOne()) == 0, "%d that one side alone makes, %d that all starts of both make",
			len(s.Requests.onlyOne()), s.Requests.Common)
	}
	return v.claim("K8", "a start makes the same requests as base's until it works", 1)
}

func (r *Report) claimLines() Claim {
	var v verdict
	for _, x := range r.recoveries(patched) {
		v.add(linesWithin(x.Lines, x.Outage/x.Factor), "%.0f s, %.0f times as fast: %d", x.Outage, x.Factor, x.Lines)
	}
	return v.claim("K6", "patched logs one line when an outage begins, one when it ends, and one for each 30 s between", len(absences))
}

func (r *Report) claimDials() Claim {
	var v verdict
	wanted := 0
	for _, s := range strains {
		if s.fault != "refused" && s.fault != "tls-hang" { // the other keeps its connections
			continue
		}
		wanted++
		if l := r.loadOf(s, patched); l != nil && l.Dials != nil {
			v.add(l.Dials.Rate <= mostDials, "%s: %d at once, then %.2f", s, l.Dials.First, l.Dials.Rate)
		}
	}
	return v.claim("K9", "patched dials at most once a second while it waits, after the first second", wanted)
}

func claimAnswered(strains []strain, loads []Load) Claim {
	var v verdict
	for _, s := range strains {
		b, p := loadOf(loads, s, base), loadOf(loads, s, patched)
		switch {
		case s.fault != "unavailable" || b == nil || p == nil:
		case b.Exit != "":
			v.mention("%s: %.1f a second, base %.1f until it exited", s, p.Requests, b.Requests)
		default:
			v.add(p.Requests <= b.Requests, "%s: %.1f a second, base %.1f", s, p.Requests, b.Requests)
		}
	}
	return v.claim("K9", "patched makes no more requests of an API that answers 503 than base, where base goes on", 1)
}

func claimBurst(strains []strain, loads []Load) Claim {
	var v verdict
	for _, l := range loads {
		if ratio := burst(loads, l); l.Side == patched && ratio > 0 {
			v.add(ratio <= mostBurst, "%s: %.2f", l.strain(), ratio)
		}
	}
	return v.claim("K9", fmt.Sprintf("in its busiest 10 s after the return patched makes at most %.1f times the requests of a start without a fault", mostBurst), len(strains)-1)
}

func (r *Report) claimConnections() Claim {
	var v verdict
	b, p := r.loadOf(strain{phase: atStart}, base), r.loadOf(strain{phase: atStart}, patched)
	if b != nil && p != nil {
		v.add(p.Connections <= b.Connections, "%d, base %d", p.Connections, b.Connections)
		for _, l := range r.Load {
			if l.Side == patched && l.Fault != "" {
				v.add(l.Connections <= b.Connections, "after %s: %d", l.strain(), l.Connections)
			}
		}
	}
	return v.claim("oracle", "patched has no more connections than base when it works, also after an outage", len(strains))
}

// burst is what came after the return, as a part of what comes in a start
// without a fault of the same side; 0: not known.
func burst(loads []Load, l Load) float64 {
	plain := loadOf(loads, strain{phase: atStart}, l.Side)
	if plain == nil || plain.After == 0 || l.Fault == "" {
		return 0
	}
	return float64(l.After) / float64(plain.After)
}

func (r *Report) loadOf(s strain, side string) *Load { return loadOf(r.Load, s, side) }

func loadOf(loads []Load, s strain, side string) *Load {
	for i, l := range loads {
		if l.strain() == s && l.Side == side {
			return &loads[i]
		}
	}
	return nil
}

func (r *Report) recoveries(side string) []Recovery {
	var some []Recovery
	for _, x := range r.Recovery {
		if x.Side == side {
			some = append(some, x)
		}
	}
	return some
}
