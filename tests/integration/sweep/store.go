package sweep

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// Store keeps results as they come, one JSON line each, so that an interrupted
// sweep loses none. Its first line says what they are of.
type Store struct {
	mu   sync.Mutex
	file *os.File
	all  map[string]Result
	took Took // of what the file had, and of what was added
}

// Subject is what results are of: other patches, other results.
type Subject struct {
	Component string `json:"component,omitempty"` // empty: kube-controller-manager
	Stream    string `json:"stream"`
	Series    string `json:"series"`
}

// openStore opens or begins the file of a subject, and reads what it has.
func openStore(path string, subject Subject) (*Store, error) {
	all, took, err := readResults(path, subject)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	begun := err == nil
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("make folder of results: %w", err)
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open results: %w", err)
	}
	s := &Store{file: file, all: all, took: took}
	if !begun {
		s.all = map[string]Result{}
		return s, s.write(subject)
	}
	// A line that was broken off must not spoil the next one.
	_, err = file.WriteString("\n")
	return s, err
}

// readResults reads a store. A later result of a cell takes the place of an
// earlier one; a line that was broken off counts for nothing.
func readResults(path string, subject Subject) (map[string]Result, Took, error) {
	var took Took
	file, err := os.Open(path)
	if err != nil {
		return nil, took, fmt.Errorf("read results: %w", err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	var of Subject
	if !lines.Scan() || json.Unmarshal(lines.Bytes(), &of) != nil || of.Stream == "" {
		return nil, took, fmt.Errorf("read results: %s is no results file of a sweep", path)
	}
	if of != subject {
		return nil, took, fmt.Errorf("read results: %s is of stream %s, series %s; wanted stream %s, series %s",
			path, of.Stream, of.Series, subject.Stream, subject.Series)
	}
	all := map[string]Result{}
	for lines.Scan() {
		var r struct {
			Result
			tookLine
		}
		switch {
		case json.Unmarshal(lines.Bytes(), &r) != nil:
		case r.Cell != "":
			all[r.Cell] = r.Result
		default:
			took = took.plus(r.Took)
		}
	}
	return all, took, lines.Err()
}

// Add keeps a result at once.
func (s *Store) Add(r Result) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all[r.Cell] = r
	return s.write(r)
}

// AddTook keeps what a part of the sweep has taken.
func (s *Store) AddTook(t Took) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.took = s.took.plus(t)
	return s.write(tookLine{t})
}

// tookLine is a line that is no result.
type tookLine struct {
	Took Took `json:"took"`
}

func (s *Store) write(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode result: %w", err)
	}
	if _, err := s.file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("keep result: %w", err)
	}
	return nil
}

// Known says that a cell has a result that says something. What was not
// reached, or unknown, is tried again.
func (s *Store) Known(cell string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.all[cell]
	return ok && r.known()
}

// Close ends the file. What it has stays.
func (s *Store) Close() error { return s.file.Close() }

// merge adds the results of other stores of the same subject, as those of
// shards. Where two know a cell the bad one stays, but one that knows nothing. It
// gives what they took together.
func merge(into map[string]Result, subject Subject, paths []string) (took Took, err error) {
	for _, path := range paths {
		more, its, err := readResults(path, subject)
		if err != nil {
			return took, err
		}
		took = took.plus(its)
		for name, r := range more {
			old, ok := into[name]
			if !ok || !old.known() || old.Outcome == survived && r.known() {
				into[name] = r
			}
		}
	}
	return took, nil
}
