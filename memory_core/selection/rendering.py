"""Write chosen passages as Markdown, best section and best passage first; count tokens.

What came from outside stands behind all others, in a part of its own.
Whatever they contain, a reader finds the same items: each line of other text is quoted, and each
line below an item is indented.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from memory_core.selection.passages import Passage

# Behind the id of an item that a person or several runs confirmed.
CONFIRMED = "✓"

# The title of what came from outside; the titles of its sections are one level deeper.
OUTSIDE_TITLE = "## Not reviewed, from runs that read from outside, or from other machines"

QUOTE = "> "

# Of ASCII; measured by bench/relevance.py --tokens on the sentences of 213 recorded reports.
CHARS_PER_TOKEN = 3.8

# An id and a line break.
ITEM_TOKENS = 3


def render(passages: Iterable[Passage], has_ids: bool = True, left: str = "") -> str:
    """Return passages in their order; those of one section share its heading.

    `left` is a line about passages that do not fit.
    """
    parts: list[list[Passage]] = [[], []]
    for passage in passages:
        parts[passage.is_outside].append(passage)
    own, outside = ("\n\n".join(_list_sections(part, has_ids)) for part in parts)
    outside = outside and f"{OUTSIDE_TITLE}\n\n{outside}"
    return "\n\n".join(filter(None, [own, left, outside]))


def _list_sections(passages: Iterable[Passage], has_ids: bool) -> Iterable[str]:
    """Return the Markdown of each section."""
    sections: dict[str, list[str]] = {}
    for passage in passages:
        title = passage.section
        if title not in sections:
            level = "###" if passage.is_outside else "##"
            sections[title] = [f"{level} {title}"] if title else []
        lines = sections[title]
        if lines and lines[-1].startswith(QUOTE):
            lines.append("")  # a number behind a quotation would go on with it
        lines.append(_format(passage, has_ids))
    return map("\n".join, sections.values())


def format_left(count: int, agent: str) -> str:
    """Return the line that names how many lines of a person do not fit."""
    rules = "rule of a person" if count == 1 else "rules of people"
    return f"{count} more {rules}: agent-memory list {agent} --mine"


def _format(passage: Passage, has_ids: bool) -> str:
    """Return the lines of a passage; an item with its id behind the bullet.

    The texts and titles of documents are data already, since `split_document`.
    """
    if passage.is_list:
        return passage.text
    first, *others = passage.text.split("\n")
    if not passage.item:
        return "\n".join([f"{QUOTE}{line}".rstrip() for line in (first, *others)])
    bullet, text = first.split(None, 1)
    if passage.short_id and has_ids:
        mark = CONFIRMED if passage.is_confirmed else ""
        stale = f" (may be out of date: {passage.stale})" if passage.stale else ""
        first = f"{bullet} [{passage.short_id}]{mark} {text}{stale}"
    elif not text[0].isalpha():
        from memory_core.document import block_reader

        first = f"{bullet} {block_reader.escape(text)}"
    others = [line if line[:2] in ("", "  ") else f"  {line}" for line in others]
    return "\n".join([first, *others])


def count_fitting(room: int) -> int:
    """Return about how many tokens fit into so many characters."""
    return int(max(room, 0) / CHARS_PER_TOKEN)


def estimate_tokens(text: str) -> int:
    """Estimate the number of tokens of a text, rather too high than too low.

    A character that is not ASCII counts as one token.
    """
    narrow = len(text) if text.isascii() else len(text.encode("ascii", "ignore"))
    return int(-(-narrow // CHARS_PER_TOKEN)) + len(text) - narrow
