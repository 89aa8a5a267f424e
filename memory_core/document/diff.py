"""Show how a file changes, as a unified diff."""

from __future__ import annotations

import difflib
import os
from typing import NamedTuple

from memory_core.text import markdown_lines

NO_NEWLINE = "\\ No newline at end of file\n"


class FileChange(NamedTuple):
    """The bytes of a file before and after a change; None stands for a missing file."""

    path: str
    before: bytes | None
    after: bytes | None

    @property
    def kind(self) -> str:
        if self.before is None:
            return "created"
        return "removed" if self.after is None else "changed"

    def diff(self) -> str:
        """Return the change as a unified diff, "" if nothing changes."""
        # An absolute path needs no a/ and b/, which `patch -p1` removes from the others.
        a, b = ("", "") if os.path.isabs(self.path) else ("a/", "b/")
        old = os.devnull if self.before is None else f"{a}{self.path}"
        new = os.devnull if self.after is None else f"{b}{self.path}"
        lines = difflib.unified_diff(_split_lines(self.before), _split_lines(self.after), old, new)
        return "".join(line if line.endswith("\n") else f"{line}\n{NO_NEWLINE}" for line in lines)


def compare_texts(path: str, before: str, after: str) -> FileChange:
    """Return the change of a text; bytes that are not UTF-8 are lone surrogates in it."""
    return FileChange(path, *(text.encode("utf-8", "surrogateescape") for text in (before, after)))


def _split_lines(data: bytes | None) -> list[str]:
    return markdown_lines.split_lines((data or b"").decode("utf-8", "surrogateescape"))
