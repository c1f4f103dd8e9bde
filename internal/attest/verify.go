package attest

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"carry/internal/component"
)

// What a difference is found in.
const (
	ofBinary     = "binary"
	ofSBOM       = "sbom"
	ofProvenance = "provenance"
)

// Files are a binary and its documents, wherever they lie.
type Files struct {
	Binary     string `json:"binary"`
	SBOM       string `json:"sbom"`
	Provenance string `json:"provenance"`
}

// Beside are the documents in their place beside the binary.
func Beside(binary string) Files {
	return Files{Binary: binary, SBOM: binary + SBOMSuffix, Provenance: binary + ProvenanceSuffix}
}

// Verdict says whether documents and binary are what pin and patches of the checkout make them.
type Verdict struct {
	Component string `json:"component"`
	Stream    string `json:"stream"`
	Files
	OK          bool         `json:"ok"`
	Differences []Difference `json:"differences"`
	// Claimed is what was taken from the provenance since nothing here tells it.
	Claimed []string `json:"claimed,omitempty"`
}

// Verify makes the documents again and compares. Tree and Date of the inputs are taken from the provenance where they
// are not known; in is not changed.
func Verify(in *component.Inputs, files Files) (*Verdict, error) {
	b, wrong, err := readBinary(files.Binary)
	if err != nil {
		return nil, err
	}
	return judge(in, b, wrong, files)
}

// judge is Verify once the binary is read; without one, wrong says why.
func judge(in *component.Inputs, b *Binary, wrong *Difference, files Files) (*Verdict, error) {
	known := *in
	v := &Verdict{Component: in.Component, Stream: in.Stream, Files: files, Differences: []Difference{}}
	sbom := readDocument(ofSBOM, files.SBOM, decodeSBOM)
	provenance := readDocument(ofProvenance, files.Provenance, decodeProvenance)
	if err := errors.Join(sbom.err, provenance.err); err != nil {
		return nil, err
	}
	v.claim(&known, provenance)
	if wrong != nil {
		v.Differences = append(v.Differences, *wrong)
	} else {
		v.Differences = append(v.Differences, b.check(&known)...)
	}
	for _, d := range []*document{sbom, provenance} {
		d.ofAnother(in)
		v.Differences = append(v.Differences, d.wrong...)
	}
	if b != nil {
		if err := v.compare(&known, b, sbom, provenance); err != nil {
			return nil, err
		}
	}
	v.OK = len(v.Differences) == 0
	return v, nil
}

// compare makes both documents and holds those that could be read against them.
func (v *Verdict) compare(in *component.Inputs, b *Binary, sbom, provenance *document) error {
	want, err := makeSBOM(in, b)
	if err != nil {
		return fmt.Errorf("make SBOM of %s: %w", b.Name, err)
	}
	found := sbom.differences(want)
	if in.Tree != "" && !in.Date.IsZero() {
		statement, err := makeProvenance(in, b, want)
		if err != nil {
			return fmt.Errorf("make provenance of %s: %w", b.Name, err)
		}
		found = append(found, provenance.differences(statement)...)
	}
	v.Differences = append(v.Differences, withoutConsequences(found)...)
	return nil
}

// withoutConsequences leaves out what differs because something else does: the number made from the content and the
// hash of the SBOM.
func withoutConsequences(found []Difference) []Difference {
	causes := slices.DeleteFunc(slices.Clone(found), func(d Difference) bool {
		return d.Path == "serialNumber" || strings.HasPrefix(d.Path, "predicate.runDetails.byproducts[")
	})
	if len(causes) == 0 {
		return found
	}
	return causes
}
