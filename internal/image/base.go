package image

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// admit refuses a base that the binary does not fit, and gives it as it lies in out, where a base in a registry is
// read from once and for all. The notes say what was compared and what not.
func (s Spec) admit(ctx context.Context, base *Input, out layoutDir) (copied *Input, notes []string, err error) {
	if notes, err = s.fits(base); err != nil {
		return nil, nil, err
	}
	if base.Note != "" {
		notes = append([]string{base.Note}, notes...)
	}
	if copied, err = out.copy(base); err != nil {
		return nil, nil, err
	}
	temp, err := os.MkdirTemp("", "carry-image-")
	if err != nil {
		return nil, nil, fmt.Errorf("make image: %w", err)
	}
	defer os.RemoveAll(temp)
	old := filepath.Join(temp, "replaced")
	if _, err := s.replaced(copied, old); err != nil {
		return nil, nil, err
	}
	note, err := s.compareFlags(ctx, copied, old, temp)
	return copied, append(notes, note), err
}

// replaced finds the file that the binary takes the place of, and copies it to a file; to may be empty.
func (s Spec) replaced(base *Input, to string) (*tar.Header, error) {
	h, err := base.find(s.Path, func(h *tar.Header, content io.Reader) error {
		if h.Typeflag != tar.TypeReg || to == "" {
			return nil
		}
		return writeProgram(content, func() (*os.File, error) { return os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o755) })
	})
	switch {
	case errors.Is(err, errNotFound):
		return nil, fmt.Errorf("base %s has no %s to replace\nnext: name the payload's own image of %s as --base", base.Name, s.Path, s.Component)
	case err != nil:
		return nil, fmt.Errorf("read base %s: %w", base.Name, base.explain(err))
	case h.Typeflag != tar.TypeReg:
		return nil, fmt.Errorf("base %s: %s is a link or no file\nnext: name the payload's own image of %s as --base", base.Name, s.Path, s.Component)
	}
	return h, nil
}

// over is the binary as one layer over a base that was admitted.
func (s Spec) over(base *Input) (v1.Image, error) {
	replaced, err := s.replaced(base, "")
	if err != nil {
		return nil, err
	}
	manifest, err := base.img.Manifest()
	if err != nil {
		return nil, fmt.Errorf("read base %s: %w", base.Name, err)
	}
	config, err := base.img.RawConfigFile()
	if err != nil {
		return nil, fmt.Errorf("read base %s: %w", base.Name, err)
	}
	manifest = manifest.DeepCopy()
	if manifest.MediaType == "" { // optional in OCI
		manifest.MediaType = types.OCIManifestSchema1
	}
	kind := types.OCILayer
	if manifest.MediaType == types.DockerManifestSchema2 {
		kind = types.DockerLayer
	}
	layer, err := s.layer(replaced, kind)
	if err != nil {
		return nil, err
	}
	return s.put(manifest, config, base.img, layer, map[string]string{LabelStamp: s.Stamp, LabelBase: base.Digest.String()})
}

// fits compares what base and binary say of themselves, before anything large is read. The notes name what could not
// be compared.
func (s Spec) fits(base *Input) (notes []string, err error) {
	arch, err := base.Arch()
	if err != nil {
		return nil, err
	}
	if arch != Arch {
		return nil, fmt.Errorf("base %s is for %s, the binary for %s\nnext: build on a machine of that architecture, or name another base",
			base.Name, arch, Arch)
	}
	labels, err := base.Labels()
	if err != nil {
		return nil, err
	}
	version, err := s.fitsVersion(base.Name, labels)
	if err != nil {
		return nil, err
	}
	commit := labels[LabelCommit]
	switch {
	case commit == "" && !version:
		return nil, fmt.Errorf("base %s says neither version nor commit: it cannot be told whether the source is its own\nnext: name the payload's own image of %s as --base",
			base.Name, s.Component)
	case commit == "":
		notes = append(notes, fmt.Sprintf("not compared: %s has no label %s", base.Name, LabelCommit))
	case commit != s.Commit:
		return nil, fmt.Errorf("base %s is built from commit %s, the binary from %s\nnext: --source DIR@%s", base.Name, commit, s.Commit, commit)
	case !version && s.VersionKey != "":
		notes = append(notes, fmt.Sprintf("not compared: %s says no version of %s", base.Name, s.VersionKey))
	}
	return notes, nil
}
