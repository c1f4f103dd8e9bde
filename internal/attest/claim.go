package attest

import (
	"errors"
	"fmt"
	"os"
	"time"

	slsa "github.com/in-toto/attestation/go/predicates/provenance/v1"
	intoto "github.com/in-toto/attestation/go/v1"
	"google.golang.org/protobuf/encoding/protojson"

	"carry/internal/component"
)

// Build is what a provenance says was asked of carry build. It is a claim: Verify holds it against the binary.
type Build struct {
	Component, Stream     string
	Source, SourceVersion string // empty: from the pin
	Upto                  int    // 0: the whole series
	Control               bool
}

// ReadBuild reads the claim of a provenance.
func ReadBuild(path string) (*Build, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read provenance: %w", err)
	}
	p, err := readPredicate(data)
	if err != nil {
		return nil, fmt.Errorf("read provenance %s: %w", path, err)
	}
	external := p.GetBuildDefinition().GetExternalParameters().AsMap()
	b := &Build{}
	b.Component, _ = external["component"].(string)
	b.Stream, _ = external["stream"].(string)
	b.Source, _ = external["source"].(string)
	b.SourceVersion, _ = external["sourceVersion"].(string)
	b.Control, _ = external["control"].(bool)
	upto, _ := external["upto"].(float64)
	b.Upto = int(upto)
	if b.Component == "" || b.Stream == "" || b.Source != "" && b.SourceVersion == "" {
		return nil, fmt.Errorf("read provenance %s: it does not say what was built", path)
	}
	return b, nil
}

func readPredicate(data []byte) (*slsa.Provenance, error) {
	s := &intoto.Statement{}
	if err := protojson.Unmarshal(data, s); err != nil {
		return nil, errors.New(oneLine(err))
	}
	return predicate(s)
}

// predicate is a statement's provenance, valid by the format's own rules.
func predicate(s *intoto.Statement) (*slsa.Provenance, error) {
	data, err := protojson.Marshal(s.GetPredicate())
	if err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	p := &slsa.Provenance{}
	if err := protojson.Unmarshal(data, p); err != nil {
		return nil, errors.New(oneLine(err))
	}
	return p, p.Validate()
}

// claim completes the inputs by what the provenance says of things that only a tree here could tell.
func (v *Verdict) claim(in *component.Inputs, d *document) {
	if d.fields == nil || in.Tree != "" && !in.Date.IsZero() {
		return
	}
	p, err := readPredicate(d.data)
	if err != nil {
		return // decodeProvenance has said so
	}
	for _, r := range p.GetBuildDefinition().GetResolvedDependencies() {
		if r.GetName() == baseTree {
			in.Tree = r.GetDigest()["gitTree"]
		}
	}
	date, _ := p.GetBuildDefinition().GetInternalParameters().AsMap()["sourceDate"].(string)
	in.Date, _ = time.Parse(time.RFC3339, date)
	if in.Tree == "" || in.Date.IsZero() {
		d.wrong = append(d.wrong, Difference{Document: ofProvenance, Problem: "it names no base tree or no source date"})
		return
	}
	v.Claimed = []string{baseTree, "source date"}
}
