"""Split a memory file into passages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from memory_core.document import template
from memory_core.document.block_reader import Item
from memory_core.document.markdown import Document
from memory_core.secrets import scanner
from memory_core.selection.passages import Passage
from memory_core.text import markdown_lines, sanitize

# What begins a line that does not go on with the text of the item above it.
BLOCK_SIGNS = "-*+>#.) 0123456789"
BLOCK_STARTS = frozenset(f"{BLOCK_SIGNS}`~")

# Characters of a section's title.
MAX_TITLE = 80


def split_document(
    document: Document, find_facts: Callable[[str], Mapping[str, Any]] = lambda _item: {}
) -> list[Passage]:
    """Return the passages of a document: no title, comment, front matter, conflict marker.

    Their texts and titles are data for a prompt.  The document is already without secrets, but for
    those that hidden characters or line breaks divide.  Each item has its text in its first line.
    `find_facts` returns further fields of the passage with this item, by its text.
    """
    written = _list_written(document)
    return [
        Passage(_make_title(title), text, item, **(find_facts(item) if item else {}))
        for _start, title, lines, item in list_parts(document)
        if (text := _make_text(lines, written))
    ]


def _make_title(title: str) -> str:
    line = format_heading(sanitize.shorten(sanitize.join_visible(title), MAX_TITLE))
    return sanitize.escape(line).removeprefix(markdown_lines.SECTION_START)


def list_parts(document: Document) -> Iterator[tuple[int, str, list[str], str]]:
    """Yield (first line, title of the section, lines, text of the item or "") of each part."""
    items = {item.line: item for item in document.items}
    tops = (heading.line for heading in document.headings if heading.rank == 1)
    hidden, verbatim = {*document.markers, *document.comment_lines, *tops}, {*document.verbatim}
    titles = {section.line: section for section in document.sections}
    title, free = "", list[str]()
    at = markdown_lines.count_front_matter(document.lines)
    while at < len(document.lines):
        line = document.lines[at].rstrip("\r\n")
        is_gap = not line.strip() and at not in verbatim  # blank lines do not divide code
        is_free = not (at in titles or at in items or at in hidden or is_gap)
        if free and not is_free:
            yield at - len(free), title, free, ""
            free = []
        if at in titles:
            title, at = titles[at].title, at + 1
        elif at in items:
            item = items[at]
            yield at, title, _list_lines(document, item), item.text if _has_text(item) else ""
            at = item.end
        else:
            free += [line] if is_free else []
            at += 1
    if free:
        yield at - len(free), title, free, ""


def _list_written(document: Document) -> set[str]:
    return {line.rstrip("\r\n") for line in document.lines}


def _make_text(lines: list[str], written: set[str]) -> str:
    """Return lines as data, "" if they say nothing; `written` are the lines of the document."""
    raw = "\n".join(lines)
    text = sanitize.escape(raw).rstrip()
    if text != raw.rstrip() or not written.issuperset(lines):
        text = scanner.redact(text)
    return text if text.strip(" \n-*+_=") else ""


def list_texts(document: Document) -> list[tuple[str, str]]:
    """Return (text, nested lines) of each part of which people decide whether agents receive it.

    A paragraph has no nested lines, and its text is that of its passage; nor has a heading.
    """
    texts = [(item.text, item.nested) for item in document.items]
    return texts + [(text, "") for *_, text in list_free_texts(document)]


def list_free_texts(document: Document) -> list[tuple[int, int, str]]:
    """Return (first line, line behind it, text) of each heading and of each paragraph."""
    return list_headings(document) + list_paragraphs(document)


def list_headings(document: Document) -> list[tuple[int, int, str]]:
    """Return (first line, line behind it, text) of each heading that may have any words."""
    return [
        (section.line, section.line + 1, format_heading(section.title))
        for section in document.sections
        if not template.is_known(section.title)
    ]


def format_heading(title: str) -> str:
    """Return a section's title as a text: an item of the same words has another one."""
    return f"{markdown_lines.SECTION_START}{title}"


def list_paragraphs(document: Document) -> list[tuple[int, int, str]]:
    """Return (first line, line behind it, text) of each passage that is not an item."""
    written = _list_written(document)
    texts = [
        (start, start + len(lines), _make_text(lines, written))
        for start, _title, lines, item in list_parts(document)
        if not item
    ]
    return [part for part in texts if part[-1]]


def _has_text(item: Item) -> bool:
    """Check for an item with visible text in its first line or below it."""
    return sanitize.join_visible(item.text) != ""


def _list_lines(document: Document, item: Item) -> list[str]:
    """Return the lines of an item: its bullet and text, and what is nested in it.

    They have no indent of the bullet, or code below it would have another one.
    """
    lines = [text.rstrip("\r\n") for text in document.lines[item.line : item.end]]
    if not _has_text(item):
        return lines
    bullet = lines[0].split(None, 1)[0]
    indent = " " * (len(lines[0]) - len(lines[0].lstrip(" ")))
    nested = [line.removeprefix(indent) for line in lines[item.text_end - item.line :]]
    below = sanitize.join_visible(nested[0]) if nested else ""
    if below and (below[0] not in BLOCK_STARTS or not below.strip(BLOCK_SIGNS)):
        nested.insert(0, "")  # such as a comment, whose "<" will be replaced
    return [f"{bullet} {sanitize.join_visible(item.text)}", *nested]
