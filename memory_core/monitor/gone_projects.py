"""Learnings that wait for a project whose folder is gone, and that may have been this one.

A folder that was moved takes its state along; one that got another name cannot, because a new
folder may get the number (inode) of a deleted one.  So a person says that it is the same.
"""

from __future__ import annotations

import os
import time
from typing import NamedTuple

from memory_core.claude_code import agent_spelling
from memory_core.files.safe_files import SafeFiles
from memory_core.storage import hook_files, inbox, review_file, state_folder, state_owner
from memory_core.storage.store import Store
from memory_core.text.times import format_utc


class GoneProject(NamedTuple):
    """A folder that is gone, its state, and the reports and reviews that wait there."""

    folder: str
    state: SafeFiles
    reports: list[str]
    reviews: list[str]


def list_gone(store: Store) -> list[GoneProject]:
    """Return the projects that are gone, had the name or the number of this one, and left some."""
    states = os.path.dirname(store.paths.state.root)
    gone = []
    for name, folder in state_owner.list_owners(states):
        state = SafeFiles(os.path.join(states, name), private=True)
        has_name = os.path.basename(folder) == os.path.basename(store.paths.root)
        if os.path.lexists(folder) or not (
            has_name or state_owner.is_of_same_folder(state, store.paths.root)
        ):
            continue
        reports = [name for name in state.list_names(inbox.FOLDER) if inbox.split(name)[0]]
        reviews = list(filter(_find_agent, state.list_names(state_folder.REVIEW_FOLDER)))
        if reports or reviews:
            gone.append(GoneProject(folder, state, reports, reviews))
    return gone


def take_over(store: Store, gone: GoneProject) -> None:
    """Put what waits into the inbox and the review of this project.  Raises OSError.

    A file is removed when its content is here.
    """
    for name in gone.reports:
        path = os.path.join(inbox.FOLDER, name)
        try:
            store.paths.state.publish(path, gone.state.read(path, hook_files.MAX_BYTES))
        except FileExistsError:
            pass
        gone.state.delete(path)
    for name in gone.reviews:
        path = os.path.join(state_folder.REVIEW_FOLDER, name)
        agent = _find_agent(name)
        text = gone.state.read(path, state_folder.MAX_REVIEW_BYTES).decode("utf-8", "replace")
        with store.lock(agent):
            store.add_to_review(agent, review_file.parse(text), format_utc(time.time()))
        gone.state.delete(path)


def _find_agent(review: str) -> str:
    """Return the agent of a file of learnings that wait, "" for another file."""
    return agent_spelling.agent_of_file(f"{review.removesuffix('.jsonl')}.md")
