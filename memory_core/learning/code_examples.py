"""Find fenced code blocks, and the marker blocks that only show the format."""

from __future__ import annotations

from memory_core.learning import classify, line_ranges
from memory_core.learning.line_ranges import TextRange, is_blank

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from memory_core.learning.line_ranges import R

    Mark = tuple[int, int, str, str]  # start and end of the line, fence signs, info string

# Characters before a block that are searched for an introduction, and the length of a sentence.
_REACH = 600
_SENTENCE = 300

# Nested fences: a file in a report, a page in the file, a report in the page, a block in it.
_DEPTH = 4

# A longer fence is made to contain other fences: its content is a file, not a report.
_SIGNS = 3

# Lines that set off the following text like a fence.
_TAGS = ("<pre>", "<code>", "<pre><code>", "<blockquote>")

_BLANKS = line_ranges.INDENT_CHARS + "\r\n"


class CodeFence(TextRange):
    """A fenced code block, the range of its content, and the fences inside."""

    __slots__ = ("content", "inner", "signs")

    def __init__(self, start: int, end: int, signs: str) -> None:
        super().__init__(start, end)
        self.content = TextRange(end, end)
        self.inner: list[CodeFence] = []
        self.signs = signs


def find_fences(text: str) -> list[CodeFence]:
    """Return the outermost fenced code blocks; an unclosed fence does not count.

    If a fence contains a file with fences of the same length, Markdown closes it too early and
    leaves a fence open at the end.  In this case the fences are paired from the inside.
    """
    marks = sorted([*_marks(text, "```"), *_marks(text, "~~~")])
    fences, is_sure = _paired(marks, is_inward=False)
    if is_sure:
        return fences
    others, is_sure = _paired(marks, is_inward=True)
    return others if is_sure else fences


def find_examples(text: str, blocks: Sequence[TextRange], fences: list[CodeFence]) -> set[int]:
    """Return the starts of the blocks that only show the format.

    These are blocks in a fence with other text (a quoted file), blocks introduced as an example,
    and blocks set off after a line with a colon, unless the line calls them the agent's own
    learning (`classify.classify_line`).
    """
    starts: set[int] = set()
    end, fences = _without_cover(text, fences)
    is_example = was_off = False
    for fence, group in _groups(blocks, fences):
        shown = fence or group[0]
        is_off = fence is not None or _is_set_off(text, shown)
        if fence and _is_file(text, fence, group):
            is_example = True
        elif is_blank(text[end : shown.start]):  # like the previous block, unless that was set off
            is_example = is_example and (is_off or not was_off)
        else:
            is_example = _Introduction(text, end, shown, is_off).is_example()
        if is_example:
            starts.update([block.start for block in group])
        end, was_off = shown.end, is_off
    return starts


def widen_to_fences(
    text: str, cuts: Sequence[TextRange], fences: list[CodeFence]
) -> list[TextRange]:
    """Extend ranges to fences that would be empty without them."""
    ranges: list[TextRange] = []
    for fence, group in _groups(cuts, fences):
        if fence:
            inner = widen_to_fences(text, group, fence.inner)
            ranges += [fence] if _holds_only(text, fence, inner) else inner
        else:
            ranges += group
    return ranges


# -- fences ----------------------------------------------------------------------


def _marks(text: str, signs: str) -> Iterator[Mark]:
    """Yield the lines that may open or close a fence."""
    for start, at in line_ranges.find_lines(text, signs):
        end = line_ranges.find_next_line(text, at)
        line = text[at:end].strip()
        info = line.lstrip(signs[0])
        if signs[0] not in info:
            yield start, end, line[: len(line) - len(info)], info


def _paired(marks: Iterable[Mark], is_inward: bool) -> tuple[list[CodeFence], bool]:
    """Pair marks; return the outer fences, and whether the result is certain.

    A mark closes the outermost possible fence, as in Markdown; with `is_inward` it closes the
    innermost fence or none.
    """
    opened = [CodeFence(0, 0, "")]  # contains the outer fences; no mark closes it
    is_flat = True
    for start, end, signs, info in marks:
        closed = 0 if info else _closed_by(signs, opened, is_inward)
        if closed:
            _close(opened, closed, start, end)
        elif len(opened) <= _DEPTH:
            is_flat = is_flat and len(opened) == 1
            opened.append(CodeFence(start, end, signs))
    return [inner for fence in opened for inner in fence.inner], is_flat or len(opened) == 1


def _closed_by(signs: str, opened: list[CodeFence], is_inward: bool) -> int:
    """Return the index of the open fence that a mark closes, 0 for none."""
    for at in range(max(1, len(opened) - 1) if is_inward else 1, len(opened)):
        if signs.startswith(opened[at].signs):
            return at
    return 0


def _close(opened: list[CodeFence], at: int, start: int, end: int) -> None:
    """Close an open fence; fences inside it that are still open do not count."""
    fence = opened[at]
    if fence is not opened[-1]:
        fence.inner = [inner for outer in opened[at:] for inner in outer.inner]
    fence.content.end, fence.end = start, end
    del opened[at:]
    opened[-1].inner.append(fence)


def _without_cover(text: str, fences: list[CodeFence]) -> tuple[int, list[CodeFence]]:
    """Skip fences around the whole report; return where it starts, and its fences."""
    inside = TextRange(0, len(text))
    while len(fences) == 1 and _holds_only(text, inside, fences):
        inside, fences = fences[0].content, fences[0].inner
    return inside.start, fences


