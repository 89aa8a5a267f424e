"""Which texts an agent's memory has had on this machine: state/versions/AGENT, by digest.

A file that is older than its history is one of two things: an old version that somebody put
back, whose wish that is; or what an editor held that was opened before the last write.  An
old version is among these texts.
"""

from __future__ import annotations

import os

from memory_core import digests

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.places import Place

FOLDER = ("state", "versions")
LARGEST = 32 * 1024  # about 1,500 versions; of more, the later half is kept


LAST, OLD, NEW = "last", "old", "new"


def which(place: Place, stem: str, text: str) -> str:
    """Say whether this is the LAST text that the memory had, an OLD one, or a NEW one."""
    digest, known = digests.digest(text), _read(_path(place, stem)).split()
    if known and known[-1] == digest:
        return LAST
    return OLD if digest in known else NEW


def add(place: Place, stem: str, texts: list[str]) -> None:
    """Note texts that the memory has; without them only an old version is not known as such."""
    path = _path(place, stem)
    lines = "".join(f"{digests.digest(text)}\n" for text in texts)
    try:
        place.made(*FOLDER)
        with open(path, "a", encoding="ascii") as file:
            file.write(lines)
            size = file.tell()
        if size > LARGEST:
            _halve(path)
    except OSError:
        pass  # the memory is written, and that is what counts


def _halve(path: str) -> None:
    lines = _read(path).split("\n")
    with open(path, "w", encoding="ascii") as file:
        file.write("\n".join(lines[len(lines) // 2 :]))


def _read(path: str) -> str:
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def _path(place: Place, stem: str) -> str:
    return os.path.join(place.folder, *FOLDER, stem)
