"""The memory files of one level: found by any spelling, read and replaced whole, locked."""

from __future__ import annotations

import os
import time

from memory_core.claude_code import agent_names
from memory_core.claude_code.agent_names import PM
from memory_core.storage import file_io

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.storage.paths import LevelPaths

# Seconds.  A hook must end within 5 s; a writer holds a lock for milliseconds.
LOCK_TIMEOUT = 2.0

# Seconds between two tries to take a lock.
LOCK_INTERVAL = 0.005

README_TEXT = """\
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


class LockTimeout(OSError):
    """Another process held a lock for too long."""


class FileChanged(OSError):
    """Somebody else has written a memory file since it was read."""


class LinkOutside(OSError):
    """A memory file is a link that leads out of its folder."""


class FileSnapshot:
    """The state of a memory file: text, path, time of its last change in seconds."""

    __slots__ = ("_identity", "changed", "path", "text")

    def __init__(self, text: str, path: str, status: os.stat_result) -> None:
        self.text = text
        self.path = path
        self.changed = status.st_mtime
        self._identity = _identity_of(status)

    def is_current(self) -> bool:
        """Check whether the file is unchanged since it was read."""
        try:
            return _identity_of(os.stat(self.path)) == self._identity
        except FileNotFoundError:
            return False


def _identity_of(status: os.stat_result) -> tuple[int, ...]:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


class Store:
    """The memory files of one level, in `folder`."""

    def __init__(self, paths: LevelPaths, directory: str = "") -> None:
        self.paths = paths
        self.folder = os.path.join(paths.root, directory) if directory else paths.memories

    def path(self, agent: str) -> str:
        """Return the agent's file: an existing one under any of its names, or the new one."""
        usual = os.path.join(self.folder, f"{self.stem(agent)}.md")
        if os.path.lexists(usual):
            return usual
        name = agent_names.find_file(file_io.list_folder(self.folder), _file_names(agent))
        return os.path.join(self.folder, name) if name else usual

    def files(self, agent: str) -> list[str]:
        """Return the paths of all files of the agent; the first one is in use."""
        listing, paths = set(file_io.list_folder(self.folder)), []
        while name := agent_names.find_file(listing, _file_names(agent)):
            listing.discard(name)
            paths.append(os.path.join(self.folder, name))
        return paths

    def stem(self, agent: str) -> str:
        return PM if agent == PM else agent_names.file_stem_of(agent)

    def agents(self) -> list[str]:
        """Return the sorted ids of all agents with a file, including PM."""
        names = file_io.list_folder(self.folder)
        agents = {agent_names.agent_of_file(name) for name in names} - {""}
        if agent_names.find_file(names, agent_names.PM_FILE_NAMES):
            agents.add(PM)
        return sorted(agents)

    def read(self, agent: str) -> FileSnapshot | None:
        """Return the agent's memory file, None if there is none; raises OSError.

        Bytes that are not UTF-8 become lone surrogates, and are written back unchanged.
        """
        return self.read_file(self.path(agent))

    def read_file(self, path: str) -> FileSnapshot | None:
        """Return one of the folder's files, None if it does not exist; raises OSError."""
        try:
            with open(path, "rb") as file:
                self._refuse_outside(path)
                # Before reading: a write that happens meanwhile then counts as a change.
                status = os.fstat(file.fileno())
                data = file.read()
        except (FileNotFoundError, NotADirectoryError):
            return None
        return FileSnapshot(data.decode("utf-8", "surrogateescape"), path, status)

    def _refuse_outside(self, path: str) -> None:
        if not os.path.islink(path):
            return
        if not os.path.realpath(path).startswith(os.path.realpath(self.folder) + os.sep):
            raise LinkOutside(f"{self.paths.relative(path)} is a link that leaves its folder")

    def write(self, agent: str, text: str, read: FileSnapshot | None) -> None:
        """Replace the agent's memory file in one step.

        The caller holds `lock(agent)` and has read the file under it: `read`, None for no file.
        Raises FileChanged if somebody has saved the file since then, and OSError.
        """
        self.make_folder()
        self.write_file(read.path if read else self.path(agent), text, read)

    def write_file(self, path: str, text: str, read: FileSnapshot | None) -> None:
        """Replace one of the folder's files, as `write` does."""
        self._refuse_outside(path)

        def check() -> None:
            if not (read.is_current() if read else not os.path.exists(path)):
                relative = self.paths.relative(path)
                raise FileChanged(f"{relative} was saved by somebody else just now")

        data = text.encode("utf-8", "surrogateescape")
        file_io.replace(os.path.realpath(path), data, check=check)

    def make_folder(self) -> None:
        """Create the folder of memories, with a README that explains it."""
        if not os.path.isdir(self.folder):
            self.paths.make_folder()
            os.makedirs(self.folder, exist_ok=True)
            readme = os.path.join(self.folder, "README.md")
            if not os.path.lexists(readme):
                file_io.replace(readme, README_TEXT.encode())

    def append(self, kind: str, agent: str, lines: list[str], now: str) -> None:
        """Add items to archive/ or quarantine/ (`kind`) under the day of `now`, once a day."""
        if not lines:
            return
        from memory_core.document import dated_entries

        path = self.dated_path(kind, agent)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        before = file_io.read_bytes(path).decode("utf-8", "surrogateescape")
        if "<<<<<<< " in before:
            from memory_core.document import conflicts

            before = conflicts.merge_sides(before).text
        after = dated_entries.add(before, lines, now[:10])
        if after != before:
            file_io.replace(path, _encode(after))

    def dated_path(self, kind: str, agent: str) -> str:
        """Return the agent's file in archive/ or quarantine/; raises LinkOutside."""
        return self._path_below(kind, f"{self.stem(agent)}.md")

    def history_path(self, agent: str) -> str:
        """Return the agent's file in history/; raises LinkOutside."""
        path = self._path_below("history", f"{self.stem(agent)}.jsonl")
        self._refuse_outside(path)
        return path

    def agents_with_history(self) -> list[str]:
        """Return the sorted ids of all agents with a history."""
        names = file_io.list_folder(os.path.join(self.folder, "history"))
        stems = [name.removesuffix(".jsonl") for name in names if name.endswith(".jsonl")]
        return sorted(agent_names.agent_of_file(f"{stem}.md") for stem in stems)

    def _path_below(self, kind: str, name: str) -> str:
        folder = os.path.join(self.folder, kind)
        self._refuse_outside(folder)
        return os.path.join(folder, name)

    def lock(self, agent: str, wait: float = LOCK_TIMEOUT) -> Lock:
        """Return the agent's lock for a `with` statement; raises LockTimeout after `wait` s."""
        folder = self.paths.make_folder("state", "locks")
        return Lock(os.path.join(folder, f"{self.stem(agent)}.lock"), wait)


def _file_names(agent: str) -> tuple[str, ...]:
    if agent == PM:
        return agent_names.PM_FILE_NAMES
    return tuple(agent_names.list_file_names(agent))


class Lock:
    """flock(2) on a file that stays, as filelock's UnixFileLock takes it without its import."""

    __slots__ = ("_descriptor", "_path", "_wait")

    def __init__(self, path: str, wait: float) -> None:
        self._path = path
        self._wait = wait

    def __enter__(self) -> None:
        until = time.monotonic() + self._wait
        while not self._take():
            if time.monotonic() >= until:
                raise LockTimeout(f"{self._path} is locked by another process")
            time.sleep(LOCK_INTERVAL)

    def _take(self) -> bool:
        import fcntl

        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(descriptor), os.stat(self._path)):
                self._descriptor = descriptor
                return True
        except (BlockingIOError, FileNotFoundError):
            pass  # another process holds it, or somebody has just deleted state/
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)
        return False

    def __exit__(self, *_exception: object) -> None:
        os.close(self._descriptor)  # this releases the lock


def _encode(text: str) -> bytes:
    """Encode text that came partly from a file and partly from a report."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # JSON may hold half a surrogate pair
        return text.encode("utf-8", "replace")
