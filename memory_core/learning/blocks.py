"""Find the marker blocks, JSON objects and sentences of a report, before they are judged.

The hook removes them from the report, and the worker reads their learnings.
docs/learnings.md shows with examples what is found.  The time grows linearly with the length of
the text.
"""

from __future__ import annotations

from itertools import accumulate

from memory_core.learning import lines, marker_blocks
from memory_core.learning.lines import Draft
from memory_core.learning.marker_blocks import MarkerBlock
from memory_core.learning.type_names import TOO_SHORT, is_placeholder
from memory_core.text import memory_tags

Span = tuple[int, int]

# Characters kept of a rejected learning; a longer one also stays in the report.
MAX_REVIEW_LENGTH = 4000

# Characters around a content.
_AROUND = " -.*\"'\u201c\u201d"

# Characters of a line that may contain the words of a marker.
_BEGIN = 40

# The words that call a block an example.
_NAMES = {"example", "examples", "format", "formats", "template", "templates"}

# The end of a line that introduces a block.
_ENDS = (":", "\uff1a", "\u2014", ">")

# Characters of a line that are read, from its end.
_REACH = 300

_PUNCTUATION = str.maketrans(dict.fromkeys("!\"#'()*,-.:;<=>?[]_`{}\uff1a", " "))


class LearningBlock:
    """A marker block, JSON object or sentence that is not judged yet."""

    def __init__(self, drafts: list[Draft], rows: list[int], after: int, before: str = ""):
        self.drafts = drafts
        self.rows = rows  # the lines that can be removed without losing a word
        self.after = after  # the line behind the block
        self.before = before  # the text before the block in its first line
        self.is_example = False

    def drop_placeholders(self) -> None:
        """Forget placeholders; the report keeps their lines, and those of an example."""
        drafts = [draft for draft in self.drafts if not _says_nothing(draft)]
        if self.is_example or len(drafts) < len(self.drafts) or any(map(_is_long, drafts)):
            self.rows = []
        self.drafts = drafts


def find_blocks(text: str, has_sentences: bool = False) -> tuple[list[LearningBlock], list[Span]]:
    """Return the blocks of a text, and the ranges of lines that can be removed without them.

    `has_sentences` also finds sentences such as "Best practice: ...".  The ranges are in the order
    of the text, and have only whole lines whose words are all saved by the worker.
    """
    report = Report(text, has_sentences)
    blocks = report.read_blocks()
    return [block for block in blocks if block.drafts], report.list_spans(blocks)


def remove_spans(text: str, spans: list[Span], sign: str = "") -> str:
    """Return a text without some ranges, or with a sign in place of each of their characters."""
    pieces, at = list[str](), 0
    for start, end in spans:
        pieces += text[at:start], sign * (end - start)
        at = end
    return "".join([*pieces, text[at:]])


