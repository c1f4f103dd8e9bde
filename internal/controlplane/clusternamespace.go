package controlplane

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

// NamespaceWithContent makes a namespace that has a config map in it, so that there is something to delete.
func (c *ControlPlane) NamespaceWithContent(ctx context.Context, name string) error {
	object := func(kind, name string) string {
		return fmt.Sprintf(`{"apiVersion":"v1","kind":%q,"metadata":{"name":%q}}`, kind, name)
	}
	if err := c.Want(ctx, http.MethodPost, "/api/v1/namespaces", object("Namespace", name), http.StatusCreated); err != nil {
		return err
	}
	return c.Want(ctx, http.MethodPost, "/api/v1/namespaces/"+name+"/configmaps", object("ConfigMap", "content"), http.StatusCreated)
}

// PurgeNamespace removes a namespace in the place of the namespace controller, which
// does not run, or not now. What the start wrote into it goes first.
func (c *ControlPlane) PurgeNamespace(ctx context.Context, name string) error {
	path := "/api/v1/namespaces/" + name
	for _, resource := range []string{"serviceaccounts", "secrets", "configmaps"} {
		if err := c.Want(ctx, http.MethodDelete, path+"/"+resource, "", http.StatusOK, http.StatusNotFound); err != nil {
			return err
		}
	}
	// It stays, as one that is being deleted, until its finalizers are gone.
	if err := c.Want(ctx, http.MethodDelete, path, "", http.StatusOK, http.StatusNotFound, http.StatusConflict); err != nil {
		return err
	}
	code, data, err := c.Request(ctx, http.MethodGet, path, nil)
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
	return c.Want(ctx, http.MethodPut, path+"/finalize", string(data), http.StatusOK, http.StatusNotFound)
}
