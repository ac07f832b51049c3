# Watchpost: `make help` lists the targets.

GO           ?= go
BIN          := bin
VERSION      ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo development)
LDFLAGS      := -s -w -X main.version=$(VERSION)
# It leaves out a second JSON library of the S3 client.
TAGS         := stdlibjson
GOLANGCI     := $(BIN)/golangci-lint
GOLANGCI_VER := v2.15.0
PEBBLE_VER   := v2.10.1
NFPM_VER     := v2.41.3
GOVULNCHECK_VER := v1.9.0
SHUFFLE      ?= on

.DEFAULT_GOAL := help

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 16

run: build ## build and run the demo: all parts in one process, no setup
	./$(BIN)/watchpost demo

cluster: build postgres ## build and run a cluster to try: PostgreSQL, three nodes, one address in front of them
	$(GO) build -o $(BIN)/cluster-demo ./specs/cluster/demo
	./$(BIN)/cluster-demo -binary ./$(BIN)/watchpost

build: ## build bin/watchpost
	CGO_ENABLED=0 $(GO) build -trimpath -tags $(TAGS) -ldflags '$(LDFLAGS)' -o $(BIN)/watchpost ./cmd/watchpost

# The packages of specs start processes, databases and browsers, and wait for them much
# of the time: three at once keep two processors busy.
test: test-packages postgres deploy-tools openapi-lint extension-test modules ## run every test once, with the race detector
	$(GO) vet ./...
	$(GO) test -race -shuffle=$(SHUFFLE) -timeout 30m $$($(GO) list ./... | grep -v /specs)
	WATCHPOST_SIM_LIVES=300 $(GO) test -count=1 -run '^TestLives$$' ./actors/sim
	$(GO) test -race -shuffle=$(SHUFFLE) -timeout 30m -p 3 ./specs/...
	cd specs/deploy/schema && $(GO) test -count=1 ./... # files of another module are no reason to run a test again
	cd specs/identity && $(GO) test -count=1 ./...

# The other modules build against the service: each change of its modules may need
# sums there. Those in testdata need code that tests generate.
modules: test-packages ## build the other modules of the repository
	@git ls-files '*/go.mod' ':!*/testdata/*' | while read -r module; do \
		echo "$${module%/go.mod}"; \
		(cd "$${module%/go.mod}" && $(GO) vet -tags sqlite_fts5 ./...) || exit 1; done

# The race detector needs a C compiler, and the README's tour jq. As root on
# Debian both are installed.
test-packages:
	@{ command -v $${CC:-gcc} && command -v jq; } >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends gcc libc6-dev jq; } || \
		{ echo "the tests need a C compiler (for the race detector) and jq" >&2; exit 1; }

test-long: test-packages postgres long-tools extension-test ## run every test, longer crash tests, more random cases and the fuzzers
	$(MAKE) --keep-going long-packages long-specs long-others test-bench-posts long-fuzz

# `make test` plays every test with the race detector. The long forms are more cases of the
# same, and play without it: it makes them six to twenty times as slow. The service that
# specs starts has it.
long-packages:
	WATCHPOST_LONG=1 $(GO) test -shuffle=$(SHUFFLE) -timeout 60m -count=1 $$($(GO) list ./... | grep -v /specs)
long-specs: # the longest ones first
	WATCHPOST_LONG=1 $(GO) test -shuffle=$(SHUFFLE) -timeout 60m -count=1 -p 3 ./specs/browser ./specs ./specs/cluster ./specs/...
long-others:
	$(MAKE) --keep-going -j3 --output-sync=target long-sim long-faults long-postgres long-cluster
long-sim:
	WATCHPOST_SIM_LIVES=500 $(GO) test -timeout 60m -count=1 -run '^TestLives$$' ./actors/sim
	WATCHPOST_SIM_LIVES=5000 $(GO) test -timeout 60m -count=1 -run '^TestLives$$' ./internal/cluster/sim
long-faults: # that the lives find: see actors/sim/README.md and internal/cluster/sim/README.md
	GOMAXPROCS=1 WATCHPOST_SIM_FAULTS=all $(GO) test -timeout 60m -count=1 -v -run '^Test(Node)?FaultsAreFound$$' ./actors/sim/planted
long-postgres:
	WATCHPOST_TEST_STORE=postgres $(GO) test -timeout 60m -count=1 -run '^(TestSpecsOnPostgres|TestCrash)$$' ./specs ./specs/crash