def _groups(
    ranges: Sequence[R], fences: list[CodeFence]
) -> Iterable[tuple[CodeFence | None, list[R]]]:
    """Group the ranges by fence; a range outside all fences is a separate group."""
    groups: dict[int, tuple[CodeFence | None, list[R]]] = {}
    for text_range in ranges:
        fence = line_ranges.find_enclosing(fences, text_range.start)
        key = fence.start if fence else text_range.start
        groups.setdefault(key, (fence, []))[1].append(text_range)
    return groups.values()


def _holds_only(text: str, around: TextRange, ranges: Sequence[TextRange]) -> bool:
    """Check whether a fence, or another range, contains only these sorted ranges."""
    inside = around.content if isinstance(around, CodeFence) else around
    at = inside.start
    for part in ranges:
        if not is_blank(text[at : part.start]):
            return False
        at = max(at, part.end)
    return is_blank(text[at : inside.end])


# -- the text before a block -----------------------------------------------------


class _Introduction:
    """The text before a block, or before the fence around it."""

    __slots__ = ("above", "core", "is_off", "is_part")

    def __init__(self, text: str, floor: int, shown: TextRange, is_off: bool) -> None:
        front = text[max(floor, shown.start - _REACH) : shown.start]
        self.core = self.above = front.rstrip(_BLANKS)
        self.is_off = is_off
        self.is_part = False  # the block continues a quotation or indented code
        if _is_enclosed(text, _last_line(self.core), shown):
            self._pass_mark()
        elif is_off and not isinstance(shown, CodeFence):
            line = text[shown.start : line_ranges.find_next_line(text, shown.start)]
            gap = front[len(self.core) :]
            if line_ranges.is_quoted(line):
                self._pass_quotation(gap)
            else:
                self._pass_code(gap, line[: len(line) - len(line.lstrip())])

    def is_example(self) -> bool:
        line = _last_line(self.core)
        first = _last_line(self.above) if self.above != self.core else ""
        for sentence, last in ((line, line), (_paragraph(self.core), line), (first, first)):
            meaning = classify.classify_line(sentence) if sentence else ""
            if meaning == classify.OWN_LEARNING:
                return False
            if meaning == classify.FORMAT_EXAMPLE and classify.is_introduction(last, self.is_off):
                return True
        if not self.is_off or self.is_part:
            return self.is_off
        has_colon = classify.ends_in_colon(line) or classify.ends_in_colon(first)
        return has_colon or classify.classify_line(_heading(self.core)) == classify.FORMAT_EXAMPLE

    def _pass_mark(self) -> None:
        """Skip the line that sets the block off."""
        self.is_off, self.is_part = True, _is_mark(_last_line(self.core).lstrip(_BLANKS))
        self.core = self.above = self.core[: self.core.rfind("\n") + 1].rstrip(_BLANKS)

    def _pass_quotation(self, gap: str) -> None:
        if all(">" in row for row in gap.split("\n")[1:-1]):
            self._pass_rows(line_ranges.is_quoted)
            self.is_part = len(self.above) < len(self.core)

    def _pass_code(self, gap: str, margin: str) -> None:
        self._pass_rows(lambda row: not row.strip() or row.startswith(margin))
        self.is_part = gap.count("\n") == 1 and len(self.above) < len(self.core)

    def _pass_rows(self, belongs: Callable[[str], bool]) -> None:
        rows = self.core.split("\n")
        while rows and belongs(rows[-1]):
            rows.pop()
        self.above = "\n".join(rows).rstrip(_BLANKS)


def _is_set_off(text: str, block: TextRange) -> bool:
    """Check whether a block is quoted or indented, unlike the text of a report."""
    line = text[block.start : line_ranges.find_next_line(text, block.start)]
    is_indented = line.startswith(("  ", "\t")) and line.lstrip()[:1] in ("#", "{")
    return is_indented or line_ranges.is_quoted(line)


def _is_enclosed(text: str, line: str, shown: TextRange) -> bool:
    """Check whether HTML tags, or fence marks that do not pair up, enclose the block."""
    before = line.lstrip(_BLANKS + "-*").lower()
    after = text[shown.end : shown.end + line_ranges.MAX_INDENT].lstrip(line_ranges.INDENT_CHARS)
    return before in _TAGS or (_is_mark(before) and _is_mark(after))


def _is_mark(line: str) -> bool:
    return line.startswith(("```", "~~~"))


def _last_line(core: str) -> str:
    return core[core.rfind("\n") + 1 :]


def _is_file(text: str, fence: CodeFence, blocks: Sequence[TextRange]) -> bool:
    """Check whether a fence contains more than blocks, or is long enough for other fences."""
    blocks = widen_to_fences(text, blocks, fence.inner)
    return len(fence.signs) > _SIGNS or not _holds_only(text, fence, blocks)


def _paragraph(core: str) -> str:
    """Return the last paragraph as one line, "" for a single line, a heading or a list."""
    part = core[-_SENTENCE:].rpartition("\n\n")[2]
    line = _last_line(part).lstrip(line_ranges.INDENT_CHARS)
    is_prose = len(line) < len(part) and not line.startswith(("#", "- ", "* "))
    return part.replace("\n", " ") if is_prose else ""


def _heading(core: str) -> str:
    """Return the last heading, "" if there is none."""
    start = core.rfind("\n#") + 1
    return (
        core[start : line_ranges.find_next_line(core, start)] if core.startswith("#", start) else ""
    )
