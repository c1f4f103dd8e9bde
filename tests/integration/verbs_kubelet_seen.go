package integration

import (
	"fmt"
	"time"
)

// What the bound of recovery adds to a start without a fault: a margin, and the
// time until the next attempt at the lease if one was in flight, which is 2.2
// times OpenShift's retry period at most.
const (
	recoveryMargin = 3 * time.Second
	leaseAttempt   = 22 * 3 * time.Second / 10
)

// seen is what people see of an outage.
type seen struct {
	restarts int
	longest  time.Duration // back-off
	waited   time.Duration // in back-off, before the return and after it
	lost     time.Duration // after the return of the API, until the component worked
	bound    time.Duration // of lost, for a component that does not restart; 0: not known
}

// seen tells them from the kubelet's report; faultFree is what a start takes
// without a fault.
func (k kept) seen(factor float64, faultFree time.Duration) seen {
	s := seen{
		restarts: k.report.Restarts, longest: k.report.Longest, waited: k.report.Waited,
		lost: k.report.Lost(k.returned.Sub(k.began), k.works.Sub(k.began), factor),
	}
	if faultFree > 0 {
		s.bound = faultFree + recoveryMargin + leaseAttempt
	}
	return s
}

func (s seen) within() string {
	switch {
	case s.bound == 0:
		return "unknown"
	case s.lost <= s.bound:
		return "yes"
	}
	return "no"
}

// lines are for a script to look at.
func (s seen) lines() string {
	bound := "unknown"
	if s.bound > 0 {
		bound = seconds(s.bound).String()
	}
	return fmt.Sprintf("restarts: %d\nlongest back-off: %s\nwaited: %s\nlost after the return: %s\nbound of recovery: %s\nwithin the bound: %s\n",
		s.restarts, s.longest, s.waited, seconds(s.lost), bound, s.within())
}

// sentence is for the results.
func (s seen) sentence() string {
	backOff := "no back-off"
	if s.longest > 0 {
		backOff = "back-off up to " + s.longest.String()
	}
	sentence := fmt.Sprintf("%d restarts, %s, works %s after the return of the API", s.restarts, backOff, seconds(s.lost))
	if s.bound > 0 {
		sentence += fmt.Sprintf(" (bound %s)", seconds(s.bound))
	}
	return sentence
}

func seconds(d time.Duration) time.Duration { return d.Round(time.Second) }
