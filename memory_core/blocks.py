"""Where a text teaches: marker blocks, JSON objects and sentences, as they stand."""

from __future__ import annotations

from memory_core import lines
from memory_core.judging import TOO_SHORT, type_of
from memory_core.lines import MARGIN, Range, is_blank
from memory_core.trust import FENCE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    Draft = tuple[str, str, str]  # type, content, and why it can be no learning
    Header = tuple[int, int, str]

# The key of a JSON object that teaches.
_KEY = "remember"
_FIELDS = ("type", "content")

# The heading that nobody writes for another purpose, so that a line of its own says enough.
_SURE = "# add to memory:"

_BULLETS = ("- ", "* ", "+ ", "\u2022 ")

# What may stand in front of a marker: its signs, bold type, and those of a list item.
_LEAD = MARGIN + "*#-+\u2022.)0123456789"


class Block(Range):
    """A marker block, JSON object or sentence, not yet judged."""

    __slots__ = ("cuts", "drafts", "is_bare")

    def __init__(self, start: int, end: int) -> None:
        super().__init__(start, end)
        self.drafts: list[Draft] = []
        self.cuts: list[Range] = []  # what may be taken out without losing a word
        self.is_bare = False  # has neither Type nor Content


def echoes(low: str) -> list[Range]:
    """Find what was given to the agent and comes back: nothing in it is new."""
    ranges, start, depth, closed = [], 0, 0, 0
    for at in lines.places(low, FENCE):
        before = low[max(0, at - 2) : at]
        if before[-1:] == "<" and before != "`<":
            start = start if depth else at
            depth += 1
        elif depth and before == "</" and low.startswith(">", at + len(FENCE)):
            depth -= 1
            closed = at
            if not depth:
                ranges.append(Range(start, at))
    # Mentioned once too often: what is surely inside is all up to the last end.
    return [*ranges, Range(start, closed)] if depth and closed > start else ranges


def find(text: str, low: str, markers: Iterable[str], outside: Sequence[Range]) -> list[Block]:
    """Find the marker blocks and JSON objects, in the order of the text.

    `low` is the text in small letters; nothing that starts in the ranges `outside` counts.
    """
    headers = sorted([header for marker in markers for header in _headers(low, marker)])
    limits = [start for start, _, _ in headers[1:]] + [len(text)]
    objects = [block for block in _json_blocks(text) if block.drafts]
    found = [_marker_block(text, *pair, objects) for pair in zip(headers, limits, strict=False)]
    found = [block for block in found if block.drafts and not lines.around(outside, block.start)]
    # What is in a marker block was read with it.
    alone = [block for block in objects if not lines.around(found, block.start)]
    found += [block for block in alone if not lines.around(outside, block.start)]
    return sorted(found, key=lambda block: block.start)


def sentences(
    text: str, low: str, phrases: Mapping[str, str], outside: Sequence[Sequence[Range]]
) -> Iterator[Block]:
    """Find the sentences that begin with a phrase and a colon; `phrases` gives their types."""
    for phrase, kind in phrases.items():
        for start, at in lines.beginning(low, phrase, MARGIN + "*-+_\u2022"):
            end = lines.end(text, at)
            key, content = _key_and_value(_bare(text[start:end]))
            if key == phrase and content and not any(lines.around(each, at) for each in outside):
                block = Block(start, end)
                block.drafts.append((kind, content, ""))
                yield block


# -- marker blocks ---------------------------------------------------------------


def _headers(low: str, marker: str) -> Iterator[Header]:
    """Find the heading lines of a marker: start, end, and what is written up to the colon."""
    for start, at in lines.beginning(low, marker, _LEAD):
        lead = low[start:at].strip(MARGIN)
        number, _, signs = lead.partition(" ")
        is_numbered = number[:-1].isdecimal() and number[-1] in ".)"
        signs = (signs if is_numbered else _unlisted(lead)).strip(MARGIN + "*")
        end = lines.end(low, at)
        rest = low[at + len(marker) : min(end, at + lines.LEAD)].replace("*", "").strip()
        if 1 <= len(signs) <= 6 and set(signs) == {"#"} and rest[:1] in ("", ":"):
            yield start, end, f"{signs} {marker}{rest[:1]}"


def _marker_block(text: str, header: Header, limit: int, objects: Sequence[Block]) -> Block:
    """Read the lines behind a header; without a draft it is no block."""
    start, at, _ = header
    reader = _Reader(text, header)
    quoted = lines.is_quoted(text[start:at])
    while at < limit:
        end = lines.end(text, at)
        line = text[at:end]
        if lines.is_quoted(line) != quoted or _is_other(line):
            break
        known = lines.around(objects, at) if objects else None
        if not (reader.takes_object(text, known) if known else reader.takes(text, at, end)):
            break
        at = known.end if known else end
    return reader.finish()


