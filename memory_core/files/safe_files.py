"""Files below one folder: opened part by part from it, so that no path leads out of it.

A repository may hold a link, a named pipe or a huge file in any place.  Here no link is followed,
only regular files are opened, none is read beyond a limit, and a new file gets a name that nobody
can prepare a link for.  A path that is refused counts as absent.
"""

from __future__ import annotations

import errno
import posix
import stat

from memory_core.files import posix_paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# The names of temporary files end with this.
TEMPORARY = ".agent-memory-tmp"

# What `read` accepts unless the caller says otherwise, in bytes.
MAX_BYTES = 1_000_000

# Names that `list_names` and `scan` return at most.
MAX_ENTRIES = 10_000

_FOLDER = posix.O_RDONLY | posix.O_DIRECTORY | posix.O_CLOEXEC
# Without O_NONBLOCK, opening a named pipe waits for its other end.
_FILE = posix.O_NOFOLLOW | posix.O_NONBLOCK | posix.O_NOCTTY | posix.O_CLOEXEC

# Errors of `open` for a link, a pipe, a socket, a folder, or a file where a folder is expected.
_REFUSALS = (
    *(errno.ELOOP, errno.EMLINK, errno.ENOTDIR, errno.EISDIR),
    *(errno.ENXIO, errno.ENODEV, errno.EOPNOTSUPP),
)

# Errors of a path that does not exist.  A root may be below a file; any other file is refused.
_ABSENT = (FileNotFoundError, NotADirectoryError)


