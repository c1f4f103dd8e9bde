package integration

import (
	"cmp"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"carry/internal/check"
)

// gathered are the objects that a must-gather has and the check reads, by where
// it has them.
var gathered = map[string]string{
	"config.openshift.io/featuregates/cluster.yaml":    "/apis/config.openshift.io/v1/featuregates/cluster",
	"config.openshift.io/clusterversions/version.yaml": "/apis/config.openshift.io/v1/clusterversions/version",
	"core/namespaces.yaml":                             "/api/v1/namespaces",
}

// TestCheckTellsApart has carry check look at what a must-gather would have of
// the rig after a report's scenario: it has met the bug on the side that shows
// it as reported, and on patched it has not.
func TestCheckTellsApart(t *testing.T) {
	t.Parallel()
	family, err := parseFamily(*familyFlag)
	if err != nil {
		t.Fatal(err)
	}
	s, err := newSuite("../..", family, &results{}) // the scenarios' own results are TestScenarios'
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.close)
	for _, tt := range []struct {
		component, stream, scenario string
		side                        side
		report                      string
		want                        check.Verdict
		patched                     string
	}{
		{"kube-controller-manager", "1.37", "namespace-discovery-refused", base, "R1", check.Met, "no"},
		{"kube-controller-manager", "1.37", "namespace-discovery-refused", patched, "R1", check.NotMet, "yes"},
		{operator, "4.11", "featuregate-refused", control, "R2", check.Met, "no"},
		{operator, "4.11", "featuregate-refused", patched, "R2", check.NotMet, "yes"},
	} {
		t.Run(tt.report+"/"+string(tt.side), func(t *testing.T) {
			t.Parallel()
			scenario, err := readScenario(filepath.Join("scenarios", tt.component, tt.scenario+".txtar"))
			if err != nil {
				t.Fatal(err)
			}
			r := s.run(target{tt.component, tt.stream}, scenario, tt.side)
			dir := t.TempDir()
			r.seen = func() error { return gather(r, dir) }
			s.execute(t, r)
			evidence, err := check.Read(t.Context(), dir)
			if err != nil {
				t.Fatal(err)
			}
			report := evidence.Judge(dir)
			i := slices.IndexFunc(report.Findings, func(f check.Finding) bool { return f.Name == tt.report })
			if i < 0 {
				t.Fatalf("no finding of %s\n%s", tt.report, report.Text())
			}
			if f := report.Findings[i]; f.Verdict != tt.want || f.Patched != tt.patched {
				t.Errorf("%s: %s, patched %s; want %s, %s\n%s", f.Name, f.Verdict, f.Patched, tt.want, tt.patched, report.Text())
			}
		})
	}
}

// gather writes what a must-gather has of the component and its cluster.
func gather(r *run, dir string) error {
	root := filepath.Join(dir, "must-gather.local.1", "quay-io-openshift")
	for path, object := range gathered {
		code, answer, err := r.plane.Request(r.ctx, http.MethodGet, object, nil)
		if err != nil {
			return fmt.Errorf("gather %s: %w", object, err)
		}
		if code == http.StatusNotFound && r.target.component != operator {
			continue // OpenShift's own
		}
		if code != http.StatusOK {
			return fmt.Errorf("gather %s: %d %s", object, code, answer)
		}
		if err := keep(filepath.Join(root, "cluster-scoped-resources", path), answer); err != nil {
			return err
		}
	}
	// The kubelet keeps the log of the one before the last.
	logs := []string{"current", "previous"}
	if r.ended {
		logs = logs[1:]
	}
	name := r.target.component
	namespace := map[string]string{operator: "openshift-cluster-version"}[name]
	pod := filepath.Join(root, "namespaces", cmp.Or(namespace, "openshift-"+name), "pods", name+"-0", name, name, "logs")
	for i, which := range logs[:min(len(logs), r.starts)] {
		file := name
		if start := r.starts - i; start > 1 {
			file += fmt.Sprintf("-%d", start)
		}
		data, err := os.ReadFile(filepath.Join(r.dir, file+".log"))
		if err != nil {
			return fmt.Errorf("gather log: %w", err)
		}
		if err := keep(filepath.Join(pod, which+".log"), data); err != nil {
			return err
		}
	}
	return nil
}

func keep(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}
