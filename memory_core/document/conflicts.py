"""Resolve git's conflicts in a memory file."""

from __future__ import annotations

from memory_core.document import combine as versions
from memory_core.document import markdown
from memory_core.document.combine import NO_SECTION_LIMIT, CombinedText

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def merge_sides(text: str, sections: int = NO_SECTION_LIMIT) -> CombinedText:
    """Resolve the conflicts in a text: the lines of both sides stay, equal items once.

    Lines between ||||||| and ======= are dropped: neither side has them.  Markers in code are
    code.  A conflict without an end goes to the next heading; markers that are left over,
    as those of a conflict within a conflict, are removed.
    """
    if not _list_markers(markdown.split_lines(text)):
        return CombinedText(text, [])
    lines = markdown.split_lines(text)
    ours, theirs = ("".join(_list_side(lines, side)) for side in "<=")
    ours, theirs = _remove_markers(ours), _remove_markers(theirs)
    result = versions.combine_versions("", ours, theirs, sections=sections)
    result.text = _remove_markers(result.text)
    if text.startswith(markdown.BOM):
        result.text = markdown.BOM + result.text.removeprefix(markdown.BOM)
    return result


def combine(text: str, other: str, sections: int = NO_SECTION_LIMIT) -> CombinedText:
    """Add to a text what only the other one has, below the same headings.

    The title, the front matter and the values of preferences stay as they are; those of the
    other text are returned as `left` if they differ.  Conflicts in either are resolved.
    """
    first, second = merge_sides(text, sections), merge_sides(other, sections)
    result = versions.combine_versions("", first.text, second.text, sections=sections)
    result.left = [*first.left, *second.left, *result.left]
    return result


def _list_markers(lines: list[str]) -> list[int]:
    """Return the lines of the markers; a conflict in front matter makes text of it."""
    front = markdown.count_front_matter(lines)
    if any(_read_sign(line) in ("<", ">") for line in lines[:front]):
        lines = ["\n", *lines[1:]]
    return markdown.parse_document("".join(lines)).markers


def _read_sign(line: str) -> str:
    """Return the sign of a line that looks like a marker, else nothing."""
    line = line.removeprefix(markdown.BOM).rstrip("\r\n")
    return line[0] if line[:7] in markdown.CONFLICT_MARKERS and line[7:8] in ("", " ") else ""


def _list_side(lines: list[str], side: str) -> Iterator[str]:
    """Yield the lines of one side: `<` for ours, `=` for theirs."""
    markers = _list_markers(lines)
    signs = [_read_sign(lines[at]) for at in markers]
    headings = {heading.line for heading in markdown.parse_document("".join(lines)).headings}
    part = following = ""
    for at, line in enumerate(lines):
        if at in markers:
            number = markers.index(at)
            part, following = signs[number], "".join(signs[number + 1 :])
            if part == ">":
                part = ""
            elif part == "|" and not following.startswith("="):
                part = "<"  # neither a base nor a separator: the lines are ours
            continue
        if at in headings and ">" not in following.partition("<")[0]:
            part = ""
        if part in ("", side):
            yield line


def _remove_markers(text: str) -> str:
    """Remove lines that are markers in one side only, because they were code in the other."""
    lines = markdown.split_lines(text)
    while markers := set(_list_markers(lines)):
        lines = [line for at, line in enumerate(lines) if at not in markers]
    return "".join(lines)
