# Two commands on a fresh machine: `make demo` and `make test`. Both first set up whatever is missing, inside this
# checkout.

PYTHON = 3.14
# The path of an interpreter of that version, where set-up is not to look for one, or would find none.
INTERPRETER =

python = .python/venv-$(PYTHON)/bin/python
pytest = $(python) -m pytest
# Tests wait more than they compute; pages and browsers do not.
WORKERS = 4
FEW_WORKERS = 2
MODEL = threads
# Where the GIL matters: what several threads do at a time, and processes, whose supervisor and pools are threads.
GIL_TESTS = tests/models/test_conformance.py tests/models/test_overlap.py tests/models/test_at_once.py \
	tests/pools/test_pools.py tests/pools/test_pool_ends.py tests/memory/test_boundary_pools.py \
	tests/stress/test_random_programs.py
GIL_MODELS = (threads or processes or overlap or at_once) and not polling and not spawn and not fork

# Settings of the caller's that would have Python run without bytecode, or with other modules than this
# environment's.
unexport PYTHONDONTWRITEBYTECODE PYTHONHOME PYTHONPATH
# `check` prints pytest's summary last, also under -j.
.NOTPARALLEL:
.PHONY: help demo test test-all test-models test-gil test-arm64 test-stress test-docs test-browser bench bench-all bench-quick bench-free-threaded bench-web bench-web-quick docs docs-serve playground lint check setup requirements clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1	/p' Makefile | expand -t 22
	@echo "PYTHON=3.15 after any of them uses that version, in an environment of its own (default: $(PYTHON));"
	@echo "INTERPRETER=PATH beside it names the interpreter to be used for that."

# The tasks of the ring, and its messages.
RING = 300 10000
demo: setup ## 3 million hops: 10,000 messages through 300 subinterpreters
	$(python) -m concmodels.ring $(RING) --model subinterp

test: setup ## the tests, 7 minutes
	@echo "This takes about 7 minutes on two processors."
	$(pytest) -n $(WORKERS)

test-all: setup ## the tests, everything on every model and variant and with many rounds, 15 minutes
	@echo "This takes about 15 minutes on two processors."
	$(pytest) -n $(WORKERS) --thorough

test-models: setup ## the guarantees on one model (MODEL=trio: on that one)
	$(pytest) -n $(WORKERS) tests/models/test_conformance.py --model $(MODEL)

test-gil: setup ## the tests for which the GIL matters, a minute and a half (PYTHON=3.14t: without it)
	$(pytest) -n $(WORKERS) -q $(GIL_TESTS) --by-chapter -k '$(GIL_MODELS)'

# SECONDS: after so many it begins nothing more. Where there is no emulator, nothing is tested: a failure on CI alone.
SECONDS = 400
test-arm64: setup ## programs and guarantees on an emulated ARM64, at most 8 minutes
	@if sh tools/arm64.sh '$(PYTHON)'; then \
		$(python) tests/emulated.py $(SECONDS); \
	else \
		[ $$? -eq 3 ] && [ "$$CI" != true ]; \
	fi

test-stress: setup ## the tests that take minutes
	$(pytest) -m stress -o timeout=900 -o faulthandler_timeout=1200

bench-all: setup ## every result of the site, one after the other, three hours; they are in build/results
	$(python) -m benchmarks all $(foreach twin,$(TWINS),--python $(twin))

bench: setup ## the benchmarks but those that have to be named, 35 minutes; the result is in build/bench.json
	@mkdir -p build
	$(python) -m benchmarks run --output build/bench.json

# TWINS names both: versions, or the paths of two environments' Pythons. Built alike, they differ in the GIL alone.
TWINS = $(PYTHON) $(PYTHON)t
bench-free-threaded: setup ## what the GIL costs and saves, 20 minutes; the result is in build/bench-free-threaded.json
	@mkdir -p build
	$(python) -m benchmarks run --twins $(foreach twin,$(TWINS),--python $(twin)) --output build/bench-free-threaded.json

# GOALS=only: what has a goal for its ratio, and beside which nothing may run; GOALS=without: the rest.
bench-quick: setup ## whether every benchmark but those of web services runs, 2 minutes
	$(python) -m benchmarks run --quick $(if $(GOALS),--goals $(GOALS))

bench-web: setup ## web services, 75 minutes; the result is in build/web.json
	@mkdir -p build
	$(python) -m benchmarks run web --output build/web.json

bench-web-quick: setup ## whether every benchmark of web services runs, 2 minutes
	$(python) -m benchmarks run web --quick

docs: setup ## the site, in build/docs; with STUDENTS=1 without solutions and grading
	@echo "Building the site; the first time it runs every program it shows, which takes two to three minutes."
	$(if $(STUDENTS),CONCMODELS_STUDENTS=1) $(python) -m sphinx -n -W --keep-going $$([ -t 1 ] || echo -q) -E -d build/docs-doctrees docs build/docs
	@echo "The site is in build/docs; make docs-serve shows it."

# The site is built without it, too: its programs can then be read only. That is a failure on CI alone.
playground: ## what the site's programs run with in a browser, into .python/playground (20 MB)
	@sh tools/playground.sh || { [ $$? -eq 3 ] && [ "$$CI" != true ]; }

docs-serve: docs ## the site, on this machine
	@$(python) tools/serve.py build/docs

test-docs: setup ## every Python block and every command on the site
	$(pytest) -n $(FEW_WORKERS) -m docs tests/docs

# Without a browser nothing is tested here: that is a failure on CI alone.
test-browser: docs ## the site in a real browser (CHROMIUM=path: in this one)
	@if sh tools/browser.sh '$(PYTHON)'; then \
		.python/browser/bin/python -m pytest -n $(FEW_WORKERS) tests/browser; \
	else \
		[ $$? -eq 3 ] && [ "$$CI" != true ]; \
	fi

lint: setup ## ruff, mypy, spelling, and the workflows of .github
	$(python) -m ruff check
	$(python) -m ruff format --check
	$(python) -m mypy
	$(python) -m codespell_lib
	$(dir $(python))zizmor --offline --quiet --strict-collection .github

check: lint docs test-docs bench-quick bench-web-quick test ## lint, the site, whether the benchmarks run, then test

setup: ## the environment, when it is missing or out of date
	@sh tools/setup.sh '$(PYTHON)' '$(INTERPRETER)'

requirements: ## requirements/*.txt from pyproject.toml (UPGRADE=--upgrade: newest versions)
	@sh tools/requirements.sh $(UPGRADE)

clean: ## remove everything that set-up and tools made, the environments too
	rm -rf .python .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist
	@if [ -h .venv ]; then rm .venv; fi
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
