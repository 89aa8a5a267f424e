"""Read the lines of a memory file as Markdown blocks.

The reader follows CommonMark in deciding which lines are headings, items of a top-level list, code
or comments.  It differs on purpose:

- Code and comments that are never closed end at the next `## ` heading, so that no section is lost.
- Headings begin with `#`, and tags and tables are text.
- Git's conflict markers end every block.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from memory_core.text.markdown_lines import (
    SECTION_START,
    closes_fence,
    read_fence,
    read_marker,
)

BULLET = "- "
COMMENT_START, COMMENT_END = "<!--", "-->"

QUOTE = -1  # in the list of open containers; all other numbers are the indentation of an item
NO_LEAF, PARAGRAPH, CODE, COMMENT = range(4)

CONTAINER_STARTS = frozenset("-+*>0123456789")
LEAF_STARTS = frozenset("#`~<-*_")
_MARKER = re.compile(r"(?:[-+*]|([0-9]{1,9})[.)])(?= |\Z)")
_CLOSING = re.compile(r"(?:\A|(?<! ) +)#+\Z")  # the row of `#` behind the title of a heading
_RULE = re.compile(r"([-*_])(?: *\1){2,} *\Z")
# Same limit as markdown-it; deeper containers are text.  Without a limit, a line of a megabyte
# of `> > > ...` would take quadratic time.
MAX_DEPTH = 20


class ItemFields(NamedTuple):
    """An item's text, the title of its section, and the lines nested in it."""

    text: str
    section: str
    nested: str = ""


class Item:
    """One top-level list item: the lines `[line, end)`; `text` is its first paragraph.

    `section` is the title of its section, "" above all sections, and `nested` the lines in it.
    """

    def __init__(self, line: int) -> None:
        self.text = self.section = self.nested = ""
        self.line = line
        self.end = self.text_end = line + 1


class Heading:
    """A heading outside of lists and quotations."""

    def __init__(self, line: int, rank: int, title: str) -> None:
        self.line, self.rank, self.title = line, rank, title


