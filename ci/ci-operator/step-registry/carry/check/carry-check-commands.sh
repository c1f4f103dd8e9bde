#!/bin/bash
# Exit codes of carry check: 0 nothing met, 2 a bug was met, 3 cannot tell, 4 the API still refuses, 1 an error. Each
# but 0 fails the job.
set -euo pipefail

# shellcheck source=ci/environment.sh
source ci/environment.sh
# Built, not `go run`, which would make every exit code 1; and before the proxy, which leads to the cluster only.
bin=$(mktemp -d)
go build -o "$bin/carry" ./cmd/carry

if [[ ! -s "${KUBECONFIG:-}" ]]; then
	echo "carry check: no kubeconfig, the installation did not come that far: cannot tell" >&2
	exit 3
fi
# An offline cluster is reached through the proxy that its installation has left behind.
if [[ -f "${SHARED_DIR}/proxy-conf.sh" ]]; then
	# shellcheck source=/dev/null
	source "${SHARED_DIR}/proxy-conf.sh"
fi
exec "$bin/carry" check --kubeconfig "$KUBECONFIG" --junit "${ARTIFACT_DIR}/junit_carry_check.xml"
