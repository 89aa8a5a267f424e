"""Fenced code blocks, and which marker blocks in them or elsewhere are only examples."""

from __future__ import annotations

from memory_core import lines
from memory_core.lines import Range, is_blank

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memory_core.lines import R

# How far back an introduction is looked for.
_INTRODUCTION = 300

# What an introduction to an example says, and what it says of an agent's own learnings.
_EXPLAINS = (
    *("example", "for instance", " format ", "syntax", "template", " sample "),
    *("look like", "looks like", "documentation", " i documented ", "the docs ", "readme"),
    *("should write", "can write", "must write", "agents write"),
)
_OWN = (
    *(" my ", "learned", "learnt", "recorded", "recording", " i learn", " i record"),
    *(" i'd ", " i want", "in the requested", "in the required"),
)


class Fence(Range):
    """A fenced code block, with the range of what is in it."""

    __slots__ = ("inside",)

    def __init__(self, start: int, end: int, inside: Range) -> None:
        super().__init__(start, end)
        self.inside = inside


def find(text: str) -> list[Fence]:
    """Find the fenced code blocks; one that is never closed is none."""
    fences = []
    opened: tuple[int, int, str] | None = None
    for start, at in sorted([*lines.beginning(text, "```"), *lines.beginning(text, "~~~")]):
        end = lines.end(text, at)
        line = text[at:end].strip()
        info = line.lstrip(line[0])
        run = line[: len(line) - len(info)]
        if opened is None:
            opened = (start, end, run) if line[0] not in info else None
        elif run.startswith(opened[2]) and not info:
            fences.append(Fence(opened[0], end, Range(opened[1], start)))
            opened = None
    return fences


def examples(text: str, blocks: Sequence[Range], fences: list[Fence]) -> set[int]:
    """Find the starts of the blocks that only show what a block looks like.

    That is what stands in a fence among other text, as in a quoted file; and what
    an introduction calls an example, where it is in a fence, quoted or indented.
    """
    starts: set[int] = set()
    before, is_example = 0, False
    for fence, group in _groups(blocks, [] if _is_whole(text, fences) else fences):
        shown = fence or group[0]
        follows = is_example and is_blank(text[before : shown.start])
        is_told = follows or _is_introduced(text, shown.start)
        if fence:
            is_example = is_told or not _holds_only(text, fence, group)
        else:
            is_example = is_told and _is_set_off(text[shown.start : shown.end])
        if is_example:
            starts.update([block.start for block in group])
        before = shown.end
    return starts


def with_marks(text: str, cuts: Sequence[Range], fences: list[Fence]) -> list[Range]:
    """Take in the fences of which otherwise only the marks would be left."""
    ranges: list[Range] = []
    for fence, group in _groups(cuts, fences):
        ranges += [fence] if fence and _holds_only(text, fence, group) else group
    return ranges


def _is_whole(text: str, fences: list[Fence]) -> bool:
    """Tell whether one fence is around all of the report."""
    if len(fences) != 1:
        return False
    return is_blank(text[: fences[0].start]) and is_blank(text[fences[0].end :])


def _groups(ranges: Sequence[R], fences: list[Fence]) -> Iterable[tuple[Fence | None, list[R]]]:
    """Put the ranges in one fence together; one in none is a group of its own."""
    groups: dict[int, tuple[Fence | None, list[R]]] = {}
    for each in ranges:
        fence = lines.around(fences, each.start)
        groups.setdefault(fence.start if fence else each.start, (fence, []))[1].append(each)
    return groups.values()


def _holds_only(text: str, fence: Fence, ranges: Sequence[Range]) -> bool:
    """Tell whether a fence holds nothing but the ranges, which are sorted."""
    at = fence.inside.start
    for each in ranges:
        if not is_blank(text[at : each.start]):
            return False
        at = max(at, each.end)
    return is_blank(text[at : fence.inside.end])


def _is_set_off(block: str) -> bool:
    return lines.is_quoted(block) or block.startswith(("    ", "\t"))


def _is_introduced(text: str, start: int) -> bool:
    """Tell whether the sentence in front of this place announces an example."""
    before = text[max(0, start - _INTRODUCTION) : start].rstrip(lines.MARGIN + "\r\n").lower()
    before = before.replace("e.g.", "example")
    sentence = before[max(before.rfind("\n"), before.rfind(". ")) + 1 :]
    words = f" {sentence.strip(lines.MARGIN + '.:*')} ".replace(",", " ")
    return any(word in words for word in _EXPLAINS) and not any(word in words for word in _OWN)
