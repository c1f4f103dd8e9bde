package sweep

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestGoroutines finds the component and the token in what the rig keeps.
func TestGoroutines(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "Bearer nobody" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		if r.URL.Path != "/metrics" || r.Header.Get("Authorization") != "Bearer secret" {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		_, _ = io.WriteString(w, "# TYPE go_goroutines gauge\ngo_goroutines 1527\ngo_goroutines_other 3\n")
	}))
	_ = server.Listener.Close()
	server.Listener = l
	server.StartTLS()
	defer server.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	p := &plane{component: kcm(), dir: t.TempDir(), starts: 2}
	if err := os.Mkdir(filepath.Join(p.dir, "pki"), 0o700); err != nil {
		t.Fatal(err)
	}
	keep := func(name, content string) {
		if err := os.WriteFile(filepath.Join(p.dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, err = p.goroutines(t.Context())
	wantError(t, err, "find port of component")
	keep(kcmName+"-3.argv", "/bin/component\n--v=2\n--secure-port="+port+"\n")
	keep("pki/tokens.csv", "secret,admin,admin,system:masters\nother,component,component\n")
	if n, err := p.goroutines(t.Context()); n != 1527 || err != nil {
		t.Errorf("%d, %v, want 1527", n, err)
	}
	keep("pki/tokens.csv", "wrong,admin,admin,system:masters\n")
	_, err = p.goroutines(t.Context())
	wantError(t, err, "status 403, no go_goroutines")
	keep("pki/tokens.csv", "nobody,admin,admin,system:masters\n")
	if _, err := p.goroutines(t.Context()); !errors.Is(err, errUnknownReader) {
		t.Errorf("%v, want %v", err, errUnknownReader)
	}
	keep(kcmName+"-3.argv", "/bin/component\n")
	_, err = p.goroutines(t.Context())
	wantError(t, err, "has no --secure-port")
}

func TestFewGoroutines(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		running []int // one after the other, the last one again and again; 0: never an answer
		err     error
		want    string // of judge; empty: well
		detail  string
	}{
		{"as base", []int{100 + spare}, nil, "", ""},
		{"some end", []int{200, 100}, nil, "", ""},
		{"too many", []int{101 + spare}, nil, stuck, "111 goroutines, base has at most 100"},
		{"hangs", []int{0}, nil, stuck, "no metrics in time"},
		{"not admitted", []int{1}, errUnknownReader, stuck, "no metrics in time"},
		{"no answer", []int{1}, errors.New("no answer"), broken, "no answer"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			process := newRig(t, http.StatusOK, lives).process // before the clock runs
			limit := 10 * time.Second
			if test.want == stuck {
				limit = 100 * time.Millisecond
			}
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			n := 0
			err := fewGoroutines(ctx, func(ctx context.Context) (int, error) {
				if n++; test.running[0] == 0 {
					<-ctx.Done()
					return 0, ctx.Err()
				}
				return test.running[min(n, len(test.running))-1], test.err
			}, process, 100)
			wantOutcome(t, err, test.want, test.detail)
			if err != nil && test.want == stuck && !strings.Contains(err.Error(), "goroutines to end") {
				t.Error(err)
			}
		})
	}
}
