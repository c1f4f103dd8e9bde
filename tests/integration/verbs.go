package integration

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// verb is one word of the scripts' language. There are at most twelve.
type verb struct {
	name  string
	usage string // printed on misuse, and in README.md
	min   int    // number of arguments after the flags
	max   int    // -1: any number
	flags []string
	neg   bool // whether "! verb" means something
	do    func(*run, call) error
}

// call is one use of a verb.
type call struct {
	neg    bool
	flags  []string
	args   []string
	stdout io.Writer                // for stdout and cmp stdout of the script
	read   func(name string) string // a file of the script
}

func (c call) has(flag string) bool { return slices.Contains(c.flags, flag) }

var verbs = []verb{
	{name: "api", usage: "[!] api METHOD PATH [FILE]", min: 2, max: 3, neg: true, do: (*run).api},
	{name: "until", usage: "until PATH gone | until PATH JSONPATH VALUE", min: 2, max: 3, do: (*run).until},
	{name: "etcd", usage: "[!] etcd [-detail] [-same] PREFIX", min: 1, max: 1, flags: []string{"-detail", "-same"}, neg: true, do: (*run).etcd},
	{name: "start", usage: "start [NAME=VALUE ...] [--FLAG=VALUE ...]", max: -1, do: (*run).startComponent},
	{name: "kubelet", usage: "kubelet [-detail] FACTOR FAULT|none PATH [GONE]", min: 3, max: 4, flags: []string{"-detail"}, do: (*run).kubelet},
	{name: "running", usage: "running", do: (*run).stillRunning},
	{name: "exited", usage: "exited [-terminate] [-leader] CODE [LEAST] | ! exited -terminate", max: 2, flags: []string{"-terminate", "-leader"}, neg: true, do: (*run).exited},
	{name: "ask", usage: "[!] ask [-forged] PATH CODE [NAME]", min: 2, max: 3, flags: []string{"-forged"}, neg: true, do: (*run).ask},
	{name: "log", usage: "[!] log [-detail] [-once] REGEXP [MOST]", min: 1, max: 2, flags: []string{"-detail", "-once"}, neg: true, do: (*run).logLine},
	{name: "refuse", usage: "refuse NAME FAULT [for DURATION] [at|after REQUEST]", min: 2, max: 6, do: (*run).refuse},
	{name: "begun", usage: "begun NAME", min: 1, max: 1, do: (*run).begun},
	{name: "allow", usage: "allow [-paced] NAME", min: 1, max: 1, flags: []string{"-paced"}, do: (*run).allow},
}

// parse sorts the words after a verb into flags and arguments.
func (v verb) parse(neg bool, words []string) (call, error) {
	c := call{neg: neg, args: words}
	for len(c.args) > 0 && slices.Contains(v.flags, c.args[0]) {
		c.flags = append(c.flags, c.args[0])
		c.args = c.args[1:]
	}
	if neg && !v.neg || len(c.args) < v.min || v.max >= 0 && len(c.args) > v.max {
		return call{}, v.misuse()
	}
	return c, nil
}

// errMisuse is what a verb returns for arguments that only it can judge.
var errMisuse = errors.New("misuse")

func (v verb) misuse() error { return fmt.Errorf("usage: %s", v.usage) }

// commands makes the verbs known to testscript. A verb that fails ends the
// script, and its error stays with the run to tell the outcome.
func (r *run) commands() map[string]func(*testscript.TestScript, bool, []string) {
	commands := map[string]func(*testscript.TestScript, bool, []string){}
	for _, v := range verbs {
		commands[v.name] = func(ts *testscript.TestScript, neg bool, words []string) {
			c, err := v.parse(neg, words)
			if err == nil {
				c.stdout, c.read = ts.Stdout(), ts.ReadFile
				err = v.do(r, c)
			}
			if errors.Is(err, errMisuse) {
				err = v.misuse()
			}
			if err != nil {
				r.err = fmt.Errorf("%s %s: %w", v.name, strings.Join(words, " "), err)
				ts.Fatalf("%v", err)
			}
		}
	}
	return commands
}
