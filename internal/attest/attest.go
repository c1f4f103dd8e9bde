// Package attest turns a patched binary, its pin and its series into two documents that lie beside it, an SBOM and a
// provenance, and the documents and files back into a verdict: whether they are what this checkout says of that
// binary. The same inputs give the same bytes; no clock, host or path goes in.
package attest

import (
	"fmt"

	"carry/internal/component"
)

// The documents' names are the binary's with these endings.
const (
	SBOMSuffix       = ".cdx.json"
	ProvenanceSuffix = ".provenance.json"
)

// Media types of the documents, for registries: https://www.iana.org/assignments/media-types.
const (
	MediaTypeSBOM       = "application/vnd.cyclonedx+json"
	MediaTypeProvenance = "application/vnd.in-toto+json"
)

// Repository is the project's home. The addresses below are names first: they say what the provenance's fields mean.
const (
	Repository = "https://github.com/openshift-eng/carry"
	decision   = Repository + "/blob/main/docs/decisions/0010-sbom-and-provenance.md"
	BuildType  = decision + "#build-type-1"
	// BuilderID is whoever runs carry on a checkout: the documents are not signed, so they can claim no more.
	BuilderID = decision + "#builder"
)

// Documents are what lies beside a binary, as bytes.
type Documents struct {
	SBOM       []byte // CycloneDX 1.6, JSON
	Provenance []byte // in-toto Statement v1 with SLSA provenance v1, JSON
}

// Make makes both documents. Tree and Date of the inputs have to be known.
func Make(in *component.Inputs, b *Binary) (*Documents, error) {
	if in.Tree == "" || in.Date.IsZero() {
		return nil, fmt.Errorf("attest %s: the base tree is not there\nnext: carry build %s %s", b.Name, in.Component, in.Stream)
	}
	sbom, err := makeSBOM(in, b)
	if err != nil {
		return nil, fmt.Errorf("make SBOM of %s: %w", b.Name, err)
	}
	provenance, err := makeProvenance(in, b, sbom)
	if err != nil {
		return nil, fmt.Errorf("make provenance of %s: %w", b.Name, err)
	}
	return &Documents{SBOM: sbom, Provenance: provenance}, nil
}

// Write puts the documents beside the binary at path and tells which files changed.
func (d *Documents) Write(path string) ([]string, error) {
	var written []string
	for _, doc := range []struct {
		path string
		data []byte
	}{{path + SBOMSuffix, d.SBOM}, {path + ProvenanceSuffix, d.Provenance}} {
		changed, err := component.WriteFile(doc.path, doc.data)
		if err != nil {
			return written, err
		}
		if changed {
			written = append(written, doc.path)
		}
	}
	return written, nil
}
