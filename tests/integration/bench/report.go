package bench

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Report is all that a run has measured. A figure that is not there was not
// measured, and Missing says so.
type Report struct {
	Stream   string     `json:"stream"`
	Series   string     `json:"series"` // hash of the stream's patch files
	Start    string     `json:"start"`
	Seed     uint64     `json:"seed"`
	Startup  *Startup   `json:"startup,omitempty"`
	Recovery []Recovery `json:"recovery"`
	Load     []Load     `json:"load"`
	Claims   []Claim    `json:"claims"`
	Missing  []string   `json:"missing"`  // planned and not measured
	Troubles []string   `json:"troubles"` // why
	Notes    []string   `json:"notes"`    // what could not be measured here, and fails nothing
}

// finish sorts, names what is missing and judges the claims.
func (r *Report) finish(planned []string, done map[string]bool) {
	r.Missing = []string{}
	for _, name := range planned {
		if !done[name] {
			r.Missing = append(r.Missing, name)
		}
	}
	// Empty lists, and not null, for whoever reads the JSON.
	r.Troubles = append([]string{}, r.Troubles...)
	r.Notes = append([]string{}, r.Notes...)
	r.Recovery = append([]Recovery{}, r.Recovery...)
	r.Load = append([]Load{}, r.Load...)
	slices.SortFunc(r.Recovery, func(a, b Recovery) int {
		return cmp.Or(cmp.Compare(a.Outage, b.Outage), cmp.Compare(a.Side, b.Side))
	})
	rank := func(l Load) int { return slices.Index(strains, l.strain()) }
	slices.SortFunc(r.Load, func(a, b Load) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.Side, b.Side))
	})
	r.Claims = r.claims()
}

// incomplete is the error of a run that has failed or lacks something.
func (r *Report) incomplete() error {
	if len(r.Missing) == 0 && len(r.Troubles) == 0 {
		return nil
	}
	text := fmt.Sprintf("%d figures are missing", len(r.Missing))
	if len(r.Missing) > 0 {
		text += ", the first is " + r.Missing[0]
	}
	for _, t := range r.Troubles {
		text += "\n" + t
	}
	return errors.New(text)
}

func (r *Report) encode() ([]byte, error) {
	var data bytes.Buffer
	encoder := json.NewEncoder(&data)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false) // read by people
	if err := encoder.Encode(r); err != nil {
		return nil, fmt.Errorf("encode report: %w", err)
	}
	return data.Bytes(), nil
}

// write puts JSON, table and page into a folder that it makes.
func (r *Report) write(dir string) error {
	data, err := r.encode()
	if err != nil {
		return err
	}
	page, err := r.html()
	if err != nil {
		return err
	}
	return errors.Join(
		writeFile(filepath.Join(dir, "bench.json"), data),
		writeFile(filepath.Join(dir, "bench.txt"), []byte(r.table())),
		writeFile(filepath.Join(dir, "bench.html"), page))
}

// record puts the report among the results that are checked in.
func (r *Report) record(dir, name string) error {
	data, err := r.encode()
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(dir, "bench-"+name+".json"), data)
}

// writeFile writes beside and renames, so that a broken-off run leaves the
// last file whole.
func writeFile(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("make folder of report: %w", err)
	}
	if err := os.WriteFile(path+".new", data, 0o644); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}

// say is a recovery in a line.
func (r Recovery) say() string {
	words := []string{fmt.Sprintf("works %.1f s after the return, %d restarts", r.Seconds, r.Restarts)}
	if r.LongestBackOff > 0 {
		words = append(words, fmt.Sprintf("longest back-off %.0f s", r.LongestBackOff))
	}
	if r.Bound > 0 {
		words = append(words, fmt.Sprintf("bound %.1f s", r.Bound))
	}
	return strings.Join(words, ", ")
}

// say is a load in a line.
func (l Load) say() string {
	if l.Exit != "" {
		return fmt.Sprintf("exited with %s after %.1f s", l.Exit, l.Wait)
	}
	words := []string{fmt.Sprintf("works after %.1f s, %d requests in the busiest 10 s, %.0f MiB", l.Seconds, l.After, l.RSSFunctional)}
	if l.Dials != nil {
		words = append(words, fmt.Sprintf("while waiting %d dials (%d at once, then %.2f a second)", l.Dials.All, l.Dials.First, l.Dials.Rate))
	}
	return strings.Join(words, ", ")
}
