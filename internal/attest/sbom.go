package attest

import (
	"bytes"
	"cmp"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/google/uuid"
	"golang.org/x/mod/module"

	"carry/internal/component"
)

// Names of properties, beside those that CycloneDX has fields for.
const (
	propComponent = "carry:component"
	propStream    = "carry:stream"
	propSum       = "carry:go.sum"   // the h1 checksum of a module: of its files' names and contents, so no hash of one file
	propReplaces  = "carry:replaces" // the module that go.mod replaces by this one
)

func makeSBOM(in *component.Inputs, b *Binary) ([]byte, error) {
	main := mainComponent(in, b)
	parts := []cdx.Component{standardLibrary(b.Info.GoVersion)}
	for _, m := range b.Info.Deps {
		parts = append(parts, library(in, m))
	}
	slices.SortFunc(parts, func(a, b cdx.Component) int { return cmp.Compare(a.BOMRef, b.BOMRef) })
	refs := []string{}
	for _, c := range parts {
		refs = append(refs, c.BOMRef)
	}
	bom := cdx.NewBOM()
	bom.Metadata = &cdx.Metadata{
		Lifecycles: &[]cdx.Lifecycle{{Phase: cdx.LifecyclePhaseBuild}},
		Tools:      &cdx.ToolsChoice{Components: &[]cdx.Component{{Type: cdx.ComponentTypeApplication, Name: "carry", Publisher: "The Carry Authors"}}},
		Component:  &main,
	}
	bom.Components = &parts
	// What a binary says of itself has no edges between modules, only that all of them are in it.
	bom.Dependencies = &[]cdx.Dependency{{Ref: main.BOMRef, Dependencies: &refs}}
	plain, err := encodeSBOM(bom)
	if err != nil {
		return nil, err
	}
	bom.SerialNumber = serialNumber(plain)
	return encodeSBOM(bom)
}

// serialNumber names a document by its content: the same content, the same number.
func serialNumber(content []byte) string {
	return uuid.NewSHA1(uuid.NewSHA1(uuid.NameSpaceURL, []byte(Repository)), content).URN()
}

func encodeSBOM(bom *cdx.BOM) ([]byte, error) {
	var out bytes.Buffer
	err := cdx.NewBOMEncoder(&out, cdx.BOMFileFormatJSON).SetPretty(true).SetEscapeHTML(false).EncodeVersion(bom, cdx.SpecVersion1_6)
	if err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	return out.Bytes(), nil
}

// mainComponent is the binary: upstream's main package with the patches.
func mainComponent(in *component.Inputs, b *Binary) cdx.Component {
	version := in.Version
	if in.Source == "" { // as a Go module's version, so that it compares with upstream's
		_, mark, _ := strings.Cut(in.Version, "+")
		version = in.Pin.Version + "+" + mark
	}
	c := cdx.Component{
		Type: cdx.ComponentTypeApplication, Name: in.Component, Version: in.Version,
		PackageURL: purl(module.Version{Path: in.Module, Version: version}, in.Package),
		Hashes:     &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: b.SHA256}},
		Licenses:   licences(in.License), Pedigree: pedigree(in),
		ExternalReferences: &[]cdx.ExternalReference{{Type: cdx.ERTypeVCS, URL: Repository}},
		Properties:         &[]cdx.Property{{Name: propComponent, Value: in.Component}, {Name: propStream, Value: in.Stream}},
	}
	c.BOMRef = c.PackageURL
	return c
}

func licences(expression string) *cdx.Licenses {
	if expression == "" {
		return nil
	}
	return &cdx.Licenses{{Expression: expression}}
}

// standardLibrary is Go's own, of the toolchain that compiled the binary; the name is the one that Go's vulnerability
// database has.
func standardLibrary(goVersion string) cdx.Component {
	version, experiments, _ := strings.Cut(goVersion, " ") // "go1.26.8 X:nodwarf5"
	c := upstream(module.Version{Path: "stdlib", Version: version}, "")
	c.PackageURL = purl(module.Version{Path: "stdlib", Version: strings.TrimPrefix(version, "go")}, "")
	c.BOMRef, c.Description, c.Licenses = c.PackageURL, strings.TrimSpace("Go standard library and toolchain "+experiments), licences("BSD-3-Clause")
	return c
}

// library is a module in the binary, as the version that was compiled, not the one that was asked for.
func library(in *component.Inputs, m *debug.Module) cdx.Component {
	used := module.Version{Path: m.Path, Version: m.Version}
	sum, replaces := m.Sum, ""
	if r := m.Replace; r != nil && !isFolder(r.Path) {
		used, sum = module.Version{Path: r.Path, Version: r.Version}, r.Sum
		if r.Path != m.Path {
			replaces = m.Path + "@" + m.Version
		}
	}
	local, fromTree := in.Local[m.Path]
	if fromTree {
		used = local
	}
	c := upstream(used, sum)
	c.Properties = properties(propSum, sum, propReplaces, replaces)
	if fromTree {
		original := upstream(local, in.Sums[local])
		original.BOMRef = "" // it is not in the binary
		c.Pedigree = &cdx.Pedigree{Ancestors: &[]cdx.Component{original}, Notes: "built from the patched tree: see the patches of the main component"}
	}
	return c
}

// upstream is a module as it was published; without a sum, as somebody's checkout has it.
func upstream(m module.Version, sum string) cdx.Component {
	if m.Version == "(devel)" {
		m.Version = ""
	}
	link := purl(m, "")
	return cdx.Component{Type: cdx.ComponentTypeLibrary, BOMRef: link, Name: m.Path, Version: m.Version, PackageURL: link, Properties: properties(propSum, sum)}
}

// properties are those of the pairs that have a value.
func properties(pairs ...string) *[]cdx.Property {
	var all []cdx.Property
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			all = append(all, cdx.Property{Name: pairs[i], Value: pairs[i+1]})
		}
	}
	if all == nil {
		return nil
	}
	return &all
}
