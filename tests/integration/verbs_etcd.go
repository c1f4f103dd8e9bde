package integration

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// etcd writes the keys below a prefix to stdout: what is there whether or not
// the API shows it any more. It wants at least one, negated none; with -same
// both sides must have the same.
func (r *run) etcd(c call) error {
	ctx, cancel := r.limited()
	defer cancel()
	keys, err := etcdKeys(ctx, r.plane.EtcdURL, c.args[0])
	if err != nil {
		return err
	}
	switch {
	case c.neg && len(keys) > 0:
		return wrongf("etcd holds:\n\t%s", strings.Join(keys, "\n\t"))
	case !c.neg && len(keys) == 0:
		return wrongf("etcd holds no such key")
	}
	if c.has("-detail") {
		r.detail = "left in etcd: " + strings.Join(keys, " ")
	}
	if c.has("-same") {
		r.state = append(r.state, keys...)
	}
	_, err = fmt.Fprintln(c.stdout, strings.Join(keys, "\n"))
	return err
}

// etcdKeys asks etcd's own JSON gateway, in order of key.
func etcdKeys(ctx context.Context, url, prefix string) ([]string, error) {
	// []byte is base64 in JSON, which is what the gateway wants and gives.
	ask, err := json.Marshal(map[string]any{
		"key": []byte(prefix), "range_end": prefixEnd(prefix), "keys_only": true,
	})
	if err != nil {
		return nil, fmt.Errorf("encode range of keys: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/v3/kv/range", bytes.NewReader(ask))
	if err != nil {
		return nil, fmt.Errorf("read keys of etcd: %w", err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, fmt.Errorf("read keys of etcd: %w", err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("read keys of etcd: status %d: %s: %w", resp.StatusCode, answer, err)
	}
	var found struct {
		KVs []struct{ Key []byte }
	}
	if err := json.Unmarshal(answer, &found); err != nil {
		return nil, fmt.Errorf("decode keys of etcd: %w", err)
	}
	var keys []string
	for _, kv := range found.KVs {
		keys = append(keys, string(kv.Key))
	}
	return keys, nil
}

// prefixEnd is the first key after all that begin with prefix.
func prefixEnd(prefix string) []byte {
	end := []byte(prefix)
	end[len(end)-1]++
	return end
}
