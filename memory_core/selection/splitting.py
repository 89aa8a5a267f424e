"""Split a memory file into passages."""

from __future__ import annotations

from memory_core.selection.passages import NO_NOTE, ItemNote, Passage
from memory_core.text import markdown_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memory_core.document.markdown import Document


def split_document(
    document: Document, find_note: Callable[[str], ItemNote] = lambda _item: NO_NOTE
) -> list[Passage]:
    """Return the passages of a document: no title, comment, front matter, conflict marker.

    `find_note` returns the note on an item of this document by its text.
    """
    items = {item.line: item for item in document.items}
    hidden = _hidden(document)
    titles = {section.line: section for section in document.sections}
    passages: list[Passage] = []
    title, block = "", []  # type: str, list[str]

    def add(lines: list[str], item: str = "") -> None:
        text = "\n".join(lines).rstrip()
        if text:
            note = find_note(item) if item else NO_NOTE
            passages.append(Passage(title, text, len(passages), item, note))

    at = markdown_lines.count_front_matter(document.lines)
    while at < len(document.lines):
        line = document.lines[at].rstrip("\r\n")
        section = titles.get(at)
        if section or at in hidden or at in items or not line.strip():
            add(block)
            block = []
        if section:
            title, at = section.title, section.body
        elif at in items:
            item = items[at]
            lines = [text.rstrip("\r\n") for text in document.lines[at : item.end]]
            add(lines, item.text)
            at = item.end
        else:
            if at not in hidden and line.strip():
                block.append(line)
            at += 1
    add(block)
    return passages


def _hidden(document: Document) -> set[int]:
    """Return the numbers of lines that are not shown: titles, comments, conflict markers."""
    hidden = set(document.markers)
    for heading in document.headings:
        if heading.level == 1:
            hidden.update(range(heading.line, heading.body))
    begins, comment, before = set(document.comments), False, -1
    for at in document.verbatim:
        comment = at in begins or (comment and at == before + 1)
        if comment:
            hidden.add(at)
            comment, before = "-->" not in document.lines[at], at
    return hidden
