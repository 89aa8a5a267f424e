"""Run each test here on every installed version of Claude Code that it supports.

AGENT_MEMORY_CLAUDE is the folder of the versions (default: .claude-code in this checkout).
AGENT_MEMORY_CLAUDE_VERSIONS restricts them to a list such as `2.1.63,2.1.329`.
"""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from support.paths import REPO

from .client import PROGRAM, Claude, Desk, order
from .product import install

HERE = Path(__file__).parent
INSTALL = "not there to test with; to install it: scripts/fetch-claude-code"


def _versions() -> list[Claude]:
    folder = Path(os.environ.get("AGENT_MEMORY_CLAUDE") or REPO / ".claude-code").resolve()
    asked = os.environ.get("AGENT_MEMORY_CLAUDE_VERSIONS", "").replace(",", " ").split()
    there = [path.parts[-len(PROGRAM.parts) - 1] for path in folder.glob(f"[0-9]*/{PROGRAM}")]
    return [Claude(version, folder / version) for version in sorted(asked or there, key=order)]


VERSIONS = _versions()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "claude" in metafunc.fixturenames:
        names = [each.version for each in VERSIONS] or ["none"]
        metafunc.parametrize("claude", VERSIONS or [None], ids=names)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    tests = [item for item in items if isinstance(item, pytest.Function)]
    ours = [item for item in tests if HERE in item.path.parents]
    for item in ours:
        item.add_marker(pytest.mark.claude)
    out = [item for item in ours if not _is_meant(item)]
    config.hook.pytest_deselected(items=out)
    items[:] = [item for item in items if item not in out]


def _is_meant(item: pytest.Function) -> bool:
    usual = getattr(item.module, "VERSIONS", ("0", "999"))
    first, before = getattr(item.function, "versions", usual)
    claude = item.callspec.params.get("claude") if hasattr(item, "callspec") else None
    return claude is None or order(first) <= order(claude.version) < order(before)


@pytest.fixture
def new_desk(claude: Claude | None, tmp_path: Path) -> Callable[..., Desk]:
    """Return a function that creates a machine with a home and a project."""
    if claude is None or not os.path.exists(claude.program):
        missing = f"Claude Code is {INSTALL} {claude.version if claude else ''}".rstrip()
        assert os.environ.get("CI") != "true", missing
        pytest.skip(missing)

    def new(name: str = "desk", hooks: bool = True) -> Desk:
        desk = Desk(claude, tmp_path / name)
        if hooks:
            install(desk)
        return desk

    return new


@pytest.fixture
def desk(new_desk: Callable[..., Desk]) -> Desk:
    """Create one machine with the hooks installed."""
    return new_desk()
