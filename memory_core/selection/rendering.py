"""Write chosen passages as Markdown: best section first, best passage first."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from memory_core.selection.passages import Passage

# Behind the id of an item that a person or several runs confirmed.
CONFIRMED = "✓"

SHORTEST_ID = 4


def render(passages: Iterable[Passage], ids: dict[str, str]) -> str:
    """Return passages in their order; those of one section share its heading.

    `ids` has the short ids of items by their whole ids.
    """
    sections: dict[str, list[str]] = {}
    for passage in passages:
        title = passage.section
        heading = [f"## {title}"] if title else []
        sections.setdefault(title, heading).append(_format(passage, ids))
    return "\n\n".join(map("\n".join, sections.values()))


def _format(passage: Passage, ids: dict[str, str]) -> str:
    """Return the lines of a passage; an item with its id behind the bullet."""
    short = ids.get(passage.note.id)
    if not passage.item or not short:
        return passage.text
    mark = CONFIRMED if passage.note.is_confirmed else ""
    bullet, text = passage.text.split(None, 1)
    first, newline, nested = text.partition("\n")
    doubt = f" (may be out of date: {passage.stale})" if passage.stale else ""
    return f"{bullet} [{short}]{mark} {first}{doubt}{newline}{nested}"


def shorten_ids(ids: Iterable[str]) -> dict[str, str]:
    """Return the shortest beginnings, of four or more characters, that differ, by the ids."""
    shortened: dict[str, str] = {}
    waiting, length = {*ids} - {""}, SHORTEST_ID
    while waiting:
        counts: dict[str, int] = {}
        for whole in waiting:
            counts[whole[:length]] = counts.get(whole[:length], 0) + 1
        alone = {one for one in waiting if counts[one[:length]] == 1 or len(one) <= length}
        shortened |= {one: one[:length] for one in alone}
        waiting, length = waiting - alone, length + 1
    return shortened