long-cluster:
	WATCHPOST_TEST_STORE=cluster $(GO) test -timeout 60m -count=1 -run '^TestSpecsInCluster$$' ./specs
long-fuzz:
	$(MAKE) fuzz FUZZTIME=10s

openapi: build ## write specs/openapi.json from the running service
	WATCHPOST_BINARY=$(CURDIR)/$(BIN)/watchpost $(GO) test -count=1 ./specs -run '^TestDocumentIsCommitted$$' -update

openapi-lint: ## lint the API document with redocly and spectral
	specs/openapi/lint

clients: ## generate a TypeScript and a Go client and run them against the demo
	$(GO) test -count=1 -v ./specs/clients

# NETWORK: the only network that the extension may open; without it, the one that
# the service names at pairing. SERVICE: the address that the pairing page shows.
# EXTENSION_VERSION: a higher one than that of package.json, for packages with other
# options; browsers take higher versions only.
NETWORK ?=
SERVICE ?=
ADAPTER ?= auto
BROWSER ?= chrome
EXTENSION_OPTIONS = --adapter $(ADAPTER) $(if $(NETWORK),--network $(NETWORK)) $(if $(SERVICE),--service $(SERVICE)) $(if $(EXTENSION_VERSION),--version $(EXTENSION_VERSION))
extension: ## build the browser extension: extension/dist and a zip; NETWORK=https://… SERVICE=https://… ADAPTER=auto, server or single_page BROWSER=chrome or firefox
	extension/tools node build.mjs --browser $(BROWSER) --zip watchpost-extension.zip $(EXTENSION_OPTIONS)

# Folders are relative to extension/.
PAGES ?= test/saved/server test/saved/single_page
MOST ?= 2
adapter-check: ## test the extension's adapters against saved pages, and against changed ones at MOST places of each; PAGES=folder
	extension/tools node adapter.mjs check $(PAGES)
	extension/tools node adapter.mjs change --most $(MOST) $(PAGES)
.PHONY: adapter-check

# The key is the operator's: outside of this folder, secret, and never replaced.
KEY ?= $(HOME)/.config/watchpost/extension-key.pem
extension-key: ## make the private key that updates of the extension are signed with: KEY=file
	@node extension/key.mjs $(KEY)

extension-updates: ## signed packages for serve --extension-updates, in bin/extension/updates: SERVICE=https://… KEY=file EXTENSION_VERSION=1.0.0.1
	extension/tools node build.mjs --updates $(CURDIR)/$(BIN)/extension/updates --key $(KEY) $(EXTENSION_OPTIONS)

extension-store: ## packages for the stores of Chrome and Firefox, in bin/extension: SERVICE=https://… KEY=file
	mkdir -p $(BIN)/extension
	extension/tools node build.mjs --store --out $(CURDIR)/$(BIN)/extension/chrome --zip $(CURDIR)/$(BIN)/extension/watchpost-chrome.zip $(EXTENSION_OPTIONS)
	extension/tools node build.mjs --store --browser firefox --key $(KEY) --out $(CURDIR)/$(BIN)/extension/firefox --zip $(CURDIR)/$(BIN)/extension/watchpost-firefox.zip $(EXTENSION_OPTIONS)
.PHONY: extension-key extension-updates extension-store

# The versions are those of http/dashboard/package-lock.json.
VENDOR := http/dashboard/assets/vendor
dashboard-assets: ## copy htmx and uPlot from npm into the dashboard, with their licences
	npm ci --prefix http/dashboard --ignore-scripts --no-audit --no-fund --loglevel=error
	cd http/dashboard/node_modules && cp htmx.org/dist/htmx.min.js uplot/dist/uPlot.iife.min.js uplot/dist/uPlot.min.css ../assets/vendor/
	cp http/dashboard/node_modules/htmx.org/LICENSE $(VENDOR)/htmx.LICENSE
	cp http/dashboard/node_modules/uplot/LICENSE $(VENDOR)/uPlot.LICENSE

# Exit status 69 means that tools are missing; the script prints which.
extension-test:
	@extension/tools || exit $$([ $$? = 69 ] && echo 0 || echo 1); \
	extension/tools tsc --noEmit && extension/tools vitest run

MINUTES ?= 5
SEED    ?=
drill: test-packages ## kill the service and its sessions under load for MINUTES, with faults of the store, the network, frames and clocks; check every reply and write, and count the faults; SEED replays a run
	WATCHPOST_CRASH_MINUTES=$(MINUTES) WATCHPOST_CRASH_SEED=$(SEED) $(GO) test -race -v -count=1 -timeout 0 -run '^TestCrash$$' ./specs/crash

