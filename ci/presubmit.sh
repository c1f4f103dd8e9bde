#!/bin/bash
# What a pull request runs in OpenShift's CI, in the project's folder: ci/presubmit.sh unit|verify|integration|sweep.
# Reports go to ARTIFACT_DIR, also those of a run that failed. The exit code is that of the part: 0 or not.
set -euo pipefail

# shellcheck source=ci/environment.sh
source "$(dirname "$0")/environment.sh"
artifacts=${ARTIFACT_DIR:-out/report/artifacts}
mkdir -p "$artifacts"
# A pod has no root, no network namespaces and no browser. With CI set that is an error; without it, what needs them is
# counted and printed as not run. The project's own CI is root and runs it.
unset CI

# sweep_streams are the streams of this shard: every n-th of all. The job's name is the one thing that tells a shard.
sweep_streams() {
	local shard=1 shards=1 i=0 dir
	if [[ "${JOB_NAME:-}" =~ -([0-9]+)of([0-9]+)$ ]]; then
		shard=${BASH_REMATCH[1]} shards=${BASH_REMATCH[2]}
	fi
	for dir in components/kube-controller-manager/*/; do
		if ((i++ % shards == shard - 1)); then
			basename "$dir"
		fi
	done
}

# sweep leaves each stream's page, JSON and JUnit, under the name by which the job's page finds a JUnit.
sweep() {
	local stream file failed=0
	for stream in $(sweep_streams); do
		make sweep "STREAM=$stream" || failed=1
		for file in out/report/sweep/"$stream"-*/sweep.{html,json,xml}; do
			case "$file" in
			*.xml) cp "$file" "$artifacts/junit_sweep_$stream.xml" || failed=1 ;;
			*) cp "$file" "$artifacts/sweep-$stream.${file##*.}" || failed=1 ;;
			esac
		done
	done
	return "$failed"
}

integration() {
	local failed=0
	make integration || failed=1
	cp tests/integration/results/scenarios-*.json "$artifacts"
	return "$failed"
}

case "${1:-}" in
unit) make unit lint ;;
verify) make verify ;;
integration) integration ;;
sweep) sweep ;;
*)
	echo "presubmit: unknown part \"${1:-}\"" >&2
	echo "next: ci/presubmit.sh unit, verify, integration or sweep" >&2
	exit 1
	;;
esac
