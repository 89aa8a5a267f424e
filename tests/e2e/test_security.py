"""Hostile repositories in the real client: opening one has no effect outside of it."""

import os
import time
from collections.abc import Iterable
from pathlib import Path

from support.processes import wait_until

from .api import say
from .client import Desk

YEAR_AGO = time.time() - 365 * 86400


def make_neighbours(desk: Desk) -> dict[Path, bytes]:
    """Create old projects next to this one, and files of the user; return what is there."""
    files = [desk.root.parent / place / name for place in ("a", "b") for name in (".env", "x")]
    files += [desk.home / ".bashrc", desk.home / ".ssh" / "id"]
    for path in files:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"of {path.name}\n")
    for path in [*files, *{path.parent for path in files} - {desk.home}]:
        os.utime(path, (YEAR_AGO, YEAR_AGO))
    return read(files)


def read(files: Iterable[Path]) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in files if path.exists()}


def make_hostile(desk: Desk) -> None:
    """Add links by which hooks once deleted other projects, and wrote their log to ~/.bashrc."""
    state = desk.root / ".claude-mpm" / "state"
    logs = desk.root / ".claude-mpm" / "logs"
    tasks = desk.root / "backlog" / "tasks"
    for folder in (state, logs, tasks):
        folder.mkdir(parents=True)
    (state / "receipts").symlink_to("../../..")  # all projects next to this one
    (state / "runs").symlink_to("../../..")
    (state / "tasks").symlink_to(desk.home / ".ssh")
    (logs / "events.jsonl").symlink_to(desk.home / ".bashrc")
    desk.write("CLAUDE.md", "@backlog/CLAUDE.md\n")
    desk.write(".claude-mpm/memories/PM.md", "# PM\n\n## Notes\n- A fact\n")


def is_logged(desk: Desk) -> bool:
    """Return whether a hook has logged something, in the user's own folder."""
    return bool(list((desk.home / ".local/state/agent-memory").rglob("events.jsonl")))


def test_opening_a_hostile_repository_with_p(desk: Desk) -> None:
    before = make_neighbours(desk)
    make_hostile(desk)
    run = desk.run({"MAIN": [say("done")]})
    assert run.code == 0, run
    wait_until(lambda: is_logged(desk), "the hook of the session")
    assert read(before) == before


def test_opening_a_hostile_repository_in_the_terminal(desk: Desk) -> None:
    before = make_neighbours(desk)
    make_hostile(desk)
    with desk.terminal({"MAIN": [say("done")]}, "--permission-mode", "default") as terminal:
        terminal.ask("MAIN go")
        wait_until(lambda: is_logged(desk), "the hook of the session")
    assert read(before) == before
