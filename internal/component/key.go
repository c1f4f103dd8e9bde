package component

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// key is a content key: the same parts give the same key, and nothing else does.
func key(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// digest is the sha256 of a file in hex.
func digest(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("digest %s: %w", path, err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// writeFile writes beside and renames into place, so that a reader or the next run never sees half a file.
func writeFile(path string, data []byte, mode fs.FileMode) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".tmp-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	_, err = f.Write(data)
	if err := errors.Join(err, f.Chmod(mode), f.Close()); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// WriteFile gives a file these bytes, whole or not at all; a file that has them is left alone. It tells whether it wrote.
func WriteFile(path string, data []byte) (bool, error) {
	if have, err := os.ReadFile(path); err == nil && bytes.Equal(have, data) {
		return false, nil
	}
	return true, writeFile(path, data, 0o644)
}

func writeJSON(path string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return writeFile(path, append(data, '\n'), 0o644)
}

// readJSON leaves v alone when the file is missing or broken: both mean "not made yet" to a caller that compares
// keys.
func readJSON(path string, v any) {
	data, err := os.ReadFile(path)
	if err != nil {
		return
	}
	_ = json.Unmarshal(data, v)
}

// Lock keeps a second carry out of the stream's folder until the returned function is called. It waits; waiting says
// so once by calling wait. The kernel drops the lock of a process that was killed.
func (s *Stream) Lock(ctx context.Context, wait func()) (func(), error) {
	path := filepath.Join(s.Root, "out", "."+s.Component.Name+"-"+s.Name+".lock")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("lock %s: %w", s, err)
	}
	l := flock.New(path)
	ok, err := l.TryLock()
	if err == nil && !ok {
		wait()
		err = lockWait(ctx, l)
	}
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", s, err)
	}
	return func() { _ = l.Close() }, nil
}

// lockPoll is how often a held lock is tried again: flock(2) cannot wait and watch a context at the same time.
const lockPoll = 200 * time.Millisecond

func lockWait(ctx context.Context, l *flock.Flock) error {
	_, err := l.TryLockContext(ctx, lockPoll)
	return err
}
