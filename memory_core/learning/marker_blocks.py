"""Read one marker block: its types, contents and nested lines, and the lines that they take."""

from __future__ import annotations

from memory_core.learning import lines
from memory_core.learning.lines import FIELDS, NESTED, Draft
from memory_core.learning.type_names import type_of

JSON_SIGNS = ("{", '{"', "[", "[{", '["')  # how a line of JSON begins
_ENDS = ("```", "~~~", "</")  # the beginning of a line behind a block
_LEADS = (":", ":**", "\uff1a")  # the end of a line in front of a list
_HEADING_SIGNS = "#*_` "
_GROUP_SIGNS = "#*_: 0123456789.)"
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
    kind = name.strip("*_` ()[]-\u2013\u2014")
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
        self._entries: list[_Entry] = []
        self._others: list[tuple[str, str, list[str]]] = []  # types, other keys, their lines
        self._table: dict[int, str] = {}  # the rows of a table, by the numbers of their lines
        self._kind = self._key = ""  # the last type; the key that lines belong to
        self._type_key = ""  # the key of the types: "type" or, for example, "category"
        self._has_keys = self._has_content_key = self.is_closed = False
        self.has_gap = self.in_code = False  # behind a blank line below the content; in its fence
        self._group = ""  # the signs of headings that are types: "###", "**"
        self._is_list = self._has_leads = False  # each list item is a content; with a type
        self._is_json = False  # the lines are a JSON object or a list
        self._type_last = False  # each content precedes its type
        if type_of(title):
            self._kind = title
            self.rows.append(number)
        else:
            self.read_line(number, title)

    def read_line(self, number: int, bare: str) -> bool:
        """Read a line without its indentation; return False if the block ends with it."""
        if not bare.strip("-*_ 0123456789.)"):  # blank, a ruler, or the number of a learning
            self.has_gap = self.has_content and not self.in_code
            return True
        if bare[:1] == "|" and not self.has_gap and (self._table or not self.has_content):
            self._drop_loose()
            self._table[number] = bare
            return True
        line = lines.remove_bullet(bare)
        is_item = line != bare
        if not line.strip("#`") and "#" in line:
            self.is_closed = True
            self.rows.append(number)
            return False
        self.is_closed = line.endswith(" #")
        line = line.removesuffix(" #").rstrip()
        if line[:2].rstrip() in JSON_SIGNS and not (self._is_json or self.has_content):
            self._is_json, self._entries = True, []  # a line in front of it is no learning
        key, value = ("", "") if self._is_json else _split_key(line)
        if key in FIELDS or self._is_type(key, value):
            self._read_field(number, key, value)
        elif self._read_group(number, line):
            pass
        elif not self.in_code and lines.is_heading(bare) and (self.has_content or line[0] != "*"):
            self.has_gap, self._is_list = True, False  # only keys can follow
        elif line.startswith(_ENDS) or (
            self.has_gap and not (is_item and (self._is_list or _split_lead(line, key, value)))
        ):
            return False
        else:
            self._read_text(number, line, key, value, is_item)
        return not self.is_closed

    def finish(self) -> list[Draft]:
        """Return the learnings of the block; there are none if it is not a block.

        A block without keys may be a heading of the report or a comment in code.
        """
        if self._needs_keys and not (self._has_keys or self.is_closed):
            return []
        written = [entry for entry in self._entries if entry.lines]
        drafts = [entry.make_draft() for entry in written]
        self.rows += [row for entry in written for row in entry.rows]
        if self._table:
            from memory_core.learning import table_rows

            rows, is_whole = table_rows.read_drafts([*self._table.values()], self._kind)
            drafts += rows
            self.rows += self._table if is_whole else []
        self.rows.sort()
        return drafts or self._read_others()

    def _read_others(self) -> list[Draft]:
        """Return the lines with other keys; those of one key are contents."""
        others = [(kind, " ".join(words)) for kind, _key, words in self._others]
        if len({key for _kind, key, _words in self._others}) == 1:
            return [(kind, lines.split_field(text)[1], "", {}) for kind, text in others]
        text = " ".join(text for _kind, text in others)
        return [(self._kind, text, "no Content: line", {})] if others else []

    @property
    def has_content(self) -> bool:
        """Check for a content; a line in front of a list is none: "We learned:"."""
        words = self._entries[-1].lines if self._entries else [*self._table.values()]
        return words != [] and (self._has_content_key or not words[-1].endswith(_LEADS))

    def _read_field(self, number: int, key: str, value: str) -> None:
        self._has_keys, self.has_gap = True, False
        self._key = key
        self.rows.append(number)
        if key == "content":
            self._drop_loose()
            is_mark = not value.strip("|>-")  # of a text of several lines in YAML
            self._add("" if self._type_last else self._kind, "" if is_mark else value)
        elif key not in NESTED:
            self._key, self._type_key = "type", key
            value, content = _split_type(value)
            self._set_type(value)
            if content:
                self._read_field(number, "content", content)
        else:
            if not self._entries:
                self._add(self._kind, "")
            self._entries[-1].nested[key] = value

    def _is_type(self, key: str, value: str) -> bool:
        """Check for a key other than `Type:` with a type as its value."""
        return "" not in (key, value, type_of(value)) and self._type_key in ("", key)

    def _read_group(self, number: int, line: str) -> bool:
        """Read a heading that is a type: the block begins with one, or with one like it."""
        name, signs = _split_group(line)
        if not signs or not type_of(name) or (self.has_content and signs != self._group):
            return False
        self._kind, self._group, self._key = name, signs, "content"
        self._add(name, "")
        self.has_gap = False
        self.rows.append(number)
        return True

    def _drop_loose(self) -> None:
        """Leave the lines without a key in the report: the content comes in lines with keys."""
        if not self._has_content_key:
            self._entries = [entry for entry in self._entries if not entry.lines]
            self._has_content_key = True
            self._type_last = not self._kind

    def _set_type(self, kind: str) -> None:
        """Set the type; also that of the contents before it, if each content precedes its type."""
        self._type_last = self._type_last or (not self._kind and self.has_content)
        self._kind = kind
        for entry in reversed(self._entries if kind else []):
            if entry.kind:
                return
            entry.kind = kind

    def _read_text(self, number: int, line: str, key: str, value: str, is_item: bool) -> None:
        """Read a line without a key of a block."""
        entry = self._entries[-1] if self._entries else None
        if self._key == "type" and not self._kind:
            self._set_type(line)
            self.rows.append(number)
            return
        is_keyed = self._type_key != "" or self._has_content_key
        in_list = is_item and (self._is_list or self._has_leads)
        is_own = entry and (in_list or not entry.lines)
        places = entry.nested.get("see", "") if entry and entry.lines and self._key == "see" else ""
        is_below = not is_item and places[-1:] not in ("", ",")  # `See:` ends at its line
        if not is_keyed and (lead := _split_lead(line, key, value)):
            # Another item of its list has a type of its own, or none.
            self._kind, self._key = "" if is_item else lead[0], "content"
            self._add(*lead)
            self._has_leads = is_item
        elif is_below or (self._has_keys and not is_own and _is_other_key(line, key)):
            self._key = "other"
            self._others.append((self._kind, key, [line]))
            return
        elif self._key == "other" and not in_list:
            self._others[-1][2].append(line)
            return
        elif entry and self._key in NESTED and not (in_list and entry.nested[self._key][:1] > " "):
            before = entry.nested[self._key]  # with a blank in front: the value is a list
            entry.nested[self._key] += f", {line}" if is_item and before else f" {line}"
        elif entry is None or self._key == "type" or in_list or not self.has_content:
            self._add(self._kind, line)
            self._is_list, self._key = is_item, "content"
        else:
            if is_item and not entry.lines[-1].endswith(_LEADS):
                entry.lines[-1] += ","
            entry.lines.append(line)
        self._entries[-1].rows.append(number)

    def _add(self, kind: str, content: str) -> None:
        """Add a content; an entry that has only nested lines, or leads to a list, gets it."""
        if not self._entries or self.has_content:
            self._entries.append(_Entry(kind))
        entry = self._entries[-1]
        entry.kind, entry.rows = kind, []
        entry.lines = [content] if content else []
        self._is_list = False


