"""Read one marker block: its types and contents, and the lines that they take."""

from __future__ import annotations

from memory_core.learning import lines
from memory_core.learning.classify import type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    Draft = tuple[str, str, str]  # type, content, reason why it cannot be a learning (or "")

_FIELDS = ("type", "content")


def read_marker(line: str) -> tuple[str, str] | None:
    """Return the marker in a line and the text behind its colon, None for another line."""
    words = _read_heading(lines.remove_bullet(line))
    marker, title = lines.split_field(words)
    marker = marker or words.strip("*_ ").lower()
    return (marker, title.removesuffix("**")) if marker in lines.MARKERS else None


class _Entry:
    """A type and the lines of a content."""

    def __init__(self, kind: str, content: str) -> None:
        self.kind = kind
        self.lines = [content] if content else []


class MarkerBlock:
    """Reads a block line by line; the meaning of a line depends on the lines before it."""

    def __init__(self, number: int, marker: str, title: str) -> None:
        self._marker = marker
        self.rows: list[int] = []  # the lines whose words are in the learnings
        self._entries: list[_Entry] = []
        self._loose: list[int] = []  # the lines of a content without a key
        self._other: list[str] = []  # the lines of other keys
        self._kind = ""
        self._has_keys = self._has_content_key = self._is_closed = False
        self._has_gap = False  # a blank line followed the content
        self._is_list = False  # each list item is a content
        self._is_other = False  # the last key was another one
        self._type_last = not type_of(title)  # the content precedes its type
        if self._type_last:
            self._read_text(number, title, *lines.split_field(title), is_item=False)
        else:
            self._kind = title
            self.rows.append(number)

    def read_line(self, number: int, bare: str) -> bool:
        """Read a line without its indentation; return False if the block ends with it."""
        if not bare:
            self._has_gap = self.has_content
            return True
        line = lines.remove_bullet(bare)
        is_item = line != bare
        if not line.strip("#"):
            self._is_closed = True
            self.rows.append(number)
            return False
        if _ends_block(line):
            return False
        key, value = lines.split_field(line)
        if key in _FIELDS:
            self._read_field(number, key, value)
            return True
        if self._has_gap and not (is_item and self._is_list):
            return False
        return self._read_text(number, line, key, value, is_item)

    def finish(self) -> list[Draft]:
        """Return the learnings of the block; there are none if it is not a block.

        A block without keys may be a heading of the report or a comment in code.
        """
        if not (self._has_keys or self._is_closed or self._marker == lines.MARKERS[0]):
            return []
        drafts = [
            (entry.kind, lines.remove_quotes(" ".join(entry.lines)), "")
            for entry in self._entries
            if entry.lines
        ]
        self.rows = sorted(self.rows + self._loose)
        if not drafts and self._other:
            drafts.append((self._kind, " ".join(self._other), "no Content: line"))
        return drafts

    @property
    def has_content(self) -> bool:
        return self._entries != [] and self._entries[-1].lines != []

    def _read_field(self, number: int, key: str, value: str) -> None:
        if key == "content":
            if not self._has_content_key:
                self._drop_loose()
            self._add("" if self._type_last else self._kind, value)
        else:
            self._kind = value
            self._set_types(value)
        self._has_keys = True
        self._has_gap = self._is_other = False
        self.rows.append(number)

    def _drop_loose(self) -> None:
        """Leave the lines without a key in the report: the content comes in lines with keys."""
        self._entries.clear()
        self._loose.clear()
        self._has_content_key = True
        self._type_last = not self._kind

    def _set_types(self, kind: str) -> None:
        """Set the type of the contents before it, if each content precedes its type."""
        for entry in reversed(self._entries if self._type_last and kind else []):
            if entry.kind:
                return
            entry.kind = kind

    def _read_text(self, number: int, line: str, key: str, value: str, is_item: bool) -> bool:
        """Read a line without Type: or Content:."""
        if not self._has_keys and key and type_of(key):
            self._kind = key
            self._add(key, value)
        elif self._has_keys and (self._is_other or _is_other_key(line, key)):
            self._is_other = True
            self._other.append(line)
            return True
        elif not self._entries or (is_item and self._is_list and self.has_content):
            self._add(self._kind, line)
            self._is_list = is_item
        else:
            self._is_list = self._is_list or (is_item and not self.has_content)
            self._entries[-1].lines.append(line)
        (self.rows if self._has_content_key else self._loose).append(number)
        return True

    def _add(self, kind: str, content: str) -> None:
        self._entries.append(_Entry(kind, content))
        self._is_list = False


def _is_other_key(line: str, key: str) -> bool:
    """Check for a key such as "Confidence:"; an error such as "TypeError:" is content."""
    return key.isalpha() and key.capitalize() in line.partition(":")[0]


def _ends_block(line: str) -> bool:
    """Check for a heading, a line of a fence, a closing tag, or a ruler."""
    is_mark = line.startswith(("```", "~~~", "</"))
    return is_mark or _read_heading(line) != "" or not line.strip("-*_ ")


def _read_heading(line: str) -> str:
    """Return the words of a heading, "" for another line."""
    heading = line.lstrip("*")
    words = heading.lstrip("#")
    return words.strip() if words != heading and words[:1] in (" ", "\t") else ""
