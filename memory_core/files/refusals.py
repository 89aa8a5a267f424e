"""Why a path is not used, as the end of a sentence."""

from __future__ import annotations

import stat


def describe_kind(mode: int) -> str:
    """Return what is in the place of a file, as the end of a sentence."""
    if stat.S_ISLNK(mode):
        return "is a link, which is not followed"
    if stat.S_ISDIR(mode):
        return "is a folder, not a file"
    if stat.S_ISREG(mode):
        return "is a file, not a folder"
    return "is a pipe, a socket or a device, not a file"


def describe_size(size: int) -> str:
    """Return that a file is larger than so many bytes."""
    largest = f"{size // 1_000_000} MB" if size >= 1_000_000 else f"{size // 1024} KB"
    return f"is larger than {largest}"