def _split_key(line: str) -> tuple[str, str]:
    """Split a line at its colon, or at a dash behind the name of a field."""
    line = line.lstrip("#") if line.startswith("##") else line
    name, _blank, value = line.partition(" ")
    if value[:2] in ("- ", "\u2013 ", "\u2014 ") and name.strip("*_`").lower() in FIELDS:
        line = f"{name}:{value[1:]}"
    return lines.split_field(line)


def _split_group(line: str) -> tuple[str, str]:
    """Return the words of `### 1. Patterns` or `**Patterns:**`, and their sign: "###"."""
    name = line.strip(_GROUP_SIGNS)
    before, behind = line[: line.find(name)], line[len(name) :]
    return name, before.strip(" 0123456789.)") or behind.strip()


def _split_type(value: str) -> tuple[str, str]:
    """Split the value of `Type: x, Content: y` into the type and the content."""
    at = value.lower().find("content")
    kind = value[: max(at, 0)].rstrip("*_`\"'")
    key, content = lines.split_field(value[len(kind) :])
    return (kind.strip(" ,;|-\u2013\u2014."), content) if key == "content" else (value, "")


def _split_lead(line: str, key: str, value: str) -> tuple[str, str] | None:
    """Split `pattern: x`, `[pattern] x` or `pattern - x` into the type and the content."""
    if key and type_of(key):
        return key, value
    bare = line.lstrip("*_`[(")
    for sign in ("]", ")", " - ", " \u2013 ", " \u2014 ", " \u2192 "):
        kind, _sign, content = bare.partition(sign)
        if content and type_of(kind.strip("*_` ")) and kind:
            return kind, content.lstrip("*: ")
    return None


def _is_other_key(line: str, key: str) -> bool:
    """Check for a key such as "Confidence:"; an error such as "TypeError:" is content."""
    return key.isalpha() and key.capitalize() in line.partition(":")[0]
