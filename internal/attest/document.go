package attest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
	intoto "github.com/in-toto/attestation/go/v1"
	"google.golang.org/protobuf/encoding/protojson"

	"carry/internal/component"
)

// document is one file of the two, read.
type document struct {
	name   string
	data   []byte
	fields any // as JSON; nil when wrong says what is wrong with the whole
	wrong  []Difference
	err    error // of reading
	// component and stream that it speaks of
	component, stream string
}

func readDocument(name, path string, decode func(d *document) error) *document {
	d := &document{name: name}
	problem := func(text string) *document {
		d.fields, d.wrong = nil, []Difference{{Document: name, Problem: text}}
		return d
	}
	d.data, d.err = os.ReadFile(path)
	if errors.Is(d.err, fs.ErrNotExist) {
		d.err = nil
		return problem("missing")
	}
	if d.err != nil {
		d.err = fmt.Errorf("read %s: %w", name, d.err)
		return d
	}
	err := json.Unmarshal(d.data, &d.fields)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax) && syntax.Offset >= int64(len(d.data)):
		return problem("cut short: " + err.Error())
	case err != nil:
		return problem("not JSON: " + err.Error())
	}
	if err := decode(d); err != nil {
		return problem(err.Error())
	}
	return d
}

func decodeSBOM(d *document) error {
	var bom cdx.BOM
	if err := cdx.NewBOMDecoder(bytes.NewReader(d.data), cdx.BOMFileFormatJSON).Decode(&bom); err != nil {
		return fmt.Errorf("no CycloneDX document: %w", err)
	}
	if bom.BOMFormat != cdx.BOMFormat || bom.Metadata == nil || bom.Metadata.Component == nil {
		return errors.New("no CycloneDX document of a binary")
	}
	for _, p := range valueOf(bom.Metadata.Component.Properties) {
		switch p.Name {
		case propComponent:
			d.component = p.Value
		case propStream:
			d.stream = p.Value
		}
	}
	return nil
}

func valueOf[T any](p *[]T) []T {
	if p == nil {
		return nil
	}
	return *p
}

func decodeProvenance(d *document) error {
	s := &intoto.Statement{}
	if err := protojson.Unmarshal(d.data, s); err != nil {
		return fmt.Errorf("no in-toto statement: %s", oneLine(err))
	}
	if err := s.Validate(); err != nil {
		return fmt.Errorf("no in-toto statement: %w", err)
	}
	if s.GetPredicateType() != predicateType {
		return fmt.Errorf("a statement of another kind: %s", s.GetPredicateType())
	}
	p, err := predicate(s)
	if err != nil {
		return fmt.Errorf("no SLSA provenance: %w", err)
	}
	external := p.GetBuildDefinition().GetExternalParameters().AsMap()
	d.component, _ = external["component"].(string)
	d.stream, _ = external["stream"].(string)
	return nil
}

// oneLine: protobuf's errors have a space in them that varies from build to build, on purpose.
func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }

// ofAnother tells in one line what would be hundreds: a document of something else.
func (d *document) ofAnother(in *component.Inputs) {
	if d.fields == nil || d.component == in.Component && d.stream == in.Stream {
		return
	}
	d.fields = nil
	d.wrong = append(d.wrong, Difference{Document: d.name, Problem: fmt.Sprintf("of another component or stream: %q %q", d.component, d.stream)})
}

// differences are those of a document that could be read. The bytes count: a repeated key would be read as one value
// here and as another one elsewhere.
func (d *document) differences(want []byte) []Difference {
	if d.fields == nil || bytes.Equal(d.data, want) {
		return nil
	}
	var fields any
	if err := json.Unmarshal(want, &fields); err != nil {
		return []Difference{{Document: d.name, Problem: err.Error()}}
	}
	found := compareFields(d.name, "", fields, d.fields)
	if len(found) == 0 {
		found = []Difference{{Document: d.name, Problem: "the same content in another form: spaces, order or a repeated key"}}
	}
	return found
}
