package faults

import (
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"time"
)

// journal writes JSON lines, and keeps the errors that Close is to return. It is an io.Writer
// itself, for the errors of HTTP servers.
type journal struct {
	mu   sync.Mutex
	to   *json.Encoder
	kept []error
}

func (j *journal) line(v any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	_ = j.to.Encode(v)
}

func (j *journal) fault(event, name string) {
	j.line(map[string]any{"event": event, "time": time.Now(), "fault": name})
}

func (j *journal) trouble(err error) {
	j.line(map[string]any{"event": "error", "time": time.Now(), "error": err.Error()})
}

// keep notes an error that nobody is there to be told.
func (j *journal) keep(err error) {
	j.trouble(err)
	j.mu.Lock()
	defer j.mu.Unlock()
	j.kept = append(j.kept, err)
}

func (j *journal) Write(b []byte) (int, error) {
	j.trouble(errors.New(strings.TrimSpace(string(b))))
	return len(b), nil
}
