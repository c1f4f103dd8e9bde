package check

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"sigs.k8s.io/yaml"
)

// objectSize bounds one API object in memory, in bytes: etcd holds none that is larger than 1.5 MiB, and YAML is wider.
const objectSize = 2 << 20

var errTooBig = errors.New("an object of more than 2 MiB")

// eachObject calls do with every object of a YAML or JSON stream, the items of lists one by one: a list may be larger
// than what is to be held in memory.
func eachObject(r io.Reader, do func(object)) error {
	in := &budget{r: r, left: objectSize}
	first := make([]byte, 1)
	for {
		if _, err := io.ReadFull(in, first); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if !bytes.ContainsAny(first, " \t\r\n") {
			break
		}
		in.left = objectSize
	}
	rest := io.MultiReader(bytes.NewReader(first), in)
	if first[0] == '{' {
		return eachJSON(json.NewDecoder(rest), in, do)
	}
	return eachYAML(rest, in, do)
}

// budget fails when more is read than one object may have.
type budget struct {
	r    io.Reader
	left int
}

func (b *budget) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooBig
	}
	n, err := b.r.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// eachJSON walks through one object of JSON; if it has items, through them.
func eachJSON(d *json.Decoder, in *budget, do func(object)) error {
	if _, err := d.Token(); err != nil {
		return half(err)
	}
	fields, list := map[string]json.RawMessage{}, false
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return half(err)
		}
		if key == "items" {
			list = true
			if err := eachItem(d, in, do); err != nil {
				return err
			}
			continue
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return half(err)
		}
		fields[key.(string)] = value
	}
	if _, err := d.Token(); err != nil {
		return half(err)
	}
	if list {
		return nil
	}
	data, err := json.Marshal(fields)
	if err != nil {
		return fmt.Errorf("read JSON: %w", err)
	}
	return decodeJSON(data, do)
}

func eachItem(d *json.Decoder, in *budget, do func(object)) error {
	open, err := d.Token()
	if err != nil {
		return half(err)
	}
	if open != json.Delim('[') { // items: null
		return nil
	}
	for d.More() {
		in.left = objectSize
		var o object
		if err := d.Decode(&o); err != nil {
			return half(err)
		}
		do(o)
	}
	in.left = objectSize
	if _, err = d.Token(); err != nil {
		return half(err)
	}
	return nil
}

// half words an error within JSON: its end is none there.
func half(err error) error {
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("read JSON: %w", err)
}

func decodeJSON(data []byte, do func(object)) error {
	var o object
	if err := json.Unmarshal(data, &o); err != nil {
		return fmt.Errorf("read object: %w", err)
	}
	do(o)
	return nil
}

func decodeYAML(data []byte, do func(object)) error {
	var o object
	if err := yaml.Unmarshal(data, &o); err != nil {
		return fmt.Errorf("read object: %w", err)
	}
	do(o)
	return nil
}
