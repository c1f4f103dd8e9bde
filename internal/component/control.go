package component

import (
	"path/filepath"

	"carry/internal/series"
)

// Controls is the folder of patches that take upstream's own cures out of the base again, so that a report can be
// shown: never part of a product binary.
func (s *Stream) Controls() string {
	return filepath.Join(s.Root, "tests", "integration", "controls", s.Component.Name, s.Name)
}

// HasControls says whether the stream has any.
func (s *Stream) HasControls() bool {
	found, err := filepath.Glob(filepath.Join(s.Controls(), "*.patch"))
	return err == nil && len(found) > 0
}

// ControlTree is the base with the controls on it, at Out("control", "src"). What is built from it is stamped
// +control and not +carry.
func (s *Stream) ControlTree(controls *series.Series) *Tree {
	t := s.Tree(controls, "control")
	t.mark = "control"
	return t
}
