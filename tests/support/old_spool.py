"""Entries in spool/AGENT, as hooks of a version before the inbox wrote them."""

from __future__ import annotations

from typing import Any


def make_old_entry(agent: str) -> dict[str, Any]:
    """Return an entry with one learning."""
    learnings = [["pattern", "Retries are set in one place"]]
    ids = {"agent": agent, "run": "a1", "session": "s1", "source": "agent"}
    return {**ids, "learnings": learnings, "rejected": []}
