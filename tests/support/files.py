"""Files on disk."""

from __future__ import annotations

from pathlib import Path


def read_files(folder: Path) -> dict[str, bytes]:
    """Return the bytes of each file below a folder, by its relative path."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
