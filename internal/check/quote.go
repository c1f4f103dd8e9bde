package check

import (
	"fmt"
	"strings"
	"unicode"
)

// Quote is a piece of evidence: where it stands, and what it says.
type Quote struct {
	File string `json:"file"`
	Line int    `json:"line,omitempty"` // from 1; 0 for an object's field
	Text string `json:"text"`           // cut, without control characters
}

// quoteLength is how much of a line is quoted, in bytes: the reports' own lines fit.
const quoteLength = 400

func (q Quote) String() string {
	if q.Line == 0 {
		return fmt.Sprintf("%s: %s", q.File, q.Text)
	}
	return fmt.Sprintf("%s:%d: %s", q.File, q.Line, q.Text)
}

// printable cuts text and takes out what a terminal would obey.
func printable(text string) string {
	cut := len(text) > quoteLength
	if cut {
		text = text[:quoteLength]
	}
	text = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(strings.ReplaceAll(text, "\t", " "), "\uFFFD"))
	if cut {
		return text + " ..."
	}
	return text
}

// quotes keeps the first few of many lines, and counts all.
type quotes struct {
	First []Quote
	Count int
}

const quotesKept = 3

func (q *quotes) add(one Quote) {
	if q.Count++; len(q.First) < quotesKept {
		q.First = append(q.First, one)
	}
}

// lines are the kept ones; the last of them says how many are left out.
func (q quotes) lines() []Quote {
	kept := append([]Quote(nil), q.First...)
	if more := q.Count - len(kept); more > 0 {
		kept[len(kept)-1].Text += fmt.Sprintf(" (and %d more such lines)", more)
	}
	return kept
}
