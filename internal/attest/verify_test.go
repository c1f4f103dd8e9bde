package attest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/mod/module"

	"carry/internal/component"
)

// scene is a binary with its documents on disk, to be spoiled.
type scene struct {
	t     *testing.T
	in    *component.Inputs
	b     *Binary
	files Files
}

func newScene(t *testing.T, in *component.Inputs, info string) *scene {
	t.Helper()
	s := &scene{t: t, in: in, b: binary(t, in, info), files: Beside(filepath.Join(t.TempDir(), in.Component))}
	if _, err := made(t, in, s.b).Write(s.files.Binary); err != nil {
		t.Fatal(err)
	}
	return s
}

// edit changes a document: the first old becomes with; an empty old is the end of the file.
func edit(suffix, old, with string) func(*scene) {
	return func(s *scene) {
		path := s.files.Binary + suffix
		data, err := os.ReadFile(path)
		if err != nil {
			s.t.Fatal(err)
		}
		text := string(data) + with
		if old != "" {
			text = strings.Replace(string(data), old, with, 1)
		}
		if text == string(data) {
			s.t.Fatalf("%s has no %q", path, old)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			s.t.Fatal(err)
		}
	}
}

// cut leaves the first half of a document.
func cut(suffix string) func(*scene) {
	return func(s *scene) {
		info, err := os.Stat(s.files.Binary + suffix)
		if err == nil {
			err = os.Truncate(s.files.Binary+suffix, info.Size()/2)
		}
		if err != nil {
			s.t.Fatal(err)
		}
	}
}

func missing(suffix string) func(*scene) {
	return func(s *scene) {
		if err := os.Remove(s.files.Binary + suffix); err != nil {
			s.t.Fatal(err)
		}
	}
}

// info changes what the binary says of itself.
func info(old, with string) func(*scene) {
	return func(s *scene) {
		sum, data := s.b.SHA256, s.b.data
		s.b = binary(s.t, s.in, strings.Replace(buildInfo, old, with, 1))
		s.b.SHA256, s.b.data = sum, data
	}
}

