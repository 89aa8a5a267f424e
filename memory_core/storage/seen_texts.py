"""Which texts an agent's memory file has had on this machine: versions/AGENT, as digests.

The file may be older than its history for one of two reasons: somebody restored an old version
on purpose, or an editor that was open saved a stale copy.  A restored version is listed here.
"""

from __future__ import annotations

import os

from memory_core.text import digests

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.storage.paths import LevelPaths

FOLDER = "versions"
MAX_BYTES = 32 * 1024  # about 1,500 versions; a larger file loses its older half

LAST, OLD, NEW = "last", "old", "new"


def identify(paths: LevelPaths, stem: str, text: str) -> str:
    """Return whether this is the LAST text that the memory had, an OLD one, or a NEW one."""
    digest, digests_seen = digests.hash_text(text), paths.state.read_text(_path(stem)).split()
    if digests_seen and digests_seen[-1] == digest:
        return LAST
    return OLD if digest in digests_seen else NEW


def add(paths: LevelPaths, stem: str, texts: list[str]) -> None:
    """Record texts that the memory has; a failure only means that they are not recognised."""
    lines = "".join(f"{digests.hash_text(text)}\n" for text in texts)
    try:
        if paths.state.append(_path(stem), lines.encode()) + len(lines) > MAX_BYTES:
            _halve(paths, stem)
    except OSError:
        pass  # the memory itself is written


def _halve(paths: LevelPaths, stem: str) -> None:
    lines = paths.state.read_text(_path(stem)).split("\n")
    text = "\n".join(lines[len(lines) // 2 :])
    paths.state.replace(_path(stem), text.encode("ascii", "replace"), durable=False)


def _path(stem: str) -> str:
    return os.path.join(FOLDER, stem)