class BlockReader:
    """The open blocks at the current line, and the results up to there.

    The results:

    - headings and items
    - verbatim: the lines of code and comments, not in lists
    - comments: the lines where comments begin
    - comment_lines: all lines of comments
    - unclosed: by the first lines of code and comments, what would close them
    - markers: git's conflict markers
    - warnings: line numbers from 1, with sentences

    The state between two lines:

    - at: the number of the current line
    - open: the open containers, the outermost first: QUOTE, or the indentation of an item
    - leaf: what the innermost container ends with: NO_LEAF, PARAGRAPH, CODE or COMMENT
    - is_empty: the innermost container is an item without text until now
    - item: the open top-level item, None outside of lists
    - words: the lines of that item's text
    - is_in_text: the next line may continue that text
    - fence: the sign and the length of the fence of code in a container
    - verbatim_end: the first line after the code or comment outside of containers
    - never_closed: by the sign of a fence, the length for which no end follows
    - conflict: the line is between git's conflict markers
    """

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.headings: list[Heading] = []
        self.items: list[Item] = []
        self.verbatim: list[int] = []
        self.comments: list[int] = []
        self.comment_lines: set[int] = set()
        self.unclosed: dict[int, str] = {}
        self.markers: list[int] = []
        self.warnings: list[tuple[int, str]] = []

        self.at = 0
        self.open: list[int] = []
        self.leaf = NO_LEAF
        self.is_empty = False
        self.item: Item | None = None
        self.words: list[str] = []
        self.is_in_text = False
        self.fence = ("", 0)
        self.verbatim_end = 0
        self.never_closed: dict[str, int] = {}
        self.conflict = False

    def read(self, front: int) -> None:
        """Read all lines; the first `front` ones are front matter."""
        for at, line in enumerate(self.lines):
            self.at = at
            # Columns are indices.
            line = line.rstrip("\r\n").expandtabs(4)
            if at < self.verbatim_end:
                self.verbatim.append(at)
            elif not self._read_marker(line) and at >= front:
                self._read_line(line)
        self._close(0)

    def _read_marker(self, line: str) -> bool:
        marker = read_marker(line)
        if not marker or (marker in "=|" and not self.conflict):
            return False
        self._close(0)
        self.conflict = marker != ">"
        self.markers.append(self.at)
        self._warn(f"a merge conflict is not resolved: {line[:7]}")
        return True

    def _warn(self, sentence: str) -> None:
        self.warnings.append((self.at + 1, sentence))

    # Each line is matched with the open containers, may open new ones, and ends in a leaf.

    def _read_line(self, line: str) -> None:
        depth, pos = self._match(line) if self.open else (0, 0)
        if self.leaf >= CODE and depth == len(self.open):
            is_code = self.leaf == CODE
            if closes_fence(line[pos:], *self.fence) if is_code else COMMENT_END in line:
                self.leaf = NO_LEAF
        else:
            self._read_block(line, depth, pos)
        if self.item is not None and line.strip(" "):
            self.item.end = self.at + 1

    def _match(self, line: str) -> tuple[int, int]:
        """Return how many open containers the line continues, and the column after their marks."""
        depth = pos = 0
        was_empty, self.is_empty = self.is_empty, False
        for width in self.open:
            start = _skip(line, pos)
            if width == QUOTE:
                if start - pos > 3 or line[start : start + 1] != ">":
                    break
                pos = _behind_quote(line, start)
            elif start >= len(line):
                if was_empty and depth == len(self.open) - 1:
                    break
            elif start - pos >= width:
                pos += width
            else:
                break
            depth += 1
        return depth, pos

    def _read_block(self, line: str, depth: int, pos: int) -> None:
        """Read a line's new containers and its leaf, from the column `pos` on.

        Without a new container, the line may continue a paragraph: a lazy line of CommonMark.
        """
        lazy = self.leaf == PARAGRAPH
        joined = lazy and depth == len(self.open)
        start = _skip(line, pos)
        while start - pos < 4 and depth < MAX_DEPTH and line[start : start + 1] in CONTAINER_STARTS:
            inner = self._open_container(line, depth, pos, start, joined)
            if not inner:
                break
            depth, pos, lazy, joined = depth + 1, inner, False, False
            start = _skip(line, pos)
        if start < len(line):
            self._read_leaf(line[start:], start - pos >= 4, depth, lazy)
        elif not self.is_empty:  # an item may have its text below its bullet
            self._close(depth)

    def _open_container(self, line: str, depth: int, pos: int, start: int, joined: bool) -> int:
        """Open the quotation or item that begins at `start`; return the column of its content."""
        if line[start] == ">":
            self._close(depth)
            self.open.append(QUOTE)
            self.is_empty = False
            return _behind_quote(line, start)
        marker = _MARKER.match(line, start)
        if not marker or _RULE.match(line, start) or (joined and not _may_interrupt(line, marker)):
            return 0
        self._close(depth)
        inner = _behind_marker(line, marker.end())
        self.open.append(inner - pos)
        self.is_empty = True
        if depth == 0:
            self.item = Item(self.at)
            self.words = []
            self.is_in_text = True
            self.items.append(self.item)
        return inner

    def _close(self, depth: int) -> None:
        """Close the leaf, and all containers except the outer `depth`."""
        if depth == 0 and self.item is not None:
            self.item.text = unescape(" ".join(self.words))
            nested = self.lines[self.item.text_end : self.item.end]
            self.item.nested = "\n".join(line.rstrip() for line in nested)
            self.item = None
        del self.open[depth:]
        self.leaf = NO_LEAF
        self.is_in_text = False

    # Leaves.

    def _read_leaf(self, text: str, is_indented: bool, depth: int, lazy: bool) -> None:
        self.is_empty = False
        if is_indented and not lazy:
            self._close(depth)
            if not self.open:
                self.verbatim.append(self.at)
        elif (
            is_indented
            or text[0] not in LEAF_STARTS
            or not (
                self._read_heading(text, depth)
                or self._read_code(text, depth)
                or self._read_comment(text, depth)
                or self._read_rule(text, depth)
            )
        ):
            self._read_text(text.rstrip(" "), depth, lazy)

    def _read_text(self, text: str, depth: int, lazy: bool) -> None:
        if not lazy:
            if self.leaf or depth < len(self.open):
                self._close(depth)
            self.leaf = PARAGRAPH
            self.is_in_text = self.is_in_text and len(self.open) == 1
        if self.is_in_text and self.item is not None and len(self.open) == 1:
            self.words.append(text)
            self.item.text_end = self.at + 1

    def _read_heading(self, text: str, depth: int) -> bool:
        title = text.lstrip("#")
        rank = len(text) - len(title)
        if not 1 <= rank <= 6 or title[:1] not in ("", " "):
            return False
        self._close(depth)
        if not self.open:
            self.headings.append(Heading(self.at, rank, _CLOSING.sub("", title.strip(" "))))
        return True

    def _read_rule(self, text: str, depth: int) -> bool:
        if not _RULE.match(text):
            return False
        self._close(depth)
        return True

    def _read_code(self, text: str, depth: int) -> bool:
        fence = read_fence(text)
        if fence is None:
            return False
        sign, length, _info = fence
        self._close(depth)
        if self.open:
            self.leaf, self.fence = CODE, (sign, length)
        else:
            self._skip_verbatim(sign, length, lambda line: closes_fence(line, sign, length))
        return True

    def _read_comment(self, text: str, depth: int) -> bool:
        if not text.startswith(COMMENT_START):
            return False
        self._close(depth)
        is_closed = COMMENT_END in text
        if self.open:
            self.leaf = NO_LEAF if is_closed else COMMENT
            return True
        self.comments.append(self.at)
        if is_closed:
            self.verbatim.append(self.at)
        else:
            self._skip_verbatim(COMMENT_END, 1, lambda line: True)
        self.comment_lines |= {*range(self.at, max(self.at + 1, self.verbatim_end))}
        return True

    def _skip_verbatim(self, sign: str, length: int, closes: Callable[[str], bool]) -> None:
        """Skip the code or comment that begins at this line."""
        self.verbatim.append(self.at)
        is_closable = length < self.never_closed.get(sign, length + 1)
        self.verbatim_end = self._find_closer(sign, length, closes) if is_closable else 0
        if not self.verbatim_end:
            below = range(self.at + 1, len(self.lines))
            limits = (at for at in below if self._is_limit(self.lines[at]))
            self.verbatim_end = next(limits, len(self.lines))
            while not self.lines[self.verbatim_end - 1].strip():
                self.verbatim_end -= 1
            self.unclosed[self.at] = sign * length
            opening = COMMENT_START if sign == COMMENT_END else sign * 3
            self._warn(f"{opening} is never closed; it ends at the next section")

    def _is_limit(self, line: str) -> bool:
        is_marker = self.conflict and read_marker(line) != ""
        return is_marker or line.startswith(SECTION_START)

    def _find_closer(self, sign: str, length: int, closes: Callable[[str], bool]) -> int:
        """Return the line after code or a comment, which may contain sections, 0 without an end."""
        for at in range(self.at + 1, len(self.lines)):
            line = self.lines[at]
            if self.conflict and self._is_limit(line):
                return 0
            if sign in line and closes(line.expandtabs(4)):
                return at + 1
        # Later code does not search again, which keeps the time linear.
        self.never_closed[sign] = length
        return 0


