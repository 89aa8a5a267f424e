"""The lines of agent-memory in a CLAUDE.md, and text that must not import files.

Claude Code loads the file behind `@path` in a CLAUDE.md into the main session and every
subagent, and follows the `@path` in that file.  It looks for them in the running text of
Markdown, at the beginning or after a blank (seen in 2.1.63 and 2.1.329).
"""

from __future__ import annotations

import re

BEGIN_MARK = (
    "<!-- agent-memory: the task in progress (`agent-memory task init --remove` takes it out) -->"
)
END_MARK = "<!-- agent-memory: end -->"

_BEGIN, _END = re.escape(BEGIN_MARK), re.escape(END_MARK)
# Of two begin marks the nearer one counts: the lines between them are not ours.
_BLOCK = re.compile(f"{_BEGIN}((?:(?!{_BEGIN}).)*?){_END}", re.DOTALL)

# An `@` that is not part of a word, as in an address, and not escaped.
_IMPORT = re.compile(r"(?<![0-9A-Za-z\\])@|(?<!\\)(?:\\\\)+@")


def has_block(text: str) -> bool:
    return _BLOCK.search(text) is not None


def read_block(text: str) -> list[str]:
    """Return the lines between the marks, without blank ones."""
    block = _BLOCK.search(text)
    lines = map(str.strip, block[1].splitlines() if block else [])
    return list(filter(None, lines))


def set_block(text: str, lines: list[str]) -> str:
    """Return a CLAUDE.md with these lines between the marks, at their old place or at the end.

    `remove_block` restores the text byte by byte.
    """
    newline = "\r\n" if "\r\n" in text else "\n"
    # With blank lines, or Markdown would take the lines as part of the comment.
    block = newline.join([BEGIN_MARK, "", *lines, "", END_MARK])
    if old := _BLOCK.search(text):
        return text[: old.start()] + block + text[old.end() :]
    if not text:
        return block + newline
    ends = text.endswith("\n")
    # The end of the file records whether the text ended with a line break.
    return f"{text}{newline if ends else newline * 2}{block}{newline if ends else ''}"


def remove_block(text: str) -> str:
    """Return a CLAUDE.md without the marks and the lines between them."""
    block = _BLOCK.search(text)
    if block is None:
        return text
    before, after = text[: block.start()], text[block.end() :]
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
