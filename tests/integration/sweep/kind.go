package sweep

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"

	"carry/internal/faults"
)

// kind is a trouble that a cell makes.
type kind struct {
	name   string
	fault  string         // in the words of faults.ParseFault
	then   string         // a second one that begins where the first ends; empty: none
	only   *regexp.Regexp // paths of the requests that meet it; nil: all
	writes bool           // only requests that write meet it
	slack  time.Duration  // what a client needs to notice; 0: nothing to speak of
	more   int            // goroutines that it leaves base with, too
	apart  bool           // each request that met it dials for itself in the end, and base's do, too
}

// after is how long the second fault of a kind lasts.
const after = 3 * time.Second

// resync is when the garbage collector and the quota controller look again at
// a discovery that they have taken for true.
const resync = 30 * time.Second

// dropped are the goroutines of 19 handlers: when discovery comes up empty, the
// quota controller drops its monitors, and later makes them anew, but those of
// shared informers stay.
const dropped = 2 * 19

// kinds are all that a cell can name. Those that stay fatal on purpose (a
// wrong CA, a 403 that lasts) are scenarios.
var kinds = []kind{
	{name: "refused", fault: "refused"},
	{name: "unavailable", fault: "unavailable"},
	{name: "reset", fault: "reset"},
	{name: "reset-after", fault: "reset-after", writes: true}, // done, and the answer lost
	{name: "blackhole", fault: "blackhole"},
	{name: "half-open", fault: "half-open", slack: 45 * time.Second, apart: true}, // a ping after 30 s, and 15 s for its answer
	{name: "tls-hang", fault: "tls-hang"},
	{name: "too-many-requests", fault: "too-many-requests"},
	{name: "refused-forbidden", fault: "refused", then: "forbidden"},
	{name: "unhealthy", fault: "unhealthy", only: regexp.MustCompile(`^/healthz$`)},
	{name: "apis-refused", fault: "apis-refused", only: apis, slack: resync},
	{name: "empty-discovery", fault: "empty-discovery", only: roots, slack: resync, more: dropped},
	{name: "partial-discovery", fault: "partial-discovery certificates.k8s.io", only: partial, slack: resync},
	{name: "legacy-apis-refused", fault: "legacy-apis-refused", only: roots, slack: resync}, // also /api, which decides on the form
	{name: "legacy-empty-discovery", fault: "legacy-empty-discovery", only: roots, slack: resync, more: dropped},
	{name: "legacy-partial-discovery", fault: "legacy-partial-discovery certificates.k8s.io", only: either, slack: resync},
}

// Where discovery is met.
var (
	apis    = regexp.MustCompile(`^/apis$`)
	roots   = regexp.MustCompile(`^/apis?$`)
	partial = regexp.MustCompile(`^/apis(/certificates\.k8s\.io/.*)?$`)
	either  = regexp.MustCompile(roots.String() + "|" + partial.String())
)

func kindNamed(name string) (kind, error) {
	var names []string
	for _, k := range kinds {
		if k.name == name {
			return k, nil
		}
		names = append(names, k.name)
	}
	return kind{}, fmt.Errorf("no kind %q: want one of %s", name, strings.Join(names, ", "))
}

func (k kind) meets(w Window) bool {
	return (k.only == nil || k.only.MatchString(w.Path)) && (!k.writes || w.Method != http.MethodGet)
}

// faults makes its one or two faults.
func (k kind) faults() (first, second faults.Fault, err error) {
	if first, err = faults.ParseFault(k.fault); err != nil || k.then == "" {
		return first, nil, err
	}
	second, err = faults.ParseFault(k.then)
	return first, second, err
}
