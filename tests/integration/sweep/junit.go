package sweep

import (
	"bytes"
	"encoding/xml"
	"fmt"
)

type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	Time    float64       `xml:"time,attr"`
	Failure *junitMessage `xml:"failure"`
	Skipped *junitMessage `xml:"skipped"`
	Out     string        `xml:"system-out,omitempty"`
}

type junitMessage struct {
	Message string `xml:"message,attr"`
}

// junit is one suite; a planned cell without a result is skipped.
func (r Report) junit() ([]byte, error) {
	suite := junitSuite{Name: "sweep " + r.Stream, Skipped: len(r.Missing)}
	for _, result := range r.Results {
		c := junitCase{Name: result.Cell, Class: "sweep", Time: result.Seconds, Out: result.say()}
		if bad(result) {
			suite.Failures++
			c.Failure = &junitMessage{result.say()}
		}
		suite.Cases = append(suite.Cases, c)
	}
	for _, name := range r.Missing {
		suite.Cases = append(suite.Cases, junitCase{Name: name, Class: "sweep", Skipped: &junitMessage{"no result yet"}})
	}
	suite.Tests = len(suite.Cases)
	data, err := xml.MarshalIndent(suite, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode JUnit report: %w", err)
	}
	return bytes.Join([][]byte{[]byte(xml.Header), data, []byte("\n")}, nil), nil
}
