package controlplane

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
)

func TestWant(t *testing.T) {
	t.Parallel()
	var body string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		body = string(data)
		w.WriteHeader(http.StatusConflict)
		if _, err := io.WriteString(w, `{"kind":"Status","message":"it is there"}`); err != nil {
			t.Error(err)
		}
	}))
	defer server.Close()
	u, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	c := &ControlPlane{URL: u, client: server.Client()}
	if err := c.Want(t.Context(), http.MethodPost, "/x", "a: b", http.StatusCreated, http.StatusConflict); err != nil || body != "a: b" {
		t.Errorf("%v, asked with %q", err, body)
	}
	const want = "POST /x: 409 it is there"
	if err := c.Want(t.Context(), http.MethodPost, "/x", "", http.StatusCreated); err == nil || err.Error() != want || body != "" {
		t.Errorf("%v, asked with %q, want %s", err, body, want)
	}
}
