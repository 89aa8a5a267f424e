"""Put an item back into a document, with what is nested in it, so that it reads as it did."""

from __future__ import annotations

from memory_core.document import edits, markdown, merge, template
from memory_core.text import similarity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


NO_LENGTH_LIMIT = 1 << 30


def insert_after(
    document: markdown.Document, title: str, item: str, behind: str, limits: template.Limits
) -> tuple[markdown.Document, str]:
    """Insert an item in its section, behind the item with that text where it still stands.

    `behind` may be edits.TOP; empty, it goes behind the last.  Returns its text in the document
    as well; raises ValueError where it cannot be put so that it reads back.
    """
    document, section = merge.ensure_section(document, title, limits) if title else (document, None)
    spot = _spot(section, behind) if section and behind else None
    if spot is not None:
        at, like = spot
        for block, key in _blocks(item):
            styled = [_in_style(block[0], document.lines[like]), *block[1:]]
            after = edits.insert_lines(document, at, styled)
            if after is not None and _gained(document, after) == (key, len(block)):
                return after, key
    return insert_item(document, section, item, NO_LENGTH_LIMIT)


def _spot(section: markdown.Section, behind: str) -> tuple[int, int] | None:
    """Return the line where the item goes, and one that has the list's bullet."""
    if behind == edits.TOP:
        return next(((item.line, item.line) for item in section.items), None)
    fold = similarity.normalize_text(behind)
    found = (item for item in section.items if similarity.normalize_text(item.text) == fold)
    return next(((item.end, item.line) for item in found), None)


def _in_style(line: str, like: str) -> str:
    bullet = like.lstrip()[:1]
    indent = like[: len(like) - len(like.lstrip())]
    plain = line.startswith(markdown.BULLET) and bullet in ("*", "+")
    return f"{indent}{bullet}{line[1:]}" if plain and not indent else line


def replace_item(
    document: markdown.Document, item: markdown.Item, text: str, nested: str
) -> markdown.Document:
    """Give an item another text and other nested lines; raises ValueError where that fails."""
    lines = document.lines[item.text_end : item.end]
    if "\n".join(line.rstrip() for line in lines) == nested:
        return edits.replace_item(document, item, text)
    gone = edits.remove_item(document, item)
    whole = "\n".join([text, nested]) if nested else text
    for block, key in _blocks(whole):
        after = edits.insert_lines(gone, item.line, block)
        if after is not None and _gained(gone, after) == (key, len(block)):
            return after
    raise ValueError(f"the item {text!r} cannot be put back in its place")


def insert_item(
    document: markdown.Document, section: markdown.Section | None, item: str, longest: int
) -> tuple[markdown.Document, str]:
    """Insert an item with what is nested in it; return its text in the document as well."""
    for block, key in _blocks(item):
        if max(map(len, block)) > longest:
            raise ValueError(f"a line of more than {longest} characters is not allowed")
        try:
            one_line = section is not None and len(block) == 1 and key
            after = (
                edits.insert_item(document, section, key)
                if section is not None and one_line
                else edits.insert_block(document, section, block)
            )
        except ValueError:
            continue
        if _gained(document, after) == (key, len(block)):
            return after, key
    raise ValueError("there it would be read in another way; copy it by hand")


def _blocks(item: str) -> Iterator[tuple[list[str], str]]:
    """Give the lines that can hold an archived item, each with the text that is read there."""
    lines = item.split("\n")
    first, *nested = lines
    inner = min((len(line) - len(line.lstrip()) for line in nested if line), default=2)
    shifted = [" " * (2 - inner) + line[max(inner - 2, 0) :] for line in nested]
    written = markdown.BULLET + markdown.escape(first)
    # An item without a text of its own (code, say) is archived with its bullet.
    for block, key in ((lines, ""), ([written, *nested], first), ([written, *shifted], first)):
        if _gained(markdown.parse_document(""), markdown.parse_document("\n".join(block))) == (
            key,
            len(block),
        ):
            yield block, key


def _gained(before: markdown.Document, after: markdown.Document) -> tuple[str, int] | None:
    """Return text and length of the one item that is new, or None if more has changed."""
    old = [(item.text, item.end - item.line) for item in before.items]
    new = [(item.text, item.end - item.line) for item in after.items]
    if [each.title for each in before.headings] != [each.title for each in after.headings]:
        return None
    if len(new) != len(old) + 1:
        return None
    at = next((at for at, each in enumerate(old) if each != new[at]), len(old))
    return new[at] if old[at:] == new[at + 1 :] else None