# BUILDER is docker, podman or buildah.
BUILDER ?= docker
IMAGE   ?= watchpost:latest
image: build ## build the container image IMAGE with BUILDER
	rm -rf $(BIN)/image && mkdir -p $(BIN)/image/data
	cp $(BIN)/watchpost $(BIN)/image/
	$(BUILDER) build -f deploy/Dockerfile -t $(IMAGE) $(BIN)/image
.PHONY: image cluster-tools deploy-tools long-tools

# install-tool builds a program of the tests into bin/tools. The file with the version
# in its name says which one is there.
install-tool = GOBIN=$(CURDIR)/$(BIN)/tools $(GO) install $(1)@$(2) && touch $@ || \
	echo "$(1) cannot be built: its tests fail in CI and are skipped elsewhere" >&2
$(BIN)/tools/pebble-$(PEBBLE_VER):
	@$(call install-tool,github.com/letsencrypt/pebble/v2/cmd/pebble,$(PEBBLE_VER))

$(BIN)/tools/nfpm-$(NFPM_VER):
	@$(call install-tool,github.com/goreleaser/nfpm/v2/cmd/nfpm,$(NFPM_VER))
$(BIN)/tools/govulncheck-$(GOVULNCHECK_VER):
	@$(call install-tool,golang.org/x/vuln/cmd/govulncheck,$(GOVULNCHECK_VER))

# All files of a release have the time of the commit. PLATFORMS=linux/amd64,… builds these alone.
PLATFORMS ?=
release: $(BIN)/tools/nfpm-$(NFPM_VER) ## write archives, Debian packages, bills of materials and checksums of VERSION into dist
	$(GO) run ./deploy/release -version '$(VERSION)' -time $$(git log -1 --format=%ct) -nfpm $(BIN)/tools/nfpm -out dist $(if $(PLATFORMS),-platforms $(PLATFORMS))
	@cd dist && ls -l
	@$(GO) run ./deploy/images -check

# Tags of images move. Run this where the registries can be reached, and commit the files.
pin-images: ## write the digests of the images of others into the compose files
	$(GO) run ./deploy/images

# The databases of vulnerabilities are on the network. Without one nothing is known about
# them, which is said and is no failure. VULNDB names a copy of that of Go:
# file:///folder, as https://go.dev/security/vuln/database describes.
VULNDB ?=
audit: $(BIN)/tools/govulncheck-$(GOVULNCHECK_VER) ## check modules against go.sum, licences of all that is delivered, and known vulnerabilities; VULNDB=file:///copy of Go's database
	$(GO) mod verify
	$(GO) run ./deploy/release -audit
	@said=$$($(BIN)/tools/govulncheck $(if $(VULNDB),-db $(VULNDB)) ./cmd/watchpost 2>&1) && echo "$$said" || case "$$?: $$said" in \
		*"creating client:"*|*"fetching vulnerabilities:"*) echo "$$said"; \
			echo "audit: VULNERABILITIES OF GO MODULES WERE NOT CHECKED: the database of govulncheck cannot be read; VULNDB names a copy" >&2 ;; \
		3:*) echo "$$said"; echo "audit: known vulnerabilities, see above" >&2; exit 1 ;; \
		*) echo "$$said"; echo "audit: govulncheck failed, see above" >&2; exit 1 ;; esac
	@for folder in extension http/dashboard; do \
		found=$$(cd $$folder && npm audit --package-lock-only --omit=dev --json 2>/dev/null); status=$$?; case "$$found" in \
		*'"auditReportVersion"'*) [ $$status = 0 ] && echo "$$folder: no known vulnerabilities of npm packages" || \
			{ echo "$$found"; echo "audit: known vulnerabilities in $$folder, see above" >&2; exit 1; } ;; \
		*) echo "audit: VULNERABILITIES OF NPM PACKAGES OF $$folder WERE NOT CHECKED: npm is missing, or the registry answers no audits" >&2 ;; esac; done
.PHONY: release pin-images audit

