# Everything runs in .venv, which each target brings up to date first.
# `make app` and `make test` need Python 3.11 or 3.12 with venv, and nothing before them.

PYTHON := .venv/bin/python
PORT ?= 8501
PYTEST_ARGS ?=
DIFFERENTIAL_ARGS ?=
DETECTION_ARGS ?=
BENCHMARKS := $(patsubst benchmarks/%.py,bench-%,$(filter-out benchmarks/results.py,$(wildcard benchmarks/*.py)))

.DEFAULT_GOAL := help
.PHONY: help venv venv-dev app test test-long check fix bench $(BENCHMARKS) studies differential detection clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z%-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

venv: ## Make .venv and install what the console needs (done by the others as needed)
	@scripts/venv requirements.txt

venv-dev:
	@scripts/venv requirements-dev.txt

app: venv ## Serve the console on http://127.0.0.1:8501 (PORT=8601 for another port)
	@$(PYTHON) scripts/free_port.py $(PORT)
	@$(PYTHON) -m streamlit run app.py --server.port $(PORT)

# Tests with a server or a browser share the two cores with what they start: one at a time.
test: venv-dev ## Run the tests (PYTEST_ARGS="tests/store -x" for some of them)
ifneq ($(PYTEST_ARGS),)
	@$(PYTHON) -m pytest $(PYTEST_ARGS)
else
	@$(PYTHON) -m pytest -n 2 -m "not server and not browser and not long"
	@$(PYTHON) -m pytest -m "(server or browser) and not long"
endif

test-long: venv-dev ## Run the long forms of the tests, which 'make test' leaves out
	@$(PYTHON) -m pytest -m long

check: venv-dev ## Lint, formatting, types, import contracts; changes nothing
	@rc=0; \
	.venv/bin/ruff check . || rc=1; \
	.venv/bin/ruff format --check . || rc=1; \
	$(PYTHON) -m mypy || rc=1; \
	.venv/bin/lint-imports --no-logo || rc=1; \
	exit $$rc

fix: venv-dev ## Repair formatting and what the linter can repair
	@.venv/bin/ruff check --fix .
	@.venv/bin/ruff format .

bench: $(BENCHMARKS) ## Run every benchmark; figures also go to benchmarks/out/ (bench-NAME for one)
	@$(if $(BENCHMARKS),,echo "There are no benchmarks in benchmarks/ yet.")

$(BENCHMARKS): bench-%: venv-dev
	@$(PYTHON) -m benchmarks.$*

studies: bench-example_studies ## Run the example studies whole and check exit codes and seconds

differential: venv-dev ## Hold the linter against the real Triton: 1,000 configurations, 10,000 damaged files
	@$(PYTHON) -m benchmarks.differential $(DIFFERENTIAL_ARGS)

detection: venv-dev ## Play every fault of the catalogue on the real Triton and put it to every oracle
	@$(PYTHON) -m benchmarks.detection $(DETECTION_ARGS)

clean: ## Remove .venv, caches and benchmark results; your runs and records stay
	@rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache benchmarks/out
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
