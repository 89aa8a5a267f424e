"""All files below a folder, opened as `SafeFiles` opens them."""

from __future__ import annotations

import errno
import os
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
        if os.path.isdir(whole) and not os.access(whole, os.R_OK | os.X_OK):
            report(OSError(errno.EACCES, os.strerror(errno.EACCES), whole))
        entries = files.list_names(folder)
        count += len(entries)
        if count > MAX_ENTRIES:
            reason = f"and the folders around it have more than {MAX_ENTRIES:,} files"
            report(Refused(folder, reason))
            break
        below = [name for name in entries if files.is_folder(os.path.join(folder, name))]
        waiting += [os.path.join(folder, name) for name in reversed(below)]
        yield whole, [name for name in entries if files.is_file(os.path.join(folder, name))]
    for error in files.refused.values():
        report(error)
