package integration

import (
	"fmt"

	"carry/internal/controlplane"
)

// family is over what a whole suite talks.
type family struct {
	name    string // as flags and results have it
	address controlplane.Family
	network string // of scenarios that name none; empty: everything is where the rig is
}

// ipv6Apart is the family in which every scenario has the API at the first
// report's address, over a link.
const ipv6Apart = "ipv6-netns"

// parseFamily takes what -family says.
func parseFamily(text string) (family, error) {
	if text == ipv6Apart {
		return family{name: text, address: controlplane.IPv6, network: namespaces}, nil
	}
	address, err := controlplane.ParseFamily(text)
	if err != nil {
		return family{}, fmt.Errorf("%w, or %s", err, ipv6Apart)
	}
	return family{name: text, address: address}, nil
}
