#!/bin/bash
# Tries every series on the newest upstream releases, in the project's folder, and reports; nothing checked in changes.
# A stream goes to the newest release of its own line, a component's newest stream also to the newest of all. A module
# without releases (the operator's) goes to the head of its branch release-<stream>.
#
# ARTIFACT_DIR gets the report of each rebase as JSON, and junit_rebase.xml. Exit code 0: all can move as they are; 2: a
# person has to go on with one or more, as its report says; 1: something could not be told, which is worse, since
# nobody knows what it hides.
set -euo pipefail

# shellcheck source=ci/environment.sh
source "$(dirname "$0")/environment.sh"
artifacts=${ARTIFACT_DIR:-out/report/rebase}
mkdir -p "$artifacts"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# CARRY names another carry, as in the Makefile. Built, since `go run` makes every exit code 1.
carry=${CARRY:-$scratch/carry}
if [[ -z "${CARRY:-}" ]]; then
	go build -o "$carry" ./cmd/carry
fi

ask() { GOWORK=off go -C "$1" list -m "${@:2}"; }

# versions prints what the stream in folder $1, of module $2, is tried on; $3 tells whether it is the newest stream.
versions() {
	local dir=$1 module=$2 newest=$3 stream all line
	stream=$(basename "$dir")
	all=$(ask "$dir" -versions -f '{{range .Versions}}{{println .}}{{end}}' "$module") || return
	# Pre-releases have a hyphen; so have versions made from commits.
	all=$(grep -v -- - <<<"$all") || true
	line=$(grep -F "v$stream." <<<"$all" | tail -n 1) || true
	if [[ -z "$line" ]]; then
		ask "$dir" -f '{{.Version}}' "$module@release-$stream"
		return
	fi
	echo "$line"
	if [[ "$newest" == yes && "$(tail -n 1 <<<"$all")" != "$line" ]]; then
		tail -n 1 <<<"$all"
	fi
}

# escape makes text fit for XML, where even an escaped control character is refused.
escape() { tr -d '\000-\010\013\014\016-\037' | sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g; s/"/\&quot;/g'; }

tests=0 failures=0 errors=0 cases=

# record adds what came of $1: exit code $2, and standard error in the file $3.
record() {
	local name=$1 code=$2 text
	text=$(escape <"$3")
	tests=$((tests + 1))
	cases+="  <testcase classname=\"rebase\" name=\"$(escape <<<"$name")\">"
	case "$code" in
	0) echo "$name: clean" ;;
	2)
		failures=$((failures + 1))
		cases+="<failure message=\"a person has to go on\">$text</failure>"
		echo "$name: needs a person"
		;;
	*)
		errors=$((errors + 1))
		cases+="<error message=\"exit code $code\">$text</error>"
		echo "$name: cannot tell"
		;;
	esac
	cat "$3" >&2
	cases+=$'</testcase>\n'
}

# try rebases stream $2 of component $1 onto each version, and goes on after one that fails.
try() {
	local component=$1 stream=$2 found version code
	if ! found=$(versions "components/$component/$stream" "$3" "$4" 2>"$scratch/err"); then
		record "$component $stream" 1 "$scratch/err"
		return
	fi
	for version in $found; do
		code=0
		"$carry" rebase "$component" "$stream" --to "$version" -o json \
			>"$artifacts/rebase-$component-$stream-$version.json" 2>"$scratch/err" || code=$?
		record "$component $stream $version" "$code" "$scratch/err"
	done
}

for manifest in components/*/component.yaml; do
	component=$(basename "$(dirname "$manifest")")
	module=$(sed -n 's/^module: *//p' "$manifest")
	mapfile -t streams < <(for pin in "components/$component"/*/go.mod; do basename "$(dirname "$pin")"; done | sort -V)
	for stream in "${streams[@]}"; do
		newest=no
		if [[ "$stream" == "${streams[-1]}" ]]; then newest=yes; fi
		try "$component" "$stream" "$module" "$newest"
	done
done

cat >"$artifacts/junit_rebase.xml" <<END
<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="rebase" tests="$tests" failures="$failures" errors="$errors">
$cases</testsuite>
END
if ((errors > 0)); then exit 1; fi
if ((failures > 0)); then exit 2; fi