// mutations are everything that can differ. want are the differences, in order and with nothing beside them.
var mutations = []struct {
	name  string
	spoil func(*scene)
	want  []string
}{
	{"binary", func(s *scene) { s.b.SHA256 = strings.Repeat("a", 64) }, []string{
		`^sbom: metadata.component.hashes\[.*\]`, `^provenance: subject\[kube-controller-manager\].digest.sha256: [0-9a-f]{64}, should be a{64}$`}},
	{"binary without the stamp", func(s *scene) { s.b.data = []byte("ELF") }, []string{`^binary: stamp: not in it, should be v1.37.2\+carry`}},
	{"binary of another package", info("cmd/kube-controller-manager", "cmd/kubelet"), []string{`^binary: main package: k8s.io/kubernetes/cmd/kubelet, should be`}},
	{"binary with C", info("CGO_ENABLED=0", "CGO_ENABLED=1"), []string{`^binary: CGO_ENABLED: 1, should be 0$`}},
	{"binary with paths", info("build\t-trimpath=true\n", ""), []string{`^binary: -trimpath: missing, should be true$`}},
	{"binary with another module", info("k8s.io/client-go\tv0.37.2\t", "k8s.io/client-go\tv0.37.3\t"), []string{
		`^binary: checksum of k8s.io/client-go@v0.37.3: h1:.*, should be one that the pin's go.sum has$`,
		`^sbom: components\[k8s.io/client-go\].bom-ref`, `^sbom: components\[k8s.io/client-go\].purl`, `^sbom: components\[k8s.io/client-go\].version: v0.37.2, should be v0.37.3$`,
		`^sbom: dependencies\[.*v0.37.2\]: .*should not be there`, `^sbom: dependencies\[.*v0.37.3\]: missing`}},
	{"patch", func(s *scene) {
		s.in.Patches[1].Data = append([]byte(nil), s.in.Patches[1].Data...)
		s.in.Patches[1].Data[len(s.in.Patches[1].Data)-2]++
	}, []string{
		`^sbom: metadata.component.pedigree.patches\[patches/.*/0002-greeting-greet-2.patch\].diff.text.content`,
		`^provenance: predicate.buildDefinition.resolvedDependencies\[patches/.*/0002-greeting-greet-2.patch\].digest.sha256`}},
	{"patch left out", func(s *scene) { s.in.Patches = s.in.Patches[:2] }, []string{
		`^sbom: metadata.component.pedigree.patches\[.*/0003-greeting-greet-3.patch\]: .*, should not be there$`,
		`^provenance: .*\[.*/0003-greeting-greet-3.patch\]: .*, should not be there$`}},
	{"patch added", func(s *scene) {
		s.in.Patches = append(s.in.Patches, patch(s.t, "4", "carry", "Pending", "none public"))
	}, []string{
		`^sbom: metadata.component.pedigree.patches\[.*/0004-greeting-greet-4.patch\]: missing, should be`,
		`^provenance: .*\[.*/0004-greeting-greet-4.patch\]: missing, should be`}},
	{"pin's go.sum", func(s *scene) { s.in.Files[2].SHA256 = strings.Repeat("b", 64) }, []string{`^provenance: .*resolvedDependencies\[components/kube-controller-manager/1.37/go.sum\].digest.sha256: 8{64}, should be b{64}$`}},
	{"pin's go.mod", func(s *scene) { s.in.Files[1].SHA256 = strings.Repeat("b", 64) }, []string{`^provenance: .*\[components/kube-controller-manager/1.37/go.mod\].digest.sha256`}},
	{"pin's checksum", func(s *scene) { s.in.Sums[s.in.Pin] = sumOfOther }, []string{
		`^sbom: .*ancestors\[k8s.io/kubernetes\].properties\[carry:go.sum\].value`, `^provenance: .*\[k8s.io/kubernetes\].digest.dirHash: (01){32}, should be (04){32}$`}},
	{"checksum of a module", func(s *scene) {
		s.in.Sums[module.Version{Path: "k8s.io/client-go", Version: "v0.37.2"}] = sumOfOther
	}, []string{`^binary: checksum of k8s.io/client-go@v0.37.2: h1:AwM.*, should be h1:BAQ`}},
	{"component.yaml", func(s *scene) { s.in.Files[0].SHA256 = strings.Repeat("b", 64) }, []string{`^provenance: .*\[components/kube-controller-manager/component.yaml\]`}},
	{"base tree", func(s *scene) { s.in.Tree = strings.Repeat("c", 40) }, []string{`^provenance: .*\[base tree\].digest.gitTree: 5{40}, should be c{40}$`}},
	{"date", func(s *scene) { s.in.Date = s.in.Date.Add(time.Second) }, []string{
		`^provenance: .*internalParameters.ldflags`, `^provenance: .*internalParameters.sourceDate`}},
	{"SBOM missing", missing(SBOMSuffix), []string{`^sbom: missing$`}},
	{"SBOM cut short", cut(SBOMSuffix), []string{`^sbom: cut short`}},
	{"SBOM empty", edit(SBOMSuffix, "{", "x{"), []string{`^sbom: not JSON`}},
	{"SBOM of another kind", func(s *scene) { s.files.SBOM = s.files.Provenance }, []string{`^sbom: no CycloneDX document`}},
	{"SBOM edited", edit(SBOMSuffix, `"version": "v0.37.2"`, `"version": "v0.37.9"`), []string{`^sbom: components\[k8s.io/apiserver\].version: v0.37.9, should be v0.37.2$`}},
	{"SBOM renumbered", edit(SBOMSuffix, "urn:uuid:", "urn:uuid:0"), []string{`^sbom: serialNumber`}},
	{"SBOM spaced", edit(SBOMSuffix, "", "\n"), []string{`^sbom: the same content in another form`}},
	{"SBOM with a repeated key", edit(SBOMSuffix, `"bomFormat"`, "\"bomFormat\": \"x\",\n  \"bomFormat\""), []string{`^sbom: the same content in another form`}},
	{"SBOM of another stream", edit(SBOMSuffix, `"value": "1.37"`, `"value": "1.23"`), []string{`^sbom: of another component or stream: "kube-controller-manager" "1.23"$`}},
	{"provenance missing", missing(ProvenanceSuffix), []string{`^provenance: missing$`}},
	{"provenance cut short", cut(ProvenanceSuffix), []string{`^provenance: cut short`}},
	{"provenance no JSON", edit(ProvenanceSuffix, "{", "x{"), []string{`^provenance: not JSON`}},
	{"provenance of another kind", func(s *scene) { s.files.Provenance = s.files.SBOM }, []string{`^provenance: no in-toto statement`}},
	{"provenance of another predicate", edit(ProvenanceSuffix, predicateType, predicateType+".1"), []string{`^provenance: a statement of another kind`}},
	{"provenance without builder", edit(ProvenanceSuffix, `"id": "`+BuilderID+`"`, ``), []string{`^provenance: no SLSA provenance: .*[Bb]uilder`}},
	{"provenance of another builder", edit(ProvenanceSuffix, BuilderID, "https://example.invalid/b"), []string{`^provenance: predicate.runDetails.builder.id: https://example.invalid/b, should be https://github.com/openshift-eng/carry/`}},
	{"provenance of another SBOM", edit(ProvenanceSuffix, `"mediaType"`, `"annotations": {"a": "b"}, "mediaType"`), []string{`^provenance: predicate.runDetails.byproducts\[.*\].annotations`}},
	{"provenance with other flags", edit(ProvenanceSuffix, "-trimpath -buildvcs=false", "-trimpath"), []string{`^provenance: .*internalParameters.GOFLAGS: -trimpath, should be -trimpath -buildvcs=false$`}},
	{"provenance of another stream", edit(ProvenanceSuffix, `"stream": "1.37"`, `"stream": "1.23"`), []string{`^provenance: of another component or stream: "kube-controller-manager" "1.23"$`}},
	{"provenance of a part", func(s *scene) { s.in.Upto = 2 }, []string{`^provenance: predicate.buildDefinition.externalParameters.upto: missing, should be 2$`}},
	{"provenance without digest", edit(ProvenanceSuffix, `"sha256": "`, `"md5": "`), []string{`^provenance: no in-toto statement: digest has incorrect length`}},
}

