# Each target sets up what it needs: Python 3.11, a Rust toolchain, a C compiler and make suffice.
.DELETE_ON_ERROR:
.PHONY: demo release test test-rust test-python test-ftl test-long test-long-rust test-long-python bugs mutants fuzz lint \
	lint-rust lint-python bench bench-peers builds cuts kills kills-ext4 signals settings picture playground docs \
	dist msrv clean

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
UV_VERSION := 0.13.8
MSRV := $(shell sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
SYNC := $(BIN)/uv sync --quiet --frozen --inexact --no-install-project --all-extras

export VIRTUAL_ENV := $(CURDIR)/$(VENV)
export PYO3_PYTHON := $(CURDIR)/$(BIN)/python
unexport PYTHONPATH PYTHONHOME

PYTEST := $(BIN)/pytest --numprocesses=auto --dist=loadfile
# Alone, neither what is for Rust nor what is for Python keeps two cores busy.
PARALLEL := $(MAKE) --jobs=2 --no-print-directory

CORE := python/ftlab/_core.abi3.so
PLAYGROUND := target/playground.html
# Is there as long as the core is a full build.
FULL := $(VENV)/full-core
# Tests take the crates of the quick build, so they take notes for the next build (incremental) only if it does.
NOTES = $(if $(shell ls target/debug/incremental 2>/dev/null),,CARGO_INCREMENTAL=0)
RUST := Cargo.toml Cargo.lock rust-toolchain.toml $(wildcard crates/*/Cargo.toml) \
	$(shell find crates/*/src -type f)

demo: $(CORE)
	$(BIN)/ftlab demo

# The full build of the core: slow to build, fast to run.
release: $(FULL)

# Some of the random cases, and what takes no more than seconds.
test:
	$(PARALLEL) test-rust test-python

test-rust: $(CORE)
	$(NOTES) FTLAB_LAWS_CASES=200 FTLAB_CONFIGURATIONS=300 FTLAB_KILLS_REQUESTS=2 PROPTEST_CASES=32 \
		cargo test --locked

test-python: $(CORE) $(VENV)/docs
	$(PYTEST) -m "not long"

# The unit tests of one FTL, and the laws on it: make test-ftl FTL=tpftl.
test-ftl:
	cargo test --locked -p ftlab --lib -- $(subst -,_,$(FTL))::
	FTLAB_LAWS_FTLS=$(FTL) FTLAB_LAWS_CASES=2000 cargo test --locked -p ftlab --test laws

# All of it, and the seeded bugs.
test-long:
	$(PARALLEL) test-long-rust test-long-python
	$(PYTHON) tools/bugs.py

test-long-rust:
	cargo test --locked --profile long -- --include-ignored

test-long-python: $(FULL) $(VENV)/docs
	$(PYTEST)

# The laws must catch every bug that is seeded in the core.
bugs:
	$(PYTHON) tools/bugs.py

# At night: wrong operators and return values, one after the other (.cargo/mutants.toml). Those in the file of an FTL
# alone, or a part of all: make mutants SHARD=0/100.
MUTANTS := target/mutants/bin/cargo-mutants
FILES = $(subst -,_,$(FTL))

mutants: $(MUTANTS)
	FTLAB_LAWS_CASES=9000 $(if $(FTL),FTLAB_LAWS_FTLS=$(FTL)) $(MUTANTS) mutants -p ftlab --output target/mutants \
		$(if $(FTL),-f '**/$(FILES).rs' -f '**/$(FILES)/**') $(if $(SHARD),--shard $(SHARD))

$(MUTANTS):
	cargo install --locked --version 27.1.0 --root target/mutants cargo-mutants

# SECONDS for each trace format, JOBS of them at a time; needs a nightly toolchain. Then so many whole CONFIGURATIONS.
SECONDS ?= 60
JOBS ?= 1
CONFIGURATIONS ?= 100000

FUZZER := target/fuzz/bin/cargo-fuzz

fuzz: $(FUZZER)
	$(PYTHON) tools/fuzz.py --seconds $(SECONDS) --jobs $(JOBS)
	FTLAB_CONFIGURATIONS=$(CONFIGURATIONS) cargo test --locked --profile long -p ftlab --test configurations -- \
		--nocapture

$(FUZZER):
	cargo install --locked --version 0.13.2 --root target/fuzz cargo-fuzz

lint: lint-rust lint-python

lint-rust: $(VENV)/tools
	cargo fmt --all --check
	cargo clippy --locked --workspace --all-targets -- -D warnings
	cargo clippy --locked -p ftlab --lib --example bugs --features bugs -- -D warnings

lint-python: $(CORE) $(VENV)/docs
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy --strict python/ftlab papers/ftlab_papers
	$(BIN)/python -m mypy.stubtest ftlab._core
	$(BIN)/python tools/voice.py

bench: $(FULL)
	cargo bench --locked -p ftlab
	cargo bench --locked -p ftlab-traces
	$(BIN)/python tools/speed.py target/bench

# What the quick build of the core costs to build and to run, against the full one.
builds: $(VENV)/tools
	$(BIN)/python tools/builds.py

# Ten million power cuts over all FTLs that mount, at night.
cuts: $(FULL)
	$(BIN)/python tools/cuts.py $(CUTS)

# A thousand kills of live devices under load, at night, and journals cut at each entry. Some FTLs alone, more often:
# make kills KILLS="--kills 2000 block block-optimized cachftl".
kills: $(FULL)
	FTLAB_KILLS_REQUESTS=600 cargo test --locked --profile long -p ftlab-serve --lib a_journal_that -- --nocapture
	$(BIN)/python tools/kills.py $(KILLS)

# Every command, ended by signals at random moments.
signals: $(CORE)
	$(BIN)/python tools/signals.py

# A hundred kills below a mounted ext4, as root.
kills-ext4: $(CORE)
	$(BIN)/python tools/kills_ext4.py

# Whole processes against each other: make bench-peers PEERS='"ours=.venv/bin/ftlab run ..." "theirs=./flashsim ..."'.
# Without PEERS it prints the recipes for other simulators.
bench-peers: $(if $(PEERS),$(FULL))
	$(BIN)/python tools/bench_peers.py $(PEERS)

# Writes what repeats the core: docs/settings.md, the classes of python/ftlab/_settings.py, the tables of docs/results.md.
settings: $(CORE)
	$(BIN)/python tools/settings.py

# The picture of the README, from a run.
picture: $(CORE)
	$(BIN)/python tools/readme_picture.py

docs: $(CORE) $(VENV)/docs
	$(BIN)/sphinx-build -W --keep-going -q -b html docs docs/_build/html
	@if [ -f $(PLAYGROUND) ]; then cp $(PLAYGROUND) docs/_build/html/_static/playground.html; \
	else echo "the pages lack the playground: make playground builds it"; fi
	@echo "docs/_build/html/index.html"

# One page that runs FTLs in a browser; needs a Rust target (docs/playground.md). MODULE is one that is built already.
playground: $(CORE)
	$(BIN)/python tools/playground.py -o $(PLAYGROUND) $(if $(MODULE),--module $(MODULE))

# All crates by the oldest Rust that they name, which rustup fetches if it is missing.
msrv:
	rustup run --install $(MSRV) cargo check --locked --workspace --target-dir target/msrv

# A source distribution with every crate, and from it, without network, a wheel for any Linux since 2018; both of the
# papers, too. URL is where
# the files of the repository are read; without it the README of the package has no links. TARGETS are further targets
# of rustup to build wheels for.
dist: $(VENV)/dist
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python tools/dist.py $(if $(URL),--url $(URL)) $(TARGETS:%=--target=%)

clean:
	rm -rf $(VENV) docs/_build dist ftlab-demo ftlab-reproduce ftlab-results python/ftlab/_core*.so
	rm -rf .pytest_cache .hypothesis .mypy_cache .ruff_cache
	cargo clean

$(VENV)/tools: pyproject.toml papers/pyproject.toml uv.lock
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "ftlab needs Python 3.11 or later")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)
	$(SYNC)
	touch $@

$(VENV)/docs: $(VENV)/tools
	$(SYNC) --group docs
	touch $@

$(VENV)/dist: $(VENV)/tools
	$(SYNC) --group dist
	touch $@

# A quick build, unless there is a full one of the same sources. The first one takes no notes for the next.
$(CORE): $(VENV)/tools $(RUST)
	$(if $(wildcard target/debug),,CARGO_INCREMENTAL=0) $(BIN)/maturin develop --quiet --locked --uv
	rm -f $(FULL)
	touch $@

$(FULL): $(VENV)/tools $(RUST) $(if $(wildcard $(CORE)),,FORCE)
	$(BIN)/maturin develop --quiet --release --locked --uv
	touch $(CORE) $@

FORCE:
