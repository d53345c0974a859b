# Two commands on a fresh machine: `make demo` and `make test`. Needs only make, git and Python 3.11 or newer.

# The interpreter that makes .venv; `make PYTHON=/path/to/python3.12 demo` chooses another one.
ifndef PYTHON
PYTHON := $(shell for name in python3 python3.13 python3.12 python3.11 python; do \
	if $$name -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then echo $$name; break; fi; done)
endif

# Workers of pytest: 0 runs in one process, N in N processes.
WORKERS ?= 2
# More options for pytest, such as PYTEST_OPTIONS='-k eel -x'.
PYTEST_OPTIONS ?=

VENV := .venv
BIN := $(VENV)/bin
CREATED := $(VENV)/.created
INSTALLED := $(VENV)/.installed
INSTALLED_DEV := $(VENV)/.installed-dev
export DEV_TOOLS := import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["dev"], sep="\n")
PINS := pyproject.toml constraints.txt
# Every process of the tests would compile the sources anew
unexport PYTHONDONTWRITEBYTECODE
# No bytecode for modules that nobody imports: that is half the time of an installation
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -c constraints.txt

.DEFAULT_GOAL := help
.PHONY: help demo test lint checks test-long coverage studio-test bench docs screenshots clean

help:
	@echo "make demo    create .venv, install, simulate the swimming eel and draw its figures"
	@echo "make test    create or reuse .venv with the dev tools; run ruff, mypy and pytest"
	@echo "make test-long  what make test leaves out: all of validation, all mutants, every field of the studio (an hour or more)"
	@echo "make coverage  count the branches of mechanics/ and models/ that tests reach; fails below 90 %"
	@echo "make docs    build the documentation site into site/ (warnings are errors)"
	@echo "make bench   time limbless side by side with other engines"
	@echo "make studio-test  type every field of every scenario into the studio, in a real browser (long)"
	@echo "make screenshots  take a picture of every scenario in the studio"
	@echo "make clean   remove .venv, runs/ and all caches"
	@echo
	@echo "PYTHON=...   the interpreter that makes .venv (now: $(or $(PYTHON),none found))"
	@echo "WORKERS=4    run pytest in that many processes (now: $(WORKERS))"

demo: $(INSTALLED)
	@$(BIN)/limbless demo
	@echo "== done: the figures are in $(CURDIR)/runs/demo/figures"

# Compiling takes one core, installing the other; mypy takes what pytest leaves while it waits for browsers and programs.
test: $(INSTALLED)
	@echo "== compiling the kernels, and beside it:  (a minute or two the first time)"
	@$(BIN)/limbless warmup > $(VENV)/warmup.log 2>&1 & compiling=$$!; typing=; trap 'kill $$compiling $$typing; exit 130' INT TERM; \
	$(MAKE) --no-print-directory lint; linted=$$?; \
	if test $$linted -eq 0; then $(BIN)/mypy > $(VENV)/mypy.log 2>&1 & typing=$$!; fi; \
	wait $$compiling; compiled=$$?; cat $(VENV)/warmup.log; \
	test $$linted -eq 0 || exit $$linted; \
	test $$compiled -eq 0 || { kill $$typing; exit $$compiled; }; \
	echo "== pytest, and beside it mypy"; \
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal $(PYTEST_OPTIONS); tested=$$?; \
	wait $$typing; typed=$$?; echo "== mypy"; cat $(VENV)/mypy.log; \
	test $$tested -eq 0 && exit $$typed; exit $$tested

lint: $(INSTALLED_DEV)
	@echo "== ruff"
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check --quiet .

checks: lint
	@echo "== mypy"
	@$(BIN)/mypy

# Each part runs though another has failed; the last line says whether any did.
test-long: $(INSTALLED_DEV)
	@failed=0; \
	echo "== one file each, compiled"; $(BIN)/python tests/plain/one_file.py || failed=1; \
	echo "== tests marked long"; $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal --long || failed=1; \
	echo "== every random scenario"; $(BIN)/python -m pytest -n $(WORKERS) tests/fuzz --every-case || failed=1; \
	echo "== every mutant"; $(BIN)/limbless validate --mutants || failed=1; \
	echo "== every case of validation"; $(BIN)/limbless validate --write || failed=1; \
	echo "== every scenario in the studio, every field of it"; $(BIN)/python -m pytest -n $(WORKERS) tests/browser --every-scenario || failed=1; \
	exit $$failed