class Refused(OSError):
    """A path that is not used; the message is "PATH REASON", with the path below the root."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(errno.EPERM, reason, path)
        self.path = path
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.path} {self.reason}"


class TooLarge(Refused):
    """A file that is larger than its reader accepts."""


class UsedInPart(Refused):
    """A file or folder that is too large, of which a part is used."""


class SafeFiles:
    """The files below the folder `root`.

    A path is relative to the root, or absolute and below it.  `follows_links` is for folders of
    the user, who may link what they want.  New files of a `private` tree are for the user alone.
    `refused` are the refusals that counted as absent, by path.
    """

    __slots__ = ("_modes", "follows_links", "refused", "root")

    def __init__(self, root: str, follows_links: bool = False, private: bool = False) -> None:
        self.root = root
        self.follows_links = follows_links
        self.refused: dict[str, Refused] = {}
        self._modes = (0o600, 0o700) if private else (0o666, 0o777)  # of files, of folders

    def locate(self, *parts: str) -> str:
        """Return the absolute path of a path below the root."""
        return posix_paths.join(self.root, *parts)

    def relative(self, path: str) -> str:
        """Return `path` relative to the root if it is below it, else unchanged."""
        prefix = self.root.rstrip("/") + "/"
        return path[len(prefix) :] if path.startswith(prefix) else path

    # Reading: what is refused counts as absent.

    def read(self, path: str, limit: int = MAX_BYTES) -> bytes:
        """Return the content of a file, b"" if it is absent; raises OSError, and TooLarge."""
        opened = self.read_with_status(path, limit)
        return opened[0] if opened else b""

    def read_with_status(
        self, path: str, limit: int = MAX_BYTES
    ) -> tuple[bytes, posix.stat_result] | None:
        """Return the content and the status of a file, None if it is absent.

        Both are of the time before the reading: later lines are not read, and a write that
        happens meanwhile shows.  Raises OSError, and TooLarge.
        """
        descriptor = self._open_to_read(path)
        if descriptor is None:
            return None
        with open(descriptor, "rb") as file:
            status = posix.fstat(descriptor)
            if status.st_size > limit:
                from memory_core.files import refusals

                raise TooLarge(self.relative(path), refusals.describe_size(limit))
            return file.read(status.st_size), status

    def read_text(self, path: str, limit: int = MAX_BYTES) -> str:
        """Return the text of a file, "" if it cannot be read; invalid UTF-8 is replaced."""
        try:
            return self.read(path, limit).decode("utf-8", "replace")
        except TooLarge as error:
            self._note(error)
        except OSError:
            pass
        return ""

    def read_end(self, path: str, limit: int) -> tuple[bytes, bool]:
        """Return the last `limit` bytes of a file, and whether they are all; raises OSError."""
        descriptor = self._open_to_read(path)
        if descriptor is None:
            return b"", True
        with open(descriptor, "rb") as file:
            size = posix.fstat(descriptor).st_size
            file.seek(max(0, size - limit))
            return file.read(limit), size <= limit

    def status(self, path: str = "") -> posix.stat_result | None:
        """Return the status of a file or folder, None if it is absent; raises OSError."""
        try:
            with self.open_parent(path) as (folder, name):
                status = posix.stat(name, dir_fd=folder, follow_symlinks=False)
            if not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode):
                raise self.refuse(path, status)
        except _ABSENT:
            return None
        except Refused as error:
            self._note(error)
            return None
        return status

    def identify(self, path: str) -> list[int]:
        """Return numbers that differ for another file or after a change; [] without a file.

        Raises OSError.
        """
        status = self.status(path)
        if status is None:
            return []
        return [status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino]

    def is_file(self, path: str) -> bool:
        """Return whether a regular file is there; False also if that cannot be seen."""
        return stat.S_ISREG(self._mode(path))

    def is_folder(self, path: str) -> bool:
        """Return whether a folder is there; False also if that cannot be seen."""
        return stat.S_ISDIR(self._mode(path))

    def _mode(self, path: str) -> int:
        try:
            status = self.status(path)
        except OSError:
            return 0
        return status.st_mode if status else 0

    def has_entry(self, path: str) -> bool:
        """Return whether anything is there, also what is refused, such as a link."""
        try:
            with self.open_parent(path, resolve=False) as (folder, name):
                posix.stat(name, dir_fd=folder, follow_symlinks=False)
        except OSError:
            return False
        return True

    def list_names(self, path: str = "") -> list[str]:
        """Return the sorted names in a folder, [] if it cannot be listed."""
        return sorted(self.read_folder(path, lambda entry: entry.name))

    def read_folder(self, path: str, read: Callable[[posix.DirEntry[str]], Any]) -> list[Any]:
        results: list[Any] = []
        try:
            with (
                self.open_folder(*self.resolve(path)) as (folder, _),
                posix.scandir(folder) as scan,
            ):
                for entry in scan:
                    if len(results) == MAX_ENTRIES:
                        self._note(UsedInPart(self.relative(path), _TOO_MANY))
                        break
                    try:
                        results.append(read(entry))
                    except OSError:
                        continue  # it has just been deleted
        except Refused as error:
            self._note(error)
        except OSError:
            pass
        return results

    # Writing: what is refused raises Refused.

    def make_folder(self, path: str = "") -> str:
        """Create a folder and those above it, as far as they are missing; return its path.

        Raises OSError.
        """
        self._make_folder(*self.resolve(path))
        return self.locate(path)

    def _make_folder(self, base: str, parts: list[str]) -> None:
        if base == self.root:
            self.make_root()
        make_folders(base, self._modes[1])
        for count, name in enumerate(parts):
            with self.open_folder(base, parts[:count]) as (folder, _):
                try:
                    posix.mkdir(name, self._modes[1], dir_fd=folder)
                except FileExistsError:
                    pass
        with self.open_folder(base, parts):
            pass  # the last one is a folder, too

    def make_root(self) -> None:
        """Create the root if it is missing; raises OSError."""
        make_folders(self.root, self._modes[1])

    def append(self, path: str, lines: bytes) -> int:
        """Append whole lines and return the size of the file before; creates the file.

        The lines go out in one write, so lines of other processes stay whole, and never continue
        a line that a killed process left incomplete.  Raises OSError, also after a partial write.
        """
        descriptor = self.open(path, posix.O_RDWR | posix.O_APPEND | posix.O_CREAT)
        try:
            size = posix.fstat(descriptor).st_size
            # Two processes may see this at once: an empty line does no harm to JSON lines.
            if size and posix.pread(descriptor, 1, size - 1) != b"\n":
                lines = b"\n" + lines
            if posix.write(descriptor, lines) < len(lines):
                raise OSError(errno.ENOSPC, "only part of a line could be written", path)
            return size
        finally:
            posix.close(descriptor)

    def replace(
        self,
        path: str,
        data: bytes,
        check: Callable[[], None] | None = None,
        durable: bool = True,
    ) -> None:
        """Replace a file, or create it, in one step: readers see the old or the new content.

        The file keeps its mode and owner.  `durable`: the data survives a power failure.  `check`
        is called just before the replacement and may raise to stop it.  Raises OSError.
        """
        with self.open_parent(path, must_write=True) as (folder, name):
            before = self._status_to_replace(folder, name, path)
            temporary = f".{posix.urandom(8).hex()}{TEMPORARY}"
            try:
                _write(folder, temporary, data, self._modes[0], before, durable)
                if check:
                    check()
                posix.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
            except BaseException:
                _remove(folder, temporary)
                raise
            if durable:
                sync_folder(folder)

    def publish(self, path: str, data: bytes) -> None:
        """Create a file in one step: its content is on the disk before the name is there.

        Raises FileExistsError if there is one, and OSError.
        """
        with self.open_parent(path, must_write=True) as (folder, name):
            temporary = f".{posix.urandom(8).hex()}{TEMPORARY}"
            try:
                _write(folder, temporary, data, self._modes[0], None, durable=True)
                posix.link(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
            finally:
                _remove(folder, temporary)

    def _status_to_replace(self, folder: int, name: str, path: str) -> posix.stat_result | None:
        try:
            status = posix.stat(name, dir_fd=folder, follow_symlinks=False)
        except FileNotFoundError:
            return None
        if not stat.S_ISREG(status.st_mode):
            raise self.refuse(path, status)
        return status

    def create(self, path: str) -> None:
        """Create an empty file; raises FileExistsError if there is one, and OSError."""
        posix.close(self.open(path, posix.O_WRONLY | posix.O_CREAT | posix.O_EXCL))

    def delete(self, path: str) -> None:
        """Delete a file, or a link itself; raises OSError."""
        with self.open_parent(path, resolve=False) as (folder, name):
            posix.unlink(name, dir_fd=folder)

    def remove(self, path: str) -> None:
        """Delete a file if that is possible."""
        try:
            self.delete(path)
        except OSError:
            pass

    def rename(self, path: str, target: str) -> None:
        """Rename a file; a file with the target's name is replaced.  Raises OSError."""
        with (
            self.open_parent(path, resolve=False) as (folder, name),
            self.open_parent(target, must_write=True, resolve=False) as (new_folder, new_name),
        ):
            posix.rename(name, new_name, src_dir_fd=folder, dst_dir_fd=new_folder)

    def open(self, path: str, flags: int) -> int:
        """Return the descriptor of a regular file, which the caller closes; raises OSError.

        A file that has other names, too, is copied before it is written: others keep the old one.
        """
        with self.open_parent(path, must_write=bool(flags & posix.O_CREAT)) as (folder, name):
            descriptor = self._open_entry(folder, name, flags | _FILE, path)
        status = posix.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            posix.close(descriptor)
            raise self.refuse(path, status)
        if status.st_nlink > 1 and flags & (posix.O_WRONLY | posix.O_RDWR):
            posix.close(descriptor)
            self.replace(path, self.read(path, status.st_size))
            return self.open(path, flags)
        return descriptor

    # Paths.

    def _open_to_read(self, path: str) -> int | None:
        try:
            return self.open(path, posix.O_RDONLY)
        except _ABSENT:
            return None
        except Refused as error:
            self._note(error)
            return None

    def open_parent(
        self, path: str, must_write: bool = False, resolve: bool = True
    ) -> _OpenedFolder:
        """Return the opened folder of a path, and the name in it; raises OSError.

        `must_write` creates the folder.  `resolve`: where links are followed, the path is that at
        the end of them.
        """
        base, parts = self.resolve(path, resolve)
        # The root itself is the entry "." of the root, which is neither written nor deleted.
        *folders, name = parts or ["."]
        try:
            return self.open_folder(base, folders, name)
        except FileNotFoundError:
            if not must_write:
                raise
        self._make_folder(base, folders)
        return self.open_folder(base, folders, name)

    def open_folder(self, base: str, parts: list[str], name: str = "") -> _OpenedFolder:
        """Return the folder at `parts` below `base`, opened part by part; raises OSError."""
        folder = posix.open(base, _FOLDER)
        for count, part in enumerate(parts, 1):
            try:
                flags, path = _FOLDER | posix.O_NOFOLLOW, "/".join(parts[:count])
                below = self._open_entry(folder, part, flags, path)
            finally:
                posix.close(folder)
            folder = below
        return _OpenedFolder(folder, name, [base, *parts])

    def _open_entry(self, folder: int, name: str, flags: int, path: str) -> int:
        """Return the descriptor of an entry of a folder, which is no link; raises OSError."""
        try:
            return posix.open(name, flags, self._modes[0], dir_fd=folder)
        except OSError as error:
            error.filename = self.locate(path)
            if error.errno not in _REFUSALS:
                raise
        status = posix.stat(name, dir_fd=folder, follow_symlinks=False)
        raise self.refuse(path, status)

    def resolve(self, path: str, resolve: bool = True) -> tuple[str, list[str]]:
        """Return a folder that may be trusted, and the parts of the path below it.

        That is the root or, where links are followed, the folder that the path leads to.
        """
        parts = self._split(path)
        if not self.follows_links or not parts:
            return self.root, parts
        whole = self.locate(*parts)
        folder, name = posix_paths.split(posix_paths.resolve(whole) if resolve else whole)
        return folder, [name]

    def _split(self, path: str) -> list[str]:
        """Return the parts of a path below the root; raises Refused for any other path."""
        if path.rstrip("/") == self.root.rstrip("/"):
            return []
        below = self.relative(path)
        parts = below.split("/") if below else []
        if not {"", ".", ".."}.isdisjoint(parts) or not _is_name(below):
            raise Refused(path, f"is not a path below {self.root}")
        return parts

    def refuse(self, path: str, status: posix.stat_result) -> Refused:
        from memory_core.files import refusals

        return Refused(self.relative(path), refusals.describe_kind(status.st_mode))

    def _note(self, error: Refused) -> None:
        self.refused[error.path] = error


