package sweep

import (
	"context"
	"regexp"
	"strings"
	"time"

	"carry/internal/controlplane"
	"carry/tests/integration"
)

const operatorName = "cluster-version-operator"

// Starts of cluster-version-operator.
const (
	gated = "gated"   // the feature gate asks for tech preview before the start
	plain = "default" // it asks for nothing
)

// Where the operator's objects are.
const (
	namespaces  = "/api/v1/namespaces"
	versions    = integration.ClusterVersions
	operators   = integration.ClusterOperators
	lockMap     = integration.OperatorConfigMaps
	lockLease   = integration.OperatorLeases
	ungatedName = integration.UngatedNamespace
	gatedName   = integration.GatedNamespace
)

// operator is cluster-version-operator. A wrong guess at the gate is right in a
// default start, so that gated ones hold every exit.
func operator() component {
	return component{
		name: operatorName, starts: []string{gated, plain}, thin: plain, decides: true,
		waves:  operatorWaves,
		system: func(namespace string) bool { return kcmSystem(namespace) || strings.HasPrefix(namespace, "openshift-") },
		lease:  func(path string) bool { return strings.HasPrefix(path, lockMap) || strings.HasPrefix(path, lockLease) },
		single: regexp.MustCompile(`^/apis/config\.openshift\.io/v1/[a-z]+/[^/]+$`),
		made: []string{
			namespaces, "/api/v1/configmaps", "/apis/coordination.k8s.io/v1/leases", versions, operators,
		},
		prepare: func(ctx context.Context, p *plane) error {
			return integration.PrepareOperator(ctx, p.ControlPlane, p.root, p.stream)
		},
		arrange: operatorArrange,
		config: func(p *plane, _ bool) controlplane.ComponentConfig {
			return controlplane.ComponentConfig{Payload: integration.OperatorPayload(p.root)}
		},
		over:    operatorOver,
		works:   operatorWorks,
		retries: operatorRetries,
	}
}

// operatorWaves: what is not refused or unavailable differs in how a client
// notices, which is the same in every window of a family.
func operatorWaves(string) []wave {
	const long = 12 * time.Second
	one := []string{patched}
	all := []wave{
		{"refused", long, sides, true}, {"unavailable", long, sides, true}, {"refused", time.Second, one, true},
	}
	for _, k := range kinds[2:] {
		all = append(all, wave{k.name, long, one, false})
	}
	return all
}

// operatorArrange leaves nothing of the start before, and a gate that no operator has seen.
func operatorArrange(ctx context.Context, a *attempt) error {
	set := ""
	if a.start == gated {
		set = "TechPreviewNoUpgrade"
	}
	return integration.ResetOperator(ctx, a.plane.ControlPlane, set)
}
