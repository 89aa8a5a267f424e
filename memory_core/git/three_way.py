"""Merge two versions of a memory file that come from a common base, without conflicts."""

from __future__ import annotations

import os
import subprocess
import tempfile

from memory_core.document import merge_versions
from memory_core.document.merge_versions import HEADER, Piece


def merge(base: str, ours: str, theirs: str, is_dated: bool = False) -> str:
    """Return the text with the changes of both versions; `base` is "" without a common base.

    An item that one version removed stays removed, unless the other version has changed it.
    If both versions changed a preference, the first value stays.  Conflicts in the texts are
    resolved first.  `is_dated` is for files in archive/.
    """
    base, ours, theirs = (merge_versions.merge_sides(text).text for text in (base, ours, theirs))
    merged = merge_versions.merge_versions(base, ours, theirs, _order, is_dated).text
    return merged if is_dated else merge_versions.remove_markers(merged)


def _order(base: list[Piece], ours: list[Piece], theirs: list[Piece]) -> list[list[Piece]]:
    """Return all pieces in the order of a line-based merge, or both versions without git."""
    numbers: dict[object, int] = {}
    pieces: list[Piece] = []
    with tempfile.TemporaryDirectory(prefix="agent-memory-") as folder:
        for file_name, version in (("ours", ours), ("base", base), ("theirs", theirs)):
            with open(os.path.join(folder, file_name), "w", encoding="ascii") as file:
                for piece in version:
                    # The header comments always differ, and must not cause conflicts.
                    lines = () if piece.kind == HEADER else piece.whole
                    number = numbers.setdefault((piece.place, lines), len(numbers))
                    if number == len(pieces):
                        pieces.append(piece)
                    file.write(f"{number}\n")
        command = ["git", "merge-file", "-p", "--union", "ours", "base", "theirs"]
        try:
            done = subprocess.run(command, cwd=folder, capture_output=True, check=True)
        except (OSError, subprocess.CalledProcessError):
            return [ours, theirs]
    return [[pieces[int(number)] for number in done.stdout.split()]]
