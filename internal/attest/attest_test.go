package attest

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	intoto "github.com/in-toto/attestation/go/v1"
	"github.com/xeipuuv/gojsonschema"
	"google.golang.org/protobuf/encoding/protojson"
)

func TestGolden(t *testing.T) {
	in := inputs(t)
	d := made(t, in, binary(t, in, buildInfo))
	golden(t, "pin.cdx.json", d.SBOM)
	golden(t, "pin.provenance.json", d.Provenance)
	in = fromSource(t)
	d = made(t, in, binary(t, in, strings.ReplaceAll(buildInfo, "mod\tk8s.io/kubernetes\tv1.37.2\n=>\t../../../out/kube-controller-manager/1.37/src\t(devel)\t\n", "mod\tk8s.io/kubernetes\t(devel)\n")))
	golden(t, "source.cdx.json", d.SBOM)
	golden(t, "source.provenance.json", d.Provenance)
}

// TestSameBytes: Go's maps and protobuf's encoding have an order of their own in every run.
func TestSameBytes(t *testing.T) {
	t.Parallel()
	in := inputs(t)
	first := made(t, in, binary(t, in, buildInfo))
	for range 20 {
		in := inputs(t)
		if diff := cmp.Diff(first, made(t, in, binary(t, in, buildInfo))); diff != "" {
			t.Fatal(diff)
		}
	}
}

// TestSBOMIsRead reads the document with the format's own library.
func TestSBOMIsRead(t *testing.T) {
	t.Parallel()
	in := inputs(t)
	b := binary(t, in, buildInfo)
	var bom cdx.BOM
	if err := cdx.NewBOMDecoder(bytes.NewReader(made(t, in, b).SBOM), cdx.BOMFileFormatJSON).Decode(&bom); err != nil {
		t.Fatal(err)
	}
	id, err := uuid.Parse(bom.SerialNumber)
	if err != nil || id.Version() != 5 || !strings.HasPrefix(bom.SerialNumber, "urn:uuid:") {
		t.Errorf("serial number %q: %v", bom.SerialNumber, err)
	}
	main := bom.Metadata.Component
	if got := (*main.Hashes)[0].Value; got != b.SHA256 {
		t.Errorf("hash %s", got)
	}
	type carried struct {
		Type     cdx.PatchType
		Path, ID string // and what the problem was
	}
	var got []carried
	for _, p := range *main.Pedigree.Patches {
		c := carried{Type: p.Type, Path: filepath.Base(p.Diff.URL)}
		for _, i := range valueOf(p.Resolves) {
			c.ID += i.ID + " " + i.Description
		}
		got = append(got, c)
	}
	want := []carried{
		{cdx.PatchTypeUnofficial, "0001-greeting-greet-1.patch", "2053359 p"},
		{cdx.PatchTypeBackport, "0002-greeting-greet-2.patch", "kubernetes/kubernetes#55271 p"},
		{cdx.PatchTypeCherryPick, "0003-greeting-greet-3.patch", ""},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	var refs []string
	for _, c := range *bom.Components {
		refs = append(refs, c.BOMRef)
	}
	wantRefs := []string{
		"pkg:golang/github.com/example/old@v1.2.0%2Bincompatible", "pkg:golang/k8s.io/apiserver@v0.37.2",
		"pkg:golang/k8s.io/client-go@v0.37.2", "pkg:golang/stdlib@1.26.8",
	}
	if diff := cmp.Diff(wantRefs, refs); diff != "" {
		t.Error(diff)
	}
}

// TestSBOMKeepsItsSchema holds the documents against the format's own schema, which its Go module carries.
func TestSBOMKeepsItsSchema(t *testing.T) {
	t.Parallel()
	schema := bomSchema(t)
	for _, in := range []string{"pin", "source"} {
		data, err := os.ReadFile(filepath.Join("testdata", in+SBOMSuffix))
		if err != nil {
			t.Fatal(err)
		}
		checkSchema(t, schema, data, true)
		checkSchema(t, schema, bytes.Replace(data, []byte(`"type": "unofficial"`), []byte(`"type": "nice"`), 1), false)
	}
}

func bomSchema(t *testing.T) *gojsonschema.Schema {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/CycloneDX/cyclonedx-go").Output()
	if err != nil {
		t.Fatal(err)
	}
	load := func(name string) gojsonschema.JSONLoader {
		data, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(out)), "schema", name))
		if err != nil {
			t.Fatal(err)
		}
		return gojsonschema.NewBytesLoader(data)
	}
	l := gojsonschema.NewSchemaLoader()
	for address, name := range map[string]string{"spdx.schema.json": "spdx.schema.json", "jsf-0.82.schema.json": "jsf-0.82.schemax.json"} {
		if err := l.AddSchema("http://cyclonedx.org/schema/"+address, load(name)); err != nil {
			t.Fatal(err)
		}
	}
	schema, err := l.Compile(load("bom-1.6.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func checkSchema(t *testing.T, schema *gojsonschema.Schema, data []byte, valid bool) {
	t.Helper()
	result, err := schema.Validate(gojsonschema.NewBytesLoader(data))
	if err != nil {
		t.Fatal(err)
	}
	if result.Valid() != valid {
		t.Errorf("valid %v, want %v: %v", result.Valid(), valid, result.Errors())
	}
}

// TestProvenanceIsRead reads and validates the document with the format's own library.
func TestProvenanceIsRead(t *testing.T) {
	t.Parallel()
	in := inputs(t)
	in.Upto = 2
	b := binary(t, in, buildInfo)
	d := made(t, in, b)
	s := &intoto.Statement{}
	if err := protojson.Unmarshal(d.Provenance, s); err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(); err != nil {
		t.Error(err)
	}
	p, err := predicate(s) // validates
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"sha256": b.SHA256}, s.GetSubject()[0].GetDigest()); diff != "" {
		t.Error(diff)
	}
	want := map[string]any{"component": "kube-controller-manager", "stream": "1.37", "pin": "k8s.io/kubernetes@v1.37.2", "upto": 2.0}
	if diff := cmp.Diff(want, p.GetBuildDefinition().GetExternalParameters().AsMap()); diff != "" {
		t.Error(diff)
	}
	pin := p.GetBuildDefinition().GetResolvedDependencies()[0].GetDigest()
	if diff := cmp.Diff(map[string]string{"dirHash": strings.Repeat("01", 32)}, pin); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(sha256Of(d.SBOM), p.GetRunDetails().GetByproducts()[0].GetDigest()); diff != "" {
		t.Error(diff)
	}
}

func TestMakeNeedsTheBase(t *testing.T) {
	t.Parallel()
	in := inputs(t)
	in.Tree = ""
	if _, err := Make(in, binary(t, in, buildInfo)); err == nil || !strings.Contains(err.Error(), "next: carry build kube-controller-manager 1.37") {
		t.Errorf("error %v", err)
	}
	in = inputs(t)
	in.Sums[in.Pin] = "h1:short"
	if _, err := Make(in, binary(t, in, buildInfo)); err == nil || !strings.Contains(err.Error(), "is no h1 checksum") {
		t.Errorf("error %v", err)
	}
}