class _OpenedFolder:
    """An opened folder and a name in it, for a `with` statement."""

    __slots__ = ("_parts", "folder", "name")

    def __init__(self, folder: int, name: str, parts: list[str]) -> None:
        self.folder = folder
        self.name = name
        self._parts = parts

    def __enter__(self) -> tuple[int, str]:
        return self.folder, self.name

    def __exit__(self, _type: object, error: object, _traceback: object) -> None:
        try:
            posix.close(self.folder)
        except OSError:
            pass  # what was done in the folder is done
        # The system only knows the name in the opened folder, people need the whole path.
        is_refusal = isinstance(error, Refused)
        if isinstance(error, OSError) and isinstance(error.filename, str) and not is_refusal:
            error.filename = posix_paths.join(*self._parts, error.filename)


_TOO_MANY = f"has more than {MAX_ENTRIES:,} entries; {MAX_ENTRIES:,} of them are used"


def make_folders(path: str, mode: int) -> None:
    """Create a folder and those above it, all with this mode; raises OSError.

    os.makedirs has the mode for the last folder only.
    """
    if path in ("", "/") or _is_folder(path):
        return
    make_folders(posix_paths.split(path)[0], mode)
    try:
        posix.mkdir(path, mode)
    except FileExistsError:
        pass


def _is_folder(path: str) -> bool:
    try:
        return stat.S_ISDIR(posix.stat(path).st_mode)
    except (OSError, ValueError):
        return False


