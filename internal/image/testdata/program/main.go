// Command program is a component's stand-in: it has flags, prints them, and refuses others.
package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// config is FLAGS;HIDDEN;VERSION, and written over by the test in a copy of the program: one link serves many programs.
// Flags are separated by commas; hidden ones are accepted and not shown.
var config = "config:................................................................................................................................"

func main() {
	parts := strings.Split(strings.TrimRight(strings.TrimPrefix(config, "config:"), "."), ";")
	known := append(strings.Split(parts[0], ","), "help", "version")
	accepted := append(slices.Clone(known), strings.Split(parts[1], ",")...)
	for _, arg := range os.Args[1:] {
		name, _, _ := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
		if !slices.Contains(accepted, name) {
			fmt.Fprintf(os.Stderr, "Error: unknown flag: --%s\n", name)
			os.Exit(1)
		}
	}
	if slices.Contains(os.Args, "--version") {
		fmt.Println(parts[2])
		return
	}
	fmt.Print("Usage:\n  program [flags]\n\nFlags:\n")
	for _, name := range known {
		fmt.Printf("      --%s string   what it is for\n", name)
	}
}
