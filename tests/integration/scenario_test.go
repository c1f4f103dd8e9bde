package integration

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const goodHeader = "# Title\n# report: R1\n# base: fails\n# length: short\n\n"

func TestReadScenario(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		want       scenario
		wantErr    string
	}{
		{name: "whole", text: goodHeader + "start\n[base] exited 1\n[base] stop\nrunning\n",
			want: scenario{title: "Title", report: "R1", base: "fails", length: "short"}},
		{name: "same", text: "# T\n# base: same\n# length: long\n# report: none\n\nstart\n",
			want: scenario{title: "T", report: "none", base: "same", length: "long"}},
		{name: "one stream", text: strings.TrimSuffix(goodHeader, "\n") + "# stream: 1.37\n\n[base] exited 1\n",
			want: scenario{title: "Title", report: "R1", base: "fails", length: "short", stream: "1.37"}},
		{name: "own network", text: strings.TrimSuffix(goodHeader, "\n") + "# network: localhost\n\n[base] exited 1\n",
			want: scenario{title: "Title", report: "R1", base: "fails", length: "short", network: "localhost"}},
		{name: "no such network", text: strings.TrimSuffix(goodHeader, "\n") + "# network: mesh\n\n[base] exited 1\n", wantErr: `header line "# network: mesh"`},
		{name: "no title", text: strings.TrimPrefix(goodHeader, "# Title\n"), wantErr: `the first line must be "# title"`},
		{name: "nothing", text: "", wantErr: "the first line"},
		{name: "value missing", text: "# T\n# base: same\n# length: long\n\nstart\n", wantErr: "want each of report, base and length once"},
		{name: "value twice", text: "# T\n# base: same\n# base: same\n# length: long\n# report: none\n\n", wantErr: "want each of"},
		{name: "unknown value", text: "# T\n# base: works\n# length: long\n# report: none\n\n", wantErr: `header line "# base: works"`},
		{name: "unknown line", text: "# T\n# more\n\n", wantErr: `header line "# more"`},
		{name: "sided though same", text: "# T\n# base: same\n# length: long\n# report: none\n\n[!base] running\n", wantErr: "no line may be for one side"},
		{name: "sided though same, second condition", text: "# T\n# base: same\n# length: long\n# report: none\n\n[stream:1.23] [patched] running\n", wantErr: "no line may be for one side"},
		{name: "does not say how", text: goodHeader + "start\n# [base] exited 1\n", wantErr: "no line says how"},
		{name: "skips", text: goodHeader + "[base] skip\n", wantErr: "only base and control may end early"},
		{name: "patched stops", text: goodHeader + "[base] exited 1\nstop\n", wantErr: "only base and control may end early"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "some-name.txtar")
			if err := os.WriteFile(file, []byte(test.text), 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := readScenario(file)
			if !wantError(t, err, test.wantErr) {
				return
			}
			test.want.file, test.want.name = file, "some-name"
			if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(scenario{})); diff != "" {
				t.Errorf("scenario (-want +got):\n%s", diff)
			}
		})
	}
}

// wantError reports whether there was no error, as wanted.
func wantError(t *testing.T, err error, want string) bool {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("unexpected error: %v", err)
	case want != "" && err == nil:
		t.Errorf("no error, want one with %q", want)
	case want != "" && !strings.Contains(err.Error(), want):
		t.Errorf("error %q, want one with %q", err, want)
	}
	return err == nil && want == ""
}
