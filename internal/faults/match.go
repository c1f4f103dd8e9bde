package faults

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Match picks a request. Empty fields match anything.
type Match struct {
	Method string
	Path   string // exact, without the query; "{}" stands for one segment, a final "*" for any rest
	N      int    // the n-th request that matches; 1, and 0, is the first
}

var matchForm = regexp.MustCompile(`^([A-Z]+)? *(/[^ *?#]*\*?)? *(?:#([1-9][0-9]{0,8}))?$`)

// ParseMatch reads what String writes: "GET /api/v1/namespaces/{} #2". Each of the three parts may
// be left out, but not all.
func ParseMatch(s string) (Match, error) {
	parts := matchForm.FindStringSubmatch(s)
	if parts == nil || s == "" {
		return Match{}, fmt.Errorf(`parse match %q: want "METHOD /path/{}/* #N"`, s)
	}
	n, _ := strconv.Atoi(parts[3]) // empty or digits
	return Match{Method: parts[1], Path: parts[2], N: n}, nil
}

// String gives the form that ParseMatch reads.
func (m Match) String() string {
	return strings.Join(strings.Fields(fmt.Sprintf("%s %s #%d", m.Method, m.Path, m.nth())), " ")
}

func (m Match) nth() int { return max(m.N, 1) }

var wildcards = strings.NewReplacer(`\{\}`, `[^/]+`, `\*`, `.*`)

// matcher tells whether a request matches but for N.
func (m Match) matcher() func(Request) bool {
	path := regexp.MustCompile("^" + wildcards.Replace(regexp.QuoteMeta(m.Path)) + "$")
	return func(r Request) bool {
		return (m.Method == "" || m.Method == r.Method) && (m.Path == "" || path.MatchString(r.Path))
	}
}
