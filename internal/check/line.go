package check

import (
	"regexp"
	"strings"
)

// entry is a log line without what collectors put in front of it.
type entry struct {
	program  string // of a journal's prefix, "" without one
	severity byte   // klog's I, W, E or F, 0 without a klog header
	month    string // klog's date, MMDD
	clock    string // klog's time of day, hh:mm:ss.ffffff
	source   string // klog's source file, without its line number
	message  string
}

var (
	// klog's header, with any amount of spaces before the process id.
	klogHeader = regexp.MustCompile(`^([IWEF])(\d{4}) (\d\d:\d\d:\d\d\.\d{1,9}) +\d+ ([\w.-]+):\d+\] ?`)
	// The journal's short forms: date, host, program with or without its process id.
	journalPrefix = regexp.MustCompile(`^(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?:\.\d+)?|\d{4}-\d\d-\d\dT[\d:.,]+(?:Z|[+-]\d\d:?\d\d)) \S+ ([^\s:\[]+)(?:\[\d+\])?: `)
	// What `oc logs --timestamps` and the container runtime's own files put in front.
	stampPrefix = regexp.MustCompile(`^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d) (?:(?:stdout|stderr) [FP] )?`)
)

// parse takes a line apart. Lines without any of the known prefixes, or with a broken date, are all message.
func parse(line string) entry {
	var e entry
	rest := strings.TrimSpace(line)
	if m := journalPrefix.FindStringSubmatch(rest); m != nil {
		e.program = m[1]
		rest = rest[len(m[0]):]
	} else if m := stampPrefix.FindString(rest); m != "" {
		rest = rest[len(m):]
	}
	if m := klogHeader.FindStringSubmatch(rest); m != nil {
		e.severity, e.month, e.clock, e.source = m[1][0], m[2], m[3], m[4]
		rest = rest[len(m[0]):]
	}
	e.message = rest
	return e
}
