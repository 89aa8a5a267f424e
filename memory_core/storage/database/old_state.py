"""What versions without `state.db` kept in files: taken over once, then removed.

These files were written by this user for this machine.  A line that cannot be read is skipped.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Iterator
from contextlib import suppress

from memory_core.claude_code import agent_spelling
from memory_core.files import file_actions
from memory_core.files.safe_files import SafeFiles
from memory_core.history import performance
from memory_core.history.item_history import Record
from memory_core.storage import paths
from memory_core.storage.config_yml import config_merge
from memory_core.storage.database import origin_table, review_table, run_table
from memory_core.storage.history_file import HistoryFile
from memory_core.storage.paths import StateFiles
from memory_core.text import fastjson

DECIDED, MADE, REVIEW = "decided", "made", "review"

ERRORS, SUBJECTS = "errors", "subjects"

VERSIONS, MAX_VERSION_BYTES = "versions", 256 * 1024
CHANGE = re.compile(r"^(\S+) (\S+) (\S+)$(?:\n(\S+)\n(\S+)$)?", re.MULTILINE)
SEQUENCE = "sequence"

# In place of the digest of a text that is not known.
UNKNOWN = "-"

# Files and folders that are removed after that.
NAMES = (DECIDED, MADE, REVIEW, "expired", VERSIONS, SEQUENCE, ERRORS, SUBJECTS)

# Files that versions before 3 of the database kept beside it, and the names of their notes.
NOTES = {"arrivals.json": "look", "sweep.json": "sweep", "user-level-asked": "asked"}

# A larger file is not of this user's work.
MAX_BYTES = 64_000_000


def has_files(state: StateFiles) -> bool:
    """Return whether there are such files."""
    return any(map(state.has_entry, NAMES))


def take_over(connection: sqlite3.Connection, state: StateFiles) -> None:
    """Put what the files say into the tables of an empty database."""
    _take_origins(connection, state)
    for stem, agent, path in _list_files(state, REVIEW):
        entries = review_table.parse(agent, state.read_text(path, MAX_BYTES))
        review_table.insert(connection, stem, entries)
    _take_changes(connection, state)
    _take_runs(connection, state)
    _take_errors(connection, state)
    _take_subjects(connection, state)


def _take_origins(connection: sqlite3.Connection, state: StateFiles) -> None:
    for stem in state.list_names(DECIDED):
        lines = state.read_text(f"{DECIDED}/{stem}", MAX_BYTES).split("\n")
        words = [[*line.split(" "), "", ""][:3] for line in lines if line]
        rows = [
            (key, origin, int(since) if since.isdecimal() else None) for key, origin, since in words
        ]
        origin_table.add_origins(connection, stem, rows)
    for stem in state.list_names(MADE):
        records = state.read_text(f"{MADE}/{stem}", MAX_BYTES).split()
        origin_table.add_records(connection, stem, records)


def remove_files(state: StateFiles) -> None:
    """Remove the files that are taken over."""
    for name in NAMES:
        for entry in state.list_names(name):
            state.remove(f"{name}/{entry}")
        state.remove(name)
        file_actions.remove_folder(state, name)


def take_notes(connection: sqlite3.Connection, state: StateFiles, lost: str) -> None:
    """Take over the files that are notes now; `lost` is the last look if that database is lost."""
    ids = connection.execute("SELECT value FROM notes WHERE name = 'id'").fetchall()
    for name, note in NOTES.items():
        if state.has_entry(name):
            text = state.read_text(name, MAX_BYTES) or "yes"
            of_database = fastjson.load_object(text).get("database")
            if of_database and (of_database,) not in ids:
                text = lost
            connection.execute("INSERT OR REPLACE INTO notes VALUES (?, ?)", (note, text))


def remove_notes(state: StateFiles) -> None:
    """Remove these files; raises OSError."""
    for name in NOTES:
        state.remove(name)


def _take_changes(connection: sqlite3.Connection, state: StateFiles) -> None:
    """Take over the changes that this machine wrote; their texts were not kept.

    `versions/AGENT` has for each a line `TIME CHANGE NEXT`, with the times that name the versions
    around it, and then two with the digests of its texts if they differ.  `sequence` has the last
    numbers of changes.
    """
    words = state.read_text(SEQUENCE).split()
    last = max((int(word) for word in words if word.isdecimal() and len(word) < 19), default=0)
    for stem in state.list_names(VERSIONS):
        text = state.read_text(f"{VERSIONS}/{stem}", MAX_VERSION_BYTES)
        rows = [
            (stem, change, time.strip("-"), following, before or UNKNOWN, after or UNKNOWN, last)
            for time, change, following, before, after in CHANGE.findall(text)
        ]
        connection.executemany(
            "INSERT OR IGNORE INTO changes"
            " (agent, change, time_before, time_after, before, after, seq, is_written)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, 1)",
            rows,
        )


def _take_runs(connection: sqlite3.Connection, state: StateFiles) -> None:
    """Take the runs of agents, which stood in the histories of the project."""
    level, user = paths.LevelPaths(state.owner, os.environ), paths.find_user_level(os.environ)
    settings = config_merge.load(level, user, os.environ)
    folder = paths.MemoryFolder(level, settings["directory"]).folder
    for agent, records in _list_runs(level.files, os.path.join(folder, "history")):
        runs = [one for one in records if one.get("outcome") in performance.OUTCOMES]
        runs.sort(key=lambda one: str(one["time"]))
        run_table.add(connection, [performance.make_run({**one, "agent": agent}) for one in runs])


def _take_errors(connection: sqlite3.Connection, state: StateFiles) -> None:
    for agent, records in _list_runs(state, ERRORS):
        texts = [{name: one[name] for name in one if isinstance(one[name], str)} for one in records]
        rows = [performance.make_error(**{"text": "", **one, "agent": agent}) for one in texts]
        run_table.add_errors(connection, filter(None, rows))


def _list_runs(files: SafeFiles, folder: str) -> Iterator[tuple[str, list[Record]]]:
    """Yield the agents with a file in a folder that can be read, and its records of runs."""
    for _stem, agent, path in _list_files(files, folder):
        with suppress(OSError):
            yield agent, HistoryFile(files, path).read_runs()


def _take_subjects(connection: sqlite3.Connection, state: StateFiles) -> None:
    for _stem, agent, path in _list_files(state, SUBJECTS):
        for row in map(fastjson.load_object, state.read_text(path, MAX_BYTES).split("\n")):
            run, about = row.get("run"), row.get("about")
            if isinstance(run, str) and isinstance(about, str):
                run_table.add_subject(connection, agent, run, about)


def _list_files(files: SafeFiles, folder: str) -> Iterator[tuple[str, str, str]]:
    """Yield (stem, agent, path) of the files of agents in a folder."""
    for name in files.list_names(folder):
        stem, _, ending = name.rpartition(".")
        agent = agent_spelling.agent_of_file(f"{stem}.md")
        if agent and ending == "jsonl":
            yield stem, agent, f"{folder}/{name}"
