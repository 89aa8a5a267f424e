"""decided/AGENT in the state: the texts that a person wrote or accepted on this machine.

A committed history can be forged, so it does not say what a person decided here.  A line is the
digest of an item with its nested lines.
"""

from __future__ import annotations

import os

from memory_core.text import digests

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from memory_core.files.safe_files import SafeFiles

FOLDER = "decided"


def read(state: SafeFiles, stem: str) -> set[str]:
    """Return the keys of the texts on which a person decided; set() without any."""
    return set(state.read_text(_path(stem)).split())


def make_key(text: str, nested: str = "") -> str:
    """Return the key of an item; its lines count, not how they are indented."""
    lines = [line.strip() for line in (text, *nested.split("\n"))]
    return digests.hash_long("\n".join(filter(None, lines)))


def add(state: SafeFiles, stem: str, keys: Iterable[str]) -> None:
    """Add keys; the caller holds the agent's lock.  Raises OSError."""
    new = sorted({*keys} - read(state, stem))
    if new:
        state.append(_path(stem), "".join(f"{key}\n" for key in new).encode())


def remove(state: SafeFiles, stem: str, keys: Iterable[str]) -> bool:
    """Remove keys; return whether there were any.  Raises OSError."""
    before, gone = read(state, stem), {*keys}
    if before.isdisjoint(gone):
        return False
    state.replace(_path(stem), "".join(f"{key}\n" for key in sorted(before - gone)).encode())
    return True


def rename(state: SafeFiles, stem: str, new_stem: str) -> None:
    """Add the decisions on an agent's items to those of its new name.  Raises OSError."""
    add(state, new_stem, read(state, stem))
    state.remove(_path(stem))


def _path(stem: str) -> str:
    return os.path.join(FOLDER, stem)
