package main

import (
	"archive/tar"
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"

	"carry/internal/image"
)

// serveRegistry runs a registry in memory for the scripts, which know it as $REGISTRY.
func serveRegistry(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(registry.New(registry.WithReferrersSupport(true), registry.Logger(log.New(io.Discard, "", 0))))
	t.Cleanup(s.Close)
	return strings.TrimPrefix(s.URL, "http://")
}

// baseImage is a command of the scripts: baseimage DESTINATION BINARY COMMIT VERSIONS makes an image as a payload has
// it, with BINARY in it, in an OCI layout or, by the name of it, in a registry. It prints the reference by digest.
func baseImage(args []string) int {
	img, err := payloadImage(args[1], args[2], args[3])
	if err == nil {
		err = deliver(img, args[0])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "baseimage:", err)
		return 1
	}
	return 0
}

func payloadImage(binary, commit, versions string) (v1.Image, error) {
	data, err := os.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	h := &tar.Header{Name: "usr/bin/kube-controller-manager", Mode: 0o755, Size: int64(len(data)), Typeflag: tar.TypeReg}
	if err := w.WriteHeader(h); err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(buf.Bytes())), nil })
	if err != nil {
		return nil, err
	}
	img, err := mutate.AppendLayers(empty.Image, layer)
	if err != nil {
		return nil, err
	}
	c, err := img.ConfigFile()
	if err != nil {
		return nil, err
	}
	c = c.DeepCopy()
	c.OS, c.Architecture = "linux", runtime.GOARCH
	c.Config.Labels = map[string]string{image.LabelCommit: commit, image.LabelVersions: versions}
	return mutate.ConfigFile(img, c)
}

func deliver(img v1.Image, to string) error {
	if !strings.Contains(to, ":") {
		p, err := layout.Write(to, empty.Index)
		if err != nil {
			return err
		}
		return p.AppendImage(img)
	}
	ref, err := name.NewTag(to)
	if err != nil {
		return err
	}
	d, err := img.Digest()
	if err != nil {
		return err
	}
	fmt.Print(ref.Context().Digest(d.String()))
	return remote.Write(ref, img)
}

// unpack is a command of the scripts: unpack IMAGE DIR writes an image's files below DIR.
func unpack(args []string) int {
	in, err := image.Open(context.Background(), args[0], runtime.GOARCH)
	if err == nil {
		err = in.Unpack(context.Background(), args[1])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "unpack:", err)
		return 1
	}
	return 0
}
