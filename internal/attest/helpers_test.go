package attest

import (
	"flag"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/mod/module"

	"carry/internal/component"
	"carry/internal/series"
)

var update = flag.Bool("update", false, "write the golden files in testdata")

const (
	sumOfPin    = "h1:AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE="
	sumOfServer = "h1:AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI="
	sumOfClient = "h1:AwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwM="
	sumOfOther  = "h1:BAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQ="
)

// buildInfo is what go version -m prints of a binary whose main module and one more are built from the tree.
const buildInfo = `path	k8s.io/kubernetes/cmd/kube-controller-manager
mod	k8s.io/kubernetes	v1.37.2
=>	../../../out/kube-controller-manager/1.37/src	(devel)	
dep	github.com/Example/Old	v1.2.0+incompatible	` + sumOfOther + `
dep	k8s.io/apiserver	v0.0.0
=>	../../../out/kube-controller-manager/1.37/src/staging/src/k8s.io/apiserver	(devel)	
dep	k8s.io/client-go	v0.0.0
=>	k8s.io/client-go	v0.37.2	` + sumOfClient + `
build	-trimpath=true
build	CGO_ENABLED=0
build	GOARCH=amd64
build	GOOS=linux
`

const stamped = "v1.37.2+carry.3.0123456789ab"

// patch is a patch file of a class, about a bug.
func patch(t *testing.T, number, class, status, bug string) *series.Patch {
	t.Helper()
	h := series.Header{
		Class: class, Area: "greeting", Title: "greet " + number, Problem: "p", Cause: "c", Fix: "f",
		Trailers: []series.Trailer{{Key: "Bug", Value: bug}, {Key: "Upstream-Status", Value: status}},
		Name:     "Carry", Email: "carry@example.invalid", Date: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC),
	}
	name := "000" + number + "-greeting-greet-" + number + ".patch"
	text := "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a <&>\n+b \"" + number + "\"\n"
	p, err := series.Parse(name, h.Patch([]byte(text)))
	if err != nil {
		t.Fatal(err)
	}
	p.Path = "patches/kube-controller-manager/1.37/" + name
	return p
}

// inputs are those of a stream with a patch of each kind.
func inputs(t *testing.T) *component.Inputs {
	t.Helper()
	pin := module.Version{Path: "k8s.io/kubernetes", Version: "v1.37.2"}
	server := module.Version{Path: "k8s.io/apiserver", Version: "v0.37.2"}
	return &component.Inputs{
		Component: "kube-controller-manager", Stream: "1.37", Module: pin.Path, Package: "cmd/kube-controller-manager",
		License: "Apache-2.0", LDFlags: []string{"-X k8s.io/component-base/version.gitVersion={{.Version}}", "-X k8s.io/component-base/version.buildDate={{.Date}}"},
		Pin: pin, Base: pin.Version, Version: stamped,
		Tree: strings.Repeat("5", 40), Date: time.Date(2026, 10, 27, 12, 1, 4, 0, time.UTC),
		Files: []component.File{
			{Path: "components/kube-controller-manager/component.yaml", SHA256: strings.Repeat("6", 64)},
			{Path: "components/kube-controller-manager/1.37/go.mod", SHA256: strings.Repeat("7", 64)},
			{Path: "components/kube-controller-manager/1.37/go.sum", SHA256: strings.Repeat("8", 64)},
		},
		Patches: []*series.Patch{
			patch(t, "1", "carry", "Pending", "https://bugzilla.redhat.com/show_bug.cgi?id=2053359"),
			patch(t, "2", "12345", "Backport [v1.38]", "https://github.com/kubernetes/kubernetes/issues/55271"),
			patch(t, "3", "12346", "Submitted", "none public"),
		},
		Local: map[string]module.Version{pin.Path: pin, server.Path: server},
		Sums: map[module.Version]string{
			pin: sumOfPin, server: sumOfServer,
			{Path: "k8s.io/client-go", Version: "v0.37.2"}:                   sumOfClient,
			{Path: "github.com/Example/Old", Version: "v1.2.0+incompatible"}: sumOfOther,
		},
	}
}

// fromSource are those of a fork's checkout, with one patch.
func fromSource(t *testing.T) *component.Inputs {
	t.Helper()
	in := inputs(t)
	in.Pin, in.Local, in.Sums, in.Files, in.Patches = module.Version{}, nil, nil, in.Files[:1], in.Patches[:1]
	in.Source, in.Commit = strings.Repeat("9", 40), strings.Repeat("9", 40)
	in.Base, in.Version = "v1.37.2-fork.1", "v1.37.2-fork.1+carry.1.0123456789ab"
	return in
}

// binary stands in for a binary with that build information and the stamp of in.
func binary(t *testing.T, in *component.Inputs, info string) *Binary {
	t.Helper()
	parsed, err := debug.ParseBuildInfo(info)
	if err != nil {
		t.Fatal(err)
	}
	parsed.GoVersion = "go1.26.8" // a binary has it elsewhere
	data := []byte("ELF " + in.Version)
	return &Binary{Name: in.Component, SHA256: sha256Of(data)["sha256"], Info: parsed, data: data}
}

func made(t *testing.T, in *component.Inputs, b *Binary) *Documents {
	t.Helper()
	d, err := Make(in, b)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (go test -update writes it): %s", path, diff)
	}
}