class Report:
    """The lines of a report; `starts` are their places in the text."""

    def __init__(self, text: str, has_sentences: bool) -> None:
        # Every line ends with a line feed; no place moves.
        text = text.replace("\r\n", " \n").replace("\r", "\n")
        # Copies of the memory block that the agent received contain nothing new.
        if memory_tags.BLOCK_TAG in text:
            from memory_core.text import memory_echoes

            text = remove_spans(text, memory_echoes.find_blocks(text), " ")
        self.rows = text.split("\n")
        self.starts = [0, *accumulate(len(row) + 1 for row in self.rows)]
        self.starts[-1] = len(text)
        self.fences = lines.find_fences(self.rows)
        self._markers = {
            number: marker
            for number, row in enumerate(text.lower().split("\n"))
            if "memor" in (begin := row[:_BEGIN]) or "remember" in begin
            if (marker := marker_blocks.read_marker(lines.strip_indent(self.rows[number])))
        }
        self._sentences = lines.SENTENCES if has_sentences else {}
        self._objects = _find_objects(text, self.starts)

    def read_blocks(self) -> list[LearningBlock]:
        """Return the blocks in the order of the text."""
        blocks: list[LearningBlock] = []
        around, after = Surroundings(self.fences), 0
        for number, row in enumerate(self.rows):
            bare = lines.strip_indent(row)
            if number < after or not around.enter(number, row) or not bare:
                continue
            if block := self._read_block(number, bare, around.in_fence):
                block.is_example = around.is_example(row, block.before)
                block.drop_placeholders()
                after = block.after
                blocks.append(block)
            else:
                around.above = row
        return blocks

    def list_spans(self, blocks: list[LearningBlock]) -> list[Span]:
        """Return the lines of blocks as ranges, with the fences around them."""
        openings = {last: first for first, last in self.fences.items()}
        ranges: list[Span] = []
        for row in (row for block in blocks for row in block.rows):
            first, after = row, row + 1
            while True:
                behind = self._skip_blanks(after)
                opening = openings.get(behind, -1)
                if ranges and self._skip_blanks(ranges[-1][1]) >= first:
                    first, _ = ranges.pop()
                elif 0 <= opening < first and self._skip_blanks(opening + 1) >= first:
                    first, after = opening, behind + 1
                else:
                    break
            ranges.append((first, after))
        return [self._find_span(*part) for part in ranges]

    def _find_span(self, first: int, after: int) -> Span:
        """Return the place of a range of lines, with the blank lines that it would leave."""
        behind = self._skip_blanks(after)
        is_last = behind == len(self.rows)
        if is_last or first == 0 or self._is_blank(first - 1):
            after = behind
        while is_last and first > 0 and self._is_blank(first - 1):
            first -= 1
        return self.starts[first], self.starts[after]

    def _skip_blanks(self, number: int) -> int:
        """Return the first line from `number` on that is not blank."""
        while number < len(self.rows) and self._is_blank(number):
            number += 1
        return number

    def _is_blank(self, number: int) -> bool:
        return not lines.strip_indent(self.rows[number])

    def _read_block(self, number: int, bare: str, in_fence: bool) -> LearningBlock | None:
        """Return the block that begins in a line."""
        if number in self._objects:
            return self._objects[number]
        if number in self._markers:
            block = MarkerBlock(number, self._markers[number], in_fence)
            if not block.rows:
                _read_line(block, number, self._markers[number][1])
            return self._read_marker_block(number, block)
        if self._sentences and not in_fence:
            key, value = lines.split_field(lines.remove_bullet(bare))
            if value and key in self._sentences:
                return LearningBlock([(self._sentences[key], value, "", {})], [], number + 1)
        return None

    def _read_marker_block(self, number: int, block: MarkerBlock) -> LearningBlock | None:
        is_quoted = lines.is_quoted(self.rows[number])
        closing = -1  # the last line of a fence below the marker
        for at in range(number + 1, len(self.rows)):
            is_other = at in self._objects or at in self._markers
            if block.is_closed or is_other or lines.is_quoted(self.rows[at]) != is_quoted:
                break
            if at == closing or (at in self.fences and not block.has_gap):
                block.in_code = at != closing and block.has_content
                closing = self.fences.get(at, -1)
                block.rows.append(at)
            elif not _read_line(block, at, self.rows[at]):
                break
        contents = block.finish()
        if block.others and not contents:
            from memory_core.learning import loose_lines

            contents = loose_lines.read_others(block)
        drafts = [draft for one in contents for draft in _read_json(one)]
        return LearningBlock(drafts, block.rows, block.rows[-1] + 1) if drafts else None


