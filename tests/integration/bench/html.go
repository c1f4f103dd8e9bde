package bench

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
)

//go:embed report.html.tmpl
var pageText string

var page = template.Must(template.New("page").Parse(pageText))

// html is one page without anything from elsewhere.
func (r *Report) html() ([]byte, error) {
	type table struct {
		Title, ID string
		Head      []string
		Rows      [][]string
	}
	view := struct {
		*Report
		Chart  chart
		Tables []table
	}{Report: r, Chart: newChart(r.Recovery)}
	for _, t := range []struct {
		title, id string
		rows      [][]string
	}{
		{"Recovery", "recovery", r.recoveryRows()},
		{"Start without a fault", "startup", r.Startup.rows()},
		{"Requests until functional that not every start makes", "requests", r.Startup.requestRows()},
		{"Load and memory", "load", loadRows(r.Load)},
	} {
		if len(t.rows) > 0 {
			view.Tables = append(view.Tables, table{t.title, t.id, t.rows[0], t.rows[1:]})
		}
	}
	var out bytes.Buffer
	if err := page.Execute(&out, view); err != nil {
		return nil, fmt.Errorf("make page: %w", err)
	}
	return out.Bytes(), nil
}
