package faults

import (
	"context"
	"net/http"
)

type resetAfter struct{ inert }

// ResetAfter is a kube-apiserver that does what it is asked for, and a way back that is cut: each
// request reaches it, and once it begins to answer, the connection is reset instead. The client
// cannot know that a write has been done. Answers that have begun go on until their connection is
// reset with another's.
func ResetAfter() Fault { return resetAfter{} }

func (resetAfter) Name() string             { return "reset-after" }
func (resetAfter) meets(*http.Request) bool { return true }

func (resetAfter) serve(_ http.ResponseWriter, r *http.Request, next http.Handler) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel() // the rest of the answer, which a watch has without end
	next.ServeHTTP(&lost{header: http.Header{}}, r.WithContext(ctx))
	panic(http.ErrAbortHandler)
}

// lost is an answer that nobody gets.
type lost struct{ header http.Header }

func (l *lost) Header() http.Header         { return l.header }
func (l *lost) Write(b []byte) (int, error) { return 0, http.ErrAbortHandler }

// WriteHeader is called once kube-apiserver has done its work; before that it may only say that it
// goes on.
func (l *lost) WriteHeader(code int) {
	if code >= http.StatusOK {
		panic(http.ErrAbortHandler)
	}
}
