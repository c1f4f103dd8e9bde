package component

import (
	"context"
	"fmt"
	"path/filepath"
)

// RigPins are the pins of programs that the test rig needs and no component has: tests/integration/pins/<name>.
func RigPins(root string) ([]*Stream, error) {
	mods, err := filepath.Glob(filepath.Join(root, "tests", "integration", "pins", "*", "go.mod"))
	if err != nil {
		return nil, fmt.Errorf("list rig pins: %w", err)
	}
	var found []*Stream
	for _, mod := range mods {
		dir := filepath.Dir(mod)
		pin, err := readPin(dir, "")
		if err != nil {
			return nil, err
		}
		if len(pin.Tools) != 1 {
			return nil, fmt.Errorf("read pin %s: %d tool lines, a rig pin has one", mod, len(pin.Tools))
		}
		found = append(found, &Stream{Component: &Component{Name: "rig"}, Name: filepath.Base(dir), Root: root, Dir: dir, Pin: pin})
	}
	return found, nil
}

// BuildRig builds the one program of a rig pin as out/rig/<name>.
func (s *Stream) BuildRig(ctx context.Context, compiled Compiled) (*Binary, error) {
	b := &Binary{Component: s.Component.Name, Stream: s.Name}
	r := recipe{dir: s.Dir, env: []string{"GOWORK=off"}, pkg: s.Pin.Tools[0], out: filepath.Join(s.Root, "out", "rig", s.Name)}
	return s.build(ctx, r, b, compiled)
}
