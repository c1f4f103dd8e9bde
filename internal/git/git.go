// Package git runs the git command hermetically: the same bytes come out whatever the user's configuration,
// environment, locale or time zone says. It is the only package that starts git; everything above it speaks of
// trees, commits and patches.
package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Repo is a git repository with a work tree at Dir.
type Repo struct {
	Dir string
}

// Error is a git command that ended with a non-zero code.
type Error struct {
	Args   []string // as given, without the hermetic options
	Code   int      // exit code; -1 when git was ended by a signal
	Stdout string
	Stderr string
}

// Error is one line: the verb, the code and what git said last.
func (e *Error) Error() string {
	said := strings.TrimSpace(e.Stderr)
	if said == "" {
		said = strings.TrimSpace(e.Stdout)
	}
	return fmt.Sprintf("git %s: exit code %d: %s", e.Args[0], e.Code, strings.ReplaceAll(said, "\n", "; "))
}

// hermetic are the options every call gets. Each undoes a setting that changes bytes or behaviour.
var hermetic = []string{
	"-c", "core.autocrlf=false", // a user's CRLF conversion would rewrite upstream's files on checkout
	"-c", "core.attributesFile=/dev/null", // same, by a global attributes file
	"-c", "core.excludesFile=/dev/null", // a global ignore list would hide upstream's files
	"-c", "core.hooksPath=/dev/null", // hooks may change or refuse commits
	"-c", "core.fileMode=true",
	"-c", "core.quotePath=true", // names in diffs
	"-c", "commit.gpgSign=false", // a signature is a new commit hash every time
	"-c", "am.threeWay=false", // -3 drops a patch that is already there without a word
	"-c", "am.keepcr=true", // CRLF is refused before; nothing may be stripped behind our back
	"-c", "apply.whitespace=nowarn", // "fix" would change what is applied
	"-c", "diff.noprefix=false", "-c", "diff.mnemonicPrefix=false", "-c", "diff.renames=true",
	"-c", "diff.algorithm=myers", "-c", "diff.context=3", "-c", "diff.interHunkContext=0",
	"-c", "diff.suppressBlankEmpty=false", "-c", "diff.indentHeuristic=true", // hunk shape
	"-c", "format.signature=",
	"-c", "merge.conflictStyle=zdiff3", // what was there before is what a person needs to solve a conflict
	"-c", "merge.renames=true", "-c", "merge.directoryRenames=conflict",
	"-c", "gc.auto=0", "-c", "maintenance.auto=false", // no background process is left behind
	"-c", "safe.directory=*", // a checkout given with --source may belong to somebody else
	"-c", "protocol.file.allow=always", // the same checkout is fetched by path
	"-c", "advice.detachedHead=false",
}

// Identity is who commits what carry makes; the author of a patch stays its own.
const (
	IdentityName  = "carry"
	IdentityEmail = "carry@localhost"
)

// environ starts from nothing: GIT_DIR and friends, set inside hooks and by rebases, would aim git at another
// repository.
func environ(extra ...string) []string {
	env := []string{
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_ATTR_NOSYSTEM=1",
		"GIT_TERMINAL_PROMPT=0", "GIT_EDITOR=true", "GIT_PAGER=cat",
		"GIT_COMMITTER_NAME=" + IdentityName, "GIT_COMMITTER_EMAIL=" + IdentityEmail,
		"LC_ALL=C", "TZ=UTC", "HOME=/nonexistent",
	}
	for _, key := range []string{"PATH", "TMPDIR"} {
		if v, ok := os.LookupEnv(key); ok {
			env = append(env, key+"="+v)
		}
	}
	return append(env, extra...)
}

// Run runs git in r.Dir and gives its standard output. A non-zero code is an *Error.
func (r Repo) Run(ctx context.Context, args ...string) (string, error) {
	return r.run(ctx, nil, nil, args...)
}

// RunInput is Run with text on git's standard input.
func (r Repo) RunInput(ctx context.Context, input []byte, args ...string) (string, error) {
	return r.run(ctx, input, nil, args...)
}

// RunEnv is Run with more variables ("KEY=value") in git's environment.
func (r Repo) RunEnv(ctx context.Context, env []string, args ...string) (string, error) {
	return r.run(ctx, nil, env, args...)
}

func (r Repo) run(ctx context.Context, input []byte, env []string, args ...string) (string, error) {
	stdout, _, err := r.exec(ctx, input, env, args...)
	return stdout, err
}

