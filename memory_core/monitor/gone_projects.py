"""Learnings that wait in the state of a project that is gone, and may have been this one."""

from __future__ import annotations

import json
import os
import time

from memory_core.claude_code import agent_spelling, events
from memory_core.files.safe_files import SafeFiles
from memory_core.learning import extraction
from memory_core.memory import remember
from memory_core.storage import hook_files, inbox, review_file, state_folder, state_owner
from memory_core.storage.store import MAX_DATED_BYTES, Store
from memory_core.text.times import format_utc


class LeftLearnings:
    """Learnings by agent, the (files, path) that have them, and the folders of their projects.

    `kept` are the paths that cannot be used, with the reason.
    """

    def __init__(self) -> None:
        self.learnings: dict[str, list[dict[str, str]]] = {}
        self.files: list[tuple[SafeFiles, str]] = []
        self.projects: list[str] = []
        self.kept: dict[str, str] = {}


def find(store: Store) -> LeftLearnings:
    """Return what `take_over` would take over; changes nothing."""
    left, state = LeftLearnings(), store.paths.state
    has_state = state.is_folder("")
    for folder, project, is_certain in state_owner.list_gone(
        os.path.dirname(state.root), state.owner
    ):
        if is_certain and not has_state:
            continue  # it becomes the state of this project, with all that waits in it
        before = len(left.files)
        _read_learnings(left, SafeFiles(folder))
        if len(left.files) > before:
            left.projects.append(project)
    return left


def count_learnings(state: SafeFiles) -> int:
    """Return the number of learnings in a project's state that are in no memory.

    A file that cannot be read counts as one.
    """
    left = LeftLearnings()
    _read_learnings(left, state)
    return sum(map(len, left.learnings.values())) + len(left.kept)


def take_over(store: Store, left: LeftLearnings) -> None:
    """Add the learnings to the review, then remove the old files; raises OSError before that."""
    for agent, entries in left.learnings.items():
        with store.lock(agent):
            store.add_to_review(agent, entries, format_utc(time.time()))
    for files, path in left.files:
        files.remove(path)


def _read_learnings(left: LeftLearnings, state: SafeFiles) -> None:
    """Add the learnings in the inbox and the review of a project's state."""
    for folder in (inbox.FOLDER, hook_files.UNREADABLE):
        for name in state.list_names(folder):
            if stem := inbox.split(name)[0]:
                _read_file(left, state, f"{folder}/{name}", stem)
    for stem in state.list_names(inbox.OLD_FOLDER):
        for name in state.list_names(f"{inbox.OLD_FOLDER}/{stem}"):
            _read_file(left, state, f"{inbox.OLD_FOLDER}/{stem}/{name}", stem)
    for name in state.list_names(state_folder.REVIEW_FOLDER):
        _read_file(left, state, f"{state_folder.REVIEW_FOLDER}/{name}", os.path.splitext(name)[0])


def _read_file(left: LeftLearnings, state: SafeFiles, path: str, stem: str) -> None:
    agent = agent_spelling.agent_of_file(f"{stem}.md")
    try:
        text = state.read(path, MAX_DATED_BYTES).decode("utf-8", "replace")
        entries = _parse(path, text) if text else []
    except OSError as error:
        left.kept[state.locate(path)] = str(error.strerror)
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        left.kept[state.locate(path)] = f"is invalid: {error}"
    else:
        if entries and agent:
            left.learnings.setdefault(agent, []).extend(entries)
            left.files.append((state, path))


def _parse(path: str, text: str) -> list[dict[str, str]]:
    """Return the entries for the review in the text of a file; raises ValueError."""
    if path.endswith(".jsonl"):
        return review_file.parse(text)
    if path.startswith(inbox.OLD_FOLDER):
        lesson = json.loads(text)
    else:
        report = hook_files.parse(text)
        results = [extraction.extract(said) for said in events.report_texts(report["event"])]
        session = events.session(report["event"])
        lesson = remember.make_lesson(report["agent"], results, report["run"], session)
    rows = [[*row[:2], "it was not merged", *row[2:]] for row in lesson["learnings"]]
    source = {key: lesson[key] for key in ("run", "session") if lesson.get(key)}
    return [
        {"type": kind, "content": content, "reason": reason, "nested": "".join(nested), **source}
        for kind, content, reason, *nested in [*rows, *lesson["rejected"]]
    ]
