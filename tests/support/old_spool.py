"""Entries in spool/AGENT, as hooks of a version before the inbox wrote them."""

from __future__ import annotations

import json
from typing import Any

from support.life import write
from support.sandbox import Sandbox


def make_old_entry(agent: str) -> dict[str, Any]:
    """Return an entry with one learning."""
    learnings = [["pattern", "Retries are set in one place"]]
    ids = {"agent": agent, "run": "a1", "session": "s1", "source": "agent"}
    return {**ids, "learnings": learnings, "rejected": []}


def add_old_entry(sandbox: Sandbox, entry: dict[str, Any]) -> None:
    """Put an entry into the spool of its agent."""
    folder = sandbox.state / "spool" / str(entry["agent"])
    write(folder / f"{len(list(folder.glob('*')))}-1.json", json.dumps(entry))
