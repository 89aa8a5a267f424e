"""What Claude Code imports into a session: our lines in a CLAUDE.md, and text that imports nothing.

`@path` in a CLAUDE.md is loaded into the main session and into every subagent, and so is an
`@path` in what was loaded.  Claude Code looks for it in Markdown's running text, at its
beginning or after a blank (seen in 2.1.63 and 2.1.329).
"""

from __future__ import annotations

import itertools

BEGIN = (
    "<!-- agent-memory: the task in progress (`agent-memory task init --remove` takes it out) -->"
)
END = "<!-- agent-memory: end -->"


def has_block(text: str) -> bool:
    return _place(text) is not None


def block(text: str) -> list[str]:
    """Return the lines between our marks, without blank ones."""
    place = _place(text)
    held = text[place[0] + len(BEGIN) : place[1] - len(END)] if place else ""
    return [line.strip() for line in held.splitlines() if line.strip()]


def with_block(text: str, lines: list[str]) -> str:
    """Return a CLAUDE.md with these lines between our marks, where they stood or at the end.

    Taking the block out gives the text as it was, to the byte.
    """
    newline = "\r\n" if "\r\n" in text else "\n"
    # Blank lines: on a line next to a comment Markdown sees no text of its own.
    block = newline.join([BEGIN, "", *lines, "", END])
    place = _place(text)
    if place:
        return text[: place[0]] + block + text[place[1] :]
    if not text:
        return block + newline
    ends = text.endswith("\n")
    # The end of the file shows later whether the text had ended with a line break.
    return f"{text}{newline if ends else newline * 2}{block}{newline if ends else ''}"


def without_block(text: str) -> str:
    """Return a CLAUDE.md without our marks and what stands between them."""
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
    """Return where our block begins and ends; a mark without the other one is no block."""
    first = text.find(BEGIN)
    end = text.find(END, first)
    # Of two beginnings the nearer one: what stands between them is a person's.
    return (text.rindex(BEGIN, 0, end), end + len(END)) if first >= 0 and end >= 0 else None


def defuse(text: str) -> str:
    r"""Return a text in which no `@path` is an import; one without any comes back as it is.

    Of what reads on as Markdown, `\@` is the letter alone.  Where Markdown sees no escape, as
    in code, it is shown: which text is code is the reader's to say, and not for us to trust.
    """
    parts = text.split("@")
    found = [parts[0]]
    for before, part in itertools.pairwise(parts):
        found += ("@" if _is_safe(before) else "\\@", part)
    return "".join(found)


def _is_safe(before: str) -> bool:
    """Say whether an @ behind a text is part of a word, as in an address, or escaped already."""
    slashes = len(before) - len(before.rstrip("\\"))
    last = before[-1:]
    return slashes % 2 == 1 or (last.isascii() and last.isalnum())


def is_safe(text: str) -> bool:
    """Say whether a text imports nothing."""
    return defuse(text) == text
