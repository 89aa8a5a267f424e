"""Find the marker blocks, JSON objects and sentences of a report, before they are judged."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

from memory_core.learning import lines, marker_blocks
from memory_core.learning.examples import Surroundings
from memory_core.text import sanitize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memory_core.learning.marker_blocks import Draft

# The key of a JSON object with learnings.
_KEY = "remember"

# Characters of a line before and after a JSON object that are read.
_REACH = 300

# Characters of a line that may contain the words of a marker.
_BEGIN = 40

# What may precede a JSON object that has its lines for itself.
_LEAD = lines.INDENT + "-*+\u2022"


class LearningBlock:
    """A marker block, JSON object or sentence that is not judged yet."""

    def __init__(self, drafts: list[Draft], rows: Sequence[int], after: int, before: str = ""):
        self.drafts = drafts
        self.rows = rows  # the lines that can be removed without losing a word
        self.after = after  # the line behind the block
        self.before = before  # the text before the block in its first line
        self.is_example = False


class Report:
    """The lines of a report; `starts` are their places in the text."""

    def __init__(self, text: str, phrases: Mapping[str, str]) -> None:
        """Split a text; `phrases` are the types of sentences by the words before their colon."""
        text = _hide_echoes(text)
        self.rows = text.split("\n")
        self.starts = [0, *accumulate(len(row) + 1 for row in self.rows)]
        self.starts[-1] = len(text)
        self.fences = lines.find_fences(self.rows)
        self._markers = {
            number
            for number, row in enumerate(text.lower().split("\n"))
            if "memor" in (begin := row[:_BEGIN]) or "remember" in begin
        }
        self._phrases = phrases
        self._objects = self._find_objects(text)

    def read_blocks(self) -> Iterator[LearningBlock]:
        """Yield the blocks in the order of the text."""
        around = Surroundings(self.fences)
        number = 0
        while number < len(self.rows):
            row, after = self.rows[number], number + 1
            if around.enter(number, row) and (bare := lines.strip_indent(row)):
                if block := self._read_block(number, bare, around.in_fence):
                    block.is_example = around.is_example(row, block.before)
                    after = block.after
                    yield block
                else:
                    around.above = row
            number = after

    def skip_blanks(self, number: int) -> int:
        """Return the first line from `number` on that is not blank."""
        while number < len(self.rows) and self.is_blank(number):
            number += 1
        return number

    def is_blank(self, number: int) -> bool:
        return not lines.strip_indent(self.rows[number])

    def _read_block(self, number: int, bare: str, in_fence: bool) -> LearningBlock | None:
        """Return the block that begins in a line."""
        if number in self._objects:
            return self._objects[number]
        if number in self._markers and (marker := marker_blocks.read_marker(bare)):
            block = marker_blocks.MarkerBlock(number, marker, in_fence)
            return self._read_marker_block(number, block)
        if self._phrases and not in_fence:
            key, value = lines.split_field(lines.remove_bullet(bare))
            if value and key in self._phrases:
                return LearningBlock([(self._phrases[key], value, "", ())], [], number + 1)
        return None

    def _read_marker_block(
        self, number: int, block: marker_blocks.MarkerBlock
    ) -> LearningBlock | None:
        is_quoted = lines.is_quoted(self.rows[number])
        closing = -1  # the last line of a fence below the marker
        for at in range(number + 1, len(self.rows)):
            bare = lines.strip_indent(self.rows[at])
            is_other = at in self._objects or lines.is_quoted(self.rows[at]) != is_quoted
            is_marker = at in self._markers and marker_blocks.read_marker(bare) is not None
            if block.is_closed or is_other or is_marker:
                break
            if at == closing or (at in self.fences and not block.has_gap):
                closing = self.fences.get(at, -1)
                block.rows.append(at)
            elif not block.read_line(at, bare):
                break
        drafts = [draft for text in block.finish() for draft in _read_json(text)]
        return LearningBlock(drafts, block.rows, block.rows[-1] + 1) if drafts else None

    def _find_objects(self, text: str) -> dict[int, LearningBlock]:
        """Return the JSON objects with learnings, by the number of their first line."""
        objects: dict[int, LearningBlock] = {}
        if f'"{_KEY}"' not in text:
            return objects
        from memory_core.learning import json_blocks

        last: LearningBlock | None = None
        for start, end, value in json_blocks.find(text, _KEY):
            drafts, is_whole = json_blocks.read_drafts(value[_KEY], text[start:end])
            if not drafts or text[start - 1 : start] == "`":  # quoted in a sentence
                continue
            first, after = bisect_right(self.starts, start) - 1, bisect_right(self.starts, end - 1)
            if last and first < last.after:  # a second object in the line
                last.drafts += drafts
                last.rows, last.after = [], after
                continue
            before = text[max(self.starts[first], start - _REACH) : start].strip(_LEAD)
            behind = text[end : min(self.starts[after], end + _REACH)].strip()
            is_removable = is_whole and len(value) == 1 and not before and not behind
            last = LearningBlock(drafts, range(first, after) if is_removable else [], after, before)
            objects[first] = last
        return objects


def _read_json(draft: Draft) -> list[Draft]:
    """Return the learnings of a content that is a JSON object or a list, else the content."""
    if draft[1][:2].rstrip() not in marker_blocks.JSON_SIGNS or '"' not in draft[1]:
        return [draft]
    from memory_core.learning import json_blocks
    from memory_core.text import fastjson

    try:
        value = fastjson.loads(draft[1])
    except ValueError:
        return [(draft[0], draft[1], "not JSON", ())]
    items = value if isinstance(value, list) else [value]
    drafts, is_whole = json_blocks.read_drafts(items, draft[1])
    return drafts if is_whole else [draft]


def _hide_echoes(text: str) -> str:
    """Replace copies of the memory block that the agent received: they contain nothing new."""
    parts, at = [], 0
    for start, end in sanitize.find_blocks(text):
        parts += [text[at:start], " " * (end - start)]
        at = end
    return "".join([*parts, text[at:]])