# The tests of a cluster need HAProxy, and libfaketime for steps of the database's clock.
# As root on Debian both are installed.
cluster-tools:
	@{ command -v haproxy && ls /usr/lib/*/faketime/libfaketime.so.1; } >/dev/null 2>&1 || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends haproxy libfaketime; } || \
		echo "haproxy or libfaketime is missing: their tests fail in CI and are skipped elsewhere" >&2

# The tests of deploy need promtool, openssl and systemd-analyze. On Debian promtool is
# taken out of its package, because installing that starts a server; as root the others
# are installed.
deploy-tools: cluster-tools $(BIN)/tools/pebble-$(PEBBLE_VER)
	@[ -x $(BIN)/tools/promtool ] || command -v promtool >/dev/null || { command -v apt-get >/dev/null && \
		dir=$$(mktemp -d) && { [ "$$(id -u)" != 0 ] || apt-get update -qq; } && \
		(cd $$dir && apt-get download -qq prometheus 2>/dev/null && dpkg -x prometheus_*.deb .) && \
		mkdir -p $(BIN)/tools && cp $$dir/usr/bin/promtool $(BIN)/tools/ && rm -r $$dir; } || \
		echo "promtool is missing: its tests fail in CI and are skipped elsewhere" >&2
	@{ command -v openssl && command -v systemd-analyze; } >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends openssl systemd; } || \
		echo "openssl or systemd-analyze is missing: their tests fail in CI and are skipped elsewhere" >&2

# The long tests also make releases, audit, build an image, and boot a machine for an
# operator's day.
LONG_PROGRAMS := systemd-nspawn dbus-daemon sudo man curl buildah
long-tools: deploy-tools $(BIN)/tools/nfpm-$(NFPM_VER) $(BIN)/tools/govulncheck-$(GOVULNCHECK_VER)
	@(for name in $(LONG_PROGRAMS); do command -v $$name >/dev/null || exit 1; done) || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends systemd-container dbus sudo man-db curl buildah; } || \
		echo "one of $(LONG_PROGRAMS) is missing: the tests that need it fail in CI and are skipped elsewhere" >&2

SEED ?= 1
LIVES ?= 1
sim: ## play simulated lives: SEED=4711 plays that one, with LIVES=1000 as many from there on
	WATCHPOST_SIM_SEED=$(SEED) WATCHPOST_SIM_LIVES=$(LIVES) $(GO) test -count=1 -timeout 0 -v -run '^TestLives$$' ./actors/sim

sim-nodes: ## the same with lives of a cluster of three to five nodes
	WATCHPOST_SIM_SEED=$(SEED) WATCHPOST_SIM_LIVES=$(LIVES) $(GO) test -count=1 -timeout 0 -v -run '^TestLives$$' ./internal/cluster/sim

# Up to Go 1.26 the end of the time can fail a fuzzer with "context deadline exceeded"
# (go.dev/issue/75804). Such a failure has no input, which any other one has.
FUZZTIME ?= 10s
fuzz: ## run each fuzz test for FUZZTIME
	@$(GO) list ./... | while read -r package; do \
		$(GO) test -list '^Fuzz' $$package | grep '^Fuzz' | while read -r name; do \
			echo "$$package $$name"; \
			said=$$($(GO) test -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x $$package 2>&1) || failed=$$?; \
			echo "$$said"; \
			[ -z "$$failed" ] || { echo "$$said" | grep -qx '    context deadline exceeded' && ! echo "$$said" | grep -q 'Failing input'; } || exit 1; \
			failed=; \
		done || exit 1; \
	done

bench: build ## measure commits, queries over posts, a large team, task lives over HTTP, memory, start-up and binary size
	$(GO) test -run '^$$' -bench Commit -benchtime 1x ./persistence/badger
	$(GO) test -run '^$$' -bench . -benchtime 1x -timeout 60m ./persistence/postindex
	$(GO) test -run '^$$' -bench 'PostsPage|FeedPage' -benchtime 1x ./http
	$(GO) test -run '^$$' -bench LargeTeam -benchtime 100x ./actors ./http/api
	$(GO) test -run '^$$' -bench Seam -benchtime 300x ./actors/root
	$(GO) test -run '^$$' -bench VerifyJournal -benchtime 1x ./actors/journal
	$(GO) test -run '^$$' -bench . -benchtime 1x -timeout 60m ./specs/bench

BENCH_SESSIONS ?=
bench-sessions: ## measure 15,000 connected sessions: memory, CPU time, task lives
	$(GO) test -run '^$$' -bench Sessions -benchtime 1x -timeout 60m -v $(BENCH_SESSIONS) ./specs/bench

ATTACKS ?=
attacks: ## attack the service as strangers and hostile teams do, over the wire, and print what it cost; ATTACKS=name=path,… compares with other builds
	WATCHPOST_ATTACKS=$(or $(ATTACKS),1) $(GO) test -v -count=1 -timeout 60m -run '^TestAttacks$$' ./specs/attacks
.PHONY: attacks

load: ## 15,000 sessions and 200 clients for MINUTES, then an overload: no error, nothing grows; prints p99
	WATCHPOST_LOAD_MINUTES=$(MINUTES) $(GO) test -v -count=1 -timeout 0 -run '^TestLoad$$' ./specs/bench
.PHONY: load

PART ?= all
CLUSTER_PART = $(if $(filter all,$(PART)),Cluster,Cluster$(PART))
bench-cluster: postgres ## measure nodes on PostgreSQL; PART=lives, forward, changes, activation, memory, sessions, start or placement; specs/scale.md has the figures
ifneq ($(PART),placement)
	$(GO) test -run '^$$' -bench '(?i)^Benchmark$(CLUSTER_PART)' -benchtime 1x -timeout 120m -v $(BENCH_SESSIONS) ./specs/bench
endif
ifneq ($(filter all placement,$(PART)),)
	$(GO) run ./specs/bench/placement
endif
.PHONY: bench-cluster

CORPUS ?=
bench-prompts: ## measure prompt interpretation on both halves of the prompts, and count lines of code; CORPUS=dir recomputes the word frequencies
	$(if $(CORPUS),$(GO) run ./internal/interpret/frequencies -corpus $(CORPUS))
	$(GO) test -count=1 -v -run '^TestPromptMeasure$$' ./internal/interpret
	$(GO) test -count=1 -v -run '^TestPromptMeasure$$' ./internal/interpret -held
	@cat internal/interpret/*.go internal/interpret/provider/*.go internal/interpret/classes.txt internal/interpret/intents.txt internal/interpret/places.txt | wc -l | sed 's/$$/ lines with tests/'
	@cat $$(ls internal/interpret/*.go internal/interpret/provider/*.go internal/interpret/frequencies/*.go | grep -v _test.go) internal/interpret/classes.txt internal/interpret/intents.txt internal/interpret/places.txt | wc -l | sed 's/$$/ lines of code and tables/'

# Tests start a private server. As root on Debian PostgreSQL is installed.
postgres:
	@[ -x "$$(ls /usr/lib/postgresql/*/bin/postgres 2>/dev/null | tail -1)" ] || command -v postgres >/dev/null || \
		{ [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends postgresql; } || \
		{ echo "the tests need the programs of PostgreSQL 15 or later" >&2; exit 1; }

