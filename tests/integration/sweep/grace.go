package sweep

import (
	"regexp"
	"time"
)

// grace is what the bound adds to a start without a fault: 3 s, what a client
// needs to notice, and what the component's own retries take.
func (r *runner) grace(a *attempt, c Cell, k kind) time.Duration {
	return 3*time.Second + k.slack + r.component.retries(a, c)
}

// lockTrouble is what client-go's leaderelection.go says of a failed attempt,
// in all its versions.
var lockTrouble = regexp.MustCompile(
	`(?i)error retrieving (resource|lease) lock|error initially creating (lease lock|leader election record)|failed to (update|renew) (lock|lease)`)

// leaseRetries are 2.2 periods where an attempt at the lease met the fault, or
// would have without waiting.
func leaseRetries(a *attempt, period time.Duration) time.Duration {
	if !leaseMissed(a) {
		return 0
	}
	return period * 22 / 10
}

// leaseMissed also looks for a trouble with the lease that the log tells of.
func leaseMissed(a *attempt) bool {
	held, isLease := false, a.plane.component.lease
	for _, request := range a.proxy.Requests() {
		if isLease(request.Path) && request.Fault != "" {
			return true
		}
		held = held || isLease(request.Path) && request.Method != "GET" && request.Code/100 == 2
	}
	_, found := a.process.Log().Find(lockTrouble)
	return found || !held
}
