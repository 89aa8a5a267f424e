"""Where a text teaches: marker blocks, JSON objects and sentences, as they stand."""

from __future__ import annotations

from memory_core import lines
from memory_core.judging import TOO_SHORT
from memory_core.lines import MARGIN, Range, is_blank
from memory_core.trust import FENCE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

# The key of a JSON object that teaches.
_KEY = "remember"

_BULLETS = ("- ", "* ", "+ ", "\u2022 ")


class Block(Range):
    """A marker block, JSON object or sentence, not yet judged."""

    __slots__ = ("cuts", "drafts", "is_bare")

    def __init__(self, start: int, end: int) -> None:
        super().__init__(start, end)
        self.drafts: list[tuple[str, str]] = []  # type and content
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
    found = [_marker_block(text, *pair) for pair in zip(headers, limits, strict=False)]
    found += _json_blocks(text)
    blocks = [block for block in found if block.drafts and not lines.around(outside, block.start)]
    return sorted(blocks, key=lambda block: block.start)


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
                block.drafts.append((kind, content))
                yield block


# -- marker blocks ---------------------------------------------------------------


def _headers(low: str, marker: str) -> Iterator[tuple[int, int, bool]]:
    """Find the heading lines of a marker: start, end, and whether there is a colon."""
    for start, at in lines.beginning(low, marker, MARGIN + "*#"):
        signs = low[start:at].strip(MARGIN + "*")
        end = lines.end(low, at)
        rest = low[at + len(marker) : min(end, at + lines.LEAD)].replace("*", "").strip()
        if 1 <= len(signs) <= 6 and set(signs) == {"#"} and rest in ("", ":"):
            yield start, end, rest == ":"


def _marker_block(text: str, header: tuple[int, int, bool], limit: int) -> Block:
    """Read the lines behind a header; without a draft it is no block."""
    start, at, has_colon = header
    reader = _Reader(Block(start, at))
    quoted = lines.is_quoted(text[start:at])
    while at < limit:
        end = lines.end(text, at)
        line = text[at:end]
        if lines.is_quoted(line) != quoted or _is_other(line) or not reader.takes(text, at, end):
            break
        at = end
    return reader.finish(has_colon)


class _Reader:
    """Reads one block; a class, for what a line means depends on the lines before it."""

    __slots__ = ("block", "content", "has_gap", "is_closed", "kept_to", "kind", "rest", "type_last")

    def __init__(self, block: Block) -> None:
        block.cuts.append(Range(block.start, block.end))
        self.block = block
        self.kind = ""
        self.content: str | None = None
        self.rest = ""  # the first line without a key
        self.kept_to = block.end
        self.is_closed = False
        self.has_gap = False  # there was a blank line behind the content
        self.type_last = False  # the content comes in front of its type

    def takes(self, text: str, start: int, end: int) -> bool:
        """Read a line; False where the block ends, with it or in front of it."""
        line = _bare(text[start:end])
        key, value = _key_and_value(line)
        if not line:
            self.has_gap = bool(self.content or self.rest)
            return True
        if not line.strip("#"):
            self.is_closed = True
        elif key in ("type", "content"):
            self._field(key, value)
        elif self.has_gap:
            return False
        elif self.content == "":
            self.content = line
        else:  # neither kept as a learning nor taken out of the text
            self.rest = self.rest or line
            self.block.end = end
            return True
        self._keep(text, start, end)
        return not self.is_closed

    def finish(self, has_colon: bool) -> Block:
        """Give the block with what was read last."""
        if self.content is not None or self.kind:
            self.block.drafts.append((self.kind, self.content or ""))
        elif self.is_closed and has_colon:
            self.block.is_bare = True
            self.block.drafts.append(("", self.rest))
        return self.block

    def _field(self, key: str, value: str) -> None:
        if self.content is not None and (key == "content" or not self.type_last):
            self.block.drafts.append((self.kind, self.content))
            self.content = None
        if key == "content":
            self.type_last = self.type_last or not self.kind
            self.content = value
        else:
            self.kind = value
        self.has_gap = False

    def _keep(self, text: str, start: int, end: int) -> None:
        cuts = self.block.cuts
        if is_blank(text[self.kept_to : start]):
            cuts[-1].end = end
        else:
            cuts.append(Range(start, end))
        self.kept_to = self.block.end = end


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

    return [_json_block(*found) for found in json_objects.find(text, _KEY)]


def _json_block(start: int, end: int, value: dict[str, object]) -> Block:
    block = Block(start, end)
    block.drafts = _drafts(value[_KEY])
    if len(value) == 1 and not any("\n" in content.strip() for _, content in block.drafts):
        block.cuts.append(Range(start, end))
    return block


def _drafts(value: object) -> list[tuple[str, str]]:
    if isinstance(value, list):
        return [_draft(item) for item in value]
    # `"remember": true` and the like are the fields of a log-in form.
    is_one = isinstance(value, dict) and isinstance(value.get("content"), str)
    is_text = isinstance(value, str) and len(value) > TOO_SHORT
    return [_draft(value)] if is_one or is_text else []


def _draft(item: object) -> tuple[str, str]:
    if not isinstance(item, dict):
        return "", str(item) if isinstance(item, (str, int, float)) else ""
    fields = {key.lower(): value for key, value in item.items()}
    kind, content = fields.get("type"), fields.get("content")
    return kind if isinstance(kind, str) else "", content if isinstance(content, str) else ""
