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

// leaseRetries are 2.2 periods where an attempt at the lease met the fault, or
// would have without waiting.
func leaseRetries(a *attempt, period time.Duration, trouble *regexp.Regexp) time.Duration {
	if !leaseMissed(a, trouble) {
		return 0
	}
	return period * 22 / 10
}

// leaseMissed also looks for a trouble with the lease that the log tells of.
func leaseMissed(a *attempt, trouble *regexp.Regexp) bool {
	held, isLease := false, a.plane.component.lease
	for _, request := range a.proxy.Requests() {
		if isLease(request.Path) && request.Fault != "" {
			return true
		}
		held = held || isLease(request.Path) && request.Method != "GET" && request.Code/100 == 2
	}
	_, found := a.process.Log().Find(trouble)
	return found || !held
}
