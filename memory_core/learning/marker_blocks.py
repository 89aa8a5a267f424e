"""Find marker blocks, JSON objects and sentences in a report, before they are judged."""

from __future__ import annotations

from memory_core.learning import line_ranges
from memory_core.learning.classify import TOO_SHORT, type_of
from memory_core.learning.line_ranges import INDENT_CHARS, TextRange, is_blank
from memory_core.text.sanitize import BLOCK_TAG

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    Draft = tuple[str, str, str]  # type, content, reason why it cannot be a learning (or "")
    Header = tuple[int, int, str]

# The key of a JSON object with learnings.
_KEY = "remember"
_FIELDS = ("type", "content")

# This heading has no other purpose, so it needs no other sign of a block.
_UNMISTAKABLE = "# add to memory:"

_BULLETS = ("- ", "* ", "+ ", "\u2022 ")

# Characters that may precede a marker: heading signs, bold type, list markers.
_LEAD = INDENT_CHARS + "*#-+\u2022.)0123456789"


class LearningBlock(TextRange):
    """A marker block, JSON object or sentence that is not judged yet."""

    __slots__ = ("drafts", "is_bare", "removable_ranges")

    def __init__(self, start: int, end: int) -> None:
        super().__init__(start, end)
        self.drafts: list[Draft] = []
        self.removable_ranges: list[TextRange] = []  # removing these loses no word
        self.is_bare = False  # without Type and Content


def find_echoes(low: str) -> list[TextRange]:
    """Find copies of the memory block that the agent received: they contain nothing new."""
    ranges, start, depth, closed = [], 0, 0, 0
    for at in line_ranges.find_all(low, BLOCK_TAG):
        before = low[max(0, at - 2) : at]
        if before[-1:] == "<" and before != "`<":
            start = start if depth else at
            depth += 1
        elif depth and before == "</" and low.startswith(">", at + len(BLOCK_TAG)):
            depth -= 1
            closed = at
            if not depth:
                ranges.append(TextRange(start, at))
    # One opening tag too many: everything up to the last closing tag is surely inside.
    return [*ranges, TextRange(start, closed)] if depth and closed > start else ranges


def find(
    text: str, low: str, markers: Iterable[str], outside: Sequence[TextRange]
) -> list[LearningBlock]:
    """Return the marker blocks and JSON objects, in the order of the text.

    `low` is the text in lower case; blocks that start in one of the ranges `outside` are skipped.
    """
    headers = sorted([header for marker in markers for header in _headers(low, marker)])
    limits = [start for start, _, _ in headers[1:]] + [len(text)]
    objects = [block for block in _json_blocks(text) if block.drafts]
    marked = [_marker_block(text, *pair, objects) for pair in zip(headers, limits, strict=False)]
    marked = [block for block in marked if block.drafts and not _is_inside(outside, block)]
    # Objects in a marker block are read with the block.
    alone = [block for block in objects if not _is_inside(marked, block)]
    alone = [block for block in alone if not _is_inside(outside, block)]
    return sorted([*marked, *alone], key=lambda block: block.start)


def _is_inside(ranges: Sequence[TextRange], block: LearningBlock) -> bool:
    return line_ranges.find_enclosing(ranges, block.start) is not None


def find_sentences(
    text: str, low: str, phrases: Mapping[str, str], outside: Sequence[Sequence[TextRange]]
) -> Iterator[LearningBlock]:
    """Yield the sentences that begin with a phrase and a colon; `phrases` gives their types."""
    for phrase, kind in phrases.items():
        for start, at in line_ranges.find_lines(low, phrase, INDENT_CHARS + "*-+_\u2022"):
            end = line_ranges.find_next_line(text, at)
            key, content = _key_and_value(_bare(text[start:end]))
            if (
                key == phrase
                and content
                and not any(line_ranges.find_enclosing(ranges, at) for ranges in outside)
            ):
                block = LearningBlock(start, end)
                block.drafts.append((kind, content, ""))
                yield block


# -- marker blocks ---------------------------------------------------------------


