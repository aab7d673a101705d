# Everything a contributor needs; `make` alone lists it. The Python environment is in .venv/, what is downloaded for
# the tests of the real editor in .build/, and nothing is installed anywhere else (but see `chromium`).

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

PYTHON ?= python3
BIN := .venv/bin
EXTENSION := vscode-extension
NPM_READY := $(EXTENSION)/node_modules/.package-lock.json
VSIX := $(EXTENSION)/algorithmic-debug.vsix
CODE_SERVER := .build/code-server
HAVE_NODE := $(shell command -v node >/dev/null && command -v npm >/dev/null && echo yes)
# What ends up in the extension: its own code, and the two Python packages it brings along.
EXTENSION_FILES := $(shell find adapter/algodebug tracer/algotrace $(EXTENSION) \
  \( -name node_modules -o -name dist -o -name out -o -name bundled -o -name __pycache__ -o -name '*.vsix' \) -prune -o -type f -print 2>/dev/null)

export CODE_SERVER_DIR := $(CURDIR)/$(CODE_SERVER)

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z.-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

# --- the Python environment ---------------------------------------------------------------------------------------

.PHONY: .venv
.venv: .venv/.ready ## the Python environment; made anew only when pyproject.toml changes

.venv/.ready: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { echo "Python 3.10 or newer is needed; say which with make PYTHON=..." >&2; exit 1; }
	$(PYTHON) -m venv .venv || { echo "no virtual environment could be made; on Debian: apt-get install python3-venv" >&2; exit 1; }
	$(BIN)/pip install --quiet --editable '.[dev]'
	@touch $@

# --- using it -----------------------------------------------------------------------------------------------------

.PHONY: demo
demo: .venv/.ready ## find the bug of examples/isprime.py, the answers coming from its corrected copy
	@FORCE_COLOR=$${FORCE_COLOR-1} $(BIN)/algodebug run --reference examples/fixed/isprime.py examples/isprime.py

.PHONY: vsix
vsix: $(VSIX) ## the installable extension, vscode-extension/algorithmic-debug.vsix

.PHONY: vscode
vscode: $(VSIX) $(CODE_SERVER)/.ready ## VS Code in the browser with the extension and the examples; prints its address
	node $(EXTENSION)/scripts/vscode.mjs

$(NPM_READY): $(EXTENSION)/package-lock.json
	@[ -n "$(HAVE_NODE)" ] || { echo "Node 20 and npm are needed for the extension" >&2; exit 1; }
	cd $(EXTENSION) && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

$(VSIX): $(NPM_READY) .venv/.ready $(EXTENSION_FILES)
	cd $(EXTENSION) && npm run --silent package
	@touch $@

# --- checking it --------------------------------------------------------------------------------------------------

.PHONY: check
check: .venv/.ready $(if $(HAVE_NODE),$(NPM_READY)) ## format, lint and types; the extension's types where Node is there
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(if $(HAVE_NODE),cd $(EXTENSION) && npm run --silent typecheck,@echo "Node is not installed: the extension was not checked")

.PHONY: test
test: .venv/.ready editor ## all tests, those of the real editor included
	$(if $(HAVE_NODE),cd $(EXTENSION) && npm test --silent)
	@# Thousands of processes import them, also where no bytecode is to be written.
	@$(BIN)/python -m compileall -q adapter tracer
	$(BIN)/pytest -n auto --dist loadfile

.PHONY: test-editor
test-editor: .venv/.ready editor ## the tests of the real editor alone
	$(BIN)/pytest tests/extension

.PHONY: test-cpython
test-cpython: .venv/.ready ## CPython's own tests, recorded and unrecorded; every difference has its reason
	$(BIN)/python tests/cpython/compare.py

.PHONY: test-packages
test-packages: .venv/.ready ## the test suites of packages from the index, recorded and unrecorded
	$(BIN)/python tests/suites/compare.py

# Other draws with every run; SEED=… repeats one.
SEED := $(or $(SEED),$(shell date +%s))

.PHONY: soundness
soundness: .venv/.ready ## the long form of what is drawn at random: searches of 100,000 recorded programs (PROGRAMS=…, SEED=…), of trees, transformations
	@echo "SEED=$(SEED)"
	$(BIN)/python tests/properties/soundness.py --seed $(SEED) --programs $(or $(PROGRAMS),100000)
	ALGODEBUG_SEED=$(SEED) ALGODEBUG_SEARCHES=20000 ALGODEBUG_TREES=10000 $(BIN)/pytest -q tests/adapter/test_search_soundness.py tests/properties/test_transformations.py

.PHONY: bench
bench: .venv/.ready ## what recording costs, next to other tools; runs interleaved (BENCH=--quick: whether it works)
	$(BIN)/python benchmarks $(BENCH)

.PHONY: bench-search
bench-search: .venv/.ready ## how many questions a search needs on recorded programs, and its time in large trees
	$(BIN)/python benchmarks/search.py
	$(BIN)/python benchmarks/search_scale.py

.PHONY: bench-slices
bench-slices: .venv/.ready ## how much of a wrong call slices take away, on bugs planted in published packages
	$(BIN)/python benchmarks/slices.py

# What the editor tests need. Without Node or Chromium they say so and skip, but in CI (CI=true) they fail.
.PHONY: editor
editor: $(if $(HAVE_NODE),$(VSIX) $(CODE_SERVER)/.ready) chromium

$(CODE_SERVER)/.ready: tests/extension/install-code-server.sh
	@mkdir -p $(CODE_SERVER)
	bash tests/extension/install-code-server.sh $(CODE_SERVER) > $(CODE_SERVER).log 2>&1 || { tail -20 $(CODE_SERVER).log >&2; exit 1; }
	@touch $@

# The one thing that comes from the system: a browser. It is installed only where it is missing and we may do so.
.PHONY: chromium
chromium:
	@if ! command -v chromium >/dev/null && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core >/dev/null; \
	fi

# --- cleaning up --------------------------------------------------------------------------------------------------

.PHONY: clean
clean: ## remove everything that make made
	rm -rf .venv .build .algodebug .pytest_cache .mypy_cache .ruff_cache .hypothesis
	rm -rf $(EXTENSION)/node_modules $(EXTENSION)/dist $(EXTENSION)/out $(EXTENSION)/bundled $(VSIX)
	find adapter tracer tests examples benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +
