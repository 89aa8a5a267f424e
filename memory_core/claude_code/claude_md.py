"""The lines of agent-memory in a CLAUDE.md, and text that must not import files.

Claude Code loads the file behind `@path` in a CLAUDE.md into the main session and every
subagent, and follows the `@path` in that file.  It looks for them in the running text of
Markdown, at the beginning or after a blank (seen in 2.1.63 and 2.1.329).
"""

from __future__ import annotations

import re

BEGIN_COMMENT = (
    "<!-- agent-memory: the task in progress (`agent-memory task init --remove` takes it out) -->"
)
END_COMMENT = "<!-- agent-memory: end -->"

_BEGIN, _END = re.escape(BEGIN_COMMENT), re.escape(END_COMMENT)
# Of two begin comments the nearer one counts: the lines between them are not ours.
_OWN_LINES = re.compile(f"{_BEGIN}((?:(?!{_BEGIN}).)*?){_END}", re.DOTALL)

# An `@` that is not part of a word, as in an address, and not escaped.
_IMPORT = re.compile(r"(?<![0-9A-Za-z\\])@|(?<!\\)(?:\\\\)+@")


def has_import(text: str) -> bool:
    return _OWN_LINES.search(text) is not None


def read_import(text: str) -> list[str]:
    """Return the lines between the comments, without blank ones."""
    own = _OWN_LINES.search(text)
    lines = map(str.strip, own[1].splitlines() if own else [])
    return list(filter(None, lines))


def set_import(text: str, lines: list[str]) -> str:
    """Return a CLAUDE.md with these lines between the comments, at their old place or at the end.

    `remove_import` restores the text byte by byte.
    """
    newline = "\r\n" if "\r\n" in text else "\n"
    # With blank lines, or Markdown would take the lines as part of the comment.
    own = newline.join([BEGIN_COMMENT, "", *lines, "", END_COMMENT])
    if old := _OWN_LINES.search(text):
        return text[: old.start()] + own + text[old.end() :]
    if not text:
        return own + newline
    ends = text.endswith("\n")
    # The end of the file records whether the text ended with a line break.
    return f"{text}{newline if ends else newline * 2}{own}{newline if ends else ''}"


def remove_import(text: str) -> str:
    """Return a CLAUDE.md without the comments and the lines between them."""
    own = _OWN_LINES.search(text)
    if own is None:
        return text
    before, after = text[: own.start()], text[own.end() :]
    newline = "\r\n" if before.endswith("\r\n") else "\n"
    if not after.startswith(("\n", "\r\n")):
        return before.removesuffix(newline).removesuffix(newline) + after
    before = before.removesuffix(newline)
    gap = newline if before and not before.endswith("\n") else ""
    return before + gap + after.removeprefix("\r\n").removeprefix("\n")


def escape_imports(text: str) -> str:
    r"""Return a text in which every `@` that could begin an import is escaped as `\@`.

    This includes code, which then shows the backslash, because Claude Code decides about code.
    """
    return _IMPORT.sub(lambda match: f"{match[0][:-1]}\\@", text)
