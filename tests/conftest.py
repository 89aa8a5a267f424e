"""Fixtures and settings for all tests."""

import os
import signal
from pathlib import Path

import pytest
from hypothesis import is_hypothesis_test, settings

pytest.register_assert_rewrite("support")

from memory_core.storage.project import Project  # noqa: E402 - pytest first
from support.command_line import ITEM, Person  # noqa: E402
from support.paths import EVENTS  # noqa: E402
from support.sandbox import Sandbox  # noqa: E402

# No deadlines, so that no test fails on a busy machine.  The examples are the same in each run, so
# that only a change of the code decides whether it passes; `search` looks for new ones.
settings.register_profile("few", deadline=None, max_examples=25, derandomize=True)
settings.register_profile("many", deadline=None, max_examples=300, derandomize=True)
settings.register_profile("search", deadline=None, max_examples=300)
# Tests build environments under new homes; one cache for all saves downloads.
os.environ.setdefault("PIP_CACHE_DIR", str(Path.home() / ".cache" / "pip"))
settings.load_profile("few")


def pytest_configure(config: pytest.Config) -> None:
    # A shell that starts the tests in the background ignores Ctrl-C for them.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup has the same effect
    assert EVENTS, "tests/events holds no recorded event"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark properties; run the slow tests first, so that no worker runs one alone at the end."""
    for item in items:
        if isinstance(item, pytest.Function) and is_hypothesis_test(item.obj):
            item.add_marker(pytest.mark.property)
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    """A project folder and a home folder."""
    return Sandbox(tmp_path)


@pytest.fixture
def project(sandbox: Sandbox) -> Project:
    """Return the project of the sandbox, as the product opens it."""
    return sandbox.open_project()


@pytest.fixture
def person(sandbox: Sandbox, tmp_path: Path) -> Person:
    """Return a user at a shell in the sandbox."""
    return Person(sandbox, tmp_path)


@pytest.fixture
def settled(person: Person) -> Person:
    """Return a user with hooks installed and one memory."""
    person.install()
    person.add_program("claude", "echo 2.1.329")
    person.sandbox.write_memory("engineer", ITEM)
    return person


@pytest.fixture(autouse=True)
def _no_real_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Give each test a home folder under tmp_path."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in [name for name in os.environ if name.startswith(("CLAUDE", "AGENT_MEMORY"))]:
        if name not in ("AGENT_MEMORY_CLAUDE", "AGENT_MEMORY_BACKLOG"):
            monkeypatch.delenv(name)
