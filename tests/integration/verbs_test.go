package integration

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"carry/internal/controlplane"
)

func TestVerbsAreFewAndDocumented(t *testing.T) {
	t.Parallel()
	if len(verbs) > 12 {
		t.Errorf("%d verbs, want at most 12", len(verbs))
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range verbs {
		if !strings.Contains(string(readme), "| `"+strings.ReplaceAll(v.usage, "|", `\|`)+"` |") {
			t.Errorf("README.md lacks a row for %s", v.usage)
		}
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	const misuse = "misuse"
	tests := []struct {
		line string
		want string // flags and arguments, or misuse
	}{
		{"api GET /x", "[] [GET /x]"},
		{"! api GET /x file", "[] [GET /x file]"},
		{"api GET", misuse},
		{"api GET /x file more", misuse},
		{"! until /x gone", misuse},
		{"start --a=b --c=d", "[] [--a=b --c=d]"},
		{"start", "[] []"},
		{"log -detail x", "[-detail] [x]"},
		{"log -detail", misuse},
		{"log -other x 5s", misuse},
		{"etcd -same -detail /x", "[-same -detail] [/x]"},
		{"! running", misuse},
		{"refuse a", misuse},
	}
	for _, test := range tests {
		words := strings.Fields(test.line)
		neg := words[0] == "!"
		if neg {
			words = words[1:]
		}
		c, err := verbNamed(t, words[0]).parse(neg, words[1:])
		got := "[" + strings.Join(c.flags, " ") + "] [" + strings.Join(c.args, " ") + "]"
		if err != nil {
			got = misuse
			wantError(t, err, "usage: ")
		}
		if got != test.want {
			t.Errorf("%s: %s, want %s", test.line, got, test.want)
		}
	}
}

func verbNamed(t *testing.T, name string) verb {
	t.Helper()
	for _, v := range verbs {
		if v.name == name {
			return v
		}
	}
	t.Fatalf("no verb %s", name)
	return verb{}
}

func TestParseTrigger(t *testing.T) {
	t.Parallel()
	tests := []struct {
		words   []string
		want    string
		wantErr string
	}{
		{words: nil, want: "at once"},
		{words: []string{"at", "GET /api"}, want: "at GET /api #1"},
		{words: []string{"after", "GET /api #2"}, want: "after GET /api #2"},
		{words: []string{"for", "12s"}, want: "at once for 12s"},
		{words: []string{"for", "1m", "at", "GET /api"}, want: "at GET /api #1 for 1m0s"},
		{words: []string{"for", "long"}, wantErr: "parse time"},
		{words: []string{"for"}, wantErr: "misuse"},
		{words: []string{"at"}, wantErr: "misuse"},
		{words: []string{"before", "GET /api"}, wantErr: "misuse"},
		{words: []string{"at", "whenever"}, wantErr: "parse match"},
	}
	for _, test := range tests {
		trigger, err := parseTrigger(test.words)
		if !wantError(t, err, test.wantErr) {
			continue
		}
		got := "at once"
		if trigger.At != nil {
			got = "at " + trigger.At.String()
		}
		if trigger.After != nil {
			got = "after " + trigger.After.String()
		}
		if trigger.For > 0 {
			got += " for " + trigger.For.String()
		}
		if got != test.want {
			t.Errorf("%v: %s, want %s", test.words, got, test.want)
		}
	}
}

func TestEtcdKeys(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Key      []byte
			RangeEnd []byte `json:"range_end"`
			KeysOnly bool   `json:"keys_only"`
		}
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			t.Error(err)
		}
		if string(asked.Key) != "/a/" || string(asked.RangeEnd) != "/a0" || !asked.KeysOnly || r.URL.Path != "/v3/kv/range" {
			t.Errorf("asked %s for %+v", r.URL, asked)
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"kvs": []map[string]any{{"key": []byte("/a/b")}, {"key": []byte("/a/c")}}})
	}))
	defer server.Close()
	got, err := etcdKeys(context.Background(), server.URL, "/a/")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"/a/b", "/a/c"}, got); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
}

func TestEtcdKeysSaysWhy(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	_, err := etcdKeys(context.Background(), server.URL, "/a/")
	wantError(t, err, "status 404")
}

// TestComponentVerbs looks at a process that is no component but speaks and
// ends like one.
func TestComponentVerbs(t *testing.T) {
	t.Parallel()
	const speaks = `echo 'E1130 13:27:50.380679 7 a.go:1] refused [::1]:6443 in /run/dir/x'; echo twice; echo twice; exit 3`
	tests := []struct {
		name    string
		verb    string
		args    []string
		neg     bool
		flags   []string
		want    string // outcome
		wantErr string
	}{
		{name: "line", verb: "log", args: []string{"^E.* refused"}, flags: []string{"-detail"}, want: passed},
		{name: "line once", verb: "log", args: []string{"^E.* refused"}, flags: []string{"-once"}, want: passed},
		{name: "line twice", verb: "log", args: []string{"twice"}, flags: []string{"-once"}, want: "failed", wantErr: "there are 2, the first is: twice"},
		{name: "no line", verb: "log", args: []string{"missing"}, want: "exited", wantErr: "exited with code 3 before a log line like missing"},
		{name: "unwanted line", verb: "log", args: []string{"refused"}, neg: true, want: "failed", wantErr: "there is one: E"},
		{name: "unwanted line missing", verb: "log", args: []string{"missing"}, neg: true, want: passed},
		{name: "bad regexp", verb: "log", args: []string{"("}, want: "unknown", wantErr: "parse regexp"},
		{name: "code", verb: "exited", args: []string{"3"}, want: passed},
		{name: "sooner than wanted", verb: "exited", args: []string{"3", "1h"}, want: "failed", wantErr: "want 1h0m0s at least"},
		{name: "other code", verb: "exited", args: []string{"255"}, want: "failed", wantErr: "want code 255: "},
		{name: "not running", verb: "running", want: "exited", wantErr: "exited with code 3"},
		{name: "started twice", verb: "start", want: "unknown", wantErr: "started before"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p, err := controlplane.StartProcess(controlplane.Command{
				Name: "c", Path: "/bin/sh", Args: []string{"-c", speaks}, Dir: t.TempDir(),
			})
			if err != nil {
				t.Fatal(err)
			}
			<-p.Done()
			r := &run{ctx: t.Context(), component: p, dir: "/run/dir"}
			r.err = verbNamed(t, test.verb).do(r, call{neg: test.neg, flags: test.flags, args: test.args})
			wantError(t, r.err, test.wantErr)
			if got := r.outcome(r.err != nil); got != test.want {
				t.Errorf("outcome %q, want %q", got, test.want)
			}
			if slices.Contains(test.flags, "-detail") && r.detail != "E a.go:1] refused ADDRESS in DIR/x" {
				t.Errorf("detail %q", r.detail)
			}
		})
	}
}
