# One line per recipe; the logic lives in Go. C= (component) and S= (stream) narrow every target.
CARRY = go run ./cmd/carry
RIG = go test ./tests/integration -count=1 -timeout 30m -parallel 6 $(if $(FAMILY),-family $(FAMILY))
.DEFAULT_GOAL := build
# What takes a minute to build is reproduced in every test; the others by `make reproduce C= S=`.
REPRODUCE = cluster-version-operator
# The API withdrawn in a network of its own: its port closed, its address removed, the route to it removed.
APART = TestScenarios/kube-controller-manager/1.37/(namespace-discovery-refused|unreachable-host|unreachable-route)$$
SWEEP = go test ./tests/integration/sweep -count=1 -run 'TestSweep$$'
.PHONY: build base controls reproduce reproduce-short test unit lint integration sweep bench demo verify update rebase export image status clean deps help

build: ## fetch, apply and build the patched components (also plain `make`)
	@$(CARRY) build $(C) $(S)

base: ## build what the tests compare with: base components, kube-apiserver, etcd
	@$(CARRY) build --base --rig

controls: ## also what scenarios of cluster-version-operator run: its base without upstream's cure, parts of its series
	@$(CARRY) build --control
	@for n in 1 2 3; do $(CARRY) build --upto $$n cluster-version-operator 4.11 || exit; done

test: deps build base controls unit lint verify reproduce-short ## everything that must pass
	@$(RIG) -short
	@$(RIG) -family ipv6-netns -run '$(APART)'
	@$(SWEEP) -timeout 15m -subset short

reproduce: build ## build twice more elsewhere, with empty caches, and compare the bytes
	@$(CARRY) reproduce $(C) $(S)

reproduce-short:
	@$(CARRY) reproduce $(REPRODUCE)

unit: ## unit and script tests with the race detector
	@go test -race -timeout 30m ./cmd/... ./internal/... ./ci/... ./tests/integration/sweep ./tests/integration/bench

lint: ## format, vet, tidy
	@go mod tidy -diff && test -z "$$(gofmt -l ci cmd internal tests | tee /dev/stderr)" && go vet ./... && go tool staticcheck ./...

integration: build base controls ## every scenario, base and patched; records the results
	@$(RIG) -v -results results

sweep: build base ## refuse the API in every window of kube-controller-manager's start (90 min; STREAM=1.23, C=cluster-version-operator for others); records it
	@$(SWEEP) -v -timeout 3h -sweep -limit 90m -record ../results/sweep $(if $(C),-component $(C)) $(if $(STREAM),-stream $(STREAM))

bench: build base ## time lost, load and memory, base beside patched (ten minutes; STREAM=1.23, C=cluster-version-operator for others)
	@go test ./tests/integration/bench -count=1 -run TestBench -v -timeout 60m -bench-run $(if $(C),-component $(C)) $(if $(STREAM),-stream $(STREAM))

demo: build base ## the first bug: base beside patched, in about a minute
	@cd tests/integration && go test -count=1 -run TestDemo -demo

verify: ## check patch files, series and ledger (ALL=1: everything again, upstream's tests on base and patched too)
	@$(CARRY) verify $(C) $(S) $(if $(ALL),--all,--quick --tests)

rebase: ## move the series C= S= to another base, TO=version or TO=DIR[@REV], on a copy, and report
	@$(CARRY) rebase $(C) $(S) $(if $(wildcard $(firstword $(subst @, ,$(TO)))),--onto,--to) $(TO)

export: ## make upstream pull requests of the patches of C= S=, or of one, P=
	@$(CARRY) export $(C) $(S) $(P)

image: ## bare images of the patched components (over a payload's image: carry image --help)
	@$(CARRY) image --bare $(C) $(S)

update: ## write what is generated (patches/README.md)
	@$(CARRY) update

status: ## pins, series, trees, binaries
	@$(CARRY) status $(C) $(S)

clean: ## remove what was made under out/
	@$(CARRY) clean $(C) $(S)

deps: ## distribution packages that building and testing need
	@$(CARRY) deps

help: ## this list
	@grep -hE '^[a-z]+:.*## ' "$(strip $(MAKEFILE_LIST))" | sed -E 's/:.*## /\t/' | expand -t 14
