package check

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"
)

type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	Failure *junitMessage `xml:"failure"`
	Error   *junitMessage `xml:"error"`
	Out     string        `xml:"system-out,omitempty"`
}

type junitMessage struct {
	Message string `xml:"message,attr"`
}

// JUnit is one suite with a case for each report: met is a failure, unknown is an error and never a pass.
func (r Report) JUnit() ([]byte, error) {
	suite := junitSuite{Name: "carry check", Tests: len(r.Findings)}
	for _, f := range r.Findings {
		var out strings.Builder
		f.text(&out)
		c := junitCase{Name: f.Name + " " + f.Title, Class: "carry.check", Out: out.String()}
		switch message := &(junitMessage{string(f.Verdict) + ": " + f.Why}); f.Verdict {
		case Met, MetNotOurs:
			suite.Failures++
			c.Failure = message
		case CannotTell:
			suite.Errors++
			c.Error = message
		}
		suite.Cases = append(suite.Cases, c)
	}
	return suite.encode()
}

// UnreadJUnit is the suite of a source that could not be read: each report, or those named, is an error. A job that
// keeps its results would else show none where there is most to see.
func UnreadJUnit(cause error, reports ...string) ([]byte, error) {
	if len(reports) == 0 {
		reports = Names
	}
	suite := junitSuite{Name: "carry check", Tests: len(reports), Errors: len(reports)}
	for _, name := range reports {
		suite.Cases = append(suite.Cases, junitCase{Name: name, Class: "carry.check", Error: &junitMessage{cause.Error()}})
	}
	return suite.encode()
}

func (suite junitSuite) encode() ([]byte, error) {
	data, err := xml.MarshalIndent(suite, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode JUnit report: %w", err)
	}
	return bytes.Join([][]byte{[]byte(xml.Header), data, []byte("\n")}, nil), nil
}
