"""Files: read and list, append whole lines, replace in one step."""

from __future__ import annotations

import errno
import os

from memory_core.text import fastjson

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# A temporary file that is older was left behind by a process that was killed.
STALE_SECONDS = 3600


def read_bytes(path: str) -> bytes:
    """Return the content of a file, b"" if it does not exist; raises OSError."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return b""


def read_text(path: str) -> str:
    """Return the text of a file, "" if it cannot be read; invalid UTF-8 is replaced."""
    try:
        return read_bytes(path).decode("utf-8", "replace")
    except OSError:
        return ""


def list_folder(folder: str) -> list[str]:
    """Return the sorted names in a folder, [] if it cannot be listed."""
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def is_older(path: str, before: float) -> bool:
    """Check whether a file exists that last changed before a time in seconds."""
    try:
        return os.stat(path).st_mtime < before
    except OSError:
        return False


def remove(path: str) -> None:
    """Remove a file, if that is possible."""
    try:
        os.unlink(path)
    except OSError:
        pass


def write_once(path: str, text: str) -> None:
    """Write a short file that does not exist, or that a killed process left empty."""
    if os.path.islink(path):
        return  # somebody linked it on purpose
    try:
        if os.stat(path).st_size:
            return
    except FileNotFoundError:
        pass
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def append(path: str, lines: bytes) -> int:
    """Append whole lines and return the size of the file before; creates the file.

    The lines go out in one write, so lines of other processes stay whole, and never continue a
    line that a killed process left incomplete.  Raises OSError, also after a partial write.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        size = os.fstat(descriptor).st_size
        # Two processes may see this at once: an empty line does no harm to readers of JSON lines.
        if size and os.pread(descriptor, 1, size - 1) != b"\n":
            lines = b"\n" + lines
        if os.write(descriptor, lines) < len(lines):
            raise OSError(errno.ENOSPC, "only part of a line could be written", path)
        return size
    finally:
        os.close(descriptor)


def replace(
    path: str, data: bytes, check: Callable[[], None] | None = None, durable: bool = True
) -> None:
    """Replace a file, or create it, in one step: readers see the old or the new content.

    The file keeps its mode and owner.  `durable`: the data survives a power failure.  `check` is
    called just before the replacement and may raise to stop it.  Raises OSError.
    """
    folder, name = os.path.split(path)
    if durable:
        _remove_stale(folder, f".{name}.")
    temporary = os.path.join(folder, f".{name}.{os.getpid()}")
    try:
        _write(temporary, data, path, durable)
        if check:
            check()
        os.replace(temporary, path)
    except BaseException:
        remove(temporary)
        raise
    if durable:
        sync_folder(folder)


def replace_json(path: str, record: dict[str, Any]) -> None:
    """Replace a file that need not survive a power failure by a record; raises OSError."""
    replace(path, fastjson.dumps(record).encode(), durable=False)


def _write(temporary: str, data: bytes, path: str, durable: bool) -> None:
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o666)
    with open(descriptor, "wb", buffering=0) as file:
        view = memoryview(data)
        while view:
            view = view[file.write(view) :]
        _copy_mode(path, descriptor)
        if durable:
            os.fsync(descriptor)


def _copy_mode(path: str, descriptor: int) -> None:
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return
    os.fchmod(descriptor, status.st_mode & 0o7777)
    if status.st_uid != os.geteuid() or status.st_gid != os.getegid():
        try:
            os.fchown(descriptor, status.st_uid, status.st_gid)
        except PermissionError:
            pass  # only its owner or root may give a file away


def replace_link(link: str, target: str) -> None:
    """Create or replace a symbolic link in one step; raises OSError."""
    temporary = f"{link}.{os.getpid()}"
    os.symlink(target, temporary)
    os.replace(temporary, link)


def sync_folder(folder: str) -> None:
    """Write a folder to the disk, so that a rename in it survives a power failure."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    except OSError:
        pass  # some file systems cannot do this
    finally:
        os.close(descriptor)


def _remove_stale(folder: str, prefix: str) -> None:
    """Remove the temporary files that killed writers of the same file left behind."""
    import time

    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        if name.startswith(prefix) and is_older(path, time.time() - STALE_SECONDS):
            remove(path)
