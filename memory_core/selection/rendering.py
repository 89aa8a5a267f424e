"""Write chosen passages as Markdown: best section first, best passage first."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from memory_core.selection.passages import Passage

# Behind the id of an item that a person or several runs confirmed.
CONFIRMED = "✓"


def render(passages: Iterable[Passage], has_ids: bool = True) -> str:
    """Return passages in their order; those of one section share its heading."""
    sections: dict[str, list[str]] = {}
    for passage in passages:
        title = passage.section
        heading = [f"## {title}"] if title else []
        sections.setdefault(title, heading).append(_format(passage, has_ids))
    return "\n\n".join(map("\n".join, sections.values()))


def _format(passage: Passage, has_ids: bool) -> str:
    """Return the lines of a passage; an item with its id behind the bullet."""
    if not (passage.item and passage.short_id and has_ids):
        return passage.text
    mark = CONFIRMED if passage.note.is_confirmed else ""
    bullet, text = passage.text.split(None, 1)
    first, newline, nested = text.partition("\n")
    doubt = f" (may be out of date: {passage.stale})" if passage.stale else ""
    return f"{bullet} [{passage.short_id}]{mark} {first}{doubt}{newline}{nested}"
