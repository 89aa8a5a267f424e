"""Fenced code blocks, and which marker blocks in them or elsewhere are only examples."""

from __future__ import annotations

from memory_core import judging, lines
from memory_core.lines import Range, is_blank

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from memory_core.lines import R

    Mark = tuple[int, int, str, str]  # its line's start and end, its signs, what follows them

# How far back an introduction is looked for, and how far a sentence of it goes.
_REACH = 600
_SENTENCE = 300

# Fences in fences: a file in a report, a page in the file, a report in the page, a block in it.
_DEPTH = 4

# A longer fence is made to hold other fences: what is in it is a file, not a report.
_SIGNS = 3

# Lines that set off what is behind them, as a fence does.
_TAGS = ("<pre>", "<code>", "<pre><code>", "<blockquote>")

_BLANKS = lines.MARGIN + "\r\n"


class Fence(Range):
    """A fenced code block, with the range of what is in it, and the fences in there."""

    __slots__ = ("inner", "inside", "signs")

    def __init__(self, start: int, end: int, signs: str) -> None:
        super().__init__(start, end)
        self.inside = Range(end, end)
        self.inner: list[Fence] = []
        self.signs = signs


def find(text: str) -> list[Fence]:
    """Find the outer fenced code blocks; one that is never closed is none.

    A file with fences, put in a fence no longer than they, is closed too early by
    markdown's rule, which then leaves an open fence behind.  Where that happens and
    pairing from the inside leaves none, the latter is what was meant.
    """
    marks = sorted([*_marks(text, "```"), *_marks(text, "~~~")])
    fences, is_sure = _paired(marks, is_inward=False)
    if is_sure:
        return fences
    others, is_sure = _paired(marks, is_inward=True)
    return others if is_sure else fences


def examples(text: str, blocks: Sequence[Range], fences: list[Fence]) -> set[int]:
    """Find the starts of the blocks that only show what a block looks like.

    That is what stands in a fence among other text, as in a quoted file; and what
    is introduced as an example, or set off behind a line with a colon that does not
    call it the agent's own.  `judging.meant_by` knows the words.
    """
    starts: set[int] = set()
    end, fences = _without_cover(text, fences)
    is_example = was_off = False
    for fence, group in _groups(blocks, fences):
        shown = fence or group[0]
        is_off = fence is not None or _is_set_off(text, shown)
        if fence and _is_file(text, fence, group):
            is_example = True
        elif is_blank(text[end : shown.start]):  # like the one before, unless that was set off
            is_example = is_example and (is_off or not was_off)
        else:
            is_example = _Front(text, end, shown, is_off).tells_example()
        if is_example:
            starts.update([block.start for block in group])
        end, was_off = shown.end, is_off
    return starts


def with_marks(text: str, cuts: Sequence[Range], fences: list[Fence]) -> list[Range]:
    """Take in the fences of which otherwise only the marks would be left."""
    ranges: list[Range] = []
    for fence, group in _groups(cuts, fences):
        if fence:
            inner = with_marks(text, group, fence.inner)
            ranges += [fence] if _holds_only(text, fence, inner) else inner
        else:
            ranges += group
    return ranges


# -- fences ----------------------------------------------------------------------


def _marks(text: str, signs: str) -> Iterator[Mark]:
    """Find the lines that may open or close a fence."""
    for start, at in lines.beginning(text, signs):
        end = lines.end(text, at)
        line = text[at:end].strip()
        info = line.lstrip(signs[0])
        if signs[0] not in info:
            yield start, end, line[: len(line) - len(info)], info


def _paired(marks: Iterable[Mark], is_inward: bool) -> tuple[list[Fence], bool]:
    """Pair marks: the outer fences, and whether each was closed or there is no other way.

    A mark closes the outermost that it can, as markdown has it; with `is_inward` the
    innermost or none.
    """
    opened = [Fence(0, 0, "")]  # what holds the outer ones; no mark closes it
    is_flat = True
    for start, end, signs, info in marks:
        closed = 0 if info else _closed_by(signs, opened, is_inward)
        if closed:
            _close(opened, closed, start, end)
        elif len(opened) <= _DEPTH:
            is_flat = is_flat and len(opened) == 1
            opened.append(Fence(start, end, signs))
    return [fence for each in opened for fence in each.inner], is_flat or len(opened) == 1


def _closed_by(signs: str, opened: list[Fence], is_inward: bool) -> int:
    """Tell which of the open fences a mark closes; 0 for none."""
    for at in range(max(1, len(opened) - 1) if is_inward else 1, len(opened)):
        if signs.startswith(opened[at].signs):
            return at
    return 0


def _close(opened: list[Fence], at: int, start: int, end: int) -> None:
    """Close one of the open fences with a mark; those in it that are still open are none."""
    fence = opened[at]
    if fence is not opened[-1]:
        fence.inner = [inner for each in opened[at:] for inner in each.inner]
    fence.inside.end, fence.end = start, end
    del opened[at:]
    opened[-1].inner.append(fence)


def _without_cover(text: str, fences: list[Fence]) -> tuple[int, list[Fence]]:
    """Pass over fences around all of the report, which set nothing apart: where it starts."""
    inside = Range(0, len(text))
    while len(fences) == 1 and _holds_only(text, inside, fences):
        inside, fences = fences[0].inside, fences[0].inner
    return inside.start, fences


