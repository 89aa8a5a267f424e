"""Paths and variables as `os` has them, for hooks: to import `os` takes an eighth of their time.

Hooks call the system by `posix`, the module in C behind it.
"""

from __future__ import annotations

import posix
import sys

# How many links of a path Linux follows.
MOST_LINKS = 40

# Of names of files and variables.
_ENCODING = sys.getfilesystemencoding()


def read_environ() -> dict[str, str]:
    """Return the environment variables."""
    return {_decode(name): _decode(value) for name, value in posix.environ.items()}


def encode(name: str) -> bytes:
    """Return what the system has for a name; raises UnicodeEncodeError."""
    return name.encode(_ENCODING, "surrogateescape")


def _decode(name: bytes) -> str:
    return name.decode(_ENCODING, "surrogateescape")


def join(folder: str, *names: str) -> str:
    """Return a path below a folder; a name that is an absolute path replaces what is before it."""
    path = folder
    for name in names:
        sign = "" if path[-1:] in ("", "/") else "/"
        path = name if name[:1] == "/" else f"{path}{sign}{name}"
    return path


def split(path: str) -> tuple[str, str]:
    """Return the folder of a path, and its name in it."""
    folder, slash, name = path.rpartition("/")
    return folder or slash, name


def resolve(path: str, follows_links: bool = True) -> str:
    """Return an absolute path without "." and "..", by default also without links."""
    done, left = "", MOST_LINKS if follows_links else 0
    whole = path if path[:1] == "/" else f"{posix.getcwd()}/{path}"
    parts = [*reversed(whole.split("/"))]
    while parts:
        part = parts.pop()
        if part == "..":
            done = done.rpartition("/")[0]
        elif part not in ("", "."):
            place = f"{done}/{part}"
            target = _read_link(place) if left else ""
            if not target:
                done = place
                continue
            left -= 1
            done = "" if target[:1] == "/" else done
            parts += reversed(target.split("/"))
    return done or "/"


def _read_link(path: str) -> str:
    """Return where a link leads to, "" for anything else."""
    try:
        return posix.readlink(path)
    except (OSError, ValueError):
        return ""
