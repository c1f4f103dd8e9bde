package component

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"carry/internal/series"
)

// halfWritten stands in a stream's folder under out/ while a rebase writes the stream: patch files and pin belong
// together, and what was killed between them is finished by the same command.
type halfWritten struct {
	From string `json:"from"` // the stream whose Out("rebase") holds what is written
	To   string `json:"to"`   // version of the new base
}

const writingRecord = "writing.json"

// Write moves the stream as, this one or another, to the new base: its patch files and its pin.
func (r *Rebasing) Write(ctx context.Context, as string) (*Stream, error) {
	if r.moved == nil {
		return nil, fmt.Errorf("rebase: a checkout is no pin, so there is nothing that a stream could move to\nnext: take the files in %s, or name a version with --to", r.Patches())
	}
	if err := r.moved.tidy(ctx); err != nil {
		return nil, err
	}
	to := r.stream.sibling(as)
	h := halfWritten{From: r.stream.Name, To: r.moved.Pin.Version.Version}
	if err := writeJSON(to.Out(writingRecord), h); err != nil {
		return nil, fmt.Errorf("rebase: %w", err)
	}
	return to, to.take(h)
}

// FinishWrite finishes what a killed rebase of s to that version had begun to write as a stream, which it gives; nil
// when there is nothing of the kind.
func (s *Stream) FinishWrite(as, version string) (*Stream, error) {
	to := s.sibling(as)
	h := to.halfWritten()
	if h.From != s.Name || h.To != version {
		return nil, nil
	}
	return to, to.take(h)
}

// Unfinished is an error while the stream is half written; it names the command that finishes it.
func (s *Stream) Unfinished() error {
	h := s.halfWritten()
	if h.From == "" {
		return nil
	}
	next := fmt.Sprintf("carry rebase %s --to %s --write", s.sibling(h.From), h.To)
	if h.From != s.Name {
		next += " --as " + s.Name
	}
	return fmt.Errorf("%s is half written: a rebase was stopped at it\nnext: %s", s, next)
}

func (s *Stream) halfWritten() (h halfWritten) {
	readJSON(s.Out(writingRecord), &h)
	return h
}

// sibling is another stream of the component, which need not be there.
func (s *Stream) sibling(name string) *Stream {
	other := *s
	other.Name, other.Dir = name, filepath.Join(s.Component.Dir, name)
	return &other
}

// take copies patch files and pin of a rebase into the stream's folders. go.mod is the last: a new stream is there when
// all of it is.
func (s *Stream) take(h halfWritten) error {
	from := s.sibling(h.From)
	plan, err := s.replacedBy(from.Out("rebase", "patches"))
	if err != nil {
		return fmt.Errorf("rebase: %w", err)
	}
	if err := plan.Write(); err != nil {
		return err
	}
	pin, err := readPin(from.Out("rebase", "pin"), s.Module)
	if err != nil {
		return fmt.Errorf("rebase: %w", err)
	}
	mod, err := renamedModule(pin.Mod, "carry/components/"+s.Component.Name+"/"+s.Name)
	if err != nil {
		return fmt.Errorf("rebase: %w", err)
	}
	if err := writeFile(filepath.Join(s.Dir, "go.sum"), pin.Sum, 0o644); err != nil {
		return err
	}
	if err := writeFile(filepath.Join(s.Dir, "go.mod"), mod, 0o644); err != nil {
		return err
	}
	return os.Remove(s.Out(writingRecord))
}

// replacedBy plans to have the stream's patch files as a folder has them.
func (s *Stream) replacedBy(dir string) (*series.Refresh, error) {
	rebased, err := series.Load(dir)
	if err != nil {
		return nil, err
	}
	plan := &series.Refresh{Dir: s.Patches()}
	for _, p := range rebased.Patches {
		plan.Files = append(plan.Files, series.File{Name: p.Name, Data: p.Data})
	}
	have, err := series.Load(plan.Dir)
	if err != nil {
		return nil, err
	}
	for _, p := range have.Patches {
		if !plan.Has(p.Name) {
			plan.Removed = append(plan.Removed, p.Name)
		}
	}
	return plan, nil
}