def _groups(ranges: Sequence[R], fences: list[Fence]) -> Iterable[tuple[Fence | None, list[R]]]:
    """Put the ranges in one fence together; one in none is a group of its own."""
    groups: dict[int, tuple[Fence | None, list[R]]] = {}
    for each in ranges:
        fence = lines.around(fences, each.start)
        groups.setdefault(fence.start if fence else each.start, (fence, []))[1].append(each)
    return groups.values()


def _holds_only(text: str, around: Range, ranges: Sequence[Range]) -> bool:
    """Tell whether a fence, or another range, holds nothing but the ranges, which are sorted."""
    inside = around.inside if isinstance(around, Fence) else around
    at = inside.start
    for each in ranges:
        if not is_blank(text[at : each.start]):
            return False
        at = max(at, each.end)
    return is_blank(text[at : inside.end])


# -- what stands in front of a block ---------------------------------------------


class _Front:
    """The text in front of a block, or of the fence around it; a class, for its parts are many."""

    __slots__ = ("above", "core", "is_off", "is_part")

    def __init__(self, text: str, floor: int, shown: Range, is_off: bool) -> None:
        front = text[max(floor, shown.start - _REACH) : shown.start]
        self.core = self.above = front.rstrip(_BLANKS)
        self.is_off = is_off
        self.is_part = False  # the block goes on with a quotation, or with indented code
        if _is_enclosed(text, _last_line(self.core), shown):
            self._pass_mark()
        elif is_off and not isinstance(shown, Fence):
            line = text[shown.start : lines.end(text, shown.start)]
            gap = front[len(self.core) :]
            if lines.is_quoted(line):
                self._pass_quotation(gap)
            else:
                self._pass_code(gap, line[: len(line) - len(line.lstrip())])

    def tells_example(self) -> bool:
        line = _last_line(self.core)
        first = _last_line(self.above) if self.above != self.core else ""
        for said, last in ((line, line), (_paragraph(self.core), line), (first, first)):
            meant = judging.meant_by(said) if said else ""
            if meant == judging.OWN:
                return False
            if meant == judging.EXPLAINS and judging.announces(last, self.is_off):
                return True
        if not self.is_off or self.is_part:
            return self.is_off
        is_told = judging.ends_in_colon(line) or judging.ends_in_colon(first)
        return is_told or judging.meant_by(_heading(self.core)) == judging.EXPLAINS

    def _pass_mark(self) -> None:
        """Go over the line that sets the block off."""
        self.is_off, self.is_part = True, _is_mark(_last_line(self.core).lstrip(_BLANKS))
        self.core = self.above = self.core[: self.core.rfind("\n") + 1].rstrip(_BLANKS)

    def _pass_quotation(self, gap: str) -> None:
        if all(">" in row for row in gap.split("\n")[1:-1]):
            self._pass_rows(lines.is_quoted)
            self.is_part = len(self.above) < len(self.core)

    def _pass_code(self, gap: str, margin: str) -> None:
        self._pass_rows(lambda row: not row.strip() or row.startswith(margin))
        self.is_part = gap.count("\n") == 1 and len(self.above) < len(self.core)

    def _pass_rows(self, belongs: Callable[[str], bool]) -> None:
        rows = self.core.split("\n")
        while rows and belongs(rows[-1]):
            rows.pop()
        self.above = "\n".join(rows).rstrip(_BLANKS)


def _is_set_off(text: str, block: Range) -> bool:
    """Tell whether a block is quoted or indented, as no agent's report is by itself."""
    line = text[block.start : lines.end(text, block.start)]
    is_indented = line.startswith(("  ", "\t")) and line.lstrip()[:1] in ("#", "{")
    return is_indented or lines.is_quoted(line)


def _is_enclosed(text: str, line: str, shown: Range) -> bool:
    """Tell whether lines set a block off that make no fence: tags, or marks paired otherwise."""
    before = line.lstrip(_BLANKS + "-*").lower()
    after = text[shown.end : shown.end + lines.LEAD].lstrip(lines.MARGIN)
    return before in _TAGS or (_is_mark(before) and _is_mark(after))


def _is_mark(line: str) -> bool:
    return line.startswith(("```", "~~~"))


def _last_line(core: str) -> str:
    return core[core.rfind("\n") + 1 :]


def _is_file(text: str, fence: Fence, blocks: Sequence[Range]) -> bool:
    """Tell whether a fence is around more than blocks, or is made to be."""
    blocks = with_marks(text, blocks, fence.inner)
    return len(fence.signs) > _SIGNS or not _holds_only(text, fence, blocks)


def _paragraph(core: str) -> str:
    """Return the last lines of a text as one, where they are several and no heading or list."""
    part = core[-_SENTENCE:].rpartition("\n\n")[2]
    line = _last_line(part).lstrip(lines.MARGIN)
    is_prose = len(line) < len(part) and not line.startswith(("#", "- ", "* "))
    return part.replace("\n", " ") if is_prose else ""


def _heading(core: str) -> str:
    """Return the nearest heading above, if it is not far."""
    start = core.rfind("\n#") + 1
    return core[start : lines.end(core, start)] if core.startswith("#", start) else ""
