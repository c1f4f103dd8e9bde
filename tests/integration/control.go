package integration

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// control is a third side, of scenarios whose base holds upstream's own cure,
// or of those that prove one patch on its own.
const control side = "control"

// specialBinary is what "# control:" and "# patched:" may say: the base with
// tests/integration/controls on it, or with the first patches of the series.
var specialBinary = regexp.MustCompile(`^(controls|upto [1-9]\d*)$`)

// sides are those that the scenario runs on, in this order.
func (s *scenario) sides() []side {
	if s.special[control] == "" {
		return []side{base, patched}
	}
	return []side{control, base, patched}
}

// binaryOf is empty if a side has its own binary.
func (s *scenario) binaryOf(side side) string { return s.special[side] }

// special is the binary that a header line names.
func (l layout) special(t target, which string) (string, error) {
	dir, flag := "control", "--control"
	if n, ok := strings.CutPrefix(which, "upto "); ok {
		dir, flag = filepath.Join("upto", n), "--upto "+n
	}
	path := filepath.Join(l.root, "out", t.component, t.stream, dir, "bin", t.component)
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("%s is not there\nnext: go run ./cmd/carry build %s %s %s", l.relative(path), flag, t.component, t.stream)
	} else if err != nil {
		return "", fmt.Errorf("find binary: %w", err)
	}
	return path, nil
}
