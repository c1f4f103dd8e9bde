package faults

import (
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Forbidden is a kube-apiserver that has not read its roles yet, or never will: it answers every
// request with 403.
func Forbidden() Fault {
	return refusal{
		name: "forbidden", code: http.StatusForbidden, reason: metav1.StatusReasonForbidden,
		message: "the user is not allowed to do this",
	}
}
