"""Take over what older versions kept inside the project: events, and learnings that wait.

Whoever wrote the repository may have written these files.  Therefore they are used once, by
`agent-memory migrate`: learnings go to the review, never into a memory, and events lose unknown
names and fields.  Everything else is removed.  Links are neither followed nor removed.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator
from typing import Any

from memory_core.claude_code import agent_names
from memory_core.files import tree
from memory_core.files.safe_files import SafeFiles
from memory_core.storage import event_log, review_file, spool, state_folder
from memory_core.storage.paths import FOLDER_NAME
from memory_core.storage.store import MAX_DATED_BYTES, Store
from memory_core.text import fastjson, sanitize
from memory_core.text.times import format_utc

PROBLEM = "an older version left its data in the project"

STATE, LOGS = f"{FOLDER_NAME}/state", f"{FOLDER_NAME}/logs"
IGNORE_FILE = f"{FOLDER_NAME}/.gitignore"
IGNORE_LINES = ("# Written by agent-memory: what only this machine needs.", "state/", "logs/")

MAX_LENGTH = 2_000  # of a learning, in characters; of other texts a tenth

EVENTS = tuple(
    [f"agent.memory.{what}" for what in ("loaded", "learned", "delivered", "doubled", "lost")]
    + [f"task.memory.{what}" for what in ("begun", "archived", "restored", "deleted")]
    + [f"task.memory.{what}" for what in ("brought_back", "link_failed", "unread")]
    + ["agent.memory.waiting", "agent.memory.error", "agent.delegation.failed"]
)
EVENT_FIELDS = (
    *("agent_id", "memory_source", "memory_size", "route", "session", "run", "call", "learned"),
    *("known", "rejected", "evicted", "source", "reason", "error", "hook", "task_id"),
)
EVENT_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", re.ASCII)


class OldState:
    """What can be taken over, and (files, path) of what is removed then.

    `learnings` are entries for the review by agent, `ignore` the new text of .gitignore (None for
    no change), `kept` the paths that stay, with the reason, `projects` the folders of projects
    that are gone, may have been this one, and left learnings.
    """

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []
        self.learnings: dict[str, list[dict[str, str]]] = {}
        self.files: list[tuple[SafeFiles, str]] = []
        self.folders: list[tuple[SafeFiles, str]] = []
        self.ignore: str | None = None
        self.kept: dict[str, str] = {}
        self.projects: list[str] = []

    @property
    def is_empty(self) -> bool:
        return not (self.files or self.folders or self.projects) and self.ignore is None


def is_present(store: Store) -> bool:
    """Say whether an older version left data in the project, or below the home folder."""
    files = SafeFiles(store.paths.root)
    return _clean_ignore_file(files) is not None or any(map(files.is_folder, _folders(store)))


def _folders(store: Store) -> tuple[str, str, str]:
    quarantine = store.paths.relative(os.path.join(store.folder, "quarantine"))
    return STATE, LOGS, quarantine


def find(store: Store) -> OldState:
    """Return what `take_over` would take over and remove; changes nothing."""
    files, old = SafeFiles(store.paths.root), OldState()
    old.ignore = _clean_ignore_file(files)
    for folder in _folders(store):
        below = tree.walk(files, folder) if files.is_folder(folder) else ()
        for path, names in reversed(list(below)):  # folders after what is in them
            old.files += [(files, files.relative(os.path.join(path, name))) for name in names]
            old.folders.append((files, files.relative(path)))
    for name in event_log.FILES:
        old.events.extend(_clean_events(_read(old, files, f"{LOGS}/{name}")))
    _read_learnings(old, files, f"{STATE}/{spool.FOLDER}", _folders(store)[2])
    state = store.paths.state
    has_state = state.is_folder("")
    for folder, project, is_certain in state_folder.list_gone(
        os.path.dirname(state.root), state.owner
    ):
        if is_certain and not has_state:
            continue  # it becomes the state of this project, with all that waits in it
        gone = SafeFiles(folder)
        paths = _read_learnings(old, gone, spool.FOLDER, review_file.FOLDER)
        if paths:
            old.files.extend((gone, path) for path in paths)
            old.projects.append(project)
    old.kept.update({path: refused.reason for path, refused in files.refused.items()})
    old.files = [file for file in old.files if file[1] not in old.kept]
    return old


def _clean_ignore_file(files: SafeFiles) -> str | None:
    """Return the text of .gitignore without the lines of older versions, None for no change."""
    lines = files.read_text(IGNORE_FILE).splitlines(keepends=True)
    if IGNORE_LINES[0] not in map(str.strip, lines):
        return None
    return "".join(line for line in lines if line.strip() not in IGNORE_LINES)


def _read(old: OldState, files: SafeFiles, path: str) -> str:
    try:
        return files.read(path, MAX_DATED_BYTES).decode("utf-8", "replace")
    except OSError as error:
        old.kept[path] = str(error.strerror)
        return ""


def _clean_events(text: str) -> Iterator[dict[str, Any]]:
    now = format_utc(time.time())
    for event in map(fastjson.load_object, text.split("\n")):
        moment = event.get("timestamp")
        is_valid = isinstance(moment, str) and EVENT_TIME.fullmatch(moment) and moment <= now
        if event.get("event") in EVENTS and is_valid:
            fields = {key: _clean_value(event[key]) for key in EVENT_FIELDS if key in event}
            yield {"event": event["event"], "timestamp": moment, **fields}


def _clean_value(value: object) -> object:
    if isinstance(value, str):
        return _clean(value, MAX_LENGTH // 10)
    return value if isinstance(value, int) and abs(value) < 2**53 else None


def _clean(text: str, length: int = MAX_LENGTH) -> str:
    return sanitize.shorten(sanitize.escape_tags(sanitize.join_visible(text)), length)


def _read_learnings(old: OldState, files: SafeFiles, spooled: str, review: str) -> list[str]:
    """Add the learnings of a spool and of a folder of reviews; return the files that were read."""
    sources: list[tuple[str, str, Callable[[str], list[dict[str, str]]]]] = [
        (f"{stem}.md", f"{spooled}/{stem}/{name}", _parse_spooled)
        for stem in files.list_names(spooled)
        for name in files.list_names(f"{spooled}/{stem}")
    ]
    for name in files.list_names(review):
        stem, dot, _end = name.rpartition(".jsonl")
        owner, parser = (f"{stem}.md", review_file.parse) if dot else (name, review_file.parse_old)
        sources.append((owner, f"{review}/{name}", parser))
    paths = []
    for owner, path, parse in sources:
        agent, text = agent_names.agent_of_file(owner), _read(old, files, path)
        try:
            entries = [
                {key: _clean(value) for key, value in entry.items()}
                for entry in (parse(text) if text else [])
            ]
        except (ValueError, RecursionError) as error:
            old.kept[path] = f"is invalid: {error}"
            continue
        if entries and agent:
            old.learnings.setdefault(agent, []).extend(entries)
            paths.append(path)
        elif entries:
            old.kept[path] = "has no name of an agent"
    return paths


def count_learnings(state: SafeFiles) -> int:
    """Return the number of learnings in a project's state that are in no memory.

    A file that cannot be read counts as one.
    """
    old = OldState()
    _read_learnings(old, state, spool.FOLDER, review_file.FOLDER)
    return sum(map(len, old.learnings.values())) + len(old.kept)


def _parse_spooled(text: str) -> list[dict[str, str]]:
    entry = spool.parse_entry(text)
    why = "it was not merged"
    rows = [[kind, content, why, *nested] for kind, content, *nested in entry["learnings"]]
    source = {key: entry[key] for key in ("run", "session") if entry.get(key)}
    return [
        {"type": kind, "content": content, "reason": reason, "nested": "".join(nested), **source}
        for kind, content, reason, *nested in [*rows, *entry["rejected"]]
    ]


def take_over(store: Store, old: OldState) -> None:
    """Add the events to the log and the learnings to the review, then remove the old files.

    Raises OSError before anything is removed.
    """
    _add_events(store, old.events)
    for agent, entries in old.learnings.items():
        with store.lock(agent):
            store.add_to_review(agent, entries, format_utc(time.time()))
    for files, path in old.files:
        files.remove(path)
    for files, path in old.folders:
        files.remove_folder(path)
    files = SafeFiles(store.paths.root)
    if old.ignore and old.ignore.strip():
        files.replace(IGNORE_FILE, old.ignore.encode("utf-8", "surrogateescape"))
    elif old.ignore is not None:
        files.delete(IGNORE_FILE)


def _add_events(store: Store, events: list[dict[str, Any]]) -> None:
    """Add events to the older file of the log, whose lines are sorted by time."""
    if not events:
        return
    state = store.paths.state
    lines = state.read_text(event_log.OLD_FILE_NAME, event_log.MAX_READ_BYTES).split("\n")
    lines = list(dict.fromkeys([*filter(None, lines), *map(fastjson.dumps, events)]))
    lines.sort(key=lambda line: str(fastjson.load_object(line).get("timestamp")))
    data = "".join(f"{line}\n" for line in lines).encode()
    if len(data) > event_log.MAX_BYTES:  # the newest lines, without the half of one
        data = data[-event_log.MAX_BYTES :].partition(b"\n")[2]
    state.replace(event_log.OLD_FILE_NAME, data)
