package bench

import (
	"cmp"
	"fmt"
	"slices"
)

// OperatorReport is all that a run of cluster-version-operator has measured. A
// figure that is not there was not measured, and Missing says so.
type OperatorReport struct {
	Component string          `json:"component"`
	Stream    string          `json:"stream"`
	Series    string          `json:"series"` // hash of the series
	Startup   *Startup        `json:"startup,omitempty"`
	Load      []Load          `json:"load"`
	Recovery  []GatedRecovery `json:"recovery"`
	Handover  []Handover      `json:"handover"`
	Outcome
}

func (r *OperatorReport) finish(planned []string, done map[string]bool) {
	r.Recovery = append([]GatedRecovery{}, r.Recovery...)
	r.Handover = append([]Handover{}, r.Handover...)
	slices.SortFunc(r.Recovery, func(a, b GatedRecovery) int {
		return cmp.Or(cmp.Compare(a.Outage, b.Outage), cmp.Compare(a.Side, b.Side), cmp.Compare(a.Run, b.Run))
	})
	slices.SortFunc(r.Handover, func(a, b Handover) int {
		return cmp.Or(cmp.Compare(a.Side, b.Side), cmp.Compare(a.Run, b.Run))
	})
	r.Load = inOrder(operatorStrains, r.Load)
	r.settle([]Claim{
		r.Startup.claimTime(), r.Startup.claimRequests(), claimAnswered(operatorStrains, r.Load), claimBurst(operatorStrains, r.Load),
		r.claimGated(), r.claimLines(), r.claimDials(), r.claimHandover(), r.claimInFlight(),
	}, planned, done)
}

// html: there is none, the table says it all.
func (r *OperatorReport) html() ([]byte, error) { return nil, nil }

func (r *OperatorReport) table() string {
	title := fmt.Sprintf("%s %s, series %s", r.Component, r.Stream, r.Series)
	return tableOf(title, append([]part{
		{"Seconds from the API's return to the gated namespace: median (least to most)", r.recoveryRows()},
		{"Start without a fault, until the gated namespace", r.Startup.rows()},
		{"Requests until then that not every start makes", r.Startup.requestRows()},
		{"Load and memory", loadRows(r.Load)},
		{"Shutdown that meets a renewal of the lock, and the next process", r.handoverRows()},
	}, r.parts()...))
}

func (r *OperatorReport) recoveryRows() [][]string {
	rows := [][]string{{"outage", "side", "runs", "seconds", "restarts", "lines", "dials", "most at once"}}
	for _, outage := range operatorAbsences {
		for _, side := range sides {
			var seconds, restarts, lines, dials, bursts []float64
			for _, x := range r.runs(outage.Seconds(), side) {
				seconds, restarts, lines = append(seconds, x.Seconds), append(restarts, float64(x.Restarts)), append(lines, float64(x.Lines))
				dials, bursts = append(dials, float64(x.Dials)), append(bursts, float64(x.Burst))
			}
			if len(seconds) > 0 {
				rows = append(rows, []string{
					fmt.Sprintf("%.0f s", outage.Seconds()), side, fmt.Sprint(len(seconds)),
					spread("%.2f", seconds), spread("%.0f", restarts), spread("%.0f", lines), spread("%.0f", dials), spread("%.0f", bursts),
				})
			}
		}
	}
	return beyondHead(rows)
}

// spread is the median and both ends.
func spread(format string, values []float64) string {
	if len(values) == 0 {
		return "-"
	}
	return fmt.Sprintf(format+" ("+format+" to "+format+")", median(values), slices.Min(values), slices.Max(values))
}

func (r *OperatorReport) handoverRows() [][]string {
	rows := [][]string{{"side", "run", "meets", "in flight", "code", "ends after", "lock free", "next leads after"}}
	for _, h := range r.Handover {
		rows = append(rows, []string{
			h.Side, fmt.Sprint(h.Run), h.Meets, yes(h.InFlight), fmt.Sprint(h.Code),
			fmt.Sprintf("%.2f s", h.Exit), yes(h.Free), fmt.Sprintf("%.2f s", h.Seconds),
		})
	}
	return beyondHead(rows)
}

func (r *OperatorReport) runs(outage float64, side string) []GatedRecovery {
	return slices.DeleteFunc(slices.Clone(r.Recovery), func(x GatedRecovery) bool { return x.Outage != outage || x.Side != side })
}

const (
	mostGated    = 2.0 // seconds from the API's return; the contract's bound is longer
	mostHandover = 5.0 // seconds from the start of the next process
)

func (r *OperatorReport) claimGated() Claim {
	var v verdict
	wanted := 0
	for _, outage := range operatorAbsences {
		wanted += operatorRuns
		for _, x := range r.runs(outage.Seconds(), patched) {
			v.add(x.Seconds <= mostGated && x.Restarts == 0, "%.0f s: %.2f s, %d restarts", x.Outage, x.Seconds, x.Restarts)
		}
	}
	return v.claim("bound", fmt.Sprintf("patched has applied the gated namespace at most %.0f s after the API's return, without a restart", mostGated), wanted)
}

func (r *OperatorReport) claimLines() Claim {
	var v verdict
	for _, x := range r.Recovery {
		if x.Side == patched {
			v.add(linesWithin(x.Lines, x.Outage), "%.0f s: %d", x.Outage, x.Lines)
		}
	}
	return v.claim("V8", "patched logs one line when an outage begins, one when it ends, and one for each 30 s between", len(operatorAbsences)*operatorRuns)
}

func (r *OperatorReport) claimDials() Claim {
	var v verdict
	wanted := 0
	for _, outage := range operatorAbsences {
		wanted += operatorRuns
		for _, x := range r.runs(outage.Seconds(), patched) {
			if x.Dials > 0 {
				v.add(x.Burst == 1, "%.0f s: %d, at most %d a second", x.Outage, x.Dials, x.Burst)
			}
		}
	}
	return v.claim("V8", "patched dials at most once a second while it waits", wanted)
}

func (r *OperatorReport) claimHandover() Claim {
	var v verdict
	for _, h := range r.Handover {
		if h.Side == patched {
			v.add(h.Seconds <= mostHandover && h.Code == 0 && h.Free, "%.2f s", h.Seconds)
		} else {
			v.mention("base %.2f s, code %d", h.Seconds, h.Code)
		}
	}
	return v.claim("V4", fmt.Sprintf("patched leaves its lock free when it is asked to end, and a process started after the exit leads within %.0f s", mostHandover), handovers)
}

// claimInFlight says that the shutdowns above were not lucky.
func (r *OperatorReport) claimInFlight() Claim {
	var v verdict
	met, all := 0, 0
	for _, h := range r.Handover {
		if h.Side == patched {
			all++
			if h.InFlight {
				met++
			}
		}
	}
	if all == handovers {
		v.add(2*met >= all, "%d of %d", met, all)
	}
	return v.claim("V4", "at least half of patched's shutdowns met a renewal in flight", 1)
}
