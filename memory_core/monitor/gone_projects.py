"""Learnings that wait for a project whose folder is gone, and that may have been this one.

A folder that was moved takes its state along; one that got another name cannot, because a new
folder may get the number (inode) of a deleted one.  So a person says that it is the same.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from functools import partial
from sqlite3 import Connection
from typing import Any, NamedTuple

from memory_core.claude_code import agent_spelling
from memory_core.storage import hook_files, inbox, state_owner
from memory_core.storage.database import review_table, state_db
from memory_core.storage.paths import StateFiles
from memory_core.storage.store import Store
from memory_core.text.times import format_utc


class GoneProject(NamedTuple):
    """A folder that is gone, its state, and the reports and learnings that wait there.

    `reviews` has the learnings by the stems of their agents' files.
    """

    folder: str
    state: StateFiles
    reports: list[str]
    reviews: dict[str, list[dict[str, Any]]]


def list_gone(store: Store) -> list[GoneProject]:
    """Return the projects that are gone, had the name or the number of this one, and left some.

    Raises OSError.
    """
    states = os.path.dirname(store.paths.state.root)
    gone = []
    for name, folder in state_owner.list_owners(states):
        state = StateFiles(folder, states)
        has_name = os.path.basename(folder) == os.path.basename(store.paths.root)
        is_same = has_name or state_owner.is_of_same_folder(state, store.paths.root)
        if os.path.basename(state.root) != name or os.path.lexists(folder) or not is_same:
            continue
        reports = [name for name in state.list_names(inbox.FOLDER) if inbox.split(name)[0]]
        reviews = state_db.read(state, _read_reviews)
        if reports or reviews:
            gone.append(GoneProject(folder, state, reports, reviews))
    return gone


def take_over(store: Store, gone: GoneProject) -> None:
    """Put what waits into the inbox and the review of this project.  Raises OSError.

    It leaves the state of the other project when it is here.
    """
    for name in gone.reports:
        path = os.path.join(inbox.FOLDER, name)
        with suppress(FileExistsError):
            store.paths.state.publish(path, gone.state.read(path, hook_files.MAX_BYTES))
        gone.state.delete(path)
    now = format_utc(time.time())
    for stem, entries in gone.reviews.items():
        agent = agent_spelling.agent_of_file(f"{stem}.md")
        with store.lock(agent):
            store.add_to_review(agent, entries, now)
    state_db.add_lines(gone.state, partial(_make_decisions, gone, now))


def _read_reviews(db: Connection) -> dict[str, list[dict[str, Any]]]:
    return {stem: review_table.read(db, stem) for stem in review_table.list_agents(db)}


def _make_decisions(gone: GoneProject, now: str, db: Connection) -> list[dict[str, Any]]:
    lines = []
    for stem, entries in gone.reviews.items():
        decisions = {entry["id"]: "moved" for entry in entries}
        lines += review_table.make_decisions(db, stem, decisions, now)
    return lines
