package bench

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// A report is the figures of one component.
type report interface {
	outcome() *Outcome
	// finish sorts, names what is missing and judges the claims.
	finish(planned []string, done map[string]bool)
	table() string
	html() ([]byte, error) // one page without anything from elsewhere; nil: there is none
}

func encode(r report) ([]byte, error) {
	var data bytes.Buffer
	encoder := json.NewEncoder(&data)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false) // read by people
	if err := encoder.Encode(r); err != nil {
		return nil, fmt.Errorf("encode report: %w", err)
	}
	return data.Bytes(), nil
}

// save puts JSON, table and page into a folder that it makes.
func save(r report, dir string) error {
	data, err := encode(r)
	if err != nil {
		return err
	}
	page, err := r.html()
	if err != nil {
		return err
	}
	if page != nil {
		err = writeFile(filepath.Join(dir, "bench.html"), page)
	}
	return errors.Join(err,
		writeFile(filepath.Join(dir, "bench.json"), data),
		writeFile(filepath.Join(dir, "bench.txt"), []byte(r.table())))
}

// record puts the report among the results that are checked in.
func record(r report, dir, name string) error {
	data, err := encode(r)
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
