package sweep

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// Record is what is kept of a whole sweep beside the sources: figures, and what was bad. A survived cell is a number.
type Record struct {
	Component string   `json:"component"`
	Stream    string   `json:"stream"`
	Series    string   `json:"series"` // hash of the patch files
	Seed      int64    `json:"seed"`
	Thin      bool     `json:"thin,omitempty"` // base's fresh, or default, starts in one window of each family only
	Planned   int      `json:"planned"`
	Missing   int      `json:"missing"`        // planned cells without a result
	Took      *Took    `json:"took,omitempty"` // as far as it is known; fewer cells, where some ran before it was counted
	Totals    []Total  `json:"totals"`
	Bad       []Result `json:"bad"`
}

// record writes what is kept into a folder that it makes, as STREAM.json.
func (r Report) record(dir string, took Took) error {
	kept := Record{
		Component: named(r.Component).name, Stream: r.Stream, Series: r.Series, Seed: r.Seed, Thin: r.Thin,
		Planned: r.Planned, Missing: len(r.Missing), Totals: r.Totals, Bad: []Result{},
	}
	if took.Cells > 0 {
		kept.Took = &took
	}
	for _, result := range r.Results {
		if bad(result) {
			kept.Bad = append(kept.Bad, result)
		}
	}
	data, err := json.MarshalIndent(kept, "", "  ")
	if err != nil {
		return fmt.Errorf("encode record: %w", err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make folder of records: %w", err)
	}
	path := filepath.Join(dir, r.Stream+".json")
	// Beside and renamed, so that a full disk leaves the last record whole.
	if err := os.WriteFile(path+".new", append(data, '\n'), 0o644); err != nil {
		return fmt.Errorf("write record: %w", err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return fmt.Errorf("write record: %w", err)
	}
	return nil
}
