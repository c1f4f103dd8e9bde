//go:build race

package check

// streamed is how much TestStream reads, in bytes: a sixteenth, since the race detector makes it as much slower.
const streamed = 1 << 26
