"""The memory files of one level: found by any spelling, read and replaced whole, locked."""

from __future__ import annotations

import errno
import fcntl
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from operator import attrgetter
from typing import Any

from memory_core.claude_code import agent_names, agent_spelling
from memory_core.claude_code.agent_names import PM
from memory_core.document import dated_entries, merge_versions
from memory_core.files import file_actions
from memory_core.files.safe_files import Refused, SafeFiles, TooLarge, UsedInPart
from memory_core.storage.database import review_table, state_db
from memory_core.storage.history_file import HistoryFile
from memory_core.storage.paths import LevelPaths, MemoryFolder
from memory_core.text.markdown_lines import BOM

# Seconds.  A hook must end within 5 s; a writer holds a lock for milliseconds.
LOCK_TIMEOUT = 2.0

# Git ignores a folder that has a .gitignore with this line.
GITIGNORE = "*\n"

# Seconds between two tries to take a lock.
LOCK_INTERVAL = 0.005

# A person's memory file has 8 KB; a larger one than this is refused.
MAX_MEMORY_BYTES = 1_000_000
MAX_MEMORY_LINES = 40_000

# Of an archive: years of work.
MAX_DATED_BYTES = 8_000_000
MAX_COMPARED_BYTES = 1_000_000

# The bytes at the start of a file in UTF-16.  Without them, its blanks and line ends have NULs.
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
NOT_TEXT = "is not text, perhaps UTF-16: it is neither read nor changed"

README_TEXT = """\
# What the agents of this project remember

Each file is the memory of one agent.
When the agent starts, it receives the items that fit its task; findings of its report are added.
`PM.md` is for the main session only.
These files are yours: read them, edit them, commit them.
Changes take effect the next time the agent starts.

`archive/` has removed items.
`history/` records where each item came from and who confirmed it; without it the items stay.
"""


class LockTimeout(OSError):
    """Another process held a lock for too long."""


class FileChanged(OSError):
    """Somebody else has written a memory file since it was read."""


class NotText(Refused):
    """A file that is not UTF-8 text: to add lines to it would damage it."""


class FileSnapshot:
    """The state of a memory file: text, path, time of its last change in seconds.

    `byte_order_mark` is no part of the text and is written again; it may be "".
    """

    __slots__ = ("byte_order_mark", "changed", "files", "path", "status", "text")

    def __init__(self, text: str, path: str, status: os.stat_result, files: SafeFiles) -> None:
        self.text = text.removeprefix(BOM)
        self.byte_order_mark = text[: len(text) - len(self.text)]
        self.path = path
        self.changed = status.st_mtime
        self.status = status
        self.files = files

    def is_current(self) -> bool:
        """Check whether the file is unchanged since it was read."""
        status = self.files.status(self.path)
        return status is not None and _identify(status) == _identify(self.status)


_identify = attrgetter("st_dev", "st_ino", "st_size", "st_mtime_ns")


