package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"carry/internal/component"
	"carry/internal/git"
	"carry/internal/series"
)

// question is a part of a patch's header: a flag, or asked for.
type question struct {
	flag, ask string
	optional  bool
	value     string
}

// newQuestions are all that a header needs, in its order.
func newQuestions() []*question {
	return []*question{
		{flag: "class", ask: "class: carry, drop or the number of an upstream pull request", value: "carry"},
		{flag: "area", ask: "area, upstream's own word (the folder or program)"},
		{flag: "title", ask: "what the patch does, in the imperative"},
		{flag: "problem", ask: "Problem: what a user sees"},
		{flag: "cause", ask: "Cause: why"},
		{flag: "fix", ask: "Fix: what the patch changes"},
		{flag: "bug", ask: "Bug: an https URL, or: none public", value: "none public"},
		{flag: "upstream-status", ask: "Upstream-Status: Pending, Submitted, Backport, Denied, Inactive-Upstream or Inappropriate", value: "Pending"},
		{flag: "drop-when", ask: "Drop-When: what makes it superfluous"},
		{flag: "test", ask: "Test: the scenario that shows it"},
		{flag: "depends-on", ask: "Depends-On: slug of an earlier patch", optional: true},
		{flag: "no-unit-test", ask: "No-Unit-Test: why there is none", optional: true},
		{flag: "size-reason", ask: "Size-Reason: why it is large", optional: true},
	}
}

func newNew() *cobra.Command {
	questions := newQuestions()
	var commit, diff string
	cmd := &cobra.Command{
		Use:   "new component stream (--commit DIR@REV | --diff FILE)",
		Short: "Append a patch made from a commit or a diff; asks for what its header needs",
		Args:  cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if (commit == "") == (diff == "") {
				return errors.New("a new patch from what?\nnext: add --commit DIR@REV or --diff FILE (- reads standard input), one of them")
			}
			streams, err := targets(args)
			if err != nil {
				return err
			}
			var in io.Reader = cmd.InOrStdin()
			if diff == "-" {
				in = strings.NewReader("") // it is the diff, not answers
			}
			if err := answer(cmd, questions, in); err != nil {
				return err
			}
			return locked(cmd.Context(), streams[0], func() error { return appendPatch(cmd, streams[0], questions, commit, diff) })
		},
	}
	cmd.Flags().StringVar(&commit, "commit", "", "the change of a commit in a checkout, `DIR@REV`")
	cmd.Flags().StringVar(&diff, "diff", "", "the change in a `FILE` as git diff writes it")
	for _, q := range questions {
		cmd.Flags().StringVar(&q.value, q.flag, q.value, q.ask)
	}
	return cmd
}

// answer asks for what no flag gave. An empty answer takes the default; without one it is an error that names all flags
// that are missing.
func answer(cmd *cobra.Command, questions []*question, in io.Reader) error {
	lines := bufio.NewScanner(in)
	var missing []string
	for _, q := range questions {
		if cmd.Flags().Changed(q.flag) || q.optional {
			continue
		}
		if q.value == "" {
			fmt.Fprintf(cmd.ErrOrStderr(), "%s: ", q.ask)
			if lines.Scan() {
				q.value = strings.TrimSpace(lines.Text())
			}
		}
		if q.value == "" {
			missing = append(missing, "--"+q.flag)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("new patch: its header is not complete\nnext: answer, or add %s", strings.Join(missing, " "))
	}
	return nil
}

func appendPatch(cmd *cobra.Command, s *component.Stream, questions []*question, commit, file string) error {
	h, diff, err := header(cmd, s, questions, commit, file)
	if err != nil {
		return err
	}
	t, err := load(s)
	if err != nil {
		return err
	}
	if _, err := apply(cmd, s, t); err != nil {
		return err
	}
	name, err := s.NewPatch(cmd.Context(), t, h, diff)
	if err != nil {
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "new: patches/%s/%s/%s\nnext: carry update && carry verify --tests %s\n", s.Component.Name, s.Name, name, s)
	return nil
}

// header puts the answers together, with the author and date of the commit, or of whoever has the diff.
func header(cmd *cobra.Command, s *component.Stream, questions []*question, commit, file string) (h series.Header, diff []byte, err error) {
	answers := map[string]string{}
	for _, q := range questions {
		answers[q.flag] = q.value
	}
	h = series.Header{
		Class: answers["class"], Area: answers["area"], Title: answers["title"],
		Problem: answers["problem"], Cause: answers["cause"], Fix: answers["fix"],
	}
	for _, t := range [][2]string{
		{"Bug", "bug"}, {"Upstream-Status", "upstream-status"}, {"Drop-When", "drop-when"}, {"Test", "test"},
		{"Depends-On", "depends-on"}, {"No-Unit-Test", "no-unit-test"}, {"Size-Reason", "size-reason"},
	} {
		h.Trailers = append(h.Trailers, series.Trailer{Key: t[0], Value: answers[t[1]]})
	}
	if commit != "" {
		data, c, err := component.CommitDiff(cmd.Context(), commit)
		h.Name, h.Email, h.Date = c.Name, c.Email, component.CommitDate(c)
		return h, data, err
	}
	h.Date = time.Now()
	if h.Name, h.Email, err = git.User(cmd.Context(), s.Root); err != nil {
		return h, nil, err
	}
	if file == "-" {
		diff, err = io.ReadAll(cmd.InOrStdin())
	} else {
		diff, err = os.ReadFile(file)
	}
	if err != nil {
		return h, nil, fmt.Errorf("new patch: %w", err)
	}
	return h, diff, nil
}
