package attest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Difference is one thing that is not as binary, pin and patches make it.
type Difference struct {
	Document string `json:"document"`          // binary, sbom or provenance
	Problem  string `json:"problem,omitempty"` // with the whole of it; else:
	Path     string `json:"path,omitempty"`
	Want     string `json:"want,omitempty"` // empty: nothing is wanted there
	Got      string `json:"got,omitempty"`  // empty: there is nothing
}

// String is one line.
func (d Difference) String() string {
	switch {
	case d.Problem != "":
		return d.Document + ": " + d.Problem
	case d.Got == "":
		return fmt.Sprintf("%s: %s: missing, should be %s", d.Document, d.Path, d.Want)
	case d.Want == "":
		return fmt.Sprintf("%s: %s: %s, should not be there", d.Document, d.Path, d.Got)
	}
	return fmt.Sprintf("%s: %s: %s, should be %s", d.Document, d.Path, d.Got, d.Want)
}

// compareFields walks two decoded JSON values side by side.
func compareFields(document, path string, want, got any) []Difference {
	a, aIsMap := asMap(want)
	b, bIsMap := asMap(got)
	if !aIsMap || !bIsMap {
		w, g := text(want), text(got)
		if w == g {
			return nil
		}
		w, g = around(w, g)
		return []Difference{{Document: document, Path: path, Want: w, Got: g}}
	}
	all := maps.Clone(a)
	maps.Copy(all, b)
	var found []Difference
	for _, key := range slices.Sorted(maps.Keys(all)) {
		at := path + key
		if path != "" && !strings.HasPrefix(key, "[") {
			at = path + "." + key
		}
		found = append(found, compareFields(document, at, a[key], b[key])...)
	}
	return found
}

// asMap sees an array as a map from what its elements are called, so that one more or less does not shift the others.
func asMap(v any) (map[string]any, bool) {
	switch v := v.(type) {
	case map[string]any:
		return v, true
	case []any:
		m := map[string]any{}
		for i, e := range v {
			key := "[" + label(e) + "]"
			if _, taken := m[key]; taken || key == "[]" {
				key = fmt.Sprintf("[%d]", i)
			}
			m[key] = e
		}
		return m, true
	}
	return nil, false
}

// label is an element's name, in the terms of both formats.
func label(v any) string {
	m, ok := v.(map[string]any)
	if !ok {
		s, _ := v.(string)
		return s
	}
	if d, ok := m["diff"].(map[string]any); ok {
		m = d
	}
	for _, key := range []string{"name", "url", "ref", "id", "uid"} {
		if s, ok := m[key].(string); ok {
			return s
		}
	}
	return ""
}

// text is a value as JSON, empty for none.
func text(v any) string {
	if v == nil {
		return ""
	}
	if s, ok := v.(string); ok {
		return s
	}
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(data)
}

// shown is how much of a long value a message has.
const shown = 80

// around cuts two values that differ to the place where they do.
func around(a, b string) (string, string) {
	if len(a) <= shown && len(b) <= shown {
		return a, b
	}
	same := 0
	for same < min(len(a), len(b)) && a[same] == b[same] {
		same++
	}
	return piece(a, same), piece(b, same)
}

func piece(s string, at int) string {
	if s == "" {
		return ""
	}
	from := max(0, at-shown/4)
	cut := strings.ToValidUTF8(s[min(from, len(s)):min(from+shown, len(s))], "")
	if from > 0 {
		cut = "..." + cut
	}
	if from+shown < len(s) {
		cut += "..."
	}
	return strings.ReplaceAll(cut, "\n", `\n`)
}
