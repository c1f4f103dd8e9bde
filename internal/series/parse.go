package series

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
)

// MaxLine is how long a line of a patch file may be, in bytes. Upstream's source stays far below it; more is a
// generated or binary file that went into the wrong patch.
const MaxLine = 10_000

// BadPatch is a file that cannot be a patch of a series.
type BadPatch struct {
	Path    string // empty where only bytes were parsed
	Line    int
	Message string
	Next    string // what mends it
}

// Error is "path:line: message" and what to do.
func (e *BadPatch) Error() string {
	where := e.Path
	if where != "" {
		where += ":"
	}
	return fmt.Sprintf("%s%d: %s\nnext: %s", where, e.Line, e.Message, e.Next)
}

// Findings are the bad patches in an error of Load, so that they can be told with everything else; rest is the error
// without them.
func Findings(err error) (found []Finding, rest error) {
	all := []error{err}
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		all = many.Unwrap()
	}
	for _, one := range all {
		var bad *BadPatch
		if errors.As(one, &bad) {
			found = append(found, Finding{Path: bad.Path, Line: bad.Line, Rule: "P1", Message: bad.Message, Next: bad.Next})
			continue
		}
		rest = errors.Join(rest, one)
	}
	return found, rest
}

const rewrite = "write it with git format-patch"

// Parse reads one patch file. Its errors are *BadPatch.
func Parse(name string, data []byte) (*Patch, error) {
	if bad := checkBytes(data); bad != nil {
		return nil, bad
	}
	files, preamble, err := gitdiff.Parse(bytes.NewReader(data))
	if err != nil {
		return nil, &BadPatch{Line: 1, Message: "not a patch: " + err.Error(), Next: rewrite}
	}
	header, err := gitdiff.ParsePatchHeader(preamble)
	if err != nil {
		return nil, &BadPatch{Line: 1, Message: "no mail header: " + err.Error(), Next: rewrite}
	}
	if len(files) == 0 {
		return nil, &BadPatch{Line: 1, Message: "changes no file", Next: "remove it, or " + rewrite}
	}
	for _, f := range files {
		if bad := checkFile(data, f); bad != nil {
			return nil, bad
		}
	}
	p := &Patch{Name: name, Subject: header.Title, Body: header.Body, Files: files, Data: data}
	fmt.Sscanf(name, "%04d-", &p.Number)
	p.Trailers = trailers(p.Body)
	return p, nil
}

// secondMessage is where git am would split a file: a line that a mail box starts a message with, time and year in it.
var secondMessage = regexp.MustCompile(`^From \S+ .*\d:\d\d:\d\d.* \d{4}\s*$`)

// checkBytes finds what would make git apply something else than what stands in the file, or nothing.
func checkBytes(data []byte) *BadPatch {
	if len(bytes.TrimSpace(data)) == 0 {
		return &BadPatch{Line: 1, Message: "empty file", Next: "remove it, or " + rewrite}
	}
	if !utf8.Valid(data) {
		at := 1 + bytes.Count(data[:invalidAt(data)], []byte("\n"))
		return &BadPatch{Line: at, Message: "not UTF-8", Next: rewrite + " from a commit that is UTF-8, --encode-email-headers=no"}
	}
	lines := bytes.Split(data, []byte("\n"))
	for i, line := range lines {
		switch {
		case bytes.HasSuffix(line, []byte("\r")):
			return &BadPatch{Line: i + 1, Message: "line ends in CRLF", Next: "restore the file from git (it is marked -text), or convert it with dos2unix"}
		case bytes.IndexByte(line, 0) >= 0:
			return &BadPatch{Line: i + 1, Message: "a zero byte: binary content", Next: "keep generated or binary content out of patches"}
		case len(line) > MaxLine:
			return &BadPatch{Line: i + 1, Message: fmt.Sprintf("line of %d characters, at most %d are taken", len(line), MaxLine),
				Next: "keep generated or binary content out of patches"}
		case i > 0 && secondMessage.Match(line):
			return &BadPatch{Line: i + 1, Message: "a second message in one file", Next: "split it, one patch per file"}
		}
	}
	if len(lines[len(lines)-1]) != 0 {
		return &BadPatch{Line: len(lines), Message: "no newline at the end of the file, it may be cut short", Next: "restore the file from git, or write it again with git format-patch"}
	}
	return nil
}

func invalidAt(data []byte) int {
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return 0
}

// Modes of files that a module zip can hold; what else git knows (executables, symbolic links, submodules) would be
// lost in a base that was fetched as a module.
const plainFile = 0o100644

// checkFile refuses what a series must not do to a file. Renames and deletions are carried: git am takes them, and
// they mean the same on every base.
func checkFile(data []byte, f *gitdiff.File) *BadPatch {
	name := f.NewName
	if name == "" {
		name = f.OldName
	}
	line := 1
	for _, text := range []string{"diff --git a/" + name + " ", " b/" + name + "\n"} {
		if i := bytes.Index(data, []byte(text)); i >= 0 {
			line += bytes.Count(data[:i], []byte("\n"))
			break
		}
	}
	bad := func(message, next string) *BadPatch {
		return &BadPatch{Line: line, Message: name + ": " + message, Next: next}
	}
	for _, n := range []string{f.OldName, f.NewName} {
		if n != "" && !inside(n) {
			return &BadPatch{Line: line, Message: fmt.Sprintf("%q is not a path inside the tree", n), Next: "do not use this file; a patch may change upstream's files only"}
		}
	}
	switch {
	case f.IsBinary:
		return bad("binary content", "keep generated or binary content out of patches")
	case f.IsCopy:
		return bad("a copy", rewrite+" --no-renames, or without --find-copies")
	case f.OldMode != 0 && f.NewMode != 0 && f.OldMode != f.NewMode:
		return bad(fmt.Sprintf("mode changes from %o to %o, which the base cannot hold", f.OldMode, f.NewMode), "leave the mode as it is: a base that comes as a Go module has plain files only")
	case f.IsNew && f.NewMode != 0 && f.NewMode != plainFile:
		return bad(fmt.Sprintf("a new file of mode %o, which the base cannot hold", f.NewMode), "add plain files (100644) only")
	case isLink(f.OldMode) || isLink(f.NewMode):
		return bad("a symbolic link or a submodule, which leads out of the tree", "change plain files only")
	}
	return nil
}

// isLink tells the modes of symbolic links (120000) and submodules (160000).
func isLink(mode os.FileMode) bool { return mode&0o170000 == 0o120000 || mode&0o170000 == 0o160000 }

// inside says whether a path stays in the tree and out of git's own folder.
func inside(name string) bool {
	if path.IsAbs(name) || path.Clean(name) != name || strings.ContainsAny(name, "\\\x00") {
		return false
	}
	parts := strings.Split(name, "/")
	return !slices.ContainsFunc(parts, func(p string) bool { return p == ".." || strings.EqualFold(p, ".git") })
}
