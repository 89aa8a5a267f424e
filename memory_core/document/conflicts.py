"""Resolve git's conflicts in a memory file."""

from __future__ import annotations

from collections.abc import Iterator

from memory_core.document import markdown
from memory_core.document.merge_versions import MergedText, merge_versions
from memory_core.text import markdown_lines


def merge_sides(text: str) -> MergedText:
    """Resolve the conflicts in a text: keep the lines of both sides, and equal items once.

    Lines between ||||||| and ======= are dropped, because neither side has them.  Markers in code
    are code.  A conflict without an end lasts until the next heading; other single markers are
    removed.
    """
    if not markdown.parse_document(text).markers:
        return MergedText(text, [])
    ours, theirs = (remove_markers("".join(_list_side(text, side))) for side in "<=")
    result = merge_versions("", ours, theirs)
    resolved = remove_markers(result.text)
    if text.startswith(markdown_lines.BOM):
        resolved = markdown_lines.BOM + resolved.removeprefix(markdown_lines.BOM)
    return MergedText(resolved, result.left)


def merge_documents(text: str, other: str) -> MergedText:
    """Add text that only the other document has, below the same headings.

    The title, the front matter and the values of preferences of the first text stay; different ones
    of the other text are returned as `left`.  Conflicts in either text are resolved.
    """
    first, second = merge_sides(text), merge_sides(other)
    result = merge_versions("", first.text, second.text)
    return MergedText(result.text, [*first.left, *second.left, *result.left])


def remove_markers(text: str) -> str:
    """Remove lines that are markers in one side only, because they were code in the other."""
    document = markdown.parse_document(text)
    while document.markers:
        lines = [line for at, line in enumerate(document.lines) if at not in document.markers]
        document = markdown.parse_document("".join(lines))
    return markdown.render_document(document)


def _list_side(text: str, side: str) -> Iterator[str]:
    """Yield the lines of one side: `<` for ours, `=` for theirs."""
    document = markdown.parse_document(text)
    signs = {at: document.lines[at].removeprefix(markdown_lines.BOM)[0] for at in document.markers}
    headings = {heading.line for heading in document.headings}
    part = following = ""
    for at, line in enumerate(document.lines):
        if at in signs:
            part = signs.pop(at)
            following = "".join(signs.values())
            if part == ">":
                part = ""
            elif part == "|" and not following.startswith("="):
                part = "<"  # neither a base nor a separator: the lines are ours
            continue
        if at in headings and ">" not in following.partition("<")[0]:
            part = ""
        if part in ("", side):
            yield line
