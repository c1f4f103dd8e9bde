package sweep

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"carry/internal/controlplane"
)

// spare is by how many goroutines a start may differ from the next.
const spare = 10

var (
	portFlag        = regexp.MustCompile(`(?m)^--secure-port=(\d+)$`)
	goroutineMetric = regexp.MustCompile(`(?m)^go_goroutines (\d+)$`)
)

// errUnknownReader is the answer while the component cannot find out who asks:
// its own way to the API may be a dead connection that it has not given up yet.
var errUnknownReader = errors.New("the component does not know who asks for its metrics")

// goroutines asks the component itself, as an administrator: it has no right
// to see its own metrics. Where it listens, and the token, stand in what the
// control plane keeps of every process.
func (p *plane) goroutines(ctx context.Context) (int, error) {
	argv, err := os.ReadFile(filepath.Join(p.dir, p.processName()+".argv"))
	if err != nil {
		return 0, fmt.Errorf("find port of component: %w", err)
	}
	port := portFlag.FindSubmatch(argv)
	if port == nil {
		return 0, errors.New("find port of component: its argv has no --secure-port")
	}
	tokens, err := os.ReadFile(filepath.Join(p.dir, "pki", "tokens.csv"))
	if err != nil {
		return 0, fmt.Errorf("find token of administrator: %w", err)
	}
	token, _, _ := bytes.Cut(tokens, []byte(","))
	return askGoroutines(ctx, "https://[::1]:"+string(port[1]), string(token))
}

func askGoroutines(ctx context.Context, server, token string) (int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, server+"/metrics", nil)
	if err != nil {
		return 0, fmt.Errorf("make request: %w", err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}} // it signs its own certificate
	defer transport.CloseIdleConnections()
	resp, err := transport.RoundTrip(req)
	if err != nil {
		return 0, fmt.Errorf("ask component for its metrics: %w", err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, fmt.Errorf("read metrics of component: %w", err)
	}
	if resp.StatusCode == http.StatusUnauthorized {
		return 0, errUnknownReader
	}
	metric := goroutineMetric.FindSubmatch(text)
	if metric == nil {
		return 0, fmt.Errorf("read metrics of component: status %d, no go_goroutines", resp.StatusCode)
	}
	return strconv.Atoi(string(metric[1]))
}

// fewGoroutines waits until the component has no more of them, but for a few,
// than the most of base's starts without a fault.
func fewGoroutines(ctx context.Context, goroutines func(context.Context) (int, error), process *controlplane.Process, most int) error {
	var running int
	err := controlplane.Poll(ctx, "goroutines to end", time.Second,
		func(ctx context.Context) (bool, string, error) {
			n, err := goroutines(ctx)
			if errors.Is(err, errUnknownReader) {
				return false, err.Error(), nil
			}
			if err != nil {
				return false, "", err
			}
			running = n
			return running <= most+spare, fmt.Sprint(running), nil
		}, process)
	var late *controlplane.TimeoutError
	switch {
	case errors.As(err, &late) && running == 0:
		return &stuckError{"no metrics in time", err}
	case errors.As(err, &late):
		return &stuckError{fmt.Sprintf("%d goroutines, base has at most %d", running, most), err}
	}
	return err
}
