package integration

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// inPlace runs testscript's one script in the test that calls it, which is
// named and parallel already. A script cannot skip: what did not run is not
// passed.
type inPlace struct{ *testing.T }

func (t inPlace) Run(_ string, f func(testscript.T)) { f(t) }
func (t inPlace) Parallel()                          {}
func (t inPlace) Verbose() bool                      { return false } // of success the phases are enough

// Log leaves a script that passed without a word; RunT logs after it failed.
func (t inPlace) Log(args ...any) {
	t.Helper()
	if t.Failed() {
		t.T.Log(args...)
	}
}

func (t inPlace) Skip(args ...any) { t.Fatal(args...) }