def _headers(low: str, marker: str) -> Iterator[Header]:
    """Yield (start, end, text up to the colon) of the heading lines with a marker."""
    for start, at in line_ranges.find_lines(low, marker, _LEAD):
        lead = low[start:at].strip(INDENT_CHARS)
        number, _, signs = lead.partition(" ")
        is_numbered = number[:-1].isdecimal() and number[-1] in ".)"
        signs = (signs if is_numbered else _unlisted(lead)).strip(INDENT_CHARS + "*")
        end = line_ranges.find_next_line(low, at)
        rest = (
            low[at + len(marker) : min(end, at + line_ranges.MAX_INDENT)].replace("*", "").strip()
        )
        if 1 <= len(signs) <= 6 and set(signs) == {"#"} and rest[:1] in ("", ":"):
            yield start, end, f"{signs} {marker}{rest[:1]}"


def _marker_block(
    text: str, header: Header, limit: int, objects: Sequence[LearningBlock]
) -> LearningBlock:
    """Read the lines after a header; a result without drafts is not a block."""
    start, at, _ = header
    reader = _BlockReader(text, header)
    quoted = line_ranges.is_quoted(text[start:at])
    while at < limit:
        end = line_ranges.find_next_line(text, at)
        line = text[at:end]
        if line_ranges.is_quoted(line) != quoted or _is_other(line):
            break
        json_object = line_ranges.find_enclosing(objects, at) if objects else None
        is_read = (
            reader.read_object(text, json_object)
            if json_object
            else reader.read_line(text, at, end)
        )
        if not is_read:
            break
        at = json_object.end if json_object else end
    return reader.finish()


class _BlockReader:
    """Reads one block line by line; the meaning of a line depends on the lines before it."""

    __slots__ = (
        *("block", "content", "has_gap", "header", "is_closed", "is_titled", "kept_to", "kind"),
        *("rest", "type_last"),
    )

    def __init__(self, text: str, header: Header) -> None:
        start, end, head = header
        title = _key_and_value(text[text.find("#", start) : end].lstrip("# "))[1]
        title = title if head.endswith(":") and title.strip("*") else ""
        self.header = header
        self.block = LearningBlock(start, end)
        self.block.removable_ranges.append(TextRange(start, end))
        self.kind = ""
        self.content = title or None
        self.rest = ""  # the first line without a key
        self.kept_to = end
        self.is_closed = False
        self.is_titled = bool(title)  # the content follows on the line of the header
        self.has_gap = False  # a blank line followed the content
        self.type_last = self.is_titled  # the content precedes its type

    def read_line(self, text: str, start: int, end: int) -> bool:
        """Read a line; return False if the block ends with it or before it."""
        line = _bare(text[start:end])
        key, value = _key_and_value(line)
        if not line:
            self.has_gap = bool(self.content or self.rest)
            return True
        if not _unlisted(line).strip("#"):
            self.is_closed = True
        elif key in _FIELDS:
            self._field(key, value)
        elif self.has_gap:
            return False
        elif self.content == "":
            self.content = _unlisted(line)
        else:
            self._skip(end, line)
            return True
        self._keep(text, start, end)
        return not self.is_closed

    def read_object(self, text: str, json_block: LearningBlock) -> bool:
        """Read a JSON object inside the block; return False if the block ends before it."""
        if self.has_gap:
            return False
        self._drop_title()
        if self.content:
            self._draft()
        kind, self.kind, self.content = self.kind, "", None
        self.block.drafts += [(draft[0] or kind, *draft[1:]) for draft in json_block.drafts]
        if json_block.removable_ranges:
            self._keep(text, json_block.start, json_block.end)
        else:
            self._skip(json_block.end, "{")
        return True

    def finish(self) -> LearningBlock:
        """Return the block, with the last draft."""
        block = self.block
        if self.is_titled:
            self._finish_title()
        elif self.content is not None or self.kind:
            self._draft()
        elif self.is_closed and not block.drafts and self.header[2].endswith(":"):
            block.is_bare = True
            block.drafts.append(("", self.rest, ""))
        block.removable_ranges = [cut for cut in block.removable_ranges if cut.start < cut.end]
        return block

    def _finish_title(self) -> None:
        """Handle text on the line of the header: it may be a heading, or a comment in code."""
        is_marker = self.header[2] == _UNMISTAKABLE
        if self.is_closed or self.kind or (is_marker and not self.rest):
            self._draft()
        elif is_marker or not self.rest:
            self.block.is_bare, self.block.removable_ranges = True, []
            self._draft()

    def _field(self, key: str, value: str) -> None:
        if key == "content":
            self._drop_title()
        if self.content is not None and (key == "content" or not self.type_last):
            self._draft()
            self.content = None
        if key == "content":
            self.type_last = self.type_last or not self.kind
            self.content = _unlisted(value)
        else:
            self.kind = value
        self.has_gap = False

    def _drop_title(self) -> None:
        """Keep the text on the line of the header in the report: the content comes later."""
        if self.is_titled:
            self.is_titled = self.type_last = False
            self.content = None
            self.block.removable_ranges[0].start = self.header[1]

    def _draft(self) -> None:
        self.block.drafts.append((self.kind, self.content or "", ""))

    def _skip(self, end: int, line: str) -> None:
        """Skip a line that is not part of a learning and stays in the report."""
        self.rest = self.rest or line
        self.block.end = end

    def _keep(self, text: str, start: int, end: int) -> None:
        cuts = self.block.removable_ranges
        if is_blank(text[self.kept_to : start]):
            cuts[-1].end = end
        else:
            cuts.append(TextRange(start, end))
        self.kept_to = self.block.end = end


