package faults

import (
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TooManyRequests is a kube-apiserver under too much load: it answers every request with 429 and
// wants it again in a second.
func TooManyRequests() Fault {
	return refusal{
		name: "too-many-requests", retryAfter: true,
		code: http.StatusTooManyRequests, reason: metav1.StatusReasonTooManyRequests,
		message: "too many requests, please try again later",
	}
}
