# One word each: `make test` runs everything, `make bench` prints the speed tables.

VERSIONS := $(foreach version,3.13 3.12 3.11 3.10,$(if $(shell scripts/pythons $(version)),$(version)))
NEWEST   := $(firstword $(VERSIONS))
BIN      := .venv/bin

# Two at a time; who has nothing left takes from the other's queue.
TWO      := -n 2 --dist worksteal
PYTEST   := $(BIN)/pytest $(TWO)

.SECONDARY:
.PHONY: test lint types docs unit e2e browser others bench trust-report word-weights claude tools clean

test: lint types unit others browser e2e

.venv/made: pyproject.toml
	@test -n "$(NEWEST)" || { echo "Python 3.10 or newer is needed" >&2; exit 1; }
	$$(scripts/pythons $(NEWEST)) -m venv --clear .venv
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --no-compile --editable . --group dev
	touch $@

lint: .venv/made
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/made
	$(BIN)/mypy
	MYPYPATH=bench $(BIN)/mypy --config-file= bench/*.py

unit: .venv/made
	$(PYTEST) --ignore tests/e2e --ignore tests/browser

e2e: .venv/made
	$(PYTEST) tests/e2e

# In a real browser, if this machine has one: without it these tests are skipped.
CHROMIUM ?= $(shell command -v chromium || command -v chromium-browser || command -v google-chrome)
export CHROMIUM

browser: .venv/made $(if $(CHROMIUM),.venv/browser)
	$(PYTEST) tests/browser

.venv/browser: .venv/made
	$(BIN)/python -m pip install --quiet --no-compile --group browser && touch $@ \
	  || test "$$CI" != true

others: $(patsubst %,unit-%,$(filter-out $(NEWEST),$(VERSIONS)))

.venvs/%/made: pyproject.toml .venv/made
	$$(scripts/pythons $*) -m venv --clear --without-pip .venvs/$*
	$(BIN)/python -m pip --python .venvs/$*/bin/python install --quiet --no-compile \
		--editable . --group test
	touch $@

# What takes long, and what only goes through the command line or git, is the same on every
# version: it is run on the newest only.  These go through all that a hook or a program calls.
OTHERS := test_api.py test_hook.py test_hook_imports.py delegation history learning \
	tasks claude_code storage text

unit-%: .venvs/%/made
	.venvs/$*/bin/pytest $(TWO) -m "not slow" --hypothesis-profile few $(OTHERS:%=tests/%)

bench: .venv/made
	$(BIN)/python bench/run.py
	$(BIN)/python bench/dashboard.py

# How many attacks, ordinary learnings and secrets are held, and by agent-memory-guard from PyPI.
GUARD := .tools/guard/bin/python

trust-report: .venv/made
	test -x $(GUARD) || { $(BIN)/python -m venv .tools/guard && $(GUARD) -m pip install --quiet \
	  agent-memory-guard==0.3.3; } || rm -rf .tools/guard
	PYTHONPATH=tests $(BIN)/python -m adversarial.report $(GUARD)

# The weights by which poisoned notes are recognised, after a change of the lists in tests/adversarial.
word-weights: .venv/made
	PYTHONPATH=tests $(BIN)/python -m adversarial.training

# What the end-to-end tests need: the real Claude Code, from npm.
claude:
	scripts/fetch-claude-code

# The other real tools that tests drive, from npm: Backlog.md, the MCP Inspector and axe-core.
tools:
	scripts/fetch-tools

clean:
	rm -rf .venv .venvs build .pytest_cache .mypy_cache .ruff_cache .hypothesis
