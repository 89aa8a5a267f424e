"""One spelling of a path on disks where letter case and Unicode form make no difference."""

from __future__ import annotations

import os
from unicodedata import normalize


def find_spelling(path: str) -> str:
    """Return an absolute path with its names as the disk stores them.

    A name that does not exist, or in a folder that cannot be listed, stays as it is.
    """
    folder, name = os.path.split(path)
    if not name:
        return path
    folder = find_spelling(folder)
    try:
        names = os.listdir(folder) if os.path.lexists(path) else [name]
    except OSError:
        names = [name]
    if name not in names:
        name = next((other for other in names if _fold(other) == _fold(name)), name)
    return os.path.join(folder, name)


def _fold(name: str) -> str:
    return normalize("NFD", normalize("NFD", name).casefold())
