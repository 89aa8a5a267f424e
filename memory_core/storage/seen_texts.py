"""Which texts an agent's memory file has had on this machine: state/versions/AGENT, as digests.

The file may be older than its history for one of two reasons: somebody restored an old version
on purpose, or an editor that was open saved a stale copy.  A restored version is listed here.
"""

from __future__ import annotations

import os

from memory_core.storage import file_io
from memory_core.text import digests

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.storage.paths import LevelPaths

FOLDER = ("state", "versions")
MAX_BYTES = 32 * 1024  # about 1,500 versions; a larger file loses its older half

LAST, OLD, NEW = "last", "old", "new"


def identify(paths: LevelPaths, stem: str, text: str) -> str:
    """Return whether this is the LAST text that the memory had, an OLD one, or a NEW one."""
    digest, digests_seen = digests.hash_text(text), file_io.read_text(_path(paths, stem)).split()
    if digests_seen and digests_seen[-1] == digest:
        return LAST
    return OLD if digest in digests_seen else NEW


def add(paths: LevelPaths, stem: str, texts: list[str]) -> None:
    """Record texts that the memory has; a failure only means that they are not recognised."""
    path = _path(paths, stem)
    lines = "".join(f"{digests.hash_text(text)}\n" for text in texts)
    try:
        paths.make_folder(*FOLDER)
        if file_io.append(path, lines.encode()) + len(lines) > MAX_BYTES:
            _halve(path)
    except OSError:
        pass  # the memory itself is written


def _halve(path: str) -> None:
    lines = file_io.read_text(path).split("\n")
    with open(path, "w", encoding="ascii", errors="replace") as file:
        file.write("\n".join(lines[len(lines) // 2 :]))


def _path(paths: LevelPaths, stem: str) -> str:
    return os.path.join(paths.folder, *FOLDER, stem)
