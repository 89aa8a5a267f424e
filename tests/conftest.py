"""Fixtures: a project of its own for each test, and hooks run as real processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import settings

# A busy machine is no failure.
settings.register_profile("patient", deadline=None, max_examples=60)
settings.register_profile("few", deadline=None, max_examples=20)
# Environments are built under homes of their own: what pip has fetched once need not come again.
os.environ.setdefault("PIP_CACHE_DIR", str(Path.home() / ".cache" / "pip"))
settings.load_profile("patient")

REPO = Path(__file__).resolve().parent.parent
BACKLOG = (
    Path(os.environ.get("AGENT_MEMORY_BACKLOG") or REPO / ".tools" / "backlog").resolve()
    / "node_modules/.bin/backlog"
)
EVENTS = sorted((REPO / "tests" / "events").glob("*/*/*.json"))


def pytest_configure(config: pytest.Config) -> None:
    assert EVENTS, "tests/events holds no recorded event"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes longest, so that nobody waits for it alone at the end."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


def needs_backlog() -> None:
    """Skip a test where the real Backlog.md is not there."""
    if not BACKLOG.exists():
        missing = "Backlog.md is not there to test with; to install it: scripts/fetch-tools"
        assert os.environ.get("CI") != "true", missing
        pytest.skip(missing)


class Outcome(NamedTuple):
    """What a hook's process came to."""

    status: int
    stdout: bytes
    stderr: bytes

    @property
    def reply(self) -> dict[str, Any]:
        return json.loads(self.stdout)["hookSpecificOutput"]


class Sandbox:
    """A project folder and a home of its own, and the hooks of this checkout run in it."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "shop"
        self.home = folder / "home"
        self.root.mkdir()
        self.home.mkdir()
        self.memories = self.root / ".claude-mpm" / "memories"
        self.user_memories = self.home / ".claude-mpm" / "memories"
        self.state = self.root / ".claude-mpm" / "state"
        self.env = {
            "HOME": str(self.home),
            "PATH": os.environ["PATH"],
            "CLAUDE_PROJECT_DIR": str(self.root),
        }

    def hook(self, name: str, event: Any, **env: str) -> Outcome:
        """Run hooks/NAME.py with an event (bytes as they are, anything else as JSON)."""
        data = event if isinstance(event, bytes) else json.dumps(event).encode()
        command = [sys.executable, "-I", str(REPO / "hooks" / f"{name}.py")]
        done = subprocess.run(
            command,
            input=data,
            capture_output=True,
            cwd=self.root,
            env={**self.env, **env},
            timeout=60,
            check=False,
        )
        return Outcome(done.returncode, done.stdout, done.stderr)

    def remembers(self, agent: str, *items: str, user: bool = False) -> Path:
        """Write a memory file with these items."""
        folder = self.user_memories if user else self.memories
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{agent}.md"
        lines = "".join(f"- {item}\n" for item in items)
        path.write_text(f"# {agent}\n\n## Project Architecture\n{lines}", encoding="utf-8")
        return path

    def configure(self, text: str) -> None:
        """Write config.yml."""
        folder = self.root / ".claude-mpm"
        folder.mkdir(exist_ok=True)
        (folder / "config.yml").write_text(text, encoding="utf-8")

    def memory(self, agent: str) -> str:
        return (self.memories / f"{agent}.md").read_text(encoding="utf-8")

    def log(self, *names: str) -> list[dict[str, Any]]:
        """Return the logged events of these names, or all."""
        path = self.root / ".claude-mpm" / "logs" / "events.jsonl"
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        events = [json.loads(line) for line in lines]
        return [event for event in events if not names or event["event"] in names]


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    return Sandbox(tmp_path)


@pytest.fixture(autouse=True)
def _no_real_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Whatever a test runs in this process finds a home of its own."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in [name for name in os.environ if name.startswith(("CLAUDE", "AGENT_MEMORY"))]:
        if name not in ("AGENT_MEMORY_CLAUDE", "AGENT_MEMORY_BACKLOG"):
            monkeypatch.delenv(name)