def _is_name(path: str) -> bool:
    """Return whether the system can have a file with this name."""
    try:
        return b"\0" not in posix_paths.encode(path)
    except UnicodeEncodeError:  # half a surrogate pair
        return False


def _write(
    folder: int, name: str, data: bytes, mode: int, like: posix.stat_result | None, durable: bool
) -> None:
    """Create a file with a mode, or with the mode and the owner of another file."""
    flags = posix.O_WRONLY | posix.O_CREAT | posix.O_EXCL | _FILE
    descriptor = posix.open(name, flags, mode, dir_fd=folder)
    with open(descriptor, "wb", buffering=0) as file:
        view = memoryview(data)
        while view:
            view = view[file.write(view) :]
        if like:
            _copy_mode(like, descriptor)
        if durable:
            posix.fsync(descriptor)


def _copy_mode(like: posix.stat_result, descriptor: int) -> None:
    posix.fchmod(descriptor, like.st_mode & 0o7777)
    if like.st_uid != posix.geteuid() or like.st_gid != posix.getegid():
        try:
            posix.fchown(descriptor, like.st_uid, like.st_gid)
        except OSError:
            pass  # only its owner or root may give a file away, in a container neither


def _remove(folder: int, name: str) -> None:
    try:
        posix.unlink(name, dir_fd=folder)
    except OSError:
        pass


def sync_folder(folder: int) -> None:
    try:
        posix.fsync(folder)
    except OSError:
        pass  # some file systems cannot do this
