package sweep

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"slices"
	"strings"
)

//go:embed report.html.tmpl
var pageText string

var page = template.Must(template.New("page").Parse(pageText))

// matrix is one table of the page: windows downwards, kinds and sides across.
type matrix struct {
	Start   string
	Columns []column
	Rows    []row
}

type column struct {
	Kind  string
	Sides []string
}

type row struct {
	Window string
	Rare   bool
	Marks  []mark
}

// mark is one cell: Class is empty where the plan has none.
type mark struct {
	Class string
	Text  string
	Title string
	More  string // what opens on a tap
}

// html is one page without anything from elsewhere.
func (r Report) html() ([]byte, error) {
	var out bytes.Buffer
	err := page.Execute(&out, struct {
		Report
		Matrices []matrix
		Bad      int
	}{r, r.matrices(), r.badCount()})
	if err != nil {
		return nil, fmt.Errorf("make page: %w", err)
	}
	return out.Bytes(), nil
}

func (r Report) badCount() int {
	n := 0
	for _, result := range r.Results {
		if bad(result) {
			n++
		}
	}
	return n
}

func (r Report) matrices() []matrix {
	var all []matrix
	for _, start := range allStarts() {
		cells := map[string]Result{} // by kind, side and window
		columns := map[string][]string{}
		windows := map[Window]bool{} // and whether it is rare
		for _, result := range r.Results {
			c, err := parseCell(result.Cell)
			if err != nil || c.Start != start {
				continue
			}
			cells[c.column()+" "+c.Side+" "+c.Window.String()] = result
			if !slices.Contains(columns[c.column()], c.Side) {
				columns[c.column()] = append(columns[c.column()], c.Side)
			}
			windows[c.Window] = windows[c.Window] || result.Rare
		}
		if len(windows) > 0 {
			all = append(all, newMatrix(start, cells, columns, windows))
		}
	}
	return all
}

func newMatrix(start string, cells map[string]Result, columns map[string][]string, windows map[Window]bool) matrix {
	m := matrix{Start: start}
	for _, kind := range sortedColumns(columns) {
		slices.Sort(columns[kind])
		m.Columns = append(m.Columns, column{kind, columns[kind]})
	}
	for w, rare := range windows {
		line := row{Window: w.String(), Rare: rare}
		for _, c := range m.Columns {
			for _, side := range c.Sides {
				line.Marks = append(line.Marks, markOf(cells[c.Kind+" "+side+" "+line.Window]))
			}
		}
		m.Rows = append(m.Rows, line)
	}
	slices.SortFunc(m.Rows, func(a, b row) int {
		x, _ := parseWindow(a.Window) // written by String
		y, _ := parseWindow(b.Window)
		return compareWindows(x, y)
	})
	return m
}

// sortedColumns puts those with both sides first.
func sortedColumns(columns map[string][]string) []string {
	var names []string
	for name := range columns {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if n := len(columns[b]) - len(columns[a]); n != 0 {
			return n
		}
		return strings.Compare(a, b)
	})
	return names
}

func markOf(r Result) mark {
	switch r.Outcome {
	case "":
		return mark{}
	case survived:
		return mark{Class: "survived", Text: fmt.Sprintf("%.0f s", r.Seconds), Title: r.say()}
	case notReached:
		return mark{Class: "unknown", Text: "?", Title: r.say()}
	case broken:
		return mark{Class: "unknown", Text: "!", More: r.Detail}
	case stuck, wrong:
		return mark{Class: r.Outcome, Text: r.Outcome, More: r.Detail}
	}
	return mark{Class: "exited", Text: strings.Replace(r.Exit, "code", "exit", 1), More: strings.TrimPrefix(r.Phase+": "+r.Detail, ": ")}
}
