package attest

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	slsa "github.com/in-toto/attestation/go/predicates/provenance/v1"
	intoto "github.com/in-toto/attestation/go/v1"
	"golang.org/x/mod/module"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/structpb"

	"carry/internal/component"
)

// predicateType is SLSA's provenance, https://slsa.dev/spec/v1.0/provenance.
const predicateType = "https://slsa.dev/provenance/v1"

// baseTree names the git tree of the base among the resolved dependencies.
const baseTree = "base tree"

func makeProvenance(in *component.Inputs, b *Binary, sbom []byte) ([]byte, error) {
	build, err := buildDefinition(in, b)
	if err != nil {
		return nil, err
	}
	p := &slsa.Provenance{
		BuildDefinition: build,
		// No invocation and no times: the same inputs give the same bytes, whenever and wherever.
		RunDetails: &slsa.RunDetails{
			Builder:    &slsa.Builder{Id: BuilderID},
			Byproducts: []*intoto.ResourceDescriptor{{Name: b.Name + SBOMSuffix, MediaType: MediaTypeSBOM, Digest: sha256Of(sbom)}},
		},
	}
	if err := p.Validate(); err != nil {
		return nil, fmt.Errorf("validate: %w", err)
	}
	predicate, err := toStruct(p)
	if err != nil {
		return nil, err
	}
	s := &intoto.Statement{
		Type: intoto.StatementTypeUri, PredicateType: predicateType, Predicate: predicate,
		Subject: []*intoto.ResourceDescriptor{{Name: b.Name, Digest: map[string]string{"sha256": b.SHA256}}},
	}
	if err := s.Validate(); err != nil {
		return nil, fmt.Errorf("validate: %w", err)
	}
	return encodeStatement(s)
}

func sha256Of(data []byte) map[string]string {
	sum := sha256.Sum256(data)
	return map[string]string{"sha256": hex.EncodeToString(sum[:])}
}

func toStruct(p *slsa.Provenance) (*structpb.Struct, error) {
	data, err := protojson.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	s := &structpb.Struct{}
	if err := protojson.Unmarshal(data, s); err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	return s, nil
}

// encodeStatement sets the spaces itself: protojson varies them from build to build, on purpose.
func encodeStatement(s *intoto.Statement) ([]byte, error) {
	data, err := protojson.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	var out bytes.Buffer
	if err := json.Indent(&out, data, "", "  "); err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

func buildDefinition(in *component.Inputs, b *Binary) (*slsa.BuildDefinition, error) {
	external, err := structpb.NewStruct(parameters(in))
	if err != nil {
		return nil, fmt.Errorf("external parameters: %w", err)
	}
	ldflags, err := in.Linker()
	if err != nil {
		return nil, err
	}
	settings := map[string]any{"ldflags": ldflags, "sourceDate": in.Date.UTC().Format(time.RFC3339)}
	for _, kv := range component.BuildEnv(b.arch()) {
		key, value, _ := strings.Cut(kv, "=")
		settings[key] = value
	}
	internal, err := structpb.NewStruct(settings)
	if err != nil {
		return nil, fmt.Errorf("internal parameters: %w", err)
	}
	dependencies, err := resolved(in, b)
	return &slsa.BuildDefinition{
		BuildType: BuildType, ExternalParameters: external, InternalParameters: internal, ResolvedDependencies: dependencies,
	}, err
}

// parameters are what was asked of carry build.
func parameters(in *component.Inputs) map[string]any {
	p := map[string]any{"component": in.Component, "stream": in.Stream}
	if in.Source == "" {
		p["pin"] = in.Pin.String()
	} else {
		p["source"], p["sourceVersion"] = in.Source, in.Base
	}
	if in.Upto > 0 {
		p["upto"] = in.Upto
	}
	if in.Control {
		p["control"] = true
	}
	return p
}

// resolved are the things that were built, in the order in which they come together.
func resolved(in *component.Inputs, b *Binary) ([]*intoto.ResourceDescriptor, error) {
	from := &intoto.ResourceDescriptor{Name: in.Module, Digest: map[string]string{"gitCommit": in.Source}}
	if in.Source == "" {
		sum, err := dirHash(in.Sums[in.Pin])
		if err != nil {
			return nil, fmt.Errorf("checksum of %s: %w", in.Pin, err)
		}
		from = &intoto.ResourceDescriptor{Name: in.Module, Uri: purl(in.Pin, ""), Digest: map[string]string{"dirHash": sum}}
	}
	all := []*intoto.ResourceDescriptor{from, {Name: baseTree, Digest: map[string]string{"gitTree": in.Tree}}}
	for _, f := range in.Files {
		all = append(all, &intoto.ResourceDescriptor{Name: f.Path, Digest: map[string]string{"sha256": f.SHA256}})
	}
	for _, p := range in.Patches {
		all = append(all, &intoto.ResourceDescriptor{Name: p.Path, Digest: sha256Of(p.Data)})
	}
	version, _, _ := strings.Cut(strings.TrimPrefix(b.Info.GoVersion, "go"), " ")
	toolchain := purl(module.Version{Path: "stdlib", Version: version}, "")
	return append(all, &intoto.ResourceDescriptor{Name: b.Info.GoVersion, Uri: toolchain}), nil
}

// dirHash turns go.sum's h1:BASE64 into the hex that in-toto's digest dirHash asks for
// (https://github.com/in-toto/attestation/blob/main/spec/v1/digest_set.md).
func dirHash(h1 string) (string, error) {
	text, ok := strings.CutPrefix(h1, "h1:")
	sum, err := base64.StdEncoding.DecodeString(text)
	if !ok || err != nil || len(sum) != sha256.Size {
		return "", fmt.Errorf("%q is no h1 checksum", h1)
	}
	return hex.EncodeToString(sum), nil
}
