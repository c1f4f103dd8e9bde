package series

import (
	"fmt"
	"strings"
	"time"
)

// Header is what a new patch's message is made of.
type Header struct {
	Class, Area, Title  string // title: an imperative without area
	Problem, Cause, Fix string
	Trailers            []Trailer
	Name, Email         string // author
	Date                time.Time
}

// Message is the commit message, wrapped as the rules ask.
func (h Header) Message() string {
	var b strings.Builder
	fmt.Fprintf(&b, "UPSTREAM: <%s>: %s: %s\n", h.Class, h.Area, h.Title)
	for _, part := range [][2]string{{"Problem", h.Problem}, {"Cause", h.Cause}, {"Fix", h.Fix}} {
		b.WriteString("\n" + wrap(part[0]+": "+part[1], "", maxBody) + "\n")
	}
	b.WriteString("\n")
	for _, t := range h.Trailers {
		if t.Value != "" {
			b.WriteString(wrap(t.Key+": "+t.Value, " ", maxBody) + "\n")
		}
	}
	return b.String()
}

// Patch is a patch file with this header and a diff: a draft, which git makes its own form of.
func (h Header) Patch(diff []byte) []byte {
	subject, body, _ := strings.Cut(h.Message(), "\n")
	return []byte(fmt.Sprintf("From %s Mon Sep 17 00:00:00 2001\nFrom: %s <%s>\nDate: %s\nSubject: %s\n%s---\n\n%s",
		strings.Repeat("0", 40), h.Name, h.Email, h.Date.Format(time.RFC1123Z), subject, body, diff))
}

// wrap breaks text at width; lines after the first start with indent.
func wrap(text, indent string, width int) string {
	var b strings.Builder
	column := 0
	for _, word := range strings.Fields(text) {
		switch {
		case column == 0:
		case column+1+len(word) > width:
			b.WriteString("\n" + indent)
			column = len(indent)
		default:
			b.WriteString(" ")
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String()
}
