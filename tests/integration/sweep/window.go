package sweep

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"carry/internal/faults"
)

// A Window is a request of the start: the N-th of a method and a path
// template.
type Window struct {
	Method string
	Path   string // "{}" stands for one segment
	N      int    // from 1
}

// parseWindow reads what String writes.
func parseWindow(text string) (Window, error) {
	m, err := faults.ParseMatch(text)
	if err != nil || m.Method == "" || m.Path == "" || m.N == 0 {
		return Window{}, fmt.Errorf(`parse window %q: want "METHOD /path #N"`, text)
	}
	return Window(m), nil
}

func (w Window) String() string { return faults.Match(w).String() }

// MarshalText is for JSON.
func (w Window) MarshalText() ([]byte, error) { return []byte(w.String()), nil }

// UnmarshalText is for JSON.
func (w *Window) UnmarshalText(text []byte) (err error) {
	*w, err = parseWindow(string(text))
	return err
}

// family is the method and the path template without the service account.
func (w Window) family() string { return w.Method + " " + familyPath(w.Path) }

// match is the window in a run whose own namespace is this one.
func (w Window) match(namespace string) *faults.Match {
	path := strings.Replace(w.Path, "/namespaces/{}", "/namespaces/"+namespace, 1)
	return &faults.Match{Method: w.Method, Path: path, N: w.N}
}

func compareWindows(a, b Window) int {
	return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Method, b.Method), cmp.Compare(a.N, b.N))
}

// windowsOf names the requests of one start. A renewal of the lease is like
// the next, as is an event: they are one window each.
func (c component) windowsOf(requests []faults.Request) []Window {
	count := map[Window]int{}
	var windows []Window
	for _, r := range requests {
		w := Window{Method: r.Method, Path: c.pathTemplate(r.Path)}
		count[w]++
		if n := count[w]; n == 1 || !c.repeats(w) {
			w.N = n
			windows = append(windows, w)
		}
	}
	return windows
}

func (c component) repeats(w Window) bool {
	return w.Method == "PUT" && c.lease(w.Path) || strings.HasSuffix(w.Path, "/events")
}

// share splits what runs had into the windows of all, and the rare ones of
// only some; both sorted.
func share(runs [][]Window) (all, rare []Window) {
	count := map[Window]int{}
	for _, run := range runs {
		for _, w := range run {
			count[w]++
		}
	}
	for w, n := range count {
		if n == len(runs) {
			all = append(all, w)
		} else {
			rare = append(rare, w)
		}
	}
	slices.SortFunc(all, compareWindows)
	slices.SortFunc(rare, compareWindows)
	return all, rare
}
