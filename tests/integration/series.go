package integration

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
)

// seriesHash names the content of a stream's patches, so that a result tells
// which series it speaks of: the first 12 hex digits of the SHA-256 over each
// file's name, a zero byte and its bytes, in order of name. No patches are a
// series too.
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
		sum.Write(data)
	}
	return hex.EncodeToString(sum.Sum(nil))[:12], nil
}
