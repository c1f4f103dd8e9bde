package image

import (
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
)

// helpTime is how long a binary may take to print its flags.
const helpTime = time.Minute

// nobody runs what comes from an unpacked base when we are root: it is somebody else's program.
const nobody = 65534

// asked is a binary that is asked for its flags.
type asked struct {
	path string // of the file; within root, if that is set
	root string // what it sees as /; empty: our own
}

// compareFlags refuses a binary that does not know a flag of the one it replaces, and gives the note on what was
// compared. Where the other one cannot be run, its source has to be the same.
func (s Spec) compareFlags(ctx context.Context, base *Input, old, temp string) (string, error) {
	theirs, reason := s.runnable(ctx, base, old, temp)
	if reason == "" {
		var missing []string
		var err error
		missing, reason, err = s.missingFlags(ctx, theirs, asked{path: s.Binary})
		if err != nil {
			return "", err
		}
		if len(missing) > 0 {
			return "", fmt.Errorf("%s of base %s knows flags that the binary does not: %s\nnext: --source with the checkout that the base was built from",
				s.Path, base.Name, strings.Join(missing, ", "))
		}
	}
	if reason == "" {
		return "flags compared: the binary knows all that it has to", nil
	}
	labels, err := base.Labels()
	if err != nil {
		return "", err
	}
	if commit := labels[LabelCommit]; commit == "" || commit != s.Commit {
		return "", fmt.Errorf("flags of base %s not compared (%s), and it has no label %s to show that the source is its own\nnext: name the payload's own image of %s as --base, or run this as root on a machine of its architecture",
			base.Name, reason, LabelCommit, s.Component)
	}
	return fmt.Sprintf("flags not compared (%s): base and binary are of one commit, %s", reason, s.Commit), nil
}

// runnable says how the replaced binary is run, or why it is not. One without an interpreter needs nothing of its
// base; others run in the unpacked base, which takes root.
func (s Spec) runnable(ctx context.Context, base *Input, old, temp string) (asked, string) {
	if standsAlone(old) {
		return asked{path: old}, ""
	}
	if os.Geteuid() != 0 {
		return asked{}, "it needs its own root, and we are not root"
	}
	root := filepath.Join(temp, "root")
	if err := base.Unpack(ctx, root); err != nil {
		return asked{}, err.Error()
	}
	return asked{path: s.Path, root: root}, ""
}

// standsAlone says whether a file is a program that needs no other file to run.
func standsAlone(file string) bool {
	f, err := elf.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	return !slices.ContainsFunc(f.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP })
}

// missingFlags are what theirs knows and ours does not, sorted. reason says why theirs could not be asked.
func (s Spec) missingFlags(ctx context.Context, theirs, ours asked) (missing []string, reason string, err error) {
	for _, args := range s.Help {
		old, err := theirs.help(ctx, args)
		if err != nil {
			return nil, err.Error(), nil
		}
		own, err := ours.help(ctx, args)
		if err != nil {
			return nil, "", fmt.Errorf("compare flags: the binary itself: %w\nnext: run %s %s", err, s.Binary, strings.Join(args, " "))
		}
		for _, flag := range old {
			if !slices.Contains(own, flag) {
				missing = append(missing, "--"+flag)
			}
		}
	}
	for _, flag := range s.Hidden {
		args := []string{"--" + flag + "=x", "--help"}
		if _, err := theirs.run(ctx, args); err != nil {
			continue // theirs does not know it either
		}
		if _, err := ours.run(ctx, args); err != nil {
			missing = append(missing, "--"+flag)
		}
	}
	slices.Sort(missing)
	return slices.Compact(missing), "", nil
}

// flagLine is a line of help that names a flag, with or without a short form before it.
var flagLine = regexp.MustCompile(`(?m)^\s+(?:-\w, )?--([A-Za-z0-9][A-Za-z0-9_.-]*)`)

// help are the flags a program prints. None at all would make every comparison pass, so it is an error.
func (p asked) help(ctx context.Context, args []string) ([]string, error) {
	text, err := p.run(ctx, args)
	if err != nil {
		return nil, err
	}
	var flags []string
	for _, m := range flagLine.FindAllStringSubmatch(text, -1) {
		flags = append(flags, m[1])
	}
	if len(flags) == 0 {
		return nil, fmt.Errorf("%s %s names no flag", filepath.Base(p.path), strings.Join(args, " "))
	}
	return flags, nil
}

// run gives what the program prints on either stream. Any end but exit code 0 is an error.
func (p asked) run(ctx context.Context, args []string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, helpTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.path, args...)
	cmd.Env = []string{"PATH=/usr/bin:/bin", "LC_ALL=C"}
	if p.root != "" {
		cmd.Dir = "/"
		cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: p.root, Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", filepath.Base(p.path), strings.Join(args, " "), errors.Join(err, ctx.Err()))
	}
	return string(out), nil
}
