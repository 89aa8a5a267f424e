# One word each: `make quick` while you work, `make test` before a pull request, `make test-all`
# for everything, `make bench` for the speed tables.  scripts/run-parts has the order of the parts.

VERSIONS := $(foreach version,3.13 3.12 3.11 3.10,$(if $(shell scripts/pythons $(version)),$(version)))
NEWEST   := $(firstword $(VERSIONS))
BIN      := .venv/bin

# Three at a time, because tests also wait; who has nothing left takes from another's queue.
WORKERS  := -n 3 --dist worksteal
PYTEST   := $(BIN)/pytest $(WORKERS)

.SECONDARY:
.PHONY: quick test test-all lint types unit tests e2e browser oldest faults upgrades hostile slow \
	properties bench mutations trust-report word-weights claude tools release clean

test: .venv/made
	$(BIN)/python scripts/run-parts test

test-all: .venv/made
	$(BIN)/python scripts/run-parts all

quick: .venv/made
	@$(BIN)/python scripts/run-parts quick

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

UNIT := --ignore tests/e2e --ignore tests/browser

unit: .venv/made
	$(PYTEST) -m "not slow" $(UNIT)

# The tests of one or more files or folders: make tests TESTS="tests/git tests/files"
tests: .venv/made
	$(PYTEST) -m "not slow" $(TESTS)

# The slow tests, and properties with many examples (new ones each time: PROFILE=search).
SPECIAL := tests/memory tests/storage tests/setup tests/doctor tests/security

faults: .venv/made
	$(PYTEST) -m slow tests/memory tests/storage

upgrades: .venv/made
	AGENT_MEMORY_CLAUDE_VERSIONS=$(NEWEST_CLAUDE) $(PYTEST) -m slow tests/setup tests/doctor tests/e2e

hostile: .venv/made
	$(PYTEST) -m slow tests/security

slow: .venv/made
	$(PYTEST) -m slow $(UNIT) $(SPECIAL:%=--ignore %)

PROFILE ?= many

properties: .venv/made
	$(PYTEST) -m property --hypothesis-profile $(PROFILE) $(UNIT)

# With the newest version of Claude Code, or that in the name of the target.
NEWEST_CLAUDE := $(shell sed -n 's/^NEWEST=//p' scripts/fetch-claude-code)

e2e: .venv/made
	AGENT_MEMORY_CLAUDE_VERSIONS=$(NEWEST_CLAUDE) $(PYTEST) -m "not slow" tests/e2e

client-%: .venv/made
	scripts/fetch-claude-code $*
	AGENT_MEMORY_CLAUDE_VERSIONS=$* $(PYTEST) tests/e2e

# In a real browser, if this machine has one: without it these tests are skipped.
CHROMIUM ?= $(shell command -v chromium || command -v chromium-browser || command -v google-chrome)
export CHROMIUM

browser: .venv/made $(if $(CHROMIUM),.venv/browser)
	$(PYTEST) tests/browser

.venv/browser: .venv/made
	$(BIN)/python -m pip install --quiet --no-compile --group browser && touch $@ \
	  || test "$$CI" != true

oldest: $(patsubst %,unit-%,$(filter-out $(NEWEST),$(lastword $(VERSIONS))))

.venvs/%/made: pyproject.toml .venv/made
	$$(scripts/pythons $*) -m venv --clear --without-pip .venvs/$*
	$(BIN)/python -m pip --python .venvs/$*/bin/python install --quiet --no-compile \
		--editable . --group test
	touch $@

# Of the other Pythons the oldest: about 300 tests of what a hook or a program calls, and a few of
# each wing.  The types are checked for 3.10 on the newest.  python-VERSION runs all that `unit`
# runs.
OLDEST := test_api.py test_hook.py test_hook_imports.py delegation/test_event_handlers.py \
	document/test_merge_learnings.py selection/test_choosing.py delegation/test_worker.py \
	history/test_item_history.py learning/test_feedback.py tasks/test_sync.py cli/test_items.py

unit-%: .venvs/%/made
	.venvs/$*/bin/pytest $(WORKERS) -m "not slow" $(OLDEST:%=tests/%)

python-%: .venvs/%/made
	.venvs/$*/bin/pytest $(WORKERS) -m "not slow" $(UNIT)

bench: .venv/made
	$(BIN)/python bench/run.py
	$(BIN)/python bench/dashboard.py

# How many attacks, ordinary learnings and secrets are held.
trust-report: .venv/made
	PYTHONPATH=tests $(BIN)/python -m adversarial.report

# The weights by which texts from outside are sorted, made of lists in the git history.
word-weights: .venv/made
	PYTHONPATH=tests $(BIN)/python -m adversarial.training

# What the end-to-end tests need: the real Claude Code, from npm.
claude:
	scripts/fetch-claude-code

# The other real tools that tests drive, from npm: Backlog.md, the MCP Inspector and axe-core.
tools:
	scripts/fetch-tools

# The wheel and the sdist, in dist/, if they can be released.
release: .venv/made
	$(BIN)/python scripts/release

clean:
	rm -rf .venv .venvs build dist .times.json .pytest_cache .mypy_cache .ruff_cache .hypothesis
