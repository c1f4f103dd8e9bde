package sweep

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

// purge removes a namespace in the place of the namespace controller, which
// does not run, or not now. What the start wrote into it goes first.
func (p *plane) purge(ctx context.Context, name string) error {
	path := "/api/v1/namespaces/" + name
	for _, resource := range []string{"serviceaccounts", "configmaps"} {
		if err := p.Want(ctx, http.MethodDelete, path+"/"+resource, "", http.StatusOK, http.StatusNotFound); err != nil {
			return err
		}
	}
	// It stays, as one that is being deleted, until its finalizers are gone.
	if err := p.Want(ctx, http.MethodDelete, path, "", http.StatusOK, http.StatusNotFound, http.StatusConflict); err != nil {
		return err
	}
	code, data, err := p.Request(ctx, http.MethodGet, path, nil)
	if err != nil || code == http.StatusNotFound {
		return err
	}
	var object map[string]any
	if err := json.Unmarshal(data, &object); err != nil {
		return fmt.Errorf("decode namespace: %w", err)
	}
	object["spec"] = map[string]any{}
	if data, err = json.Marshal(object); err != nil {
		return fmt.Errorf("encode namespace: %w", err)
	}
	return p.Want(ctx, http.MethodPut, path+"/finalize", string(data), http.StatusOK, http.StatusNotFound)
}

// namespace makes one with content.
func (p *plane) namespace(ctx context.Context, name string) error {
	p.left = append(p.left, name)
	return p.NamespaceWithContent(ctx, name)
}
