package check

import (
	"fmt"
	"strings"
)

// Text is the report for people.
func (r Report) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s; %s, %s read", r.Source, strings.Join(r.Layouts, ", "), count(r.Logs, "log"), size(r.Bytes))
	if r.Objects > 0 {
		fmt.Fprintf(&b, ", %s", count(r.Objects, "API object"))
	}
	b.WriteString("\n")
	list(&b, "incomplete: ", r.Incomplete)
	list(&b, "note: ", r.Notes)
	for _, q := range r.Facts {
		fmt.Fprintf(&b, "fact: %s\n", q)
	}
	for _, f := range r.Findings {
		b.WriteString("\n")
		f.text(&b)
	}
	return b.String()
}

func (f Finding) text(b *strings.Builder) {
	fmt.Fprintf(b, "%s %s: %s\n", f.Name, f.Title, strings.ToUpper(string(f.Verdict)))
	fmt.Fprintf(b, "    why: %s\n", f.Why)
	list(b, "    missing: ", f.Missing)
	fmt.Fprintf(b, "    %s patched: %s\n", f.Component, f.Patched)
	for _, v := range f.Running {
		fmt.Fprintf(b, "        %s\n", v.At)
	}
	fmt.Fprintf(b, "    cured: %s\n", f.Cured)
	if len(f.Evidence) > 0 {
		b.WriteString("    evidence:\n")
		quoted(b, f.Evidence)
	}
	for _, n := range f.NotOurs {
		fmt.Fprintf(b, "    not ours: %s: %s; %s\n", n.Project, n.What, n.URL)
		quoted(b, n.Evidence)
	}
	if f.Bug != noBug {
		fmt.Fprintf(b, "    bug: %s\n", f.Bug)
	}
	list(b, "    next: ", f.Next)
}

func quoted(b *strings.Builder, quotes []Quote) {
	for _, q := range quotes {
		fmt.Fprintf(b, "        %s\n", q)
	}
}

func list(b *strings.Builder, head string, items []string) {
	for _, item := range items {
		fmt.Fprintf(b, "%s%s\n", head, item)
	}
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func size(bytes int64) string {
	switch {
	case bytes >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30))
	case bytes >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20))
	case bytes >= 1<<10:
		return fmt.Sprintf("%.1f KiB", float64(bytes)/(1<<10))
	}
	return fmt.Sprintf("%d bytes", bytes)
}
