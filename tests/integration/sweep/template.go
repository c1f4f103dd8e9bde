package sweep

import (
	"regexp"
	"strings"
)

// varies is a name that another run has otherwise: a UUID, or what
// generateName appends. Without a digit the latter could be a word.
var varies = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$|-[bcdfghjklmnpqrstvwxz2456789]{5}$`)

// pathTemplate writes {} for what differs from run to run: the names of
// namespaces that are not the system's, of objects in them, and generated
// names. The names of the controllers' service accounts are the system's.
func (c component) pathTemplate(path string) string {
	segments := strings.Split(path, "/")
	foreign := false
	for i, s := range segments {
		object := 0 // where, after "namespaces", a name stands
		if i >= 1 && segments[i-1] == "namespaces" {
			object = 1
			foreign = !c.system(s)
		}
		switch {
		case object == 1 && foreign:
			segments[i] = "{}"
		case foreign && i >= 3 && segments[i-3] == "namespaces":
			segments[i] = "{}"
		case i >= 4 && uniqueName(s):
			segments[i] = "{}"
		}
	}
	return strings.Join(segments, "/")
}

func uniqueName(s string) bool {
	return varies.MatchString(s) && (strings.ContainsAny(s, "0123456789") || tokenName.MatchString(s))
}

// tokenName is what older streams call the secret of a service account.
var tokenName = regexp.MustCompile(`-token-[^-]{5}$`)

var accountName = regexp.MustCompile(`/serviceaccounts/[^/]+`)

// familyPath is a template that also leaves out which service account it is:
// behind all of them is the same code.
func familyPath(template string) string {
	return accountName.ReplaceAllString(template, "/serviceaccounts/{}")
}

// agentName is what tells a client of the component from the others: the part
// of its user agent behind the version of Kubernetes.
func agentName(userAgent string) string {
	_, rest, ok := strings.Cut(userAgent, " kubernetes/")
	if !ok {
		return userAgent
	}
	_, name, _ := strings.Cut(rest, "/")
	return name
}
