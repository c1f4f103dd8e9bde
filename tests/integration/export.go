package integration

import "fmt"

// Binaries are the programs of one side of one stream.
type Binaries struct{ Etcd, APIServer, Component string }

// FindBinaries finds those of a side, base or patched, below the root of the
// repository. The error names
// the first one that is not there, and the command that makes it.
func FindBinaries(root, component, stream, which string) (Binaries, error) {
	b, err := layout{root}.binaries(target{component, stream}, side(which))
	return Binaries{b.etcd, b.apiserver, b.component}, err
}

// BuiltSeries is the hash of a stream's patch files. It is an error when the
// patched binary is not built from them and from nothing else.
func BuiltSeries(root, component, stream string) (string, error) {
	l, t := layout{root}, target{component, stream}
	if err := l.checkBuilt(t); err != nil {
		return "", err
	}
	hash, err := seriesHash(l.patches(t))
	if err != nil {
		return "", fmt.Errorf("name series: %w", err)
	}
	return hash, nil
}

// WithoutChance takes out of a log line what differs from run to run: time,
// process id and addresses.
func WithoutChance(line string) string { return withoutChance(line) }
