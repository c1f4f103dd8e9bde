// Package faults is the TLS-ending proxy between a control-plane component and a real
// kube-apiserver, and the troubles it can make there. A fault is aimed at a request (Trigger), is
// switched on with Refuse and off with Allow, and keeps the proxy's address the same throughout.
//
//	                    port          connection             request
//	              +---------------+---------------+----------------------------+
//	component --->| bound, listens| TLS, HTTP/2   | seen --> At? --> forwarded |---> kube-apiserver
//	  (bearer     |       |       | or HTTP/1.1   |            |               |     (HTTP/2, headers
//	   token) <---|       |       |       |       |<- After? <-+-- answered    |<--- and token as sent)
//	              +-------|-------+-------|-------+------------|---------------+
//	                   refused      reset, blackhole   partial-discovery
//	              (kernel answers    half-open        empty-, apis-
//	               ECONNREFUSED)     tls-hang         unavailable, too-many-
//	                                 wrong-ca         forbidden, unhealthy
//	                                (open ones cut    (answered here, legacy-
//	                                 or frozen)       too); reset-after
//
// A new kind of fault is one new file with a type that embeds inert, and one line in ParseFault's
// table.
package faults
