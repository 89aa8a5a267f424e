"""The rows of the command line: the waiting time of a person, and typer's share of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import samples
from ours import Maker, Row, make_history
from scene import Broken, Case, Scene, ran

REPO = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
AGENTS, SIZE = 50, 2000
BARE = "`python -c pass`"
TYPER = "`python -c 'import typer'`"
HELP = "`agent-memory --help`"
STATUS = f"`agent-memory status`, {AGENTS} agents"

# Three bare interpreters, beside the one import of typer.
LIMIT = 3.0

# What the installed command does, out of this clone.
START = f"import sys; sys.path.insert(0, {REPO!r}); from memory_core.cli import program; program()"


def rows() -> Iterator[Row]:
    yield _row(BARE, ["-c", "pass"], ran)
    yield _row(TYPER, ["-c", "import typer"], ran)
    yield _row(HELP, ["-c", START, "--help"], _says("Usage: agent-memory", "doctor"))
    yield _row(STATUS, ["-c", START, "status"], _says(*_names()))
    yield _row("`agent-memory show`", ["-c", START, "show", "agent-7"], _says("# Agent-7"))
    yield _row("`agent-memory --version`", ["-c", START, "--version"], _says("agent-memory "))


def _names() -> list[str]:
    return [f"agent-{number}" for number in range(AGENTS)]


def _row(name: str, arguments: list[str], check: Callable[[Scene], None]) -> Row:
    def row(maker: Maker) -> Case:
        memories = {f"{name}.md": samples.memory(name, SIZE) for name in _names()}
        histories = {
            f"history/{name}.jsonl": make_history(name, memories[f"{name}.md"]) for name in _names()
        }
        folder = os.path.join(maker.folder, f"command-{len(os.listdir(maker.folder))}")
        place = Scene(folder, memories | histories)
        place.put("event", {})
        argv = [maker.python, *arguments]
        place.prepare(_names())
        maker.spawner.run(place.job(argv))  # what is worked out once, and kept
        place.freeze()
        return Case(name, argv, place, check)

    return row


def _says(*parts: str) -> Callable[[Scene], None]:
    def check(scene: Scene) -> None:
        said = scene.read("reply")
        missing = [part for part in parts if part not in said]
        if missing:
            raise Broken(f"says nothing of {missing[0]!r}: {said[:200]!r}")

    return check
