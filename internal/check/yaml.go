package check

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// eachYAML cuts YAML as `oc adm inspect` writes it into documents, and a document that is a list into its items, without
// parsing the whole: an item begins with a dash in the column of the first one.
func eachYAML(r io.Reader, in *budget, do func(object)) error {
	y := yamlCutter{do: do}
	lines := bufio.NewReaderSize(r, lineLength)
	for {
		line, err := lines.ReadBytes('\n')
		in.left = objectSize // the cutter bounds what it keeps itself
		y.line(line)
		if err == io.EOF {
			y.flush()
			return y.err
		}
		if err != nil {
			y.flush()
			return errors.Join(y.err, err)
		}
	}
}

// yamlCutter holds the lines of one object.
type yamlCutter struct {
	do   func(object)
	held bytes.Buffer
	list bool   // within items
	dash string // what an item begins with
	err  error  // the first, or nil: one broken object does not hide the others
}

func (y *yamlCutter) line(line []byte) {
	switch {
	case bytes.HasPrefix(line, []byte("---")):
		y.flush()
		y.list, y.dash = false, ""
		return
	case bytes.HasPrefix(line, []byte("items:")):
		y.held.Reset() // the list's own fields say nothing that its items do not
		y.list = true
		return
	case y.list && y.begins(line):
		y.flush()
	case y.list && len(line) > 0 && line[0] != ' ' && line[0] != '-' && line[0] != '\n':
		y.flush() // the list's fields after its items
		y.list = false
	}
	if y.held.Len()+len(line) > objectSize {
		y.fail(errTooBig)
		return
	}
	y.held.Write(line)
}

// begins tells whether a line begins an item.
func (y *yamlCutter) begins(line []byte) bool {
	if y.dash == "" {
		y.dash = string(line[:len(line)-len(bytes.TrimLeft(line, " "))]) + "- "
	}
	return bytes.HasPrefix(line, []byte(y.dash))
}

func (y *yamlCutter) flush() {
	defer y.held.Reset()
	text := bytes.TrimSpace(y.held.Bytes())
	if len(text) == 0 {
		return
	}
	if y.list { // a list of one: its dash becomes the indentation that the other lines have
		one := append([]byte(nil), y.held.Bytes()...)
		if i := bytes.IndexByte(one, '-'); i >= 0 {
			one[i] = ' '
		}
		text = one
	}
	y.fail(decodeYAML(text, y.do))
}

func (y *yamlCutter) fail(err error) {
	if err != nil && y.err == nil {
		y.err = fmt.Errorf("read YAML: %w", err)
	}
}
