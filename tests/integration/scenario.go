package integration

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

// scenario is one script and what its header says.
type scenario struct {
	file    string
	name    string // of the file, without .txtar
	title   string
	report  string          // R1, R2, R3 or none
	base    string          // fails: as reported, and only there; same: as the patched side
	length  string          // short: runs with -short too; long: does not
	stream  string          // the only one that has what it is about; empty: all
	special map[side]string // which binary a side has, if not its own: controls, or upto N

	network string // namespaces or localhost; empty: everything is where the rig is
}

// headerValues are the lines that follow the title, with what each may say.
var headerValues = map[string]*regexp.Regexp{
	"report": regexp.MustCompile(`^(R\d+|none)$`),
	"base":   regexp.MustCompile(`^(fails|same)$`),
	"length": regexp.MustCompile(`^(short|long)$`),
	"stream": regexp.MustCompile(`^\d+\.\d+$`), // may be left out

	"control": specialBinary, // these two also
	"patched": specialBinary,

	"network": regexp.MustCompile(`^(` + namespaces + `|` + localhost + `)$`),
}

var (
	headerLine    = regexp.MustCompile(`^# ([a-z]+): (.*)$`)
	onOneSide     = regexp.MustCompile(`\[!?\s*(base|patched|control)\s*\]`)
	endsEarly     = regexp.MustCompile(`(^|\]\s*)(skip|stop)\b`)
	endsBaseEarly = regexp.MustCompile(`^\[(base|control|!patched)\] stop\b`)
)

// readScenario reads a file and checks what can be seen without running it.
func readScenario(file string) (scenario, error) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		return scenario{}, fmt.Errorf("read scenario: %w", err)
	}
	s := scenario{file: file, name: strings.TrimSuffix(filepath.Base(file), ".txtar")}
	lines := strings.Split(string(archive.Comment), "\n")
	end := slices.IndexFunc(lines, func(line string) bool { return !strings.HasPrefix(line, "#") })
	if end < 0 {
		end = len(lines)
	}
	err = errors.Join(s.readHeader(lines[:end]), s.checkScript(lines[end:]))
	if err != nil {
		return scenario{}, fmt.Errorf("scenario %s: %w", s.name, err)
	}
	return s, nil
}

func (s *scenario) readHeader(lines []string) error {
	if len(lines) == 0 || headerLine.MatchString(lines[0]) || len(lines[0]) < 3 {
		return errors.New(`the first line must be "# title"`)
	}
	s.title = strings.TrimPrefix(lines[0], "# ")
	seen := map[string]string{}
	for _, line := range lines[1:] {
		m := headerLine.FindStringSubmatch(line)
		switch {
		case m == nil || headerValues[m[1]] == nil:
			return fmt.Errorf("header line %q: want report, base, length and perhaps stream or network, then an empty line", line)
		case !headerValues[m[1]].MatchString(m[2]):
			return fmt.Errorf("header line %q: want %s", line, headerValues[m[1]])
		}
		seen[m[1]] = m[2]
	}
	for _, of := range []side{control, patched} {
		if binary := seen[string(of)]; binary != "" {
			if s.special == nil {
				s.special = map[side]string{}
			}
			s.special[of] = binary
		}
	}
	s.report, s.base, s.length = seen["report"], seen["base"], seen["length"]
	s.stream, s.network = seen["stream"], seen["network"]
	if s.report == "" || s.base == "" || s.length == "" || len(lines)-1 != len(seen) {
		return errors.New("header: want each of report, base and length once")
	}
	return nil
}

// checkScript keeps a script from passing by leaving something out.
func (s *scenario) checkScript(lines []string) error {
	sided := false
	for _, line := range lines {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "#") {
			continue
		}
		sided = sided || onOneSide.MatchString(line)
		if s.base == "same" && onOneSide.MatchString(line) {
			return fmt.Errorf("line %q: base is the same here, so no line may be for one side", line)
		}
		if endsEarly.MatchString(line) && !endsBaseEarly.MatchString(line) {
			return fmt.Errorf("line %q: only base and control may end early, by [base] stop or [control] stop", line)
		}
	}
	if s.base == "fails" && !sided {
		return errors.New("base fails here, but no line says how: want [base] lines")
	}
	return nil
}