def _unlisted(line: str) -> str:
    return line[2:].lstrip() if line[:2] in _BULLETS else line


def _bare(line: str) -> str:
    return line.lstrip(INDENT_CHARS).strip()


def _is_other(line: str) -> bool:
    """Check for a line that ends a block: a heading, or the end of its code block."""
    line = _bare(line)
    return line[:3] in ("```", "~~~") or (line[:1] == "#" and line.lstrip("#")[:1] in (" ", "\t"))


def _key_and_value(line: str) -> tuple[str, str]:
    """Split a line at its colon; the key is in lower case and without bold type."""
    field = line[2:] if line[:2] in _BULLETS else line
    name, colon, value = field.partition(":")
    if not colon or len(name) > line_ranges.MAX_INDENT:
        return "", ""
    value = value.strip()
    if name.startswith("**") and not name.endswith("**"):
        value = value.removeprefix("**").lstrip()
    return name.strip("*_` ").lower(), value


# -- JSON ------------------------------------------------------------------------


def _json_blocks(text: str) -> list[LearningBlock]:
    if f'"{_KEY}"' not in text:
        return []
    from memory_core.learning import json_blocks

    return [_json_block(text, *match) for match in json_blocks.find(text, _KEY)]


def _json_block(text: str, start: int, end: int, value: dict[str, object]) -> LearningBlock:
    """Read an object; it is removable only if the drafts contain all of its words."""
    block = LearningBlock(start, end)
    items = value[_KEY]
    if not isinstance(items, list):
        items = [items] if _is_item(items) else []
    block.drafts = [_draft(item) for item in items]
    is_whole = len(value) == 1 and text.count(f'"{_KEY}"', start, end) == 1
    if is_whole and all(map(_is_complete, items, block.drafts)):
        block.removable_ranges.append(TextRange(start, end))
    return block


def _is_item(value: object) -> bool:
    """Check for a learning: `"remember": true` is a field of a log-in form."""
    if isinstance(value, dict):
        kind = value.get("type")
        return "content" in value or (isinstance(kind, str) and kind != "" and type_of(kind) != "")
    return isinstance(value, str) and len(value) > TOO_SHORT


def _draft(item: object) -> Draft:
    """Read an item; an item of unknown form becomes its JSON text."""
    if isinstance(item, str):
        return "", item, ""
    if not isinstance(item, dict):
        return "", _as_json(item), "" if isinstance(item, (int, float)) else "not a text"
    fields = {key.lower(): value for key, value in item.items()}
    kind, content = fields.get("type"), fields.get("content")
    kind = "" if kind is None else kind
    is_clear = len(fields) == len(item)
    if is_clear and isinstance(kind, str) and isinstance(content, str):
        return kind, content, ""
    name = kind if isinstance(kind, str) else ""
    return name, _as_json(item), "not a text" if "content" in fields else "no content"


def _is_complete(item: object, draft: Draft) -> bool:
    """Check whether a draft contains all words of an item: a learning is one line."""
    _, content, fault = draft
    if fault:
        return content != ""
    is_more = isinstance(item, dict) and any(key.lower() not in _FIELDS for key in item)
    return not is_more and "\n" not in content.strip()


def _as_json(value: object) -> str:
    """Return a value as a line of JSON without escapes, "" if it is nested too deeply."""
    from memory_core.text import fastjson

    try:
        text = fastjson.dumps(value)
    except RecursionError:
        return ""
    if "\\u" not in text:
        return text
    text = text.encode().decode("raw_unicode_escape")  # then join surrogate pairs
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