MINUTES ?= 10
SEED ?=
drill-cluster: postgres cluster-tools ## have faults happen to a cluster under load for MINUTES, and check every reply; SEED=n replays
	WATCHPOST_DRILL_MINUTES=$(MINUTES) WATCHPOST_DRILL_SEED=$(SEED) $(GO) test -count=1 -v -timeout $$(($(MINUTES) + 20))m -run '^TestDrill$$' ./specs/cluster

# SQLite is compiled with FTS5.
POSTS = cd specs/bench/posts && $(GO)
BENCH_POSTS ?= -results ../RESULTS.md
bench-posts: test-packages postgres ## compare queries over a million posts with PostgreSQL and SQLite; writes specs/bench/RESULTS.md
	$(POSTS) run -tags sqlite_fts5 . $(BENCH_POSTS)

test-bench-posts: test-packages postgres ## test the benchmark of posts
	$(POSTS) vet -tags sqlite_fts5 ./... && $(GO) test -tags sqlite_fts5 -count=1 ./...

lint: $(GOLANGCI) ## run golangci-lint, which also checks the import direction, and the bounds of packages and types
	$(GOLANGCI) run ./...
	$(GO) test -count=1 ./specs/layout # files of other packages are no reason to run it again

$(GOLANGCI):
	GOBIN=$(CURDIR)/$(BIN) $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VER)

fmt: $(GOLANGCI) ## format the code
	$(GOLANGCI) fmt ./...

clean: ## remove build results
	rm -rf $(BIN) extension/dist extension/watchpost-extension.zip

.PHONY: help run cluster build test modules test-packages test-long long-packages long-specs long-others long-sim long-faults long-postgres long-cluster long-fuzz openapi openapi-lint clients dashboard-assets extension extension-test fuzz sim sim-nodes bench bench-sessions postgres drill drill-cluster bench-prompts bench-posts test-bench-posts lint fmt clean