class Store(MemoryFolder):
    """The memory files of one level, which commands and the worker read and write."""

    def list_files(self, agent: str) -> list[str]:
        """Return the paths of all files of the agent; the first one is in use."""
        listing, paths = set(self.files.list_names(self.folder)), []
        while name := agent_names.find_file(listing, agent_names.list_file_names(agent)):
            listing.discard(name)
            paths.append(os.path.join(self.folder, name))
        return paths

    def read(self, agent: str) -> FileSnapshot | None:
        """Return the agent's memory file, None if there is none; raises OSError, and NotText.

        Bytes that are not UTF-8 become lone surrogates, and are written back unchanged.
        """
        snapshot = read_snapshot(self.files, self.path(agent), MAX_MEMORY_BYTES)
        if snapshot and snapshot.text.count("\n") > MAX_MEMORY_LINES:
            name = self.paths.relative(snapshot.path)
            raise TooLarge(name, f"has more than {MAX_MEMORY_LINES:,} lines")
        return snapshot

    def has_file(self, agent: str) -> bool:
        """Return whether the agent has a memory file; False also if that cannot be seen."""
        return self.files.is_file(self.path(agent))

    def read_file(self, path: str) -> FileSnapshot | None:
        """Return one of the folder's files, None if it does not exist; raises OSError."""
        return read_snapshot(self.files, path)

    def find_refusal(self, path: str) -> Refused | None:
        """Return why a file counted as absent when it was read, None if it did not."""
        whole = f"{self.paths.relative(path)}/"
        for place, error in self.files.refused.items():
            if whole.startswith(f"{place}/") and not isinstance(error, UsedInPart):
                return error
        return None

    def write(self, agent: str, text: str, read: FileSnapshot | None) -> None:
        """Replace the agent's memory file in one step.

        The caller holds `lock(agent)` and has read the file under it: `read`, None for no file.
        Raises FileChanged if somebody has saved the file since then, and OSError.
        """
        self.make_folder()
        self.write_file(read.path if read else self.path(agent), text, read)
        file_actions.remove_stale(self.files, os.path.dirname(self.archive_path(agent)))

    def write_file(self, path: str, text: str, read: FileSnapshot | None) -> None:
        """Replace one of the folder's files, as `write` does."""

        def check() -> None:
            if not (read.is_current() if read else self.files.status(path) is None):
                relative = self.paths.relative(path)
                raise FileChanged(f"{relative} was saved by somebody else just now")

        whole = read.byte_order_mark + text if read else text
        self.files.replace(path, whole.encode("utf-8", "surrogateescape"), check=check)
        file_actions.remove_stale(self.files, os.path.dirname(path))

    def make_folder(self) -> None:
        """Create the folder of memories, with a README that explains it."""
        if not self.files.is_folder(self.folder):
            self.files.make_folder(self.folder)
            readme = os.path.join(self.folder, "README.md")
            if not self.files.has_entry(readme):
                self.files.replace(readme, README_TEXT.encode())

    # Items by day.

    def archive_path(self, agent: str) -> str:
        """Return the file with the items that no longer fitted."""
        return os.path.join(self.folder, "archive", f"{self.stem(agent)}.md")

    def add_to_archive(self, agent: str, lines: list[str], now: str) -> None:
        """Add items to the archive under the day of `now`, once a day; raises OSError."""
        add_entries(self.files, self.archive_path(agent), [(now[:10], line) for line in lines])

    def add_to_review(self, agent: str, entries: list[dict[str, Any]], now: str) -> None:
        """Add learnings that wait for a person, see `review_table`; the caller holds the lock.

        Each has at least `type`, `content` and `reason`.  Where no state can be kept they go to
        the archive, so that they are not lost.  Raises OSError.
        """
        state, stem = self.paths.state, self.stem(agent)
        rows = [review_table.fill(agent, entry, now) for entry in entries]
        try:
            state_db.add_lines(state, lambda db: review_table.make_lines(db, stem, rows))
        except OSError as error:
            if not isinstance(error, state_db.NotKept) and error.errno != errno.ENOSPC:
                raise  # a report stays in the inbox until the database is free
            self.add_to_archive(agent, list(map(review_table.format_line, entries)), now)

    def read_review(self, agent: str) -> list[dict[str, Any]]:
        """Return the learnings that wait for a person, oldest first, with all fields.

        Raises OSError.
        """
        return state_db.read(self.paths.state, lambda db: review_table.read(db, self.stem(agent)))

    def remove_from_review(self, agent: str, decisions: Mapping[str, str], now: str) -> None:
        """Remove learnings, with the decision on each by their ids; the caller holds the lock.

        Raises OSError.
        """
        stem = self.stem(agent)
        state_db.add_lines(
            self.paths.state, lambda db: review_table.make_decisions(db, stem, decisions, now)
        )

    def agents(self) -> list[str]:
        """Return the sorted ids of all agents with a file, including PM."""
        names = self.files.list_names(self.folder)
        agents = {agent_spelling.agent_of_file(name) for name in names} - {""}
        if agent_names.find_file(names, agent_names.PM_FILE_NAMES):
            agents.add(PM)
        return sorted(agents)

    def agents_with_files(self) -> list[str]:
        """Return the sorted ids of all agents with a memory or an archive file."""
        names = self.files.list_names(os.path.join(self.folder, "archive"))
        return sorted({*self.agents(), *map(agent_spelling.agent_of_file, names)} - {""})

    def agents_to_review(self) -> list[str]:
        """Return the sorted ids of all agents with learnings that wait for a person.

        Raises OSError.
        """
        stems = state_db.read(self.paths.state, review_table.list_agents)
        return sorted({agent_spelling.agent_of_file(f"{stem}.md") for stem in stems} - {""})

    def history(self, agent: str) -> HistoryFile:
        """Return the history of an agent's items and runs."""
        return HistoryFile(self.files, self.history_path(agent))

    def agents_with_history(self) -> list[str]:
        """Return the sorted ids of all agents with a history."""
        names = self.files.list_names(os.path.join(self.folder, "history"))
        stems = [name.removesuffix(".jsonl") for name in names if name.endswith(".jsonl")]
        return sorted(agent_spelling.agent_of_file(f"{stem}.md") for stem in stems)

    def lock(self, agent: str) -> AbstractContextManager[None]:
        """Return the agent's lock for a `with` statement; it raises LockTimeout."""
        return hold_lock(self.paths, f"{self.stem(agent)}.lock", LOCK_TIMEOUT)


