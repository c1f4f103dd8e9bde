package sweep

import "testing"

// TestLockTrouble: a failed attempt at the lease lengthens the bound, and what
// every start says of it does not.
func TestLockTrouble(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		`leaderelection.go:248] attempting to acquire leader lease kube-system/kube-controller-manager...`:                           false,
		`leaderelection.go:258] "Attempting to acquire leader lease..." lock="kube-system/kube-controller-manager"`:                  false,
		`leaderelection.go:258] successfully acquired lease kube-system/kube-controller-manager`:                                     false,
		`leaderelection.go:381] "Lease lock not found" lock="kube-system/kube-controller-manager" err="leases not found"`:            false,
		`controllermanager.go:700] "Error retrieving lease candidates"`:                                                              false,
		`leaderelection.go:330] error retrieving resource lock kube-system/kube-controller-manager: Get "https://[::1]:6443/apis"`:   true,
		`leaderelection.go:473] "Error retrieving lease lock" err="connection refused" lock="kube-system/kube-controller-manager"`:   true,
		`leaderelection.go:334] error initially creating leader election record: Post "https://[::1]:6443/apis": connection refused`: true,
		`leaderelection.go:477] "Error initially creating lease lock" err="connection refused"`:                                      true,
		`leaderelection.go:367] Failed to update lock: Put "https://[::1]:6443/apis": connection refused`:                            true,
		`leaderelection.go:466] "Failed to update lease optimistically, falling back to slow path" err="connection refused"`:         true,
		`leaderelection.go:283] failed to renew lease kube-system/kube-controller-manager: timed out waiting for the condition`:      true,
	} {
		if got := lockTrouble.MatchString(line); got != want {
			t.Errorf("%t, want %t: %s", got, want, line)
		}
	}
}
