package integration

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// built is what carry build notes beside a binary, as far as it matters here.
type built struct {
	Series string `json:"series"` // hash of the patches that went in
	Dirty  bool   `json:"dirty"`  // and changes that no patch file has
}

// checkBuilt makes sure that a result recorded now speaks of the patch files:
// the patched binary must be built from them and from nothing else.
func (l layout) checkBuilt(t target) error {
	want, err := seriesHash(l.patches(t))
	if err != nil {
		return err
	}
	path := l.patched(t) + ".json"
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("record results: %w\nnext: make", err)
	}
	var got built
	if err := json.Unmarshal(data, &got); err != nil {
		return fmt.Errorf("record results: decode %s: %w", l.relative(path), err)
	}
	if got.Dirty || got.Series != want {
		return fmt.Errorf("record results: %s is not built from the patch files\nnext: carry refresh, or carry apply, then make", l.relative(l.patched(t)))
	}
	return nil
}

// seriesHash names the content of a stream's patches, so that a result tells
// which series it speaks of: the first 12 hex digits of the SHA-256 over each
// file's name, a zero byte and its diff, which is the rest of the file from the
// first line on that begins with "diff --git", in order of name. No patches are
// a series too.
func seriesHash(dir string) (string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.patch")) // in order of name
	if err != nil {
		return "", fmt.Errorf("list patches: %w", err)
	}
	sum := sha256.New()
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return "", fmt.Errorf("hash series: %w", err)
		}
		sum.Write(append([]byte(filepath.Base(file)), 0))
		sum.Write(data[bytes.Index(data, []byte("\ndiff --git "))+1:])
	}
	return hex.EncodeToString(sum.Sum(nil))[:12], nil
}
