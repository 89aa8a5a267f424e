"""What this machine wrote, so that no decision depends on a clock.

`versions/AGENT` has for each write of a memory file a line `TIME CHANGE NEXT`, and then two with
the digests of the text before it and after it.  TIME is that of the old header, which names the
version; CHANGE is the id of the change that made the version NEXT of it.
`sequence` has the last numbers that this machine gave to changes, of all agents.
"""

from __future__ import annotations

import os

from memory_core.storage.paths import LevelPaths
from memory_core.text import digests

FOLDER = "versions"
MAX_BYTES = 128 * 1024  # about 1,300 writes; a larger file loses its older half

SEQUENCE_FILE = "sequence"
MAX_SEQUENCE_BYTES = 4096  # a larger file is replaced by the last number

LAST, OLD, NEW = "last", "old", "new"


def identify(paths: LevelPaths, stem: str, text: str) -> str:
    """Return whether this is the LAST text that the memory had, an OLD one, or a NEW one.

    The file may be older than its history for one of two reasons: somebody restored an old version
    on purpose, or an editor that was open saved a stale copy.  A restored version is listed here.
    """
    digest = digests.hash_text(text)
    texts = [line[0] for line in _read(paths, stem) if len(line) == 1]
    if texts and texts[-1] == digest:
        return LAST
    return OLD if digest in texts else NEW


def is_continued(paths: LevelPaths, stem: str, before: str, text: str) -> bool:
    """Return whether only writes of this machine are between a text with this digest and `text`."""
    texts = [line[0] for line in _read(paths, stem) if len(line) == 1]
    now = digests.hash_text(text)
    for old, new in reversed([*zip(texts[::2], texts[1::2], strict=False)]):
        if now == before or new != now:
            break
        now = old
    return now == before


def begin(paths: LevelPaths, stem: str, time: str, change: str, next_time: str) -> None:
    """Record a change before it is written, and the times that name the versions around it."""
    _append(paths, stem, f"{time or '-'} {change} {next_time}\n")


def finish(paths: LevelPaths, stem: str, texts: list[str]) -> None:
    """Record the texts before and after a change."""
    _append(paths, stem, "".join(f"{digests.hash_text(text)}\n" for text in texts))


def list_changes(paths: LevelPaths, stem: str) -> list[str]:
    """Return the ids of the changes that this machine made, oldest first."""
    return [line[1] for line in _read(paths, stem) if len(line) > 1]


def is_creator(paths: LevelPaths, stem: str) -> bool:
    """Return whether the first change here made the file, or gave it its header."""
    return next((line[0] for line in _read(paths, stem) if len(line) > 1), "") == "-"


def list_later(paths: LevelPaths, stem: str, time: str) -> list[str] | None:
    """Return the changes made here since the memory first had a header with this time.

    Returns None if it had none here.
    """
    lines, named = [line for line in _read(paths, stem) if len(line) > 1], time or "-"
    begins = (at + (line[0] != named) for at, line in enumerate(lines) if named in line[::2])
    begin = next(begins, None)
    return None if begin is None else [line[1] for line in lines[begin:]]


def rename(paths: LevelPaths, stem: str, new_stem: str) -> None:
    """Rename the record of an agent's versions with its memory."""
    if paths.state.is_file(_path(stem)):
        paths.state.rename(_path(stem), _path(new_stem))


def read_sequence(paths: LevelPaths) -> int:
    """Return the last number that this machine gave to a change, 0 if it is not known."""
    words = paths.state.read_text(SEQUENCE_FILE).split()
    return max((int(word) for word in words if word.isdecimal() and len(word) < 20), default=0)


def write_sequence(paths: LevelPaths, number: int) -> None:
    """Remember the number of a change; a failure only means that another agent may use it, too."""
    line = f"{number}\n".encode()
    try:
        # To append takes a tenth of a millisecond, to replace a file several.
        if paths.state.append(SEQUENCE_FILE, line) > MAX_SEQUENCE_BYTES:
            paths.state.replace(SEQUENCE_FILE, line, durable=False)
    except OSError:
        pass


def _read(paths: LevelPaths, stem: str) -> list[list[str]]:
    text = paths.state.read_text(_path(stem))
    return [line.split(" ") for line in text.split("\n") if line]


def _append(paths: LevelPaths, stem: str, lines: str) -> None:
    try:
        if paths.state.append(_path(stem), lines.encode()) + len(lines) > MAX_BYTES:
            _halve(paths, stem)
    except OSError:
        pass  # a version that is not recognised later does less harm than no memory


def _halve(paths: LevelPaths, stem: str) -> None:
    lines = paths.state.read_text(_path(stem)).split("\n")
    text = "\n".join(lines[len(lines) // 2 :])
    paths.state.replace(_path(stem), text.encode("ascii", "replace"), durable=False)


def _path(stem: str) -> str:
    return os.path.join(FOLDER, stem)
