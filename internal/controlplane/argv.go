package controlplane

import (
	"slices"
	"strings"
)

// Argv is the flags of a program, each written --name=value.
type Argv []string

// With returns the flags with others put in: one of the same name takes the
// place of its predecessor, since repeating a list flag would add to it
// instead; a new one is appended.
func (a Argv) With(flags ...string) Argv {
	out := slices.Clone(a)
	for _, flag := range flags {
		i := slices.IndexFunc(out, func(old string) bool { return flagName(old) == flagName(flag) })
		if i < 0 {
			out = append(out, flag)
		} else {
			out[i] = flag
		}
	}
	return out
}

func flagName(flag string) string {
	name, _, _ := strings.Cut(flag, "=")
	return name
}
