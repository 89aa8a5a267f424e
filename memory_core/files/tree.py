"""All files below a folder, opened as `SafeFiles` opens them."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator

from memory_core.files.safe_files import MAX_ENTRIES, Refused, SafeFiles


def walk(
    files: SafeFiles, top: str = "", report: Callable[[OSError], object] | None = None
) -> Iterator[tuple[str, list[str]]]:
    """Yield (absolute path, names of the files in it) of a folder and of all folders below it.

    `report` gets an error for each file and folder that is refused or cannot be read.  More than
    MAX_ENTRIES entries are not read.
    """
    report = report or (lambda _error: None)
    waiting, seen, count = [files.relative(top)], set(), 0
    while waiting:
        folder = waiting.pop()
        whole = files.locate(folder)
        real = os.path.realpath(whole)
        if real in seen:  # a link of the user to a folder above
            continue
        seen.add(real)
        entries = files.list_names(folder)
        if not entries and (error := _find_problem(files, folder)):
            report(error)
        count += len(entries)
        if count > MAX_ENTRIES:
            report(
                Refused(folder, f"and the folders around it have more than {MAX_ENTRIES:,} files")
            )
            return
        names, below = [], []
        for name in entries:
            path = os.path.join(folder, name)
            try:
                is_folder = stat.S_ISDIR(_read_mode(files, path))
            except OSError as error:
                report(error)
            else:
                below += [path] if is_folder else []
                names += [] if is_folder else [name]
        waiting += reversed(below)
        yield whole, names


def _read_mode(files: SafeFiles, path: str) -> int:
    """Return the mode of an entry; raises OSError, also if it is refused or gone."""
    status = files.status(path)
    if status is None:
        raise _find_problem(files, path) or _build_error(errno.ENOENT, files, path)
    return status.st_mode


def _find_problem(files: SafeFiles, path: str) -> OSError | None:
    """Return why an entry that looks empty or absent cannot be read; None if it can."""
    for refused, error in files.refused.items():
        if f"{path}/".startswith(f"{refused}/"):
            return error
    whole = files.locate(path)
    if os.path.lexists(whole) and not os.access(whole, os.R_OK):
        return _build_error(errno.EACCES, files, path)
    return None


def _build_error(number: int, files: SafeFiles, path: str) -> OSError:
    return OSError(number, os.strerror(number), files.locate(path))
