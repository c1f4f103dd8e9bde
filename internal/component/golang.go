package component

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"golang.org/x/mod/module"
)

// goEnviron is the caller's environment (it holds the caches and the proxy settings) without what would change the
// bytes of a binary. GOFLAGS is never empty: an empty one falls back to the user's own go env file.
func goEnviron(extra ...string) []string {
	var env []string
	for _, kv := range os.Environ() {
		key, _, _ := strings.Cut(kv, "=")
		switch key {
		case "GOFLAGS", "GOWORK", "CGO_ENABLED", "GOEXPERIMENT", "GOAMD64", "GOARM64", "GOOS", "GOARCH", "GODEBUG",
			"GOTOOLCHAIN", "GO111MODULE", "GOFIPS140", "LC_ALL", "LANG", "TZ":
			continue
		}
		env = append(env, kv)
	}
	env = append(append(env, BuildEnv(runtime.GOARCH)...), "LC_ALL=C", "TZ=UTC")
	return append(env, extra...)
}

// BuildEnv is the environment, as KEY=value, that go gets for a binary of that architecture (a GOARCH), whatever the
// caller's is.
func BuildEnv(arch string) []string {
	return []string{
		"GOFLAGS=-trimpath -buildvcs=false", // no path of this machine, no state of our own repository in a binary
		"CGO_ENABLED=0",                     // upstream's release binaries are static, and libc would be this machine's
		"GOOS=linux", "GOARCH=" + arch, "GOAMD64=v1", "GOARM64=v8.0",
		"GOTOOLCHAIN=local", // another toolchain makes other bytes; it is part of the key
	}
}

// runGo runs the go command in dir and gives its standard output. line, when not nil, gets each line of standard
// error as it comes; the error carries the rest of what go said.
func runGo(ctx context.Context, dir string, env []string, line func(string), args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = goEnviron(env...)
	var stdout bytes.Buffer
	stderr := &lineWriter{line: line}
	cmd.Stdout, cmd.Stderr = &stdout, stderr
	err := cmd.Run()
	stderr.flush()
	if err != nil {
		return stdout.Bytes(), fmt.Errorf("go %s in %s: %w: %s", args[0], dir, errors.Join(err, ctx.Err()), stderr.said())
	}
	return stdout.Bytes(), nil
}

// lineWriter hands out whole lines and keeps those that are not package names (go build -v prints both).
type lineWriter struct {
	line func(string)
	rest []byte
	kept []string
}

func (w *lineWriter) Write(p []byte) (int, error) {
	w.rest = append(w.rest, p...)
	for {
		i := bytes.IndexByte(w.rest, '\n')
		if i < 0 {
			return len(p), nil
		}
		w.take(string(w.rest[:i]))
		w.rest = w.rest[i+1:]
	}
}

func (w *lineWriter) flush() {
	if len(w.rest) > 0 {
		w.take(string(w.rest))
		w.rest = nil
	}
}

func (w *lineWriter) take(line string) {
	if w.line != nil {
		w.line(line)
	}
	isPackage := !strings.ContainsAny(line, " \t:") && line != ""
	if isPackage || strings.HasPrefix(line, "go: downloading ") {
		return
	}
	w.kept = append(w.kept, line)
}

// said is what go complained of: the first 20 lines; a broken tree repeats itself after that.
func (w *lineWriter) said() string {
	kept := w.kept
	if len(kept) > 20 {
		kept = append(kept[:20:20], fmt.Sprintf("(and %d more lines)", len(w.kept)-20))
	}
	return strings.Join(kept, "\n")
}

// goVersion is what "go version" prints, part of every key.
func goVersion(ctx context.Context, dir string) (string, error) {
	out, err := runGo(ctx, dir, nil, nil, "env", "GOVERSION")
	return strings.TrimSpace(string(out)), err
}

// downloaded is what go mod download says of one module.
type downloaded struct {
	Dir, Info, Sum, Error string
}

// download puts a module into the module cache and gives its folder. Checksums are go's to check, against go.sum and
// the checksum database; that go.sum has a line for it at all is checked here, since go mod download would pass.
func (s *Stream) download(ctx context.Context, m module.Version) (downloaded, error) {
	out, runErr := runGo(ctx, s.Dir, []string{"GOWORK=off"}, nil, "mod", "download", "-json", m.String())
	var d downloaded
	if err := json.Unmarshal(out, &d); err != nil && runErr == nil {
		return d, fmt.Errorf("fetch module %s: %w", m, err)
	}
	if runErr != nil && d.Error == "" {
		d.Error = runErr.Error() // a wrong checksum of the pin itself ends go before it prints any JSON
	}
	want, sumErr := s.Pin.sum(m)
	switch {
	case strings.Contains(d.Error, "checksum mismatch"):
		return d, fmt.Errorf("fetch module %s: checksum mismatch: %s\nnext: if the pin is new, cd %s && go mod tidy; else do not trust what was served",
			m, oneLine(d.Error), s.Dir)
	case d.Error != "":
		return d, fmt.Errorf("fetch module %s: not in the module cache and not to be had: %s\nnext: check the network and GOPROXY, then run the same command again",
			m, oneLine(d.Error))
	case sumErr != nil:
		return d, fmt.Errorf("fetch module %s: %w\nnext: cd %s && go mod tidy", m, sumErr, s.Dir)
	case d.Sum != want:
		return d, fmt.Errorf("fetch module %s: checksum mismatch: go.sum has %s, the module cache %s\nnext: go clean -modcache, then run the same command again",
			m, want, d.Sum)
	}
	return d, nil
}

func oneLine(text string) string {
	return strings.Join(strings.Fields(text), " ")
}
