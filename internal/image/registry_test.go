package image

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

// serve runs a registry in memory and gives its host and port.
func serve(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(registry.New(registry.WithReferrersSupport(true), registry.Logger(log.New(io.Discard, "", 0))))
	t.Cleanup(s.Close)
	return strings.TrimPrefix(s.URL, "http://")
}

// TestPushAndReferrers takes an image from a registry as base, pushes the result, and lists what is attached.
func TestPushAndReferrers(t *testing.T) {
	t.Parallel()
	host := serve(t)
	s := spec(t)
	s.Binary = filepath.Join(t.TempDir(), "kube-controller-manager")
	copyTo(t, spec(t).Binary, s.Binary)
	writeFile(t, s.Binary+".cdx.json", `{"bomFormat":"CycloneDX"}`)
	writeFile(t, s.Binary+".provenance.json", `{"_type":"https://in-toto.io/Statement/v1"}`)
	base := newPayloadImage(t, s.Binary).image(t)
	ref, err := name.NewTag(host + "/ocp/hyperkube:4.12")
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.Write(ref, base); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "image")
	m, err := Make(t.Context(), s, open(t, ref.Name()), dir)
	if err != nil {
		t.Fatal(err)
	}
	pushed, err := Push(t.Context(), dir, host+"/carry/hyperkube:"+Tag(stamp))
	if err != nil {
		t.Fatal(err)
	}
	if want := host + "/carry/hyperkube@" + m.Digest; pushed != want {
		t.Errorf("pushed %s, want %s", pushed, want)
	}
	in := open(t, pushed)
	if err := validate.Image(in.img); err != nil {
		t.Error(err)
	}
	d, err := name.NewDigest(pushed)
	if err != nil {
		t.Fatal(err)
	}
	idx, err := remote.Referrers(d)
	if err != nil {
		t.Fatal(err)
	}
	list, err := idx.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, desc := range list.Manifests {
		// This registry lists a referrer by the type of its configuration; the manifest says what it is.
		referrer, err := remote.Image(d.Context().Digest(desc.Digest.String()))
		if err != nil {
			t.Fatal(err)
		}
		manifest, err := referrer.Manifest()
		if err != nil {
			t.Fatal(err)
		}
		got[desc.Digest.String()] = manifest.ArtifactType
	}
	want := map[string]string{}
	for _, r := range m.Referrers {
		want[r.Digest] = r.ArtifactType
	}
	if diff := cmp.Diff(want, got); diff != "" || len(got) != 2 {
		t.Errorf("%d referrers: %s", len(got), diff)
	}
}

// TestAttachIsDeterministic makes the same referrer twice, and another of other data.
func TestAttachIsDeterministic(t *testing.T) {
	t.Parallel()
	subject, err := descriptor(newPayloadImage(t, spec(t).Binary).image(t))
	if err != nil {
		t.Fatal(err)
	}
	digest := func(data string) string {
		img, err := Attach(subject, "application/x", "application/x+json", []byte(data))
		if err != nil {
			t.Fatal(err)
		}
		h, err := img.Digest()
		if err != nil {
			t.Fatal(err)
		}
		m, err := img.Manifest()
		if err != nil {
			t.Fatal(err)
		}
		if m.ArtifactType != "application/x" || m.Subject == nil || m.Subject.Digest != subject.Digest {
			t.Errorf("manifest %+v", m)
		}
		return h.String()
	}
	if one, again := digest("a"), digest("a"); one != again || one == digest("b") {
		t.Error("same data, other digest, or the other way round")
	}
}

func TestRegistryTroubles(t *testing.T) {
	t.Parallel()
	locked := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", `Basic realm="carry"`)
		http.Error(w, `{"errors":[{"code":"UNAUTHORIZED","message":"who are you"}]}`, http.StatusUnauthorized)
	}))
	t.Cleanup(locked.Close)
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	host := func(s *httptest.Server) string { return strings.TrimPrefix(s.URL, "http://") }
	tests := []struct {
		name, host string
		want       []string
	}{
		{"unauthorised", host(locked), []string{"is unauthorised", "next: podman login " + host(locked)}},
		{"unreachable", host(closed), []string{host(closed) + " is unreachable", "next: check the name and the network"}},
		{"not there", serve(t), []string{"is not in the registry", "next: skopeo list-tags docker://"}},
	}
	dir := filepath.Join(t.TempDir(), "image")
	if _, err := Make(t.Context(), spec(t), nil, dir); err != nil {
		t.Fatal(err)
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := Open(t.Context(), test.host+"/a/b:c", Arch)
			mustSay(t, err, test.want...)
			if test.name == "not there" {
				return
			}
			_, err = Push(t.Context(), dir, test.host+"/a/b:c")
			mustSay(t, err, test.want...)
		})
	}
	_, err := Push(t.Context(), dir, host(closed)+"/a/b")
	mustSay(t, err, "next: --push REGISTRY/REPOSITORY:TAG")
}

// TestSkopeo lets another program read what was written.
func TestSkopeo(t *testing.T) {
	t.Parallel()
	skopeo, err := exec.LookPath("skopeo")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("skopeo is not installed: 1 test not run\nnext: apt-get install skopeo")
		}
		fmt.Println("skopeo is not installed: 1 test skipped\nnext: apt-get install skopeo")
		t.Skip("no skopeo")
	}
	s := spec(t)
	base := newPayloadImage(t, s.Binary)
	for kind, in := range map[string]*Input{"bare": nil, "over": open(t, laid(t, base.image(t)))} {
		dir := filepath.Join(t.TempDir(), kind)
		m, err := Make(t.Context(), s, in, dir)
		if err != nil {
			t.Fatal(err)
		}
		copied := filepath.Join(t.TempDir(), "copied")
		out, err := exec.CommandContext(t.Context(), skopeo, "copy", "--preserve-digests", "--insecure-policy", "oci:"+dir+":"+Tag(stamp), "oci:"+copied).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: skopeo copy: %v\n%s", kind, err, out)
		}
		if got := open(t, copied).Digest.String(); got != m.Digest {
			t.Errorf("%s: skopeo copied %s, want %s", kind, got, m.Digest)
		}
	}
}
