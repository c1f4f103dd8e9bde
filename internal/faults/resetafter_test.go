package faults

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
)

// post gives the error of a write that net/http does not try again by itself.
func (r *rig) post(client *http.Client, path string) error {
	r.t.Helper()
	resp, err := client.Post(r.URL()+path, plainJSON, strings.NewReader("{}"))
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// cut is a reset as a client sees it that reads and writes at once: the kernel tells only one of the
// two, and the other finds the end.
func cut(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF)
}

// The write is done, once, and the client does not hear of it.
func TestResetAfter(t *testing.T) {
	onBoth(t, func(t *testing.T, host string) {
		for _, h2 := range []bool{true, false} {
			r := startRig(t, host, ok)
			client := r.client(h2)
			a := r.Refuse(ResetAfter(), Trigger{At: &Match{Method: "POST", Path: "/a/{}", N: 2}})
			if err := r.post(client, "/a/1"); err != nil {
				t.Fatal(err)
			}
			if err := r.post(client, "/a/2"); !cut(err) {
				t.Errorf("the request that sets it off (HTTP/2: %v): %v, want a reset", h2, err)
			}
			await(t, "begun", a.Begun())
			if err := r.post(client, "/a/3"); !cut(err) {
				t.Errorf("the next (HTTP/2: %v): %v, want a reset", h2, err)
			}
			a.Allow()
			if err := r.post(client, "/a/4"); err != nil {
				t.Error(err)
			}
			for _, want := range []string{"POST /a/1", "POST /a/2", "POST /a/3", "POST /a/4"} {
				if got := await(t, "upstream", r.seen); got != want {
					t.Errorf("upstream saw %s, want %s", got, want)
				}
			}
			if got := r.Requests()[1]; got.Code != 0 || got.Fault != "reset-after" {
				t.Errorf("noted %+v, want code 0 and fault reset-after", got)
			}
		}
	})
}

// A client that writes no more than its request sees that it is a reset, and no part of an answer.
func TestResetAfterOnTheWire(t *testing.T) {
	onBoth(t, func(t *testing.T, host string) {
		r := startRig(t, host, ok)
		r.Refuse(ResetAfter(), Trigger{})
		c, err := tls.Dial("tcp", r.hostPort(), &tls.Config{RootCAs: r.cas})
		if err != nil {
			t.Fatal(err)
		}
		defer c.NetConn().Close()
		if _, err := fmt.Fprint(c, "POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}"); err != nil {
			t.Fatal(err)
		}
		if n, err := c.Read(make([]byte, 1)); n > 0 || !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("read %d bytes, %v, want ECONNRESET", n, err)
		}
		if got := await(t, "upstream", r.seen); got != "POST /x" {
			t.Errorf("upstream saw %s", got)
		}
	})
}

// A watch has no end, but its answer a begin.
func TestResetAfterCutsWatches(t *testing.T) {
	onBoth(t, func(t *testing.T, host string) {
		f := newWatcher()
		r := startRig(t, host, f.ServeHTTP)
		r.Refuse(ResetAfter(), Trigger{})
		if _, _, err := get(r.client(true), r.URL()+"/watch"); !cut(err) {
			t.Errorf("watch: %v, want a reset", err)
		}
		await(t, "end of the upstream's request", f.cancelled)
		version := r.discovery().RESTClient().Get().AbsPath("/version")
		if err := version.MaxRetries(0).Do(background(t)).Error(); !cut(err) {
			t.Errorf("client-go: %v, want a reset", err)
		}
	})
}
