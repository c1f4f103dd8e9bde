package sweep

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"carry/internal/controlplane"
	"carry/internal/faults"
)

const (
	kcmName  = "kube-controller-manager"
	accounts = "/api/v1/namespaces/kube-system/serviceaccounts"
	secrets  = "/api/v1/namespaces/kube-system/secrets"
	leases   = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases"
)

// Starts of kube-controller-manager.
const (
	restart = "restart" // the controllers' service accounts exist
	fresh   = "fresh"   // they do not, as in an installation
)

// kcm is kube-controller-manager. Restarts come first, since a fresh start
// takes away what they need, and hold every exit that fresh starts hold.
func kcm() component {
	return component{
		name: kcmName, starts: []string{restart, fresh}, inherits: restart, thin: fresh,
		waves:  kcmWaves,
		system: kcmSystem,
		lease:  func(path string) bool { return strings.HasPrefix(path, leases) },
		made: []string{
			"/api/v1/namespaces", "/api/v1/serviceaccounts", "/api/v1/configmaps", "/api/v1/secrets",
			"/apis/coordination.k8s.io/v1/leases",
		},
		arrange: kcmArrange, config: kcmConfig,
		over:       func(ctx context.Context, a *attempt) error { return met(ctx, a.proxy, a.process, provided(a.old)...) },
		works:      kcmWorks,
		retries:    kcmRetries,
		goroutines: func(ctx context.Context, p *plane) (int, error) { return p.goroutines(ctx) },
	}
}

// kcmWaves: other streams than the newest only show that they are no worse.
func kcmWaves(stream string) []wave {
	const long = 12 * time.Second
	one := []string{patched}
	if stream != "1.37" {
		return []wave{{"refused", long, sides, true}, {"unavailable", long, one, true}}
	}
	all := []wave{
		{"refused", long, sides, true}, {"unavailable", long, sides, true}, {"refused", time.Second, one, true},
		{"refused", 6 * time.Second, one, false},
	}
	for _, k := range kinds[2:] {
		all = append(all, wave{k.name, long, one, k.only != nil})
	}
	return all
}

func kcmSystem(namespace string) bool {
	return namespace == "default" || strings.HasPrefix(namespace, "kube-")
}

// kcmArrange takes away the lease, the namespaces of the start before and, for
// a fresh start, the service accounts and the secrets that older streams give
// them, and makes a namespace to provide for.
func kcmArrange(ctx context.Context, a *attempt) error {
	p := a.plane
	if err := p.Want(ctx, http.MethodDelete, leases+"/"+kcmName, "", http.StatusOK, http.StatusNotFound); err != nil {
		return err
	}
	for _, name := range p.left {
		if err := p.PurgeNamespace(ctx, name); err != nil {
			return err
		}
	}
	p.left = nil
	if a.start == fresh {
		for _, path := range []string{accounts, secrets} {
			if err := p.Want(ctx, http.MethodDelete, path, "", http.StatusOK); err != nil {
				return err
			}
		}
	}
	a.old = fmt.Sprintf("sweep-%d-old", p.starts)
	return p.namespace(ctx, a.old)
}

// kcmConfig: library-go's lease outlasts an outage of 12 s.
func kcmConfig(_ *plane, shortLease bool) controlplane.ComponentConfig {
	if shortLease {
		return controlplane.ComponentConfig{}
	}
	return controlplane.ComponentConfig{Flags: []string{
		"--leader-elect-lease-duration=137s", "--leader-elect-renew-deadline=107s", "--leader-elect-retry-period=26s",
	}}
}

// kcmRetries are those of the lease.
func kcmRetries(a *attempt, c Cell) time.Duration {
	period := 26 * time.Second
	if c.shortLease() {
		period = 3 * time.Second
	}
	return leaseRetries(a, period)
}

// kcmWorks makes a namespace, which must be provided for, and deletes the one
// from before, which must go away.
func kcmWorks(ctx context.Context, a *attempt) error {
	young := strings.TrimSuffix(a.old, "old") + "new"
	if err := a.plane.namespace(ctx, young); err != nil {
		return err
	}
	if err := a.plane.Want(ctx, http.MethodDelete, "/api/v1/namespaces/"+a.old, "", http.StatusOK); err != nil {
		return err
	}
	if err := met(ctx, a.proxy, a.process, append(provided(young), finalised(a.old))...); err != nil {
		return err
	}
	return a.plane.gone(ctx, a.old)
}

// provided is what a namespace gets.
func provided(namespace string) []expectation {
	path := "/api/v1/namespaces/" + namespace
	return []expectation{
		{faults.Match{Method: http.MethodPost, Path: path + "/serviceaccounts"}, "no service account in a namespace"},
		{faults.Match{Method: http.MethodPost, Path: path + "/configmaps"}, "no root CA config map in a namespace"},
	}
}

func finalised(namespace string) expectation {
	path := "/api/v1/namespaces/" + namespace + "/finalize"
	return expectation{faults.Match{Method: http.MethodPut, Path: path}, "a deleted namespace did not go away"}
}
