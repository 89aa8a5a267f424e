"""The lines of agent-memory in a CLAUDE.md, and text that must not import files.

Claude Code loads the file behind `@path` in a CLAUDE.md into the main session and every
subagent, and follows the `@path` in that file.  It looks for them in the running text of
Markdown, at the beginning or after a blank (seen in 2.1.63 and 2.1.329).
"""

from __future__ import annotations

import itertools

BEGIN_MARK = (
    "<!-- agent-memory: the task in progress (`agent-memory task init --remove` takes it out) -->"
)
END_MARK = "<!-- agent-memory: end -->"


def has_block(text: str) -> bool:
    return _place(text) is not None


def read_block(text: str) -> list[str]:
    """Return the lines between the marks, without blank ones."""
    place = _place(text)
    block = text[place[0] + len(BEGIN_MARK) : place[1] - len(END_MARK)] if place else ""
    return [line.strip() for line in block.splitlines() if line.strip()]


def set_block(text: str, lines: list[str]) -> str:
    """Return a CLAUDE.md with these lines between the marks, at their old place or at the end.

    `remove_block` restores the text byte by byte.
    """
    newline = "\r\n" if "\r\n" in text else "\n"
    # With blank lines, or Markdown would take the lines as part of the comment.
    block = newline.join([BEGIN_MARK, "", *lines, "", END_MARK])
    place = _place(text)
    if place:
        return text[: place[0]] + block + text[place[1] :]
    if not text:
        return block + newline
    ends = text.endswith("\n")
    # The end of the file records whether the text ended with a line break.
    return f"{text}{newline if ends else newline * 2}{block}{newline if ends else ''}"


def remove_block(text: str) -> str:
    """Return a CLAUDE.md without the marks and the lines between them."""
    place = _place(text)
    if place is None:
        return text
    before, after = text[: place[0]], text[place[1] :]
    newline = "\r\n" if before.endswith("\r\n") else "\n"
    had_end = after.startswith(("\n", "\r\n"))
    after = after.removeprefix("\r\n").removeprefix("\n")
    gaps = 1 if had_end else 2
    for _gap in range(gaps):
        before = before.removesuffix(newline)
    if gaps == 1 and before:
        before += "" if before.endswith("\n") else newline
    return before + after


def _place(text: str) -> tuple[int, int] | None:
    """Return where the block begins and ends; both marks are needed."""
    first = text.find(BEGIN_MARK)
    end = text.find(END_MARK, first)
    # Of two begin marks the nearer one: the lines between them are not ours.
    return (
        (text.rindex(BEGIN_MARK, 0, end), end + len(END_MARK)) if first >= 0 and end >= 0 else None
    )


def escape_imports(text: str) -> str:
    r"""Return a text in which every `@` that could begin an import is escaped as `\@`.

    This includes code, which then shows the backslash, because Claude Code decides about code.
    """
    parts = text.split("@")
    escaped = [parts[0]]
    for before, part in itertools.pairwise(parts):
        escaped += ("@" if _is_safe(before) else "\\@", part)
    return "".join(escaped)


def _is_safe(before: str) -> bool:
    """Check whether an @ behind a text is part of a word, as in an address, or escaped."""
    slashes = len(before) - len(before.rstrip("\\"))
    last = before[-1:]
    return slashes % 2 == 1 or (last.isascii() and last.isalnum())
