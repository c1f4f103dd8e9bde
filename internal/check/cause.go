package check

import "strings"

// causes are how the standard library and client-go word that the API server could not be reached or gave no lasting
// answer; the first that a message holds names it.
var causes = []string{
	"connection refused",
	"connection reset by peer",
	"no route to host",
	"network is unreachable",
	"cannot assign requested address",
	"TLS handshake timeout",
	"i/o timeout",
	"Client.Timeout exceeded",
	"client connection force closed",
	"client connection lost",
	"unexpected EOF",
	"the server is currently unable to handle the request",
	"an error on the server",
	"too many requests",
	"apiserver being healthy: timed out",
	"apiserver being healthy: context deadline exceeded",
	"context deadline exceeded",
	": EOF",
}

// unreachable names why the API could not be asked, "" if the message says nothing of the kind. Refusals by somebody
// else are none: cloud providers are asked in the same start.
func unreachable(message string) string {
	if strings.Contains(message, "cloud provider") || strings.Contains(message, "169.254.169.254") {
		return ""
	}
	for _, cause := range causes {
		if strings.Contains(message, cause) {
			return strings.TrimPrefix(cause, ": ")
		}
	}
	return ""
}
