"""Read one marker block: its types, contents and nested lines, and the lines that they take."""

from __future__ import annotations

from memory_core.learning import lines
from memory_core.learning.lines import FIELDS, NESTED, Draft
from memory_core.learning.type_names import type_of

JSON_SIGNS = ("{", '{"', "[", "[{", '["')  # how a line of JSON begins
LEADS = (":", ":**", "\uff1a")  # the end of a line in front of a list
_HEADING_SIGNS = "#*_` "
_MAX_HEADING = 80  # characters in front of the colon


def read_marker(line: str) -> tuple[str, str, bool] | None:
    """Return the marker in a line without indentation, None for another line.

    A marker is its words in lower case, its title (the text behind its colon, with a type in
    front of the colon as its key), and whether it has a colon.
    """
    bare = lines.remove_bullet(line)
    words = lines.remove_bullet(bare.lstrip(_HEADING_SIGNS)).lstrip(_HEADING_SIGNS)
    begin = words[:_MAX_HEADING].lower()
    marker = next((marker for marker in lines.MARKERS if begin.startswith(marker)), "")
    name, colon, title = lines.split_at_colon(words[len(marker) :])
    kind = name.strip("*_` ()[]-\u2013\u2014#/0123456789")
    if kind and not type_of(kind) and name.lstrip()[:1] == "(":  # "(for future runs)"
        kind = ""
    if not marker or len(name) > _MAX_HEADING or (kind and not type_of(kind)):
        return None
    signs = bare[: -len(words)].rstrip()
    opening = signs.strip("# ")
    title = title.strip().removeprefix(opening).removesuffix(opening or "**").strip()
    is_heading = signs != "" or (colon != "" and marker == lines.MARKERS[0])
    if not is_heading or (title and "`" in opening):  # a sentence, not a heading
        return None
    return marker, ": ".join(filter(None, (kind, title))), colon != ""


class _Entry:
    """A type, a content and the lines nested below it by their keys; `rows` are their places."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.lines: list[str] = []
        self.rows: list[int] = []
        self.nested: dict[str, str] = {}

    def make_draft(self) -> Draft:
        nested = {key: text.strip() for key, text in self.nested.items() if text}
        return self.kind, " ".join(self.lines), "", nested


class MarkerBlock:
    """Reads a block line by line; the meaning of a line depends on the lines before it."""

    def __init__(self, number: int, marker: tuple[str, str, bool], in_fence: bool) -> None:
        words, title, has_colon = marker
        # Comments in code may begin with the words of a marker.
        self._needs_keys = words != lines.MARKERS[0] or (in_fence and not has_colon)
        self.rows: list[int] = []  # the lines whose words are in the learnings
        self.entries: list[_Entry] = []
        self.others: list[tuple[str, str, list[str]]] = []  # types, other keys, their lines
        self.table: dict[int, str] = {}  # the rows of a table, by the numbers of their lines
        self.kind = self.key = ""  # the last type; the key that lines belong to
        self.type_key = ""  # the key of the types: "type" or, for example, "category"
        self.has_keys = self.has_content_key = self.is_closed = False
        self.has_gap = self.in_code = False  # behind a blank line below the content; in its fence
        self.group = ""  # the signs of headings above contents: "###", "**"
        self.needs_type = False  # behind a heading with other signs only a type can follow
        self.is_list = self.has_leads = False  # each list item is a content; with a type
        self.indent = self.key_indent = 0  # of the last content in the list; of the last key
        self.is_json = False  # the lines are a JSON object or a list
        self._type_last = False  # each content precedes its type
        if type_of(title):
            self.kind = title
            self.rows.append(number)

    def finish(self) -> list[Draft]:
        """Return the learnings of the block; there are none if it is not a block.

        A block without keys may be a heading of the report or a comment in code.
        """
        if self._needs_keys and not (self.has_keys or self.is_closed):
            return []
        written = [entry for entry in self.entries if entry.lines]
        drafts = [entry.make_draft() for entry in written]
        self.rows += [row for entry in written for row in entry.rows]
        if self.table:
            from memory_core.learning import table_rows

            rows, is_whole = table_rows.read_drafts([*self.table.values()], self.kind)
            drafts += rows
            self.rows += self.table if is_whole else []
        self.rows.sort()
        return drafts

    @property
    def has_content(self) -> bool:
        """Check for a content; a line in front of a list is none: "We learned:"."""
        words = self.entries[-1].lines if self.entries else [*self.table.values()]
        return words != [] and (self.has_content_key or not words[-1].endswith(LEADS))

    def read_field(self, number: int, key: str, value: str) -> None:
        self.has_keys, self.has_gap = True, False
        self.key = key
        self.rows.append(number)
        if key == "content":
            self.drop_loose()
            is_yaml_sign = not value.strip("|>-")  # of a text of several lines in YAML
            self.add("" if self._type_last else self.kind, "" if is_yaml_sign else value)
        elif key not in NESTED:
            self.key, self.type_key = "type", key
            value, content = _split_type(value)
            self.set_type(value)
            if content:
                self.read_field(number, "content", content)
        else:
            if not self.entries:
                self.add(self.kind, "")
            self.entries[-1].nested[key] = value

    def is_type(self, key: str, value: str) -> bool:
        """Check for a key other than `Type:` with a type as its value."""
        return "" not in (key, value, type_of(value)) and self.type_key in ("", key)

    def drop_loose(self) -> None:
        """Leave the lines without a key in the report: the content comes in lines with keys."""
        if not self.has_content_key:
            self.entries = [entry for entry in self.entries if not entry.lines]
            self.has_content_key = True
            self._type_last = not self.kind

    def set_type(self, kind: str) -> None:
        """Set the type; also that of the contents before it, if each content precedes its type."""
        self.kind = kind
        for entry in reversed(self.entries if kind else []):
            if entry.kind:
                return
            entry.kind = kind

    def add(self, kind: str, content: str) -> None:
        """Add a content; an entry that has only nested lines, or leads to a list, gets it."""
        if not self.entries or self.has_content:
            self.entries.append(_Entry(kind))
        entry = self.entries[-1]
        entry.kind, entry.rows = kind, []
        entry.lines = [content] if content else []
        self.is_list = False


def split_key(line: str) -> tuple[str, str]:
    """Split a line at its colon, or at a dash behind the name of a field."""
    line = line.lstrip("#") if line.startswith("##") else line
    name, _blank, value = line.partition(" ")
    if value[:2] in ("- ", "\u2013 ", "\u2014 ") and name.strip("*_`").lower() in FIELDS:
        line = f"{name}:{value[1:]}"
    return lines.split_field(line)


def _split_type(value: str) -> tuple[str, str]:
    """Split the value of `Type: x, Content: y` into the type and the content."""
    at = value.lower().find("content")
    kind = value[: max(at, 0)].rstrip("*_`\"'")
    key, content = lines.split_field(value[len(kind) :])
    return (kind.strip(" ,;|-\u2013\u2014."), content) if key == "content" else (value, "")
