"""Spool entries: learnings that arrived while the memory was locked."""

from __future__ import annotations

from typing import Any

from memory_core.storage import spool
from support.command_line import Person


def make_spool_entry(agent: str) -> dict[str, Any]:
    """Return the entry that a hook writes when it cannot get the lock."""
    learnings = [["pattern", "Retries are set in one place"]]
    ids = {"agent": agent, "run": "a1", "session": "s1", "source": "agent"}
    return {**ids, "learnings": learnings, "rejected": []}


def add_spool_entry(person: Person) -> None:
    """Put an entry of the agent engineer into the spool."""
    spool.add(person.sandbox.paths, "engineer", make_spool_entry("engineer"))


def add_cut_spool_entry(person: Person) -> None:
    """Put half an entry into the spool, as after a power failure."""
    entry = make_spool_entry("engineer")
    path = spool.add(person.sandbox.paths, "engineer", entry)
    person.sandbox.paths.state.truncate(path, 20)
