package faults

import (
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type apisRefused struct{ refusal }

// APIsRefused is half of discovery: /api is good, and /apis answers 503, in both forms. What lies
// below /apis goes through. There is no Retry-After, for the reason that PartialDiscovery gives.
func APIsRefused() Fault {
	return apisRefused{refusal{
		name: "apis-refused",
		code: http.StatusServiceUnavailable, reason: metav1.StatusReasonServiceUnavailable,
		message: "the server is currently unable to handle the request",
	}}
}

func (apisRefused) meets(r *http.Request) bool {
	root, ok := discoveryRoot(r.URL.Path)
	return ok && root == "/apis"
}