def _skip(line: str, pos: int) -> int:
    """Return the first column from `pos` on that is not blank."""
    return len(line) - len(line[pos:].lstrip(" "))


def _behind_quote(line: str, start: int) -> int:
    return start + 2 if line[start + 1 : start + 2] == " " else start + 1


def _may_interrupt(line: str, marker: re.Match[str]) -> bool:
    """Say whether a list marker may follow a paragraph: with content, and no number but 1."""
    return int(marker[1] or 1) == 1 and line[marker.end() :].strip(" ") != ""


def _behind_marker(line: str, end: int) -> int:
    """Return the first column of an item's content; content far to the right is code."""
    text = _skip(line, end)
    return end + 1 if text >= len(line) or text - end > 4 else text


# What a text cannot begin with in an item, because Markdown or `unescape` would read something
# else: the digits of a number, in front of what needs a backslash.
_SPECIAL = re.compile(
    r"""
    ([0-9]{1,9}) (?= [.)](?:[ ]|\Z) | \\[.)\\] )
    | (?= [-+*](?:[ ]|\Z) | \#+(?:[ ]|\Z) | ([-*_])(?:\2|[ ])*\Z | > | ``` | ~~~ | <!-- )
    | (?= \\[-\#+*>`~<[_=|\\] )
    """,
    re.X,
)
_ESCAPED = re.compile(r"([0-9]{1,9})\\(?=[.)\\])|\\(?=[-#+*>`~<[_=|\\])")


def escape(text: str) -> str:
    """Escape a text so that an item can begin with it and `unescape` returns it."""
    match = _SPECIAL.match(text)
    return f"{match[0]}\\{text[match.end() :]}" if match else text


def unescape(text: str) -> str:
    """Remove the backslash that `escape` adds."""
    match = _ESCAPED.match(text)
    return (match[1] or "") + text[match.end() :] if match else text
