package bench

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// A part is a title and rows of the table.
type part struct {
	title string
	rows  [][]string
}

// table is the report for a terminal.
func (r *Report) table() string {
	title := fmt.Sprintf("%s %s, series %s, %s starts, seed %d", kcm, r.Stream, r.Series, r.Start, r.Seed)
	return tableOf(title, append([]part{
		{"Seconds from the API's return to functional", r.recoveryRows()},
		{"Start without a fault", r.Startup.rows()},
		{"Requests until functional that not every start makes", r.Startup.requestRows()},
		{"Load and memory", loadRows(r.Load)},
	}, r.parts()...))
}

func tableOf(title string, parts []part) string {
	var out strings.Builder
	fmt.Fprintln(&out, title)
	for _, part := range parts {
		if len(part.rows) == 0 {
			continue
		}
		fmt.Fprintf(&out, "\n%s\n", part.title)
		w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
		for _, row := range part.rows {
			fmt.Fprintf(w, "  %s\n", strings.Join(row, "\t"))
		}
		_ = w.Flush() // a builder takes everything
	}
	return out.String()
}

func column(values []string) [][]string {
	var rows [][]string
	for _, v := range values {
		rows = append(rows, []string{v})
	}
	return rows
}

func (r *Report) recoveryRows() [][]string {
	rows := [][]string{{"outage", "factor", "base", "restarts", "longest back-off", "patched", "bound", "within"}}
	for _, a := range absences {
		row := []string{fmt.Sprintf("%.0f s", a.length.Seconds()), fmt.Sprint(a.factor), "-", "-", "-", "-", "-", "-"}
		found := false
		for _, x := range r.Recovery {
			if x.Outage != a.length.Seconds() {
				continue
			}
			found = true
			if x.Side == base {
				row[2], row[3], row[4] = fmt.Sprintf("%.1f s", x.Seconds), fmt.Sprint(x.Restarts), fmt.Sprintf("%.0f s", x.LongestBackOff)
				continue
			}
			row[5] = fmt.Sprintf("%.1f s", x.Seconds)
			if x.Bound > 0 {
				row[6], row[7] = fmt.Sprintf("%.1f s", x.Bound), yes(x.Seconds <= x.Bound)
			}
		}
		if found {
			rows = append(rows, row)
		}
	}
	return beyondHead(rows)
}

// beyondHead is nothing where there is only a head.
func beyondHead(rows [][]string) [][]string {
	if len(rows) == 1 {
		return nil
	}
	return rows
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "NO"
}

func (s *Startup) rows() [][]string {
	if s == nil {
		return nil
	}
	return [][]string{
		{"pairs", "base", "patched", "ratio", "95% interval"},
		{fmt.Sprint(len(s.Pairs)), fmt.Sprintf("%.2f s", s.Base), fmt.Sprintf("%.2f s", s.Patched),
			fmt.Sprintf("%.3f", s.Ratio), fmt.Sprintf("%.3f to %.3f", s.Low, s.High)},
	}
}

func (s *Startup) requestRows() [][]string {
	if s == nil {
		return nil
	}
	q := s.Requests
	rows := [][]string{{"request", "base", "patched", ""}}
	for _, d := range q.Differences {
		rows = append(rows, []string{
			d.Request, fmt.Sprintf("%d/%d", d.Base, q.BaseStarts), fmt.Sprintf("%d/%d", d.Patched, q.PatchedStarts), d.Kind,
		})
	}
	return append(rows, []string{fmt.Sprintf("(%d others: every start)", q.Common), "", "", ""})
}

func loadRows(loads []Load) [][]string {
	rows := [][]string{{
		"fault", "when", "side", "dials", "at once", "then /s", "requests /s", "requests after", "ratio", "peak /s",
		"healthy after", "works after", "MiB waiting", "MiB", "connections", "exit",
	}}
	for _, l := range loads {
		rows = append(rows, l.row(burst(loads, l)))
	}
	return beyondHead(rows)
}

func (l Load) row(burst float64) []string {
	row := []string{l.Fault, l.Phase, l.Side, "-", "-", "-", "-", "-", "-", "-", "-", "-", "-", "-", "-", "-"}
	if l.Fault == "" {
		row[0] = "none"
	} else {
		row[6] = fmt.Sprintf("%.1f", l.Requests)
	}
	if l.Dials != nil && l.Fault != "" {
		row[3], row[4], row[5] = fmt.Sprint(l.Dials.All), fmt.Sprint(l.Dials.First), fmt.Sprintf("%.2f", l.Dials.Rate)
	}
	if l.Healthy > 0 {
		row[10] = fmt.Sprintf("%.1f s", l.Healthy)
	}
	if l.Exit != "" {
		row[15] = fmt.Sprintf("%s after %.1f s", l.Exit, l.Wait)
		return row
	}
	if burst > 0 {
		row[8] = fmt.Sprintf("%.2f", burst)
	}
	if l.RSSWaiting > 0 {
		row[12] = fmt.Sprintf("%.0f", l.RSSWaiting)
	}
	row[7], row[9], row[11] = fmt.Sprint(l.After), fmt.Sprint(l.Peak), fmt.Sprintf("%.1f s", l.Seconds)
	row[13], row[14] = fmt.Sprintf("%.0f", l.RSSFunctional), fmt.Sprint(l.Connections)
	return row
}