class InvalidAgentName(ValueError):
    """A name that is not possible for an agent; the message is the reason."""

    status = 2


def resolve_agent(store: Store, name: str) -> str:
    """Return the id of the agent with this name, in any spelling.

    `pm` means the main session unless an agent of that name has a memory file in the store.
    Raises InvalidAgentName for an invalid name, unless a hook created a memory with it.
    """
    agent = agent_names.id_of(name)
    if not agent_spelling.is_valid_name(name) and agent not in store.agents():
        raise InvalidAgentName(
            f"invalid agent name {name!r}: use letters, digits and -, without a slash"
        )
    is_pm = agent == "pm" and agent not in store.agents()
    return PM if is_pm or name.strip() == PM else agent


def read_snapshot(files: SafeFiles, path: str, limit: int = MAX_DATED_BYTES) -> FileSnapshot | None:
    """Return a file with its state, None if it does not exist; raises OSError, and NotText.

    Bytes that are not UTF-8 become lone surrogates, and are written back unchanged.
    """
    opened = files.read_with_status(path, limit)
    if opened is None:
        return None
    data, status = opened
    if not is_text(data):
        raise NotText(files.relative(path), NOT_TEXT)
    return FileSnapshot(data.decode("utf-8", "surrogateescape"), path, status, files)


def is_text(data: bytes) -> bool:
    """Check whether the content of a file is text, of which some bytes may not be UTF-8."""
    return b"\0" not in data and not data.startswith(UTF16_MARKS)


def add_entries(files: SafeFiles, path: str, entries: Sequence[tuple[str, str]]) -> None:
    """Add (day, item) to a file of items by day; raises OSError, and NotText.

    Each item is there once a day, unless the file is larger than a hook can read in time.
    """
    if not entries:
        return
    try:
        snapshot = read_snapshot(files, path, MAX_COMPARED_BYTES)
        before = snapshot.text if snapshot else ""
    except TooLarge:
        files.append(path, _encode("\n" + dated_entries.add_days("", entries)))
        return
    if "<<<<<<< " in before:
        before = merge_versions.merge_sides(before).text
    after = dated_entries.add_days(before, entries)
    if after != before:
        files.replace(path, _encode(snapshot.byte_order_mark + after if snapshot else after))


def make_lock_path(paths: LevelPaths, name: str) -> str:
    """Return the path of a lock file, in a folder that git ignores; raises OSError."""
    folder = os.path.join(paths.folder, "locks")
    file_actions.write_once(paths.files, os.path.join(folder, ".gitignore"), GITIGNORE)
    return os.path.join(folder, name)


@contextmanager
def hold_lock(paths: LevelPaths, name: str, wait: float) -> Iterator[None]:
    """flock(2) on a file that stays, as filelock's UnixFileLock takes it without its import."""
    path = make_lock_path(paths, name)
    until = time.monotonic() + wait
    while (descriptor := _take_lock(paths.files, path)) < 0:
        if time.monotonic() >= until:
            raise LockTimeout(f"{path} is locked by another process")
        time.sleep(LOCK_INTERVAL)
    try:
        yield
    finally:
        os.close(descriptor)  # this releases the lock


def _take_lock(files: SafeFiles, path: str) -> int:
    """Return a descriptor that holds the lock, -1 if another process holds it."""
    descriptor = files.open(path, os.O_RDWR | os.O_CREAT)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        status = files.status(path)
        if status and os.path.samestat(os.fstat(descriptor), status):
            return descriptor
    except BlockingIOError:
        pass
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)  # or somebody has just deleted the folder
    return -1


def _encode(text: str) -> bytes:
    """Encode text that came partly from a file and partly from a report."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # JSON may hold half a surrogate pair
        return text.encode("utf-8", "replace")
