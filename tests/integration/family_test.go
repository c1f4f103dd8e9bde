package integration

import (
	"testing"

	"carry/internal/controlplane"
)

func TestParseFamily(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]family{
		"ipv4":       {"ipv4", controlplane.IPv4, ""},
		"ipv6":       {"ipv6", controlplane.IPv6, ""},
		"ipv6-netns": {"ipv6-netns", controlplane.IPv6, namespaces},
	} {
		if got, err := parseFamily(text); err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	const want = `parse address family "ipv5": want ipv6 or ipv4, or ipv6-netns`
	if _, err := parseFamily("ipv5"); err == nil || err.Error() != want {
		t.Errorf("ipv5: %v, want %s", err, want)
	}
}

// TestFamilyGivesANetwork: to scenarios that name none, and to these only.
func TestFamilyGivesANetwork(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ family, of, want string }{
		{"ipv6", "", ""}, {"ipv6", namespaces, namespaces}, {"ipv6-netns", "", namespaces}, {"ipv6-netns", localhost, localhost},
	} {
		family, err := parseFamily(test.family)
		if err != nil {
			t.Fatal(err)
		}
		s := &suite{family: family, layout: layout{t.TempDir()}}
		r := s.run(target{"kube-controller-manager", "1.37"}, scenario{name: "x", network: test.of}, base)
		if r.scenario.network != test.want {
			t.Errorf("%+v: %q", test, r.scenario.network)
		}
	}
}
