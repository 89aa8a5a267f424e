"""The memory files: found by any spelling, read whole, replaced whole, under a lock."""

from __future__ import annotations

import os
import time

from memory_core import agents
from memory_core.agents import PM

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from memory_core.places import Place

# A hook's own deadline is 5 s; a writer holds a lock for milliseconds.
LOCK_WAIT = 2.0

# How long a waiter rests between two tries for the lock, in seconds.
LOCK_REST = 0.005

# A temporary file that is older was left by a writer that was killed.
LEFT_OVER = 3600

README = """\
# What the agents of this project remember

One file per agent, kept by agent-memory.
Claude Code's subagents get their own file with their task.
What they report as worth keeping is added to it.
`PM.md` is for the main session only.
These files are yours: read them, edit them, commit them.
A change counts from the next delegation on.

`archive/` has what no longer fitted, `quarantine/` what waits for a person to look at it.
`history/` says when each line came and who confirmed it: to delete it loses no knowledge.
"""


class Busy(OSError):
    """A lock that could not be had in time."""


class Changed(OSError):
    """A memory file that somebody else has written since it was read."""


class Outside(OSError):
    """A memory file that is a link to somewhere outside its folder."""


class Text:
    """A memory file as it was read: its text, where it is, when it changed (seconds)."""

    __slots__ = ("_mark", "changed", "path", "text")

    def __init__(self, text: str, path: str, status: os.stat_result) -> None:
        self.text = text
        self.path = path
        self.changed = status.st_mtime
        self._mark = _mark(status)

    def is_current(self) -> bool:
        """Say whether the file is still the one that was read."""
        try:
            return _mark(os.stat(self.path)) == self._mark
        except FileNotFoundError:
            return False


def _mark(status: os.stat_result) -> tuple[int, ...]:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


class Store:
    """The memory files of one level.

    A class because every verb needs the same three: the place, its folder of
    memories, and how the two give an agent's path and lock.
    """

    def __init__(self, place: Place, directory: str = "") -> None:
        self.place = place
        self.folder = os.path.join(place.root, directory) if directory else place.memories

    def path(self, agent: str) -> str:
        """Return the agent's file: the one that exists under any of its names, or the new one."""
        stem = self.stem(agent)
        usual = os.path.join(self.folder, f"{stem}.md")
        if os.path.lexists(usual):
            return usual
        names = agents.MAIN_FILE_NAMES if agent == PM else agents.file_names(agent)
        found = agents.find(self._names(), names)
        return os.path.join(self.folder, found) if found else usual

    def files(self, agent: str) -> list[str]:
        """Return every file of the agent, under whatever name; the first is the one in use."""
        names = agents.MAIN_FILE_NAMES if agent == PM else agents.file_names(agent)
        listing, found = set(self._names()), []
        while name := agents.find(listing, names):
            listing.discard(name)
            found.append(os.path.join(self.folder, name))
        return found

    def stem(self, agent: str) -> str:
        return PM if agent == PM else agents.file_stem(agent)

    def _names(self) -> list[str]:
        try:
            return os.listdir(self.folder)
        except OSError:
            return []

    def agents(self) -> list[str]:
        """Return the ids of all agents with a file, the main session's PM among them."""
        names = self._names()
        owners = {agents.owner(name) for name in names} - {""}
        return sorted(owners | ({PM} if agents.find(names, agents.MAIN_FILE_NAMES) else set()))

    def read(self, agent: str) -> Text | None:
        """Return the agent's memory, or None where there is none.

        Bytes that are not UTF-8 come as lone surrogates, and go back as they were.
        """
        return self.read_file(self.path(agent))

    def read_file(self, path: str) -> Text | None:
        """Return one of the folder's files, or None where there is none."""
        try:
            with open(path, "rb") as file:
                self._refuse_outside(path)
                status = os.fstat(file.fileno())  # first: what is written meanwhile shows
                data = file.read()
        except (FileNotFoundError, NotADirectoryError):
            return None
        return Text(data.decode("utf-8", "surrogateescape"), path, status)

    def _refuse_outside(self, path: str) -> None:
        if not os.path.islink(path):
            return
        if not os.path.realpath(path).startswith(os.path.realpath(self.folder) + os.sep):
            raise Outside(f"{self.place.relative(path)} is a link that leaves its folder")

    def write(self, agent: str, text: str, read: Text | None) -> None:
        """Put `text` in place of the agent's memory, seen whole or not at all.

        The caller holds `locked(agent)`, and has read under it what it changes: `read`,
        None for no file.  Raises Changed where a person has saved the file since then.
        """
        self.make_folder()
        self.write_file(read.path if read else self.path(agent), text, read)

    def write_file(self, path: str, text: str, read: Text | None) -> None:
        """Put `text` in place of one of the folder's files, as `write` does."""
        self._refuse_outside(path)

        def check() -> None:
            if not (read.is_current() if read else not os.path.exists(path)):
                raise Changed(f"{self.place.relative(path)} was saved by somebody else just now")

        replace(os.path.realpath(path), text.encode("utf-8", "surrogateescape"), check)

    def make_folder(self) -> None:
        """Make the folder of memories, with the README that says what it is."""
        if not os.path.isdir(self.folder):
            self.place.made()
            os.makedirs(self.folder, exist_ok=True)
            readme = os.path.join(self.folder, "README.md")
            if not os.path.lexists(readme):
                replace(readme, README.encode())

    def append(self, kind: str, agent: str, lines: list[str], now: str) -> None:
        """Keep items in archive/ or quarantine/, under the day; each once a day."""
        if not lines:
            return
        from memory_core import aside

        path = self.aside(kind, agent)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        before = _bytes(path).decode("utf-8", "surrogateescape")
        if "<<<<<<< " in before:
            from memory_core import union

            before = union.of_sides(before).text
        after = aside.added(before, lines, now[:10])
        if after != before:
            replace(path, _encoded(after))

    def aside(self, kind: str, agent: str) -> str:
        """Return the agent's file in archive/ or quarantine/; raises Outside."""
        return self._beside(kind, f"{self.stem(agent)}.md")

    def history(self, agent: str) -> str:
        """Return the agent's file in history/; raises Outside."""
        path = self._beside("history", f"{self.stem(agent)}.jsonl")
        self._refuse_outside(path)
        return path

    def with_history(self) -> list[str]:
        """Return the ids of all agents with a history."""
        try:
            names = os.listdir(os.path.join(self.folder, "history"))
        except OSError:
            return []
        stems = [name.removesuffix(".jsonl") for name in names if name.endswith(".jsonl")]
        return sorted(PM if stem == PM else agents.owner(f"{stem}.md") for stem in stems)

    def _beside(self, kind: str, name: str) -> str:
        """Return a file's path in one of the folders beside the memories; raises Outside."""
        folder = os.path.join(self.folder, kind)
        self._refuse_outside(folder)
        return os.path.join(folder, name)

    def locked(self, agent: str, wait: float = LOCK_WAIT) -> Lock:
        """Return the agent's lock, to be used with `with`; raises Busy after `wait` seconds."""
        folder = self.place.made("state", "locks")
        return Lock(os.path.join(folder, f"{self.stem(agent)}.lock"), wait)


