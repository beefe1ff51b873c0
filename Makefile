# What each target does: make help
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
ARGS ?=
# A process a core; tests that share a costly fixture stay together (tests/conftest.py).
PARALLEL ?= -n auto --dist loadgroup --no-loadscope-reorder

.PHONY: help run test test-all lint ui bench clean dev

help:  ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*##/\t/'

# Pinned versions first; on a Python that they do not serve, the ranges of pyproject.toml.
# Byte-compiling afterwards matters: ray and mlflow import several times faster.
define install
	@test -x $(BIN)/python || $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "mouse needs Python 3.11 or newer: make PYTHON=/path/to/python3.11 $@"; exit 2; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --upgrade pip
	$(BIN)/python -m pip install -q -c requirements.lock -e "$(1)" || \
		$(BIN)/python -m pip install -q -e "$(1)"
	$(BIN)/python -m compileall -q -j 0 $(VENV)/lib mouse >/dev/null || true
endef

$(VENV)/.run: pyproject.toml requirements.lock
	$(call install,.)
	@touch $@

$(VENV)/.dev: pyproject.toml requirements.lock
	$(call install,.[dev])
	@touch $@ $(VENV)/.run

dev: $(VENV)/.dev  ## set up .venv for development

run: $(VENV)/.run  ## set up, then evaluate the lexicon on the sample (ARGS="model=… task=…")
	$(BIN)/python -m mouse.run $(ARGS)

test: $(VENV)/.dev  ## set up, then run the tests but for the slow ones (vLLM's where it is installed)
	@echo "left out: tests marked slow (simulations, long sweeps), and properties beyond 30 examples;" \
		"make test-all runs all of it"
	$(BIN)/python -m pytest $(PARALLEL) -m "not slow" $(ARGS)

test-all: $(VENV)/.dev  ## set up, then run all tests, the slow ones too and properties on 300 examples
	$(BIN)/python -m pytest $(PARALLEL) --hypothesis-profile=thorough $(ARGS)

lint: $(VENV)/.dev  ## ruff, mypy, the layers of the rooms, imports inside functions
	$(BIN)/ruff check mouse tests scripts
	$(BIN)/ruff format --check mouse tests scripts
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python scripts/check_imports.py

ui: $(VENV)/.run  ## open MLflow on the tracked runs (http://127.0.0.1:5000)
	$(BIN)/python -m mouse.tracking.ui $(ARGS)

bench: $(VENV)/.dev  ## measure start-up, store and metrics beside their alternatives
	$(BIN)/python scripts/bench/startup.py
	$(BIN)/python scripts/bench/store.py
	$(BIN)/python scripts/bench/metrics.py

clean:  ## remove caches and build outputs (never mlruns/, which holds paid answers)
	rm -rf build dist *.egg-info .pytest_cache .ruff_cache .mypy_cache .hypothesis
	find mouse tests scripts -name __pycache__ -type d -prune -exec rm -rf {} +
