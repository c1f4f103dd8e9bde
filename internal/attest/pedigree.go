package attest

import (
	"net/url"
	"path"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/package-url/packageurl-go"
	"golang.org/x/mod/module"

	"carry/internal/component"
	"carry/internal/series"
)

// pedigree says what the main component was before, and names every patch that it carries.
func pedigree(in *component.Inputs) *cdx.Pedigree {
	p := &cdx.Pedigree{}
	base := module.Version{Path: in.Module, Version: in.Base}
	if in.Source == "" {
		base = in.Pin
	} else {
		p.Commits = &[]cdx.Commit{{UID: in.Source}}
	}
	ancestor := upstream(base, in.Sums[base])
	ancestor.BOMRef = "" // it is not in the binary
	p.Ancestors = &[]cdx.Component{ancestor}
	var patches []cdx.Patch
	for _, patch := range in.Patches {
		patches = append(patches, cdx.Patch{Type: patchType(patch), Diff: diff(patch), Resolves: resolves(patch)})
	}
	if patches != nil {
		p.Patches = &patches
	}
	return p
}

// patchType is by class: an upstream pull request is merged (then the patch is a backport) or taken before it was.
func patchType(p *series.Patch) cdx.PatchType {
	switch {
	case p.Class() == "carry" || p.Class() == "drop" || p.Class() == "":
		return cdx.PatchTypeUnofficial
	case strings.HasPrefix(p.Trailer("Upstream-Status"), "Backport"):
		return cdx.PatchTypeBackport
	}
	return cdx.PatchTypeCherryPick
}

// diff is the whole file: an SBOM is read where the repository is not. The address is relative to the repository.
func diff(p *series.Patch) *cdx.Diff {
	return &cdx.Diff{URL: p.Path, Text: &cdx.AttachedText{Content: string(p.Data), ContentType: "text/x-patch"}}
}

// resolves are the patch's bugs that have an address.
func resolves(p *series.Patch) *[]cdx.Issue {
	var issues []cdx.Issue
	for _, t := range p.Trailers {
		if t.Key != "Bug" {
			continue
		}
		u, err := url.Parse(t.Value)
		if err != nil || u.Host == "" {
			continue // "none public"
		}
		issues = append(issues, cdx.Issue{
			Type: cdx.IssueTypeDefect, ID: issueID(u), Description: p.Section("Problem"), Source: &cdx.Source{Name: u.Host, URL: t.Value},
		})
	}
	if issues == nil {
		return nil
	}
	return &issues
}

// issueID is a bug's name where it lives: 123 of Bugzilla, owner/repository#123 of GitHub, else the last part.
func issueID(u *url.URL) string {
	if id := u.Query().Get("id"); id != "" {
		return id
	}
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	if u.Host == "github.com" && len(parts) == 4 {
		return parts[0] + "/" + parts[1] + "#" + parts[3]
	}
	return path.Base(u.Path)
}

// purl is a module's package URL, in the lower case that its rules ask for; without a version it means any.
func purl(m module.Version, subpath string) string {
	namespace, name := path.Split(m.Path)
	p := packageurl.NewPackageURL(packageurl.TypeGolang, namespace, name, m.Version, nil, subpath)
	if err := p.Normalize(); err != nil {
		return "pkg:golang/" + m.Path // no path that go accepts comes here
	}
	return p.ToString()
}
