package check

import "time"

const klogTime = "2006 0102 15:04:05.999999999"

// atYear is klog's date and time of a line, which has no year and is taken for UTC.
func atYear(year string, when string) (time.Time, bool) {
	t, err := time.Parse(klogTime, year+" "+when)
	return t, err == nil
}

// leapYear takes every date of a log.
const leapYear = "2000"

// within tells whether two lines are no more than span apart; dates that cannot be read are not.
func within(from, to string, span time.Duration) bool {
	a, okA := atYear(leapYear, from)
	b, okB := atYear(leapYear, to)
	if !okA || !okB {
		return false
	}
	if b.Before(a) { // over the end of a year
		b = b.AddDate(1, 0, 0)
	}
	return b.Sub(a) <= span
}

// after tells whether an object was created more than a minute later than a line was written: clocks differ.
func after(created, line string) bool {
	c, err := time.Parse(time.RFC3339, created)
	if err != nil {
		return false
	}
	l, ok := atYear(c.UTC().Format("2006"), line)
	if !ok {
		return false
	}
	const halfYear = 183 * 24 * time.Hour
	switch apart := c.Sub(l); { // the line's year is the one that brings it closest
	case apart > halfYear:
		l = l.AddDate(1, 0, 0)
	case apart < -halfYear:
		l = l.AddDate(-1, 0, 0)
	}
	return c.Sub(l) > time.Minute
}

// longer compares durations as the logs print them; one that cannot be read is not longer.
func longer(a, b string) bool {
	x, err := time.ParseDuration(a)
	if err != nil {
		return false
	}
	y, err := time.ParseDuration(b)
	return err != nil || x > y
}
