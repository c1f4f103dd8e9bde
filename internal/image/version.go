package image

import (
	"fmt"
	"strings"

	"golang.org/x/mod/semver"
)

// Versions reads a label like "kubernetes=1.25.13,kubectl=1.25.13": semantic versions by name. Build metadata is
// dropped, as those who compare them do.
func Versions(label string) (map[string]string, error) {
	found := map[string]string{}
	if strings.TrimSpace(label) == "" {
		return found, nil
	}
	for pair := range strings.SplitSeq(label, ",") {
		name, version, ok := strings.Cut(strings.TrimSpace(pair), "=")
		v := "v" + version
		released := strings.TrimSuffix(v, semver.Build(v))
		if !ok || name == "" || semver.Canonical(v) != released { // Canonical is empty for what is no version
			return nil, fmt.Errorf("label %s: %q is not NAME=VERSION, as kubernetes=1.25.13", LabelVersions, strings.TrimSpace(pair))
		}
		plain := strings.TrimPrefix(released, "v")
		if other, ok := found[name]; ok && other != plain {
			return nil, fmt.Errorf("label %s: %s is both %s and %s", LabelVersions, name, other, plain)
		}
		found[name] = plain
	}
	return found, nil
}

// fitsVersion compares the version that the base's label names for the component with that of the binary; false: there
// is none to compare. The label is the base's and stays as it is, so it must be true of the binary as well.
func (s Spec) fitsVersion(base string, labels map[string]string) (bool, error) {
	versions, err := Versions(labels[LabelVersions])
	if err != nil {
		return false, fmt.Errorf("base %s: %w\nnext: name the payload's own image of %s as --base", base, err, s.Component)
	}
	says := versions[s.VersionKey]
	if says == "" {
		return false, nil
	}
	if says != plain(s.Version) {
		return false, fmt.Errorf("base %s is %s %s (label %s), the binary %s\nnext: --source and --source-version of %s",
			base, s.VersionKey, says, LabelVersions, plain(s.Version), says)
	}
	return true, nil
}

// plain is MAJOR.MINOR.PATCH of a version.
func plain(version string) string {
	v := semver.Canonical("v" + strings.TrimPrefix(version, "v"))
	return strings.TrimPrefix(strings.TrimSuffix(v, semver.Prerelease(v)), "v")
}
