package check

import (
	"archive/tar"
	"bytes"
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
)

// memory is what a check may take from the operating system, in bytes.
const memory = 200 << 20

// TestStream reads a large log out of an archive that exists nowhere, within bounded memory. It is not parallel, so that
// the memory is its own.
func TestStream(t *testing.T) {
	t.Logf("%d MiB are read", streamed>>20)
	e := stream(t, streamed)
	wantVerdicts(t, "R1: met, patched no\nR2: cannot tell\nR3: cannot tell\n", e.Judge("stream"))
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if t.Logf("memory: %d MiB", m.Sys>>20); m.Sys > memory {
		t.Errorf("%d MiB taken for %d MiB of logs", m.Sys>>20, streamed>>20)
	}
}

// BenchmarkStream reads 1 GiB, also with the race detector.
func BenchmarkStream(b *testing.B) {
	b.SetBytes(1 << 30)
	for b.Loop() {
		stream(b, 1<<30)
	}
}

func stream(t testing.TB, size int64) *Evidence {
	t.Helper()
	var head bytes.Buffer
	w := tar.NewWriter(&head)
	if err := w.WriteHeader(&tar.Header{Name: "kube-controller-manager.log", Typeflag: tar.TypeReg, Mode: 0o644, Size: size}); err != nil {
		t.Fatal(err)
	}
	body := &logs{left: size - int64(len(fatalLine)), block: []byte(block())}
	padding := make([]byte, (512-size%512)%512+1024)
	c := &collector{context.Background(), newEvidence()}
	if err := c.file("", "collected.tar", io.MultiReader(&head, body, strings.NewReader(fatalLine), bytes.NewReader(padding)), 0); err != nil {
		t.Fatal(err)
	}
	if c.bytes != size || len(c.incomplete) > 0 {
		t.Fatalf("%d bytes read, want %d; incomplete: %q", c.bytes, size, c.incomplete)
	}
	return c.Evidence
}

// block is what a busy log repeats, the refused lease attempts among it.
func block() string {
	var b strings.Builder
	b.WriteString("I0505 20:36:40.000000       1 controllermanager.go:200] Version: v1.23.5\n")
	for i := range 400 {
		fmt.Fprintf(&b, "I0505 20:36:46.%06d       1 garbagecollector.go:491] \"Processing object\" object=\"openshift-%d/pod-%d\" objectUID=%d kind=\"Pod\" virtual=false\n", i, i, i, i)
		if i%20 == 0 {
			fmt.Fprintf(&b, "E0505 20:36:46.%06d       1 leaderelection.go:330] error retrieving resource lock kube-system/kube-controller-manager: dial tcp [::1]:6443: connect: connection refused\n", i)
		}
	}
	return b.String()
}

// logs repeats a block until left bytes are read; the last line of it is ended.
type logs struct {
	left  int64
	block []byte
	at    int
}

func (l *logs) Read(p []byte) (int, error) {
	if l.left == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(int64(len(p)), l.left)], l.block[l.at:])
	l.at = (l.at + n) % len(l.block)
	if l.left -= int64(n); l.left == 0 {
		p[n-1] = '\n'
	}
	return n, nil
}