def _read_line(block: MarkerBlock, number: int, row: str) -> bool:
    """Read a line; return False if the block ends with it."""
    bare = lines.strip_indent(row)
    if not bare.strip("-*_ 0123456789.)"):  # blank, a ruler, or the number of a learning
        block.has_gap = block.has_content and not block.in_code
        return True
    if bare[:1] == "|" and not block.has_gap and (block.table or not block.has_content):
        block.drop_loose()
        block.table[number] = bare
        return True
    line = lines.remove_bullet(bare)
    if not line.strip("#`") and "#" in line:
        block.is_closed = True
        block.rows.append(number)
        return False
    block.is_closed = line.endswith(" #")
    line = line.removesuffix(" #").rstrip()
    if line[:2].rstrip() in marker_blocks.JSON_SIGNS and not (block.is_json or block.has_content):
        block.is_json, block.entries = True, []  # a line in front of it is no learning
    key, value = ("", "") if block.is_json else marker_blocks.split_key(line)
    is_type = key == "type" or block.is_type(key, value)
    if is_type or (key in lines.FIELDS and not block.needs_type):
        block.needs_type = False
        block.read_field(number, key, value)
        block.key_indent = row.find(line)
        return not block.is_closed
    from memory_core.learning import loose_lines

    return loose_lines.read_line(block, number, row, line, key, value) and not block.is_closed


def _find_objects(text: str, starts: list[int]) -> dict[int, LearningBlock]:
    """Return the JSON objects with learnings, by the number of their first line."""
    if '"remember"' not in text:
        return {}
    from memory_core.learning import json_blocks

    objects = json_blocks.find_learnings(text, starts)
    return {number: LearningBlock(*parts) for number, parts in objects.items()}


def _read_json(draft: Draft) -> list[Draft]:
    """Return the learnings of a content that is a JSON object or a list, else the content."""
    if draft[1][:2].rstrip() not in marker_blocks.JSON_SIGNS or '"' not in draft[1]:
        return [draft]
    from memory_core.learning import json_blocks

    return json_blocks.read_content(draft)


def _says_nothing(draft: Draft) -> bool:
    _kind, content, reason, _nested = draft
    is_short = 0 < len(content.strip(_AROUND)) <= TOO_SHORT
    return not reason and (is_short or is_placeholder(content))


def _is_long(draft: Draft) -> bool:
    kind, content, _reason, nested = draft
    return max(map(len, (kind, content, *nested.values()))) > MAX_REVIEW_LENGTH


# Examples


def announces_example(line: str) -> bool:
    """Check whether a heading, a tag, or a line with a colon at its end names an example."""
    line = line[-_REACH:].lstrip(lines.INDENT).rstrip()
    if not lines.is_heading(line) and not line.rstrip("*_` ").endswith(_ENDS):
        return False
    words = line.rpartition(". ")[2].lower().translate(_PUNCTUATION).split()
    return not _NAMES.isdisjoint(words)


class Surroundings:
    """What is before and around the current line of a report."""

    def __init__(self, fences: dict[int, int]) -> None:
        self._fences = fences
        self._opened = [(-1, False)]  # the last line of each open fence; whether it is an example
        self._quotes_example: bool | None = None  # None outside of a quotation
        self.above = ""  # the last line that is not part of a block: it may introduce one

    def enter(self, number: int, row: str) -> bool:
        """Go to the next line; return False if it is the first or last line of a fence."""
        if not lines.is_quoted(row):
            self._quotes_example = None
        elif self._quotes_example is None:
            self._quotes_example = announces_example(self.above)
        if number in self._fences:
            is_example = self._opened[-1][1] or announces_example(self.above)
            self._opened.append((self._fences[number], is_example))
            return False
        if self._opened[-1][0] == number:
            self._opened.pop()
            return False
        return True

    @property
    def in_fence(self) -> bool:
        return len(self._opened) > 1

    def is_example(self, row: str, before: str) -> bool:
        """Check whether a block that begins in this line, after `before`, is an example."""
        is_set_off = self.in_fence or row[:1] in tuple(lines.INDENT)
        return announces_example(before or (self.above if is_set_off else "")) or (
            is_set_off and (self._opened[-1][1] or self._quotes_example is True)
        )
