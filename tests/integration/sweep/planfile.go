package sweep

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// readPlan reads a file of learned windows; an error that is os.ErrNotExist
// says that there is none.
func readPlan(path string, of Subject) (Plan, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Plan{}, fmt.Errorf("read plan: %w", err)
	}
	var p Plan
	if err := json.Unmarshal(data, &p); err != nil {
		return Plan{}, fmt.Errorf("read plan %s: %w", path, err)
	}
	if p.Component != of.Component || p.Stream != of.Stream {
		return Plan{}, fmt.Errorf("plan %s is of stream %q, not %s", path, p.Stream, of.Stream)
	}
	return p, nil
}

func writePlan(path string, p Plan) error {
	data, err := json.MarshalIndent(p, "", " ")
	if err != nil {
		return fmt.Errorf("encode plan: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("write plan: %w", err)
	}
	if err := os.WriteFile(path, append(data, '\n'), 0o644); err != nil {
		return fmt.Errorf("write plan: %w", err)
	}
	return nil
}
