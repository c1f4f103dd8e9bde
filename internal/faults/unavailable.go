package faults

import (
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Unavailable is a kube-apiserver that answers every request with 503 and wants it again in a
// second, as it does while it shuts down or has lost etcd. Answers that have begun go on.
func Unavailable() Fault {
	return refusal{
		name: "unavailable", retryAfter: true,
		code: http.StatusServiceUnavailable, reason: metav1.StatusReasonServiceUnavailable,
		message: "the server is currently unable to handle the request",
	}
}

// refusal answers every request with one Status.
type refusal struct {
	inert
	name       string
	code       int
	reason     metav1.StatusReason
	message    string
	retryAfter bool // in a second
}

func (f refusal) Name() string             { return f.name }
func (f refusal) meets(*http.Request) bool { return true }

func (f refusal) serve(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
	status := metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   metav1.StatusFailure,
		Message:  f.message, Reason: f.reason, Code: int32(f.code),
	}
	if f.retryAfter {
		w.Header().Set("Retry-After", "1")
		status.Details = &metav1.StatusDetails{RetryAfterSeconds: 1}
	}
	writeJSON(w, f.code, plainJSON, status)
}