# Branches of mechanics/ and models/: compiled code is invisible, so kernels also run as plain Python (a test there for at most a second);
# compiling them from nothing shows the code that makes compiled code. Tests are not judged here: `make test` does that.
COVERAGE := $(BIN)/python -m coverage run -p --branch --source=src/limbless/mechanics,src/limbless/models
COVERAGE_TEST := -m pytest -p no:cacheprovider
coverage: $(INSTALLED_DEV)
	@echo "== coverage of mechanics/ and models/  (some minutes)"
	@rm -rf .coverage .coverage.* .coverage-cache
	@NUMBA_DISABLE_JIT=1 $(COVERAGE) tests/coverage/plain_runs.py
	-@NUMBA_DISABLE_JIT=1 LIMBLESS_PLAIN_SECONDS=1 PYTHONPATH=tests/plain $(COVERAGE) $(COVERAGE_TEST) -p plain_kernels \
	  -W ignore::RuntimeWarning -k 'not dual and not compiled and not ramp' --ignore=tests/unit/mechanics/compiled/test_scalars.py \
	  tests/unit/mechanics tests/unit/models
	-@LIMBLESS_CACHE_DIR=.coverage-cache $(COVERAGE) $(COVERAGE_TEST) tests/unit/mechanics/compiled/test_scalars.py \
	  tests/unit/mechanics/compiled/test_lanes.py tests/unit/mechanics/algebra/test_lie.py tests/unit/search/studies/test_sensitivity.py
	-@$(COVERAGE) $(COVERAGE_TEST) tests/unit/models tests/unit/environments tests/unit/simulation/test_simulation.py tests/unit/simulation/test_control.py
	@$(BIN)/python -m coverage combine -q && rm -rf .coverage-cache
	@$(BIN)/python -m coverage json -q -o - | $(BIN)/python tests/coverage/branches.py

docs: $(INSTALLED_DEV)
	@echo "== the documentation site"
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet -d site
	@echo "== done: open $(CURDIR)/site/index.html"

bench: $(INSTALLED_DEV)
	@echo "== limbless bench"
	@$(BIN)/limbless bench

studio-test: $(INSTALLED_DEV)
	@echo "== every scenario and every field of it in the studio  (needs chromium; half an hour or more)"
	@$(BIN)/python -m pytest tests/browser --every-field $(PYTEST_OPTIONS)

screenshots: $(INSTALLED_DEV)
	@echo "== pictures of the studio, one per scenario, in docs/images  (needs chromium)"
	@$(BIN)/python docs/screenshots.py

clean:
	@echo "== removing .venv, runs/ and caches"
	@rm -rf $(VENV) runs site dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis .benchmarks
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Each step leaves a stamp, so that an interrupted one is done again and a finished one is not.
$(CREATED):
	@test -n "$(PYTHON)" || { echo "No Python 3.11 or newer was found. Install one, or name it: make PYTHON=/path/to/python3.11 $(MAKECMDGOALS)" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "$(PYTHON) does not run, or is older than Python 3.11; name another: make PYTHON=/path/to/python3.11 $(MAKECMDGOALS)" >&2; exit 1; }
	@echo "== creating .venv with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv $(VENV)
	@touch $@

# A change of pyproject.toml or constraints.txt makes these stamps old: pip then runs again in the same .venv.
$(INSTALLED): $(PINS) | $(CREATED)
	@echo "== installing limbless into .venv  (a few minutes the first time)"
	@$(PIP_INSTALL) -e .
	@touch $@

# The tools alone: limbless, which may be running, stays as it is.
$(INSTALLED_DEV): $(INSTALLED)
	@echo "== installing the dev tools into .venv  (a few minutes the first time)"
	@$(BIN)/python -c "$$DEV_TOOLS" > $(VENV)/dev-tools.txt
	@$(PIP_INSTALL) -r $(VENV)/dev-tools.txt
	@touch $@