func TestEveryMutationIsNamed(t *testing.T) {
	t.Parallel()
	for _, m := range mutations {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, inputs(t), buildInfo)
			m.spoil(s)
			v, err := judge(s.in, s.b, nil, s.files)
			if err != nil {
				t.Fatal(err)
			}
			if v.OK {
				t.Error("found to be true")
			}
			checkDifferences(t, m.want, v.Differences)
		})
	}
}

func checkDifferences(t *testing.T, want []string, found []Difference) {
	t.Helper()
	got := []string{}
	for i, d := range found {
		if i < len(want) && regexp.MustCompile(want[i]).MatchString(d.String()) {
			got = append(got, want[i])
			continue
		}
		got = append(got, d.String())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestWhatIsOursIsTrue(t *testing.T) {
	t.Parallel()
	s := newScene(t, inputs(t), buildInfo)
	v, err := judge(s.in, s.b, nil, s.files)
	if err != nil || !v.OK || v.Claimed != nil {
		t.Errorf("%+v, %v", v, err)
	}
}

// TestHandedOver: where no tree is, tree and date are the provenance's own, and said to be.
func TestHandedOver(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]*component.Inputs{"pin": inputs(t), "source": fromSource(t)} {
		s := newScene(t, in, buildInfo)
		in.Tree, in.Date = "", time.Time{}
		v, err := judge(in, s.b, nil, s.files)
		if err != nil || !v.OK {
			t.Fatalf("%s: %+v, %v", name, v, err)
		}
		if diff := cmp.Diff([]string{"base tree", "source date"}, v.Claimed); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		edit(ProvenanceSuffix, `"sourceDate"`, `"otherDate"`)(s)
		v, err = judge(in, s.b, nil, s.files)
		if err != nil {
			t.Fatal(err)
		}
		checkDifferences(t, []string{`^provenance: it names no base tree or no source date$`}, v.Differences)
	}
}

func TestReadBuild(t *testing.T) {
	t.Parallel()
	in := fromSource(t)
	s := newScene(t, in, buildInfo)
	got, err := ReadBuild(s.files.Provenance)
	if err != nil {
		t.Fatal(err)
	}
	want := &Build{Component: in.Component, Stream: in.Stream, Source: in.Source, SourceVersion: in.Base}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	edit(ProvenanceSuffix, `"sourceVersion"`, `"version"`)(s)
	if _, err := ReadBuild(s.files.Provenance); err == nil || !strings.Contains(err.Error(), "it does not say what was built") {
		t.Errorf("error %v", err)
	}
	if _, err := ReadBuild(s.files.SBOM); err == nil {
		t.Error("an SBOM was read as provenance")
	}
}

// TestFiles: what a binary is, and is not, on disk.
func TestFiles(t *testing.T) {
	t.Parallel()
	in := inputs(t)
	dir := t.TempDir()
	none := filepath.Join(dir, "none")
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte("no binary"), 0o644); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		none: `^binary: missing$`, text: `^binary: no build information of Go's in it`, self: `^binary: main package: carry/internal/attest`,
	} {
		v, err := Verify(in, Beside(path))
		if err != nil {
			t.Fatal(err)
		}
		checkDifferences(t, []string{want}, v.Differences[:1])
		last := v.Differences[len(v.Differences)-2:]
		checkDifferences(t, []string{`^sbom: missing$`, `^provenance: missing$`}, last)
	}
}

// TestWriteTellsWhatChanged: the files of a binary that is up to date are left alone.
func TestWriteTellsWhatChanged(t *testing.T) {
	t.Parallel()
	s := newScene(t, inputs(t), buildInfo)
	d := made(t, s.in, s.b)
	for _, spoil := range []struct {
		do   func(*scene)
		want []string
	}{
		{func(*scene) {}, nil},
		{missing(SBOMSuffix), []string{s.files.SBOM}},
		{cut(ProvenanceSuffix), []string{s.files.Provenance}},
	} {
		spoil.do(s)
		got, err := d.Write(s.files.Binary)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(spoil.want, got); diff != "" {
			t.Error(diff)
		}
	}
}
