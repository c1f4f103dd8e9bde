//go:build !race

package check

// streamed is how much TestStream reads, in bytes.
const streamed = 1 << 30
