# Two commands do all set-up on a fresh machine: make demo (Go alone) and make test (Go, Python 3.11 or later, Java 17,
# a C compiler for the race detector).

GO       ?= go
PYTHON   ?= python3
PLATFORM  = $(shell $(GO) env GOHOSTOS)/$(shell $(GO) env GOHOSTARCH)
# Arguments with which python prints the folder of its packages.
PURELIB  := -c 'import sysconfig; print(sysconfig.get_path("purelib"))'
PYTEST   := .venv/bin/python -m pytest -q -p no:cacheprovider
PIP      := -m pip install --quiet --disable-pip-version-check --only-binary :all: --require-hashes
COMMIT   := $(shell git rev-parse --short=12 HEAD 2>/dev/null || echo unknown)
# The packages with goroutines. The race detector makes a test up to ten times slower, so the rest runs without it. Of
# the program, only the tests with several workers, with progress or with interrupts run under it.
RACE     := ./ingest/extractrun ./ingest/remote ./analyze/analyzerun ./output/dataset
RACERUN  := ^Test(WorkersAndOrder|Messages|PlainLines|Bar$$|Interrupted|MinComplete)

.PHONY: java build demo test lint types unit long race readers cookbook notebooks sites spark skew corpus bench \
  scale stages questions project fuzz soak ports generate clean release cross services slurm wheels wheels-test \
  out/wheels-venv container

build:
	$(GO) build -trimpath -ldflags '-X main.commit=$(COMMIT)' -o bin/acapscan ./cmd/acapscan

# Two steps: good archives, with a question and its answer; then damaged ones, which end with exit status 3.
demo: build
	@echo 'Step 1: scan good archives.'
	@echo './bin/acapscan scan --overwrite testdata/warc/good -o out/demo'
	@./bin/acapscan scan --overwrite testdata/warc/good -o out/demo
	@echo
	@$(GO) run ./tools/demo out/demo
	@echo
	@echo 'Step 2: scan archives that are damaged on purpose. The errors below and exit status 3 are expected.'
	@echo './bin/acapscan scan --overwrite testdata/warc/damaged -o out/demo-damaged'
	@./bin/acapscan scan --overwrite testdata/warc/damaged -o out/demo-damaged; \
	  status=$$?; test $$status -eq 3 || exit 1; \
	  echo 'Exit status 3, as expected. Table inputs in out/demo-damaged names each error.'

test: lint types long race readers notebooks spark wheels-test

lint:
	@unformatted=$$("$$($(GO) env GOROOT)/bin/gofmt" -l cmd ingest analyze output internal tools); \
	  test -z "$$unformatted" || { echo "run gofmt -w on: $$unformatted" >&2; exit 1; }
	$(GO) run ./tools/tracked
	$(GO) vet ./...
	$(GO) vet -tags countwork ./ingest/extract/markup
	$(GO) tool -modfile=.ci/tools/go.mod depguard ./...
	$(GO) tool -modfile=.ci/tools/go.mod staticcheck ./...

# The types of the Python package and of the Spark job.
types: .venv/installed
	MYPYPATH=cmd/acapscan-python/src .venv/bin/python -m mypy --strict --cache-dir out/mypy \
	  cmd/acapscan-python/src/acapscan cmd/acapscan-spark/acapscan_spark.py

# All tests of Go while you work: tests that could take minutes take a sample.
unit:
	$(GO) test ./...

# All tests of Go, with those that take minutes (internal/longtest).
long:
	ACAPSCAN_LONG=1 $(GO) test -timeout 30m ./...

race:
	@if [ "$$($(GO) env CGO_ENABLED)" = 1 ]; then \
	  $(GO) test -race -timeout 30m $(RACE) && $(GO) test -race -run '$(RACERUN)' -timeout 30m ./cmd/acapscan; \
	else echo 'make test: no C compiler, so the race detector was left out' >&2; fi

# Real readers on real output: DuckDB, pandas, pyarrow, polars and Spark read what a scan of testdata/warc writes.
readers: build java .venv/installed
	$(PYTEST) output/readers

# The answers to the queries in docs and README.md, written anew. make readers compares them.
cookbook: build .venv/installed
	-UPDATE_COOKBOOK=1 $(PYTEST) output/readers/cookbook_test.py output/readers/documents_test.py >/dev/null
	git diff --stat -- docs README.md

