# shellcheck shell=bash
# What Go needs where a pod's user has no home and may not write to the image's own caches; sourced by the scripts here.
if [[ ! -w "${HOME:-/}" ]]; then
	export HOME=${TMPDIR:-/tmp}/home GOPATH=${TMPDIR:-/tmp}/go
	mkdir -p "$HOME" "$GOPATH"
fi
# Images that build for the payload ask for a vendor folder; a checkout that belongs to somebody else has no VCS stamp.
GOFLAGS=${GOFLAGS:-}
export GOFLAGS="${GOFLAGS//-mod=vendor/} -buildvcs=false"
