package integration

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"k8s.io/client-go/util/jsonpath"

	"carry/internal/controlplane"
)

// api asks kube-apiserver as an administrator and writes the answer to stdout.
func (r *run) api(c call) error {
	var body io.Reader
	if len(c.args) == 3 {
		body = strings.NewReader(c.read(c.args[2]))
	}
	ctx, cancel := r.limited()
	defer cancel()
	code, answer, err := r.plane.Request(ctx, c.args[0], c.args[1], body)
	if err != nil {
		return errors.Join(err, r.plane.Running())
	}
	if good := code < http.StatusBadRequest; good == c.neg {
		return wrongf("status %d: %s", code, answer)
	}
	_, err = c.stdout.Write(answer)
	return err
}

// until waits until an object is gone, or until a JSONPath of it has a value.
func (r *run) until(c call) error {
	path := c.args[0]
	condition, waiting := r.gone(path), path+" to be gone"
	switch {
	case len(c.args) == 3:
		expression := jsonpath.New("until").AllowMissingKeys(true)
		if err := expression.Parse(c.args[1]); err != nil {
			return fmt.Errorf("parse JSONPath %s: %w", c.args[1], err)
		}
		condition = r.has(path, expression, c.args[2])
		waiting = fmt.Sprintf("%s of %s to be %q", c.args[1], path, c.args[2])
	case c.args[1] != "gone":
		return errMisuse
	}
	ctx, cancel := r.limited()
	defer cancel()
	if err := controlplane.Poll(ctx, waiting, pollTick, condition, r.expected()...); err != nil {
		return err
	}
	r.note("until", c.args, "")
	return nil
}

func (r *run) gone(path string) controlplane.Condition {
	return func(ctx context.Context) (bool, string, error) {
		code, answer, err := r.plane.Request(ctx, http.MethodGet, path, nil)
		if err != nil {
			return false, err.Error(), nil // which Poll knows better, if the server has ended
		}
		return code == http.StatusNotFound, string(answer), nil
	}
}

func (r *run) has(path string, expression *jsonpath.JSONPath, want string) controlplane.Condition {
	return func(ctx context.Context) (bool, string, error) {
		code, answer, err := r.plane.Request(ctx, http.MethodGet, path, nil)
		if err != nil {
			return false, err.Error(), nil
		}
		if code == http.StatusNotFound {
			return false, "no such object", nil
		}
		var object any
		if err := json.Unmarshal(answer, &object); err != nil {
			return false, "", fmt.Errorf("decode answer to GET %s: %w", path, err)
		}
		var got bytes.Buffer
		if err := expression.Execute(&got, object); err != nil {
			return false, err.Error(), nil // an array, say, that is not there yet
		}
		return got.String() == want, fmt.Sprintf("%q", got.String()), nil
	}
}
