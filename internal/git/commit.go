package git

import (
	"context"
	"fmt"
	"strings"
)

// Commit is one commit as git stores it, less its committer: carry commits in its own name, at the author's date, so
// that the same change gives the same hash.
type Commit struct {
	Hash    string
	Tree    string
	Parents []string
	Name    string // of the author
	Email   string
	Date    string // of the author, as "@seconds +zone"
	Message string // verbatim
}

// Subject is the message's first line.
func (c Commit) Subject() string {
	subject, _, _ := strings.Cut(c.Message, "\n")
	return subject
}

// Show reads one commit.
func (r Repo) Show(ctx context.Context, rev string) (Commit, error) {
	hash, err := r.Resolve(ctx, rev+"^{commit}")
	if err != nil {
		return Commit{}, err
	}
	out, err := r.Run(ctx, "cat-file", "commit", hash)
	if err != nil {
		return Commit{}, err
	}
	header, message, _ := strings.Cut(out, "\n\n")
	c := Commit{Hash: hash, Message: message}
	for line := range strings.Lines(header) {
		key, value, _ := strings.Cut(strings.TrimRight(line, "\n"), " ")
		switch key {
		case "tree":
			c.Tree = value
		case "parent":
			c.Parents = append(c.Parents, value)
		case "author":
			if err := c.author(value); err != nil {
				return c, fmt.Errorf("read commit %s: %w", hash, err)
			}
		}
	}
	return c, nil
}

// author takes "Name <email> seconds zone" apart.
func (c *Commit) author(text string) error {
	name, rest, ok := strings.Cut(text, " <")
	email, date, ok2 := strings.Cut(rest, "> ")
	if !ok || !ok2 {
		return fmt.Errorf("author %q", text)
	}
	c.Name, c.Email, c.Date = name, email, "@"+date
	return nil
}

// Write stores a commit and gives its hash. Tree, Parents, Message and the author are taken from c.
func (r Repo) Write(ctx context.Context, c Commit) (string, error) {
	args := []string{"commit-tree", "--no-gpg-sign", c.Tree}
	for _, p := range c.Parents {
		args = append(args, "-p", p)
	}
	env := []string{
		"GIT_AUTHOR_NAME=" + c.Name, "GIT_AUTHOR_EMAIL=" + c.Email, "GIT_AUTHOR_DATE=" + c.Date, "GIT_COMMITTER_DATE=" + c.Date,
	}
	out, err := r.run(ctx, []byte(c.Message), env, append(args, "-F", "-")...)
	return strings.TrimSpace(out), err
}

// Between are the commits after base up to tip, oldest first. A merge is an error: it is no list of changes.
func (r Repo) Between(ctx context.Context, base, tip string) ([]Commit, error) {
	out, err := r.Run(ctx, "rev-list", "--reverse", "--topo-order", base+".."+tip)
	if err != nil {
		return nil, err
	}
	var all []Commit
	for _, hash := range strings.Fields(out) {
		c, err := r.Show(ctx, hash)
		if err != nil {
			return nil, err
		}
		if len(c.Parents) != 1 {
			return nil, fmt.Errorf("commit %.12s %q is a merge\nnext: git -C %s rebase -i %s", hash, c.Subject(), r.Dir, base)
		}
		all = append(all, c)
	}
	return all, nil
}

// Branch is the branch that HEAD is on; empty when it is detached.
func (r Repo) Branch(ctx context.Context) string {
	out, err := r.Run(ctx, "symbolic-ref", "--quiet", "--short", "HEAD")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(out)
}
