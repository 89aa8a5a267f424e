"""Which files, commands and symbols of an item are gone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.files import named_code, named_files, stale_items
from memory_core.files.safe_files import SafeFiles

MAKEFILE = """\
PYTEST ?= pytest -q
.PHONY: test fmt
test check-all: build  # all
\t$(PYTEST)
fmt: ; ruff format
gen-%:
\tpython gen.py $*
"""
PACKAGE = {"scripts": {"dev": "next dev", "test": "vitest", "build:prod": "next build"}}
CLIENT = '''\
class PaymentClient(Base):
    """Talks to Stripe; swallows timeouts."""

    def charge(self, amount): ...

MAX_RETRIES = 3
'''
USERS = "export const loadUsers = () => fetch('/api/users')\n"
FILES = {
    "Makefile": MAKEFILE,
    "package.json": json.dumps(PACKAGE),
    "justfile": "set shell := ['bash', '-c']\nalias b := build\nbuild target='x':\n  cargo build\n",
    "docs/Makefile": "html:\n\tsphinx-build\n",
    "web/package.json": '{"scripts": {"storybook": "storybook"}}',
    "src/pay/client.py": CLIENT,
    "src/users.ts": USERS,
    "tests/test_pay.py": "class TestPay:\n    def test_charge(self): ...\n",
}

# Items, and what of them is gone.
GONE = {
    "Run `make lint` before a commit": ["make lint"],
    "`make check` runs ruff and mypy": ["make check"],
    "Tests run with `make integration`; they take 4 minutes": ["make integration"],
    "Migrations: `ENV=test make migrate`": ["ENV=test make migrate"],
    "Start the server with `npm run serve`": ["npm run serve"],
    "Types come from `pnpm run codegen`": ["pnpm run codegen"],
    "The bundle is checked by `yarn build:check`": ["yarn build:check"],
    "`npm run lint -- --fix` repairs imports": ["npm run lint -- --fix"],
    "Release with `just release`": ["just release"],
    "Install first: `npm ci && npm run prepare-db`": ["npm run prepare-db"],
    "The suite is slow\n  - See: make bench, src/users.ts": ["make bench"],
    "`PaymentClient.retry` in src/pay/client.py swallows timeouts": ["PaymentClient.retry"],
    "`retry()` in `src/pay/client.py` sleeps 3 s": ["retry"],
    "The helper `to_cents` in src/pay/client.py rounds half up": ["to_cents"],
    "`to_cents` (src/pay/client.py) rounds half up": ["to_cents"],
    "Amounts are in cents (see `to_cents` in src/pay/client.py)": ["to_cents"],
    "Retries are counted in src/pay/client.py (`RETRY_COUNT`)": ["RETRY_COUNT"],
    "**`fetchOrders` in src/users.ts** caches for 60 s": ["fetchOrders"],
    "tests/test_pay.py::TestPay::test_refund is flaky": ["test_refund"],
    "`tests/test_pay.py::test_refund[eur]` needs the network": ["test_refund"],
}  # fmt: skip

# Items of which all is there, or nothing is certain.
THERE = """
Run `make test` before a commit
Run `make check-all`, it takes 3 minutes
run `make test` not `make check`
`make check` is now `make test`
Use `make test` instead of `make check`
There is no `make lint`
`make lint` does not exist; ruff runs in `make test`
Never run `make deploy` from a laptop
`make check` was renamed to make test
The `make lint` target was removed
Run `make gen-schema` after a change of the models
Build the docs with `make html`
`make -C web build` builds the frontend
`make -f Makefile.ci lint` is what CI runs
Use `make TARGET=x` or `make $TARGET` for one target
`make` alone prints help
make sure that imports are sorted
Just use npm, make no changes to yarn.lock
`docs` and `make docs` are not in CI
npm run dev -- --port 3000
Start with `npm run dev -- --port 3000`
Run `npm test` for unit tests
`npm install` needs node 20
`npm run build --workspace=web` builds one package
`npm --prefix web run lint` checks the frontend
In web, `npm run storybook` shows the components
Run `cd web && npm run lint`
`yarn tsc --noEmit` checks types
`yarn add -D vitest` adds a tool
`pnpm exec playwright install` once
`docker compose exec web make seed` fills the database
`just b` builds all
`just build release` is what CI runs
`just --list` shows the recipes
Run `npx prisma generate` and `make test`
`PaymentClient.charge` in src/pay/client.py is idempotent
`PaymentClient` (src/pay/client.py) wraps Stripe
`get_user` moved out of src/pay/client.py
add `foo` to src/pay/client.py
Add `refund` in src/pay/client.py next
src/pay/client.py has no `__all__`
src/pay/client.py does not use `requests`
`retry` in src/pay/client.py does not exist any more
`retry` in src/pay/client.py was replaced by `charge`
`retry` was renamed in src/pay/client.py
Removed `retry` in src/pay/client.py
Do not use `any` in src/users.ts
Never import `lodash_es` in src/users.ts
Set `DEBUG=1` in src/pay/client.py to see requests
Mock `stripe_api` when testing src/pay/client.py
src/pay/client.py calls `get_user` through src/users.ts
`stripe_api` is mocked in tests/test_pay.py by a fixture
Use `ruff check` in src/pay/client.py first
Calls of `retry` from src/users.ts are slow
`src/users.ts` in `src/pay/client.py` style
src/pay/client.py:42 catches `TimeoutError`
src/pay/client.py: `__init__` belongs to the base class
tests/test_pay.py::TestPay::test_charge is flaky
`DELETE` in lib/other.py is soft
`useUsers` in lib/users.ts caches
Removed tests/test_pay.py::test_refund
tests/test_pay.py::test-refund and tests/test_pay.py::42 are ids
`src/pay/client.py::` and `x-y` in src/pay/client.py are no names
The route `/api/users` in src/users.ts is public
`data-testid` in src/users.ts is for e2e
""".strip().splitlines()


def make_project(root: Path, **changes: str) -> SafeFiles:
    for path, text in {**FILES, **changes}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return SafeFiles(str(root))


@pytest.mark.parametrize("text", GONE)
def test_what_is_gone(tmp_path: Path, text: str) -> None:
    assert list(stale_items.find_gone(make_project(tmp_path), text)) == GONE[text]


@pytest.mark.parametrize("text", THERE)
def test_no_false_alarm(tmp_path: Path, text: str) -> None:
    files = make_project(tmp_path)
    assert stale_items.find_gone(files, text) == {}
    assert files.refused == {}, "nothing to log"


def test_reasons(tmp_path: Path) -> None:
    text = "`retry` in src/pay/client.py sleeps. See src/pay/queue.py.\n  Check with `make lint`."
    assert stale_items.describe_gone(make_project(tmp_path), text) == (
        "src/pay/queue.py is gone, `retry` is gone from src/pay/client.py, `make lint` is gone"
    )


UNKNOWN = {
    "an include": ("Makefile", "include common.mk\ntest:\n"),
    "a computed name": ("Makefile", "$(TOOLS): x\n"),
    "computed rules": ("Makefile", "test:\n$(foreach x,$(A),$(eval $(call rule,$(x))))\n"),
    "a pattern": ("Makefile", "%: %.in\n\tcp $< $@\n"),
    "a default": ("Makefile", ".DEFAULT:\n\techo $@\n"),
    "another file of make": ("GNUmakefile", "lint:\n"),
    "a continued line": ("Makefile", "test \\\n  lint: x\n"),
    "an empty file": ("Makefile", ""),
    "a target that is a folder": ("lint/x", ""),
    "a command of a part": ("api/Makefile", "lint:\n"),
    "a part with an include": ("api/Makefile", "include x\n"),
    "a large file": ("Makefile", "#\n" * 200_000),
}  # fmt: skip


@pytest.mark.parametrize("name", UNKNOWN)
def test_a_target_that_may_be_there_is_not_gone(tmp_path: Path, name: str) -> None:
    path, text = UNKNOWN[name]
    files = make_project(tmp_path, **{path: text})
    assert stale_items.find_gone(files, "Run `make lint` first") == {}


@pytest.mark.parametrize(
    "text", ['{"workspaces": ["web"]}', "{", "[]", '{"scripts": {"lint": "x"}}', ""]
)
def test_a_script_that_may_be_there_is_not_gone(tmp_path: Path, text: str) -> None:
    files = make_project(tmp_path, **{"package.json": text})
    assert stale_items.find_gone(files, "Run `npm run lint` first") == {}


def test_a_symbol_of_a_large_file_is_not_gone(tmp_path: Path) -> None:
    files = make_project(tmp_path, **{"src/pay/client.py": "# large\n" * 50_000})
    assert stale_items.find_gone(files, "`retry` in src/pay/client.py sleeps") == {}


FILES_GONE = [
    ("The parser in src/gone.py keeps no state", "src/gone.py is gone"),
    ("See: src/gone.py, src/here.py, src/old/x.py", "src/gone.py is gone, src/old/x.py is gone"),
    ("src/here.py keeps no state", ""),
    ("A folder is not a file: src/sub/", ""),
    ("The server reads nginx/site.conf", ""),  # of another project
    ("src/gone.py moved to src/here.py", ""),  # the item says it itself
    ("src/schema.ts is generated by make", ""),
    ("A link hides src/link/x.py", ""),
    ("A file hides src/here.py/x.py", ""),
]


@pytest.mark.parametrize(("text", "reason"), FILES_GONE, ids=[text[:30] for text, _ in FILES_GONE])
def test_files_that_are_gone(tmp_path: Path, text: str, reason: str) -> None:
    (tmp_path / "src" / "sub").mkdir(parents=True)
    (tmp_path / "src" / "here.py").touch()
    (tmp_path / "src" / "link").symlink_to(tmp_path)
    files = SafeFiles(str(tmp_path))
    assert stale_items.describe_gone(files, text) == reason
    assert files.refused == {}, "nothing to log"


def test_few_files_of_a_text_are_looked_for(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    text = " ".join(f"src/x{number}.py" for number in range(100))
    gone = stale_items.find_gone(SafeFiles(str(tmp_path)), text)
    assert len(gone) == named_files.MAX_PATHS


@given(st.text("ab /.py`:()#&\n\0\ud800é-", max_size=40), st.sampled_from(["make", "npm run", ""]))
def test_any_text_is_read(tmp_path_factory: pytest.TempPathFactory, text: str, head: str) -> None:
    files = make_project(tmp_path_factory.getbasetemp())
    stale_items.find_gone(files, f"`{head} {text}` in src/users.ts::{text} {text}")


def test_the_cheap_check_knows_all_programs() -> None:
    assert {*stale_items.PROGRAMS} == {*named_code.FILES}
