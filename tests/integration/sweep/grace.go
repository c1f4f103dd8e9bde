package sweep

import (
	"regexp"
	"time"
)

// grace is what the bound adds to a start without a fault: 3 s, what a client
// needs to notice, and 2.2 retry periods where an attempt at the lease met the
// fault, or would have without waiting.
func (r *runner) grace(a *attempt, c Cell, k kind) time.Duration {
	d := 3*time.Second + k.slack
	if !leaseMissed(a) {
		return d
	}
	period := 26 * time.Second
	if c.shortLease() {
		period = 3 * time.Second
	}
	return d + period*22/10
}

var leaseTrouble = regexp.MustCompile(`(?i)(retrieving|creating|update|acquire|renew).*(lease|resource lock)`)

func leaseMissed(a *attempt) bool {
	held := false
	for _, request := range a.proxy.Requests() {
		if isLease(request.Path) && request.Fault != "" {
			return true
		}
		held = held || isLease(request.Path) && request.Method != "GET" && request.Code/100 == 2
	}
	_, found := a.process.Log().Find(leaseTrouble)
	return found || !held
}