// runSaid is run for commands whose standard error is the answer.
func (r Repo) runSaid(ctx context.Context, input []byte, env []string, args ...string) (string, error) {
	_, stderr, err := r.exec(ctx, input, env, args...)
	return stderr, err
}

func (r Repo) exec(ctx context.Context, input []byte, env []string, args ...string) (stdout, stderr string, err error) {
	cmd := exec.CommandContext(ctx, "git", append(append([]string{}, hermetic...), args...)...)
	cmd.Dir = r.Dir
	cmd.Env = environ(env...)
	var out, said bytes.Buffer
	cmd.Stdin = bytes.NewReader(input)
	cmd.Stdout, cmd.Stderr = &out, &said
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && ctx.Err() == nil {
		err = &Error{Args: args, Code: exit.ExitCode(), Stdout: out.String(), Stderr: said.String()}
	} else if err != nil {
		err = fmt.Errorf("run git %s: %w", args[0], errors.Join(err, ctx.Err()))
	}
	return out.String(), said.String(), err
}

// Init makes an empty repository at dir, without the templates of this machine.
func Init(ctx context.Context, dir string) (Repo, error) {
	r := Repo{Dir: dir}
	_, err := r.Run(ctx, "init", "--quiet", "--template=", "--initial-branch=carry")
	return r, err
}

// CommitAll commits every file of the work tree, ignored ones too, as one commit with a fixed author and date
// (RFC 3339), so that the same files give the same commit hash.
func (r Repo) CommitAll(ctx context.Context, date, message string) error {
	if _, err := r.Run(ctx, "add", "--all", "--force", "."); err != nil {
		return err
	}
	env := []string{
		"GIT_AUTHOR_NAME=" + IdentityName, "GIT_AUTHOR_EMAIL=" + IdentityEmail,
		"GIT_AUTHOR_DATE=" + date, "GIT_COMMITTER_DATE=" + date,
	}
	_, err := r.RunEnv(ctx, env, "commit", "--quiet", "--allow-empty", "--no-verify", "--message", message)
	return err
}

// Take fetches refs ("+from:to") of a repository on this machine, with all their objects.
func (r Repo) Take(ctx context.Context, from string, refs ...string) error {
	args := []string{
		"fetch", "--quiet", "--no-tags",
		// Deltas would make the pack small, at ten times the time; it goes no further than to the next folder.
		"--upload-pack=git -c safe.directory=* -c pack.window=0 -c pack.compression=0 upload-pack",
		from,
	}
	_, err := r.Run(ctx, append(args, refs...)...)
	return err
}

// Resolve gives the full hash of a revision, an error when there is none.
func (r Repo) Resolve(ctx context.Context, rev string) (string, error) {
	out, err := r.Run(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", rev)
	if err != nil {
		return "", fmt.Errorf("resolve %q in %s: no such revision", rev, r.Dir)
	}
	return strings.TrimSpace(out), nil
}

// WorkTree gives the tree hash of the files as they are on disk, tracked or not, whatever HEAD or the index say.
// It works on a copy of the index, so that the cached file times keep it fast and nothing of the user's changes.
func (r Repo) WorkTree(ctx context.Context) (string, error) {
	index := filepath.Join(r.Dir, ".git", "index")
	scratch, err := os.CreateTemp(filepath.Join(r.Dir, ".git"), "carry-index-*")
	if err != nil {
		return "", fmt.Errorf("copy index: %w", err)
	}
	defer os.Remove(scratch.Name())
	data, err := os.ReadFile(index)
	if err == nil {
		_, err = scratch.Write(data)
	}
	if err := errors.Join(err, scratch.Close()); err != nil {
		return "", fmt.Errorf("copy index: %w", err)
	}
	env := []string{"GIT_INDEX_FILE=" + scratch.Name()}
	if _, err := r.RunEnv(ctx, env, "add", "--all", "--force", "."); err != nil {
		return "", err
	}
	out, err := r.RunEnv(ctx, env, "write-tree")
	return strings.TrimSpace(out), err
}

// Busy says whether an am, rebase or merge of the user's is under way in the work tree.
func (r Repo) Busy() bool {
	for _, name := range []string{"rebase-apply", "rebase-merge", "MERGE_HEAD", "CHERRY_PICK_HEAD"} {
		if _, err := os.Stat(filepath.Join(r.Dir, ".git", name)); err == nil {
			return true
		}
	}
	return false
}