# Each notebook, executed on a scan of testdata/warc/good; the one about time, on one of testdata/warc/series.
notebooks: build out/wheels-venv
	PYTHONPATH="$$(out/wheels-venv/bin/python $(PURELIB))" $(PYTEST) notebooks

# pyspark comes as source.
.venv/installed: .ci/tools/requirements-build.txt .ci/tools/requirements.txt
	$(PYTHON) -m venv --clear .venv
	.venv/bin/python $(PIP) -r .ci/tools/requirements-build.txt
	.venv/bin/python $(PIP) --no-binary pyspark --no-build-isolation -r .ci/tools/requirements.txt
	@touch $@

# Spark runs on Java.
java:
	@version=$$("$${JAVA_HOME:+$$JAVA_HOME/bin/}java" -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p'); \
	  test "$${version:-0}" -ge 17 || { \
	    echo 'The tests with Spark need Java 17 or later: install a JRE, on Debian openjdk-17-jre-headless.' >&2; \
	    exit 1; \
	  }

# The generator of facts for make scale and the tests of Spark.
sites:
	$(GO) build -o bin/sites ./tools/sites

# The Spark job against scan, row for row, with tasks that die, a worker that is killed, and sites that are large.
spark: build sites java .venv/installed
	$(PYTEST) cmd/acapscan-spark

# The second half of the Spark job over one site with SKEW_PAGES pages, and the memory of the binary. It takes minutes
# and is not part of make test.
SKEW_PAGES ?= 1000000
skew: build sites java .venv/installed
	SKEW_PAGES=$(SKEW_PAGES) $(PYTEST) -s cmd/acapscan-spark -k test_memory_does_not_grow_with_a_site

# Array jobs and the Spark job over services of S3 that others wrote: versitygw, moto, and a moto that knows no
# conditional PUT, each on a free port of this machine. Not part of make test: the first run downloads and builds them
# for some minutes. They stay in SERVICES, which make clean leaves.
SERVICES  ?= .services
VERSITYGW := v1.8.0
services: build java .venv/installed $(SERVICES)/versitygw-$(VERSITYGW) $(SERVICES)/moto $(SERVICES)/moto-old
	ACAPSCAN_SERVICES=$(abspath $(SERVICES)) $(PYTEST) cmd/acapscan-spark -k test_rows_in_s3
	ACAPSCAN_SERVICES=$(abspath $(SERVICES)) ACAPSCAN_LONG=1 $(GO) test ./cmd/acapscan -run '^TestServices$$' \
	  -v -count=1 -timeout 20m

# docs/clusters/slurm on a real Slurm, a controller and two nodes on this machine. On Debian, root installs it.
# Elsewhere it is left out.
slurm:
	@if [ "$$(id -u)" -eq 0 ] && command -v apt-get >/dev/null && ! command -v slurmctld >/dev/null; then \
	  apt-get update -qq && apt-get install -y -qq --no-install-recommends slurm-wlm munge >/dev/null || exit 1; \
	fi
	@if [ "$$(id -u)" -ne 0 ] || ! command -v slurmctld >/dev/null; then \
	  echo 'make slurm: needs root, and the Debian packages slurm-wlm and munge; it was left out' >&2; \
	else \
	  echo ACAPSCAN_SLURM=1 $(GO) test ./cmd/acapscan -run '^TestSlurm$$' -v -count=1 -timeout 10m; \
	  ACAPSCAN_SLURM=1 $(GO) test ./cmd/acapscan -run '^TestSlurm$$' -v -count=1 -timeout 10m; \
	fi

$(SERVICES)/versitygw-$(VERSITYGW):
	GOBIN=$(abspath $(SERVICES))/bin $(GO) install github.com/versity/versitygw/cmd/versitygw@$(VERSITYGW)
	@touch $@

$(SERVICES)/moto: .ci/tools/services-requirements.txt
	$(PYTHON) -m venv --clear $(SERVICES)/venv
	$(SERVICES)/venv/bin/python $(PIP) -r .ci/tools/services-requirements.txt
	@touch $@

$(SERVICES)/moto-old: .ci/tools/services-old-requirements.txt
	$(PYTHON) -m venv --clear $(SERVICES)/venv-old
	$(SERVICES)/venv-old/bin/python $(PIP) -r .ci/tools/services-old-requirements.txt
	@touch $@

# Benchmarks, side by side with what acapscan is compared to; results go to docs/benchmarks and docs/performance.md. Not
# part of make test: it downloads 150 MB of Debian packages (with apt-get, nothing is installed), takes 4 GB below
# BENCH_DIR, and 25 minutes. BENCH_FLAGS go to the runner: '-only pages', '-rounds 3'.
BENCH_DIR   ?= out/bench
BENCH_FLAGS ?=
BENCH_REAL  ?= $(wildcard ../shared/data/robots-2017.warc.gz)
bench: build corpus .venv-bench/installed
	$(GO) build -o $(BENCH_DIR)/bench ./tools/bench
	$(BENCH_DIR)/bench -dir $(BENCH_DIR) -corpus $(BENCH_DIR)/corpus-writer -real '$(BENCH_REAL)' \
	  $(BENCH_FLAGS)

corpus: $(BENCH_DIR)/corpus.done

$(BENCH_DIR)/corpus.done: $(filter-out %_test.go,$(wildcard tools/corpus/*.go)) tools/bench/packages.txt
	tools/bench/fetch $(BENCH_DIR)
	$(GO) build -o $(BENCH_DIR)/corpus-writer ./tools/corpus
	rm -rf $(BENCH_DIR)/corpus $(BENCH_DIR)/sample $(BENCH_DIR)/series
	$(BENCH_DIR)/corpus-writer -pages $(BENCH_DIR)/unpacked -o $(BENCH_DIR)/corpus -sites 100000
	$(BENCH_DIR)/corpus-writer -pages $(BENCH_DIR)/unpacked -o $(BENCH_DIR)/sample -files 1 -max-pages 3000 \
	  -robots 6000 -robots-files 1
	$(BENCH_DIR)/corpus-writer -series $(BENCH_DIR)/series
	@touch $@

.venv-bench/installed: .ci/tools/bench-requirements.txt
	$(PYTHON) -m venv --clear .venv-bench
	.venv-bench/bin/python $(PIP) -r .ci/tools/bench-requirements.txt
	@touch $@

# The second stage over facts of growing size under a limit of memory; figures go to docs/scale.md and docs/benchmarks.
# Not part of make test: hours, and 20 GB below SCALE_DIR. A size is PAGES, or PAGES:SITES; PAGES:1 is one site with all
# the pages.
SCALE_DIR    ?= out/scale
SCALE_PAGES  ?= 2000000 20000000 50000000 1000000:1
SCALE_MEMORY ?= 1GB
scale: build sites
	$(GO) build -o $(SCALE_DIR)/scale ./tools/scale
	$(SCALE_DIR)/scale -dir $(SCALE_DIR) -program bin/acapscan -generator bin/sites -memory $(SCALE_MEMORY) \
	  $(SCALE_PAGES)
	$(GO) run ./tools/projection -docs docs

# Both stages over the corpora of make bench, with each value of --pages. docs/scale.md uses the result.
stages: build corpus
	$(GO) run ./tools/projection -docs docs -measure bin/acapscan -corpus $(BENCH_DIR)/corpus

# The pass between the stages over facts of robots.txt; every second one leads to another host. It takes minutes.
questions: build sites
	$(GO) run ./tools/projection -docs docs -resolve bin/acapscan -generator bin/sites

# The tables of docs/scale.md, from what docs/benchmarks holds. A test fails where the page says otherwise, so run it
# after make bench, too.
project:
	$(GO) run ./tools/projection -docs docs

# Each fuzz target of the module for FUZZTIME, one after the other; a failure does not stop the others. Not part of make
# test, which runs their corpora only. FUZZMINIMIZE limits the time in which Go makes an input smaller.
FUZZTIME     ?= 20s
FUZZMINIMIZE ?= 2s
fuzz:
	@grep -r --include='*_test.go' -o '^func Fuzz[A-Za-z0-9_]*' analyze cmd ingest internal output tools | \
	  LC_ALL=C sort | sed 's|/[^/]*:func | |' | { \
	  failed=; \
	  while read -r folder target; do \
	    echo "$$folder $$target"; \
	    $(GO) test "./$$folder" -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) \
	      -fuzzminimizetime $(FUZZMINIMIZE) </dev/null || failed="$$failed $$folder:$$target"; \
	  done; \
	  test -z "$$failed" || { echo "failed:$$failed" >&2; exit 1; }; \
	}

# Three tests, SOAK long each: damaged archives under a memory limit; both stages under one, over sites written to keep
# the second stage busy; and the steps that such sites take. A failure does not stop the others. Not part of make test,
# which runs each for some seconds.
SOAK ?= 10m
soak:
	@failed=; \
	for test in ./ingest/extractrun:TestSoak ./analyze/analyzerun:TestSoakSites \
	  ./analyze/survey:TestMixedSitesAreBounded; do \
	  echo "$$test"; \
	  SOAK=$(SOAK) ACAPSCAN_LONG=1 $(GO) test "$${test%:*}" -run "^$${test#*:}\$$" -v -timeout 0 || \
	    failed="$$failed $$test"; \
	done; \
	test -z "$$failed" || { echo "failed:$$failed" >&2; exit 1; }

# Other processors: 64 bits (arm64), 32 bits (386) and the other byte order (s390x). Not part of make test: under
# qemu-user (Debian: qemu-user-static, or QEMU=folder of its programs) tests take many times as long. A processor
# without its program is skipped with a message.
PORTED := ./ingest/archive/inflate ./ingest/archive ./ingest/facts ./output/parquet
QEMU   ?= /usr/bin
ports:
	@failed=; \
	for port in arm64:qemu-aarch64-static s390x:qemu-s390x-static 386:; do \
	  arch=$${port%%:*}; qemu=$${port#*:}; \
	  if [ -n "$$qemu" ] && ! [ -x "$(QEMU)/$$qemu" ]; then \
	    echo "make ports: there is no $(QEMU)/$$qemu, so $$arch was left out" >&2; continue; \
	  fi; \
	  if [ -z "$$qemu" ] && ! [ "$$(uname -m)" = x86_64 ]; then \
	    echo "make ports: this machine does not run $$arch, which was left out" >&2; continue; \
	  fi; \
	  CGO_ENABLED=0 GOARCH=$$arch $(GO) test -timeout 60m $${qemu:+-exec "$(QEMU)/$$qemu"} $(PORTED) || \
	    failed="$$failed $$arch"; \
	done; \
	test -z "$$failed" || { echo "failed:$$failed" >&2; exit 1; }

# What a release has: docs/releasing.md. RELEASE_FLAGS go to tools/release: '-platforms linux/amd64'.
RELEASE_FLAGS ?=
release: cross
	rm -rf out/release
	$(GO) run ./tools/release -o out/release $(RELEASE_FLAGS)

# The systems that the tests do not run on. Not part of make test: it compiles everything for each, minutes.
cross:
	GOOS=windows GOARCH=amd64 $(GO) vet ./...
	GOOS=darwin GOARCH=arm64 $(GO) vet ./...

# The Python package for this machine, and its tests in an environment that has the package alone; DuckDB, pandas and
# polars are those of .venv.
wheels:
	rm -rf out/wheels
	$(GO) run ./tools/release -o out/wheels -platforms $(PLATFORM) -kinds wheels

wheels-test: out/wheels-venv
	PYTHONPATH="$$(out/wheels-venv/bin/python $(PURELIB)):$$(.venv/bin/python $(PURELIB))" \
	  out/wheels-venv/bin/python -m pytest -q -p no:cacheprovider --import-mode=importlib cmd/acapscan-python

out/wheels-venv: wheels .venv/installed
	.venv/bin/python -m venv --clear $@
	$@/bin/python -m pip install --quiet --disable-pip-version-check --no-index out/wheels/*.whl

# An image with the binary and nothing else, acapscan:latest, by buildah (Debian: buildah), which must run in it. Not
# part of make test.
container:
	rm -rf out/image
	$(GO) run ./tools/release -o out/image -platforms linux/$(notdir $(PLATFORM)) -kinds images
	buildah build --isolation chroot --timestamp "$$(git show -s --format=%ct HEAD)" \
	  --build-arg TARGETARCH=$(notdir $(PLATFORM)) -t acapscan -f tools/release/Containerfile out/image
	@container=$$(buildah from --pull-never localhost/acapscan) && { \
	  buildah run --isolation chroot "$$container" -- /acapscan version; status=$$?; \
	  buildah rm "$$container" >/dev/null; exit $$status; }

# What is generated: dictionary and schema files of the tables, the example run, rules.md, defects.md, the output of
# commands in docs, and the archives of testdata.
generate:
	$(GO) test ./output/table -update
	$(GO) test ./output/manifest -run TestGoldenDocuments -update
	$(GO) test ./tools/conformance -run TestRulesDocument -update
	$(GO) test ./cmd/acapscan -run 'TestDefectsDocument|TestConsoles' -update
	$(GO) run ./tools/fixtures -o testdata/warc

clean:
	rm -rf bin out .venv .venv-bench
