package integration

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// result is what is recorded of one finished run. It holds nothing that
// differs from one run to the next: no time, path, process id or port.
type result struct {
	Component string `json:"component"`
	Stream    string `json:"stream"`
	Scenario  string `json:"scenario"`
	Title     string `json:"title"`
	Report    string `json:"report"` // R1, R2, R3 or none
	Expect    string `json:"expect"` // what the base has to do: fails or same
	Side      string `json:"side"`
	Family    string `json:"family"`
	Outcome   string `json:"outcome"` // passed: the side did what the scenario says; else failed, exited, timed out or unknown
	Detail    string `json:"detail"`  // the line that shows it; empty where the scenario names none
	Series    string `json:"series"`  // hash of the series
}

func (r result) key() string {
	return strings.Join([]string{r.Component, r.Stream, r.Scenario, r.Family, r.Side}, " ")
}

const passed = "passed"

// results collects what runs at once in many tests. The zero value is empty.
type results struct {
	mu  sync.Mutex
	all map[string]result
}

// add takes a result in. Of repeated runs a bad one stays: a scenario that
// passes at the second try has not passed.
func (rs *results) add(r result) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if rs.all == nil {
		rs.all = map[string]result{}
	}
	if old, ok := rs.all[r.key()]; ok && old.Outcome != passed {
		return
	}
	rs.all[r.key()] = r
}

// write puts the results, sorted, into a file that ends in .json, or else into
// scenarios-FAMILY.json of a folder, which it makes. What the file has of other
// runs stays, as far as they still exist.
func (rs *results) write(path, family string, exists map[string]bool) error {
	if filepath.Ext(path) != ".json" {
		if err := os.MkdirAll(path, 0o755); err != nil {
			return fmt.Errorf("make folder of results: %w", err)
		}
		path = filepath.Join(path, "scenarios-"+family+".json")
	}
	rs.mu.Lock()
	defer rs.mu.Unlock()
	sorted, err := rs.others(path, exists)
	if err != nil {
		return err
	}
	for _, r := range rs.all {
		sorted = append(sorted, r)
	}
	slices.SortFunc(sorted, func(a, b result) int { return cmp.Compare(a.key(), b.key()) })
	var data bytes.Buffer
	encoder := json.NewEncoder(&data)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false) // log lines are read by people
	if err := encoder.Encode(sorted); err != nil {
		return fmt.Errorf("encode results: %w", err)
	}
	// Beside and renamed, so that a broken-off run leaves the last results whole.
	if err := os.WriteFile(path+".new", data.Bytes(), 0o644); err != nil {
		return fmt.Errorf("write results: %w", err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return fmt.Errorf("write results: %w", err)
	}
	return nil
}

// others are the results in a file, which may not be there, of runs that exist
// and have not been made now.
func (rs *results) others(path string, exists map[string]bool) ([]result, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return []result{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read results: %w", err)
	}
	var had []result
	if err := json.Unmarshal(data, &had); err != nil {
		return nil, fmt.Errorf("read results: %s: %w\nnext: git checkout it, or remove it and run every scenario", path, err)
	}
	return slices.DeleteFunc(had, func(r result) bool {
		_, now := rs.all[r.key()]
		return now || !exists[r.key()]
	}), nil
}

var (
	klogHeader = regexp.MustCompile(`^([IWEF])\d{4} \d\d:\d\d:\d\d\.\d+\s+\d+ `)
	retried    = regexp.MustCompile(` - error from a previous attempt: [^"]*`)
	reset      = regexp.MustCompile(`(read|write) tcp \S+->\S+: (read|write): (connection reset by peer|broken pipe)`)
	hostPort   = regexp.MustCompile(`(\[[0-9a-f:]+\]|\b\d+\.\d+\.\d+\.\d+|\blocalhost):\d+`)
)

// withoutChance takes out of a log line what differs from run to run: the
// time and process id of klog's header, addresses, what client-go adds when the
// connection was cut under a request before the next one was refused, and in
// which call a reset was noticed.
func withoutChance(line string) string {
	line = klogHeader.ReplaceAllString(line, "$1 ")
	line = retried.ReplaceAllString(line, "")
	line = reset.ReplaceAllString(line, "connection reset")
	return hostPort.ReplaceAllString(line, "ADDRESS")
}