class _Reader:
    """Reads one block; a class, for what a line means depends on the lines before it."""

    __slots__ = (
        *("block", "content", "has_gap", "header", "is_closed", "is_titled", "kept_to", "kind"),
        *("rest", "type_last"),
    )

    def __init__(self, text: str, header: Header) -> None:
        start, end, head = header
        said = _key_and_value(text[text.find("#", start) : end].lstrip("# "))[1]
        said = said if head.endswith(":") and said.strip("*") else ""
        self.header = header
        self.block = Block(start, end)
        self.block.cuts.append(Range(start, end))
        self.kind = ""
        self.content = said or None
        self.rest = ""  # the first line without a key
        self.kept_to = end
        self.is_closed = False
        self.is_titled = bool(said)  # the content is what the header's line goes on with
        self.has_gap = False  # there was a blank line behind the content
        self.type_last = self.is_titled  # the content comes in front of its type

    def takes(self, text: str, start: int, end: int) -> bool:
        """Read a line; False where the block ends, with it or in front of it."""
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
            self._pass_by(end, line)
            return True
        self._keep(text, start, end)
        return not self.is_closed

    def takes_object(self, text: str, found: Block) -> bool:
        """Read a JSON object, which is told here and not once more on its own."""
        if self.has_gap:
            return False
        self._untitle()
        if self.content:
            self._draft()
        kind, self.kind, self.content = self.kind, "", None
        self.block.drafts += [(each[0] or kind, *each[1:]) for each in found.drafts]
        if found.cuts:
            self._keep(text, found.start, found.end)
        else:
            self._pass_by(found.end, "{")
        return True

    def finish(self) -> Block:
        """Give the block with what was read last."""
        block = self.block
        if self.is_titled:
            self._finish_title()
        elif self.content is not None or self.kind:
            self._draft()
        elif self.is_closed and not block.drafts and self.header[2].endswith(":"):
            block.is_bare = True
            block.drafts.append(("", self.rest, ""))
        block.cuts = [cut for cut in block.cuts if cut.start < cut.end]
        return block

    def _finish_title(self) -> None:
        """Judge what the header's line goes on with: it may be a heading, or a comment in code."""
        is_marker = self.header[2] == _SURE
        if self.is_closed or self.kind or (is_marker and not self.rest):
            self._draft()
        elif is_marker or not self.rest:
            self.block.is_bare, self.block.cuts = True, []
            self._draft()

    def _field(self, key: str, value: str) -> None:
        if key == "content":
            self._untitle()
        if self.content is not None and (key == "content" or not self.type_last):
            self._draft()
            self.content = None
        if key == "content":
            self.type_last = self.type_last or not self.kind
            self.content = _unlisted(value)
        else:
            self.kind = value
        self.has_gap = False

    def _untitle(self) -> None:
        """Leave in the text what the header's line goes on with: the content comes later."""
        if self.is_titled:
            self.is_titled = self.type_last = False
            self.content = None
            self.block.cuts[0].start = self.header[1]

    def _draft(self) -> None:
        self.block.drafts.append((self.kind, self.content or "", ""))

    def _pass_by(self, end: int, line: str) -> None:
        """Go over what is neither kept as a learning nor taken out of the text."""
        self.rest = self.rest or line
        self.block.end = end

    def _keep(self, text: str, start: int, end: int) -> None:
        cuts = self.block.cuts
        if is_blank(text[self.kept_to : start]):
            cuts[-1].end = end
        else:
            cuts.append(Range(start, end))
        self.kept_to = self.block.end = end


def _unlisted(line: str) -> str:
    return line[2:].lstrip() if line[:2] in _BULLETS else line


def _bare(line: str) -> str:
    return line.lstrip(MARGIN).strip()


def _is_other(line: str) -> bool:
    """Tell a line of which a block never consists: a heading or the end of its code block."""
    line = _bare(line)
    return line[:3] in ("```", "~~~") or (line[:1] == "#" and line.lstrip("#")[:1] in (" ", "\t"))


def _key_and_value(line: str) -> tuple[str, str]:
    """Take a line apart at its colon, in bold type or not: the key in small letters."""
    field = line[2:] if line[:2] in _BULLETS else line
    name, colon, value = field.partition(":")
    if not colon or len(name) > lines.LEAD:
        return "", ""
    value = value.strip()
    if name.startswith("**") and not name.endswith("**"):
        value = value.removeprefix("**").lstrip()
    return name.strip("*_` ").lower(), value


# -- JSON ------------------------------------------------------------------------


def _json_blocks(text: str) -> list[Block]:
    if f'"{_KEY}"' not in text:
        return []
    from memory_core import json_objects

    return [_json_block(text, *found) for found in json_objects.find(text, _KEY)]


def _json_block(text: str, start: int, end: int, value: dict[str, object]) -> Block:
    """Read an object; it is cut only where all of its words are in the drafts."""
    block = Block(start, end)
    told = value[_KEY]
    items = told if isinstance(told, list) else [told] if _is_item(told) else []
    block.drafts = [_draft(item) for item in items]
    is_whole = len(value) == 1 and text.count(f'"{_KEY}"', start, end) == 1
    if is_whole and all(map(_tells_all, items, block.drafts)):
        block.cuts.append(Range(start, end))
    return block


def _is_item(value: object) -> bool:
    """Tell a learning: `"remember": true` and the like are the fields of a log-in form."""
    if isinstance(value, dict):
        kind = value.get("type")
        return "content" in value or (isinstance(kind, str) and kind != "" and type_of(kind) != "")
    return isinstance(value, str) and len(value) > TOO_SHORT


def _draft(item: object) -> Draft:
    """Read an item; what is not understood is kept as the JSON that it was."""
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
    told = kind if isinstance(kind, str) else ""
    return told, _as_json(item), "not a text" if "content" in fields else "no content"


def _tells_all(item: object, draft: Draft) -> bool:
    """Tell whether a draft has all words of an item: a learning is one line."""
    _, content, fault = draft
    if fault:
        return content != ""
    is_more = isinstance(item, dict) and any(key.lower() not in _FIELDS for key in item)
    return not is_more and "\n" not in content.strip()


def _as_json(value: object) -> str:
    """Return a value as a line of JSON in readable letters; nothing for one nested too deeply."""
    from memory_core import fastjson

    try:
        text = fastjson.dumps(value)
    except RecursionError:
        return ""
    if "\\u" not in text:
        return text
    text = text.encode().decode("raw_unicode_escape")  # then join what makes one letter
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
