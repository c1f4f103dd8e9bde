package ci

import (
	"bytes"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// repo is the repository itself.
func repo(t *testing.T) fs.FS {
	t.Helper()
	return os.DirFS("..")
}

// copied is a copy of all that rules look at, to be spoilt.
func copied(t *testing.T) fstest.MapFS {
	t.Helper()
	all := fstest.MapFS{}
	from := repo(t)
	for _, dir := range []string{"go.mod", ".ci-operator.yaml", "ci", "components"} {
		err := fs.WalkDir(from, dir, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || path.Ext(name) == ".go" {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			data, err := fs.ReadFile(from, name)
			all[name] = &fstest.MapFile{Data: data, Mode: info.Mode()}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// defect is a change of one file, and a finding that has to come of it.
type defect struct {
	file, old, new string // new takes the place of the first old; old empty: the file is gone
	want           string // "rule: file: part of what it says"
}

const (
	cfgFile    = configs + "/openshift-eng/carry/openshift-eng-carry-main.yaml"
	variant    = configs + "/openshift-eng/carry/openshift-eng-carry-main__4.11.yaml"
	refFile    = registry + "/carry/check/carry-check-ref.yaml"
	refScript  = registry + "/carry/check/carry-check-commands.sh"
	refMeta    = registry + "/carry/check/carry-check-ref.metadata.json"
	kcmFile    = "components/kube-controller-manager/Dockerfile"
	cvoFile    = "components/cluster-version-operator/Dockerfile"
	unit       = cfgFile + " unit: "
	sweep      = cfgFile + " sweep: "
	ipv6       = cfgFile + " e2e-metal-ipi-ovn-ipv6: "
	rebase     = cfgFile + " rebase: "
	techpre    = variant + " e2e-aws-ovn-techpreview: "
	kcmBuilder = "registry.ci.openshift.org/ocp/builder:rhel-9-golang-1.26-openshift-5.0 AS builder"
)

var defects = []defect{
	{cfgFile, "build_root:", "build_roots:", `read: ` + cfgFile + `: `},
	{cfgFile, "- as: unit\n", "- as: unit\n  as: unit\n", "read: " + cfgFile + ": "},
	{refFile, "grace_period", "grace", "read: " + refFile + ": "},
	{kcmFile, "FROM", "ARG A=B\nFROM", "read: " + kcmFile + ": "},
	{cvoFile, "", "", "read: " + cvoFile + ": "},
	{configs + "/openshift-eng/carry/OWNERS", "reviewers", "reviewer", "owners: "},
	{registry + "/carry/check/OWNERS", "", "", "owners: "},

	{cfgFile, "branch: main", "branch: release", "path: " + cfgFile + ": zz_generated_metadata belongs into"},
	{variant, `variant: "4.11"`, `variant: "4.12"`, "path: " + variant + ": zz_generated_metadata belongs into"},
	{cfgFile, "org: openshift-eng", "org: openshift", "path: " + cfgFile + ": is not of openshift-eng/carry"},
	{cfgFile, "build_root:", "# why\nbuild_root:", "canonical: " + cfgFile + ": keys are not sorted"},
	{cfgFile, "  from_repository: true", "  from_repository: false", "build root: " + cfgFile + ": build_root.from_repository"},
	{".ci-operator.yaml", "golang-1.26", "golang-1.24", "build root: " + cfgFile + ": .ci-operator.yaml: Go"},
	{".ci-operator.yaml", "namespace: openshift", "namespace: ''", "build root: " + cfgFile + ": .ci-operator.yaml: build_root_image needs"},
	{cfgFile, "to: kubernetes-source", "to: src", `images: ` + cfgFile + `: image "src": no name`},
	{cfgFile, "optional: true\n    to: kubernetes", "to: kubernetes", "images: " + cfgFile + ": image hyperkube: input kubernetes-source is no optional image"},
	{cfgFile, "dockerfile_path: components/kube-controller-manager/Dockerfile", "dockerfile_path: Dockerfile", "images: " + cfgFile + ": image hyperkube: no file Dockerfile"},
	{cfgFile, "    dockerfile_path: components/kube-controller-manager/Dockerfile\n", "", "images: " + cfgFile + ": image hyperkube: needs dockerfile_path or"},
	{kcmFile, "ocp/5.2:hyperkube", "ocp/5.1:hyperkube", "payload: " + cfgFile + ": image hyperkube: made from"},
	{variant, "to: cluster-version-operator", "to: hyperkube", "payload: " + variant + ": image hyperkube: made from"},
	{cfgFile, `value: "1.37"`, `value: "1.36"`, `source: ` + cfgFile + `: image hyperkube: no stream "1.36"`},
	{cfgFile, `value: "1.37"`, `value: "1.23"`, `source: ` + cfgFile + `: image hyperkube: version "v1.37.2" is not one of stream "1.23"`},
	{cfgFile, "value: source", "value: fork@HEAD", `source: ` + cfgFile + `: image hyperkube: SOURCE "fork@HEAD" is copied from no input`},
	{cfgFile, "releases:", "promotion:\n  to:\n  - name: \"5.2\"\n    namespace: ocp\nreleases:", "promotion: " + cfgFile + ": to ocp: not disabled"},
	{cfgFile, "releases:", "promotion:\n  to:\n  - disabled: true\n    name: \"5.2\"\n    namespace: ocp\nreleases:", "promotion: " + cfgFile + ": to ocp"},
	{cfgFile, "releases:", "promotion:\n  to:\n  - disabled: true\n    name: a\n    namespace: carry\n    tag: b\nreleases:", "promotion: " + cfgFile + ": to carry: needs name or tag"},
	{cfgFile, "      include_built_images: true\n", "", "releases: " + cfgFile + ": latest: without include_built_images"},
	{cfgFile, "  initial:\n    integration:\n", "  initial:\n    integration:\n      include_built_images: true\n", "releases: " + cfgFile + ": initial: is the release without"},
	{cfgFile, "  initial:", "  first:", "releases: " + cfgFile + ": needs initial and latest"},
	{cfgFile, "initial:\n    integration:\n      name: \"5.2\"", "initial:\n    integration:\n      name: \"5.1\"", "releases: " + cfgFile + ": initial and latest are of two streams"},
	{cfgFile, "include_built_images: true\n      name: \"5.2\"\n      namespace: ocp", "include_built_images: true\n      name: \"5.2\"\n      namespace: okd", "releases: " + cfgFile + ": latest: needs namespace ocp"},
	{cfgFile, "  '*':", "  all:", `resources: ` + cfgFile + `: no default "*"`},
	{cfgFile, "  sweep:\n", "  sweeps:\n", "resources: " + cfgFile + ": sweeps: nothing of that name runs"},
	{cfgFile, "memory: 200Mi", "memory: 200MiB", `resources: ` + cfgFile + `: *: memory "200MiB" is no quantity`},
	{cfgFile, "cpu: 100m", "cpu: 0m", `resources: ` + cfgFile + `: *: cpu "0m" is no quantity`},
	{cfgFile, "      cpu: 100m\n", "", "resources: " + cfgFile + ": *: needs requests of cpu and memory"},
	{cfgFile, "as: verify", "as: unit", "unique: " + cfgFile + ": two tests or images are called unit"},
	{cfgFile, "as: verify", "as: hyperkube", "unique: " + cfgFile + ": two tests or images are called hyperkube"},

	{cfgFile, "as: unit", "as: unit-" + strings.Repeat("x", 57), "name: " + strings.Replace(unit, "unit", "unit-"+strings.Repeat("x", 57), 1) + "62 characters"},
	{cfgFile, "as: unit", "as: Unit", "name: " + cfgFile + " Unit: no name of a Kubernetes object"},
	{cfgFile, "as: unit", "as: images", "name: " + cfgFile + " images: ci-operator has a target"},
	{cfgFile, "as: unit", "as: ci-index-x", "name: " + cfgFile + " ci-index-x: ci-operator has a target"},
	{cfgFile, "as: unit", "as: unit-1of2", "name: " + cfgFile + " unit-1of2: ends like a shard"},
	{cfgFile, "  container:\n    from: src\n- as: verify", "- as: verify", "kind: " + unit + "commands and container go together"},
	{cfgFile, "  container:\n    from: src\n- as: verify", "  steps:\n    workflow: x\n- as: verify", "kind: " + unit + "commands and container go together"},
	{cfgFile, "  commands: ci/presubmit.sh unit\n  container:\n    from: src\n", "", "kind: " + unit + "needs commands or steps"},
	{cfgFile, "from: src\n- as: verify", "from: source\n- as: verify", `kind: ` + unit + `container from "source": no such image`},
	{cfgFile, "  minimum_interval: 24h", "  interval: 24h\n  minimum_interval: 24h", "trigger: " + rebase + "cron, interval and minimum_interval exclude"},
	{cfgFile, "  minimum_interval: 24h", "  minimum_interval: 24h\n  optional: true", "trigger: " + rebase + "a periodic that is also a presubmit"},
	{cfgFile, "  minimum_interval: 24h", "  cron: daily", `trigger: ` + rebase + `cron "daily": needs five fields`},
	{cfgFile, "  minimum_interval: 24h", "  minimum_interval: 1d", `trigger: ` + rebase + `interval "1d": `},
	{cfgFile, `skip_if_only_changed: ^docs/|\.md$`, `skip_if_only_changed: ^docs/|\.md$(`, "changes: " + cfgFile + " integration: error parsing regexp"},
	{cfgFile, "  optional: true\n  pipeline", "  optional: true\n  run_if_changed: a\n  pipeline", "changes: " + cfgFile + " e2e-metal-ipi-ovn-dualstack: conditions exclude each other"},
	{cfgFile, "- always_run: false\n  as: sweep", "- as: sweep", "changes: " + sweep + "always_run: false and"},
	{cfgFile, "shard_count: 2\n  timeout: 4h0m0s", "shard_count: 2\n  timeout: 73h0m0s", "timeout: " + sweep + "timeout 73h0m0s: more than 72h0m0s"},
	{cfgFile, "ci/presubmit.sh unit", "ci/presubmits.sh unit", "script: " + unit + "no file ci/presubmits.sh"},
	{cfgFile, "ci/presubmit.sh unit", "ci/environment.sh", "script: " + unit + "ci/environment.sh is not executable"},
	{cfgFile, "workflow: baremetalds-e2e-ovn-ipv6", "workflow: baremetalds-e2e-ipv6", `workflow: ` + ipv6 + `no workflow "baremetalds-e2e-ipv6"`},
	{cfgFile, "cluster_profile: equinix-ocp-metal", "cluster_profile: packet", `workflow: ` + ipv6 + `cluster profile "packet"`},
	{cfgFile, "  capabilities:\n  - intranet\n", "", "workflow: " + ipv6 + "capabilities []"},
	{cfgFile, "- observers-resource-watch", "- observers-resource", `workflow: ` + ipv6 + `no observer "observers-resource"`},
	{cfgFile, "    - chain: baremetalds-ofcir-post\n", "", "phase: " + ipv6 + "post: replaces"},
	{cfgFile, "    - ref: carry-check\n", "    - ref: carry-checks\n", "phase: " + ipv6 + "post: ref carry-checks is neither"},
	{cfgFile, "    post:\n    - ref: carry-check\n    - chain: baremetalds-ofcir-post\n", "", "phase: " + ipv6 + "post: without carry-check"},
	{cfgFile, "- ref: carry-check\n", "- chain: baremetalds-ofcir-post\n      ref: carry-check\n", "phase: " + ipv6 + "post: needs ref or chain"},
	{cfgFile, "- ref: carry-check\n", "- ref: carry-check\n    - ref: carry-check\n", "phase: " + ipv6 + "post: ref carry-check comes twice"},
	{variant, "    - chain: gather-core-dump\n    - chain: ipi-aws-post\n", "    - chain: ipi-aws-post\n    - chain: gather-core-dump\n", "phase: " + techpre + "post: chain ipi-aws-post is neither"},
	{cfgFile, "shard_count: 2", "shard_count: 3", "shards: " + sweep + "shard_count 3: there are 2 streams"},
	{cfgFile, "  shard_count: 2\n", "", "shards: " + sweep + "shard_count 0: there are 2 streams"},

	{refFile, "as: carry-check", "as: check", "ref: " + refFile + ": a step in this folder is called carry-check"},
	{refFile, "from: src", "from: carry", `ref: ` + refFile + `: from "carry": no such image`},
	{refFile, "  timeout: 30m0s\n", "", "ref: " + refFile + ": timeout 0s: needs one"},
	{refFile, "timeout: 30m0s", "timeout: 73h0m0s", "ref: " + refFile + ": timeout 73h0m0s: needs one"},
	{refFile, "memory: 2Gi", "memory: much", `ref: ` + refFile + `: carry-check: memory "much" is no quantity`},
	{refFile, "commands: carry-check-commands.sh", "commands: check.sh", `commands: ` + refFile + `: commands "check.sh"`},
	{refScript, "", "", "commands: " + refFile + ": no file " + refScript},
	{refScript, "set -euo pipefail", "set -u", "commands: " + refFile + ": " + refScript + " goes on after an error"},
	{refScript, "junit_carry_check.xml", "carry.xml", "commands: " + refFile + ": " + refScript + " leaves no junit"},
	{refMeta, "carry/check/carry-check-ref.yaml", "carry-check-ref.yaml", "metadata: " + refFile + ": " + refMeta + ": path"},
	{refMeta, `"approvers": [`, `"approvers": ["somebody", `, "metadata: " + refFile + ": " + refMeta + ": owners differ"},
	{refMeta, "", "", "metadata: " + refFile + ": open "},

	{kcmFile, " AS builder", " AS build", "stages: " + kcmFile + ": wants two stages"},
	{kcmFile, "--from=builder", "--from=0", "stages: " + kcmFile + ": copies from 0"},
	{kcmFile, "ocp/5.2:hyperkube", "ocp/5.2:latest", "from: " + kcmFile + ": from"},
	{kcmFile, "ocp/5.2:hyperkube", "ocp/hyperkube", "from: " + kcmFile + ": from"},
	{kcmFile, kcmBuilder, "docker.io/library/golang:1.26 AS builder", "from: " + kcmFile + ": from"},
	{kcmFile, "COPY . .", "ADD https://example.com/source.tar.gz /source", "download: " + kcmFile + ": ADD https"},
	{kcmFile, "RUN go", "RUN curl -O https://example.com/x && go", "download: " + kcmFile + ": loads something"},
	{kcmFile, "RUN go", "RUN git am patches/*.patch && go", "build: " + kcmFile + ": patches by hand"},
	{kcmFile, "carry build kube-controller-manager", "carry build cluster-version-operator", "build: " + kcmFile + ": wants one carry build --source, has 0"},
	{kcmFile, "ARG SOURCE_VERSION=\n", "", "build: " + kcmFile + ": SOURCE, SOURCE_VERSION or STREAM is no build argument"},
	{kcmFile, "ARG STREAM=1.37", "ARG STREAM=1.36", `build: ` + kcmFile + `: STREAM "1.36": no such stream`},
	{kcmFile, "ENV GOFLAGS=-buildvcs=false\n", "", "build: " + kcmFile + ": GOFLAGS of the builder's image"},
	{kcmFile, "-buildvcs=false", "-mod=vendor", "build: " + kcmFile + ": GOFLAGS: there is no vendor folder"},
	{kcmFile, "LABEL", "ENTRYPOINT [\"/bin/sh\"]\nLABEL", "overlay: " + kcmFile + ": ENTRYPOINT /bin/sh: does not keep"},
	{kcmFile, "LABEL", "COPY --from=builder /overlay/kube-controller-manager /usr/local/bin/\nLABEL", "overlay: " + kcmFile + ": wants one COPY into the last stage, has 2"},
	{kcmFile, "/usr/bin/kube-controller-manager\n", "/usr/bin/hyperkube\n", "overlay: " + kcmFile + ": COPY"},
	{kcmFile, "io.k8s.display-name", "name", "label: " + kcmFile + ": no label io.k8s.display-name"},
	{kcmFile, "LABEL", `LABEL io.openshift.build.versions="kubernetes=1.37.2"` + "\nLABEL", "label: " + kcmFile + ": label io.openshift.build.versions"},
	{cvoFile, "golang-1.26", "golang-1.24", "go: " + cvoFile + ": builder"},
}

// TestDefects spoils one thing at a time: the rule that it is against has to say so.
func TestDefects(t *testing.T) {
	t.Parallel()
	for _, d := range defects {
		t.Run(strings.ReplaceAll(d.want, "/", " "), func(t *testing.T) {
			t.Parallel()
			spoilt := copied(t)
			if d.old == "" {
				delete(spoilt, d.file)
			} else {
				spoilt[d.file] = spoil(t, spoilt[d.file], d)
			}
			found := check(spoilt)
			if !slices.ContainsFunc(found, func(f string) bool { return strings.HasPrefix(f, d.want) }) {
				t.Errorf("found\n%s\nwant %s", strings.Join(found, "\n"), d.want)
			}
		})
	}
}

func spoil(t *testing.T, file *fstest.MapFile, d defect) *fstest.MapFile {
	t.Helper()
	if !strings.Contains(string(file.Data), d.old) {
		t.Fatalf("%s has no %q: the defect is out of date", d.file, d.old)
	}
	return &fstest.MapFile{Data: []byte(strings.Replace(string(file.Data), d.old, d.new, 1)), Mode: file.Mode}
}

// TestEveryRuleFails: a rule without a defect has never been seen to fail.
func TestEveryRuleFails(t *testing.T) {
	t.Parallel()
	rules := slices.Concat([]string{"read", "owners"}, slices.Collect(maps.Keys(configRules)), slices.Collect(maps.Keys(testRules)),
		slices.Collect(maps.Keys(refRules)), slices.Collect(maps.Keys(dockerfileRules)))
	var seen []string
	for _, d := range defects {
		rule, _, _ := strings.Cut(d.want, ": ")
		seen = append(seen, rule)
	}
	slices.Sort(rules)
	slices.Sort(seen)
	if diff := cmp.Diff(rules, slices.Compact(seen)); diff != "" {
		t.Errorf("rules, and those with a defect (-rules +seen):\n%s", diff)
	}
}

// TestOtherDefects are not of a file's text alone: git keeps a mode, and the rest of a file may be gone.
func TestOtherDefects(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		file  string
		spoil func(*fstest.MapFile)
		want  string
	}{
		{refScript, func(f *fstest.MapFile) { f.Mode = 0o644 }, "commands: " + refFile + ": " + refScript + " is not executable"},
		{"ci/presubmit.sh", func(f *fstest.MapFile) { f.Mode = 0o644 }, "script: " + unit + "ci/presubmit.sh is not executable"},
		{refFile, func(f *fstest.MapFile) { f.Data, _, _ = bytes.Cut(f.Data, []byte("  documentation")) }, "ref: " + refFile + ": no documentation"},
	} {
		spoilt := copied(t)
		tt.spoil(spoilt[tt.file])
		if found := check(spoilt); !slices.Contains(found, tt.want) {
			t.Errorf("found\n%s\nwant %s", strings.Join(found, "\n"), tt.want)
		}
	}
}