class Lock:
    """The lock that filelock takes on the same file, without the cost of its import.

    Its `UnixFileLock` calls flock(2) on a file that stays; a test shows that each
    keeps the other out.
    """

    __slots__ = ("_descriptor", "_path", "_wait")

    def __init__(self, path: str, wait: float) -> None:
        self._path = path
        self._wait = wait

    def __enter__(self) -> None:
        until = time.monotonic() + self._wait
        for _attempt in _until(until):
            if self._take():
                return
        raise Busy(f"{self._path} is locked by another process")

    def _take(self) -> bool:
        import fcntl

        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(descriptor), os.stat(self._path)):
                self._descriptor = descriptor
                return True
        except (BlockingIOError, FileNotFoundError):
            pass  # held by another, or somebody deleted state/ meanwhile: try again
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)
        return False

    def __exit__(self, *_exception: object) -> None:
        os.close(self._descriptor)  # and with it the lock goes


def _until(until: float) -> Iterator[None]:
    """Give turns, with a rest in between, until the clock says so; at least one."""
    yield
    while time.monotonic() < until:
        time.sleep(LOCK_REST)
        yield


def _encoded(text: str) -> bytes:
    """Encode what was partly read from a file and partly from a report, of any code points."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # half a surrogate pair, as JSON may hold it
        return text.encode("utf-8", "replace")


def _bytes(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return b""


def replace(path: str, data: bytes, check: Callable[[], None] | None = None) -> None:
    """Put `data` in place of the file at `path`: whole, on the disk, with its mode.

    `check` is called at the last moment, and may raise.
    """
    folder, name = os.path.split(path)
    _sweep(folder, (f".{name}.", ".README.md."))
    temporary = os.path.join(folder, f".{name}.{os.getpid()}")
    try:
        _write(temporary, data, path)
        if check:
            check()
        os.replace(temporary, path)
    except BaseException:
        _remove(temporary)
        raise
    sync(folder)


def _write(temporary: str, data: bytes, path: str) -> None:
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o666)
    with open(descriptor, "wb", buffering=0) as file:
        view = memoryview(data)
        while view:
            view = view[file.write(view) :]
        _keep_mode(descriptor, path)
        os.fsync(descriptor)


def _keep_mode(descriptor: int, path: str) -> None:
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return
    os.fchmod(descriptor, status.st_mode & 0o7777)
    if status.st_uid != os.geteuid() or status.st_gid != os.getegid():
        try:
            os.fchown(descriptor, status.st_uid, status.st_gid)
        except PermissionError:
            pass  # only its owner's or root's to give


def sync(folder: str) -> None:
    """Have the rename itself on the disk; a file system without this is no reason to fail."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    except OSError:
        pass
    finally:
        os.close(descriptor)


def _sweep(folder: str, prefixes: tuple[str, ...]) -> None:
    """Remove what killed writers of the same file, or of one written once, left behind."""
    for name in os.listdir(folder):
        if name.startswith(prefixes):
            path = os.path.join(folder, name)
            try:
                if time.time() - os.stat(path).st_mtime > LEFT_OVER:
                    os.unlink(path)
            except OSError:
                pass  # another writer's, already gone


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        pass
