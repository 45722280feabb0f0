# MAVR Lab. `make run` and `make test` need only Python 3.11 or newer, make and a network.
#
#   make test PYTHON=python3.12 VENV=.venv-3.12      another Python, beside the first
#   make run PORT=8600

PYTHON ?= python3
VENV ?= .venv
PORT ?= 8501
# Test processes: one per core, not more than 8.
JOBS ?= auto

PY := $(VENV)/bin/python
APP_STAMP := $(VENV)/.installed-app
DEV_STAMP := $(VENV)/.installed-dev
PIP_INSTALL := $(PY) -m pip install --quiet --disable-pip-version-check

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help run test test-quick check unit browser thorough edges monkey format install clean

help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: $(APP_STAMP) ## install what is missing and serve the app on localhost:8501
	$(PY) -m streamlit run app.py --server.address localhost --server.port $(PORT)

test: check unit browser ## formatting, lint, types, unit, property, page and browser tests
	@echo "All checks passed."

test-quick: check unit ## the same without the browser tests
	@echo "All checks but the browser tests passed."

check: $(DEV_STAMP) ## formatting, lint and types only
	$(PY) -m ruff format --check .
	$(PY) -m ruff check .
	$(PY) -m mypy

# One BLAS thread for each test process: together they already fill the cores.
unit browser thorough edges: export OPENBLAS_NUM_THREADS := 1
unit browser thorough edges: export OMP_NUM_THREADS := 1
unit browser thorough edges: export MKL_NUM_THREADS := 1

unit: $(DEV_STAMP) ## unit, property and page tests only
	$(PY) -m pytest -m "not browser" -n $(JOBS) --maxprocesses 8 --dist worksteal

# Two at a time, each with a server and a Chromium of its own: a browser test mostly waits.
browser: $(DEV_STAMP) ## browser tests only; finds or installs a Chromium first
	$(PY) -m tools.ensure_chromium
	$(PY) -m pytest tests/browser -m "browser and not thorough" -n 2 --dist worksteal

thorough: $(DEV_STAMP) ## the long walks in the browser, which `make test` leaves out
	$(PY) -m tools.ensure_chromium
	$(PY) -m pytest tests/browser -m thorough -n 2 --dist worksteal

edges: $(DEV_STAMP) ## more than 10,000 generated inputs at every edge of the app; some minutes
	$(PY) -m pytest tests/lab/test_edges.py tests/test_datasets_any_bytes.py --hypothesis-profile full -n $(JOBS) --timeout 1800

WALK_SECONDS ?= 1200
monkey: $(DEV_STAMP) ## a seeded monkey in a real browser over all pages, 20 minutes (WALK_SECONDS=120: 2)
	$(PY) -m tools.ensure_chromium
	$(PY) -m tools.monkey --seconds $(WALK_SECONDS)

format: $(DEV_STAMP) ## format the code and repair what the linter can
	$(PY) -m ruff format .
	$(PY) -m ruff check --fix .

install: $(DEV_STAMP) ## only make the environment, for running and testing

clean: ## remove the environment, caches and test output
	rm -rf $(VENV) out .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(PY):
	tools/make_venv.sh $(PYTHON) $(VENV)

# The stamps make a second run start at once: pip is called only when a list of requirements is
# newer than the last installation from it.
$(APP_STAMP): requirements.txt | $(PY)
	$(PIP_INSTALL) -r requirements.txt
	@touch $@

$(DEV_STAMP): requirements.txt requirements-dev.txt requirements-bench.txt | $(PY)
	$(PIP_INSTALL) -r requirements-dev.txt
	@$(PIP_INSTALL) -r requirements-bench.txt >/dev/null 2>&1 || \
		echo "graphlearning was not built (it needs a C++ compiler): bench runs without that peer"
	@touch $@ $(APP_STAMP)

# `make -j` must not run two installations, or the browser beside the unit tests, at once.
.NOTPARALLEL:
