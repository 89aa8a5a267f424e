"""Read a memory file into a document; the joined lines of the document are the text."""

from __future__ import annotations

import re
from bisect import bisect
from functools import lru_cache

from memory_core.document.block_reader import BlockReader, Heading, Item, ItemFields
from memory_core.text import markdown_lines

EMPTY_COMMENT = "<!-- -->"  # ends a list, and is not displayed

# The key of the header comment that has the time of the last write.
UPDATED_COMMENT = "Last Updated"
_UPDATE = re.compile(rf"{UPDATED_COMMENT}:\s*(\d{{4}}-\d\d-\d\d \d\d:\d\d:\d\d)", re.ASCII)

_SUFFIX = re.compile(r"\(\s*max\s*:\s*\d+\s+items?\s*\)$", re.IGNORECASE)


class Section:
    """A heading of rank 2 and everything up to the next heading of rank 1 or 2."""

    def __init__(self, heading: Heading, end: int) -> None:
        self.title, self.suffix = split_title(heading.title)
        self.line = heading.line
        self.end = end
        self.items: list[Item] = []


class Document(BlockReader):
    """The lines of a text, with the line numbers of its parts."""

    def __init__(self, lines: list[str]) -> None:
        super().__init__(lines)
        self.sections: list[Section] = []


@lru_cache(maxsize=4)
def parse_document(text: str) -> Document:
    """Read any text; the joined `document.lines` equal the text.  Nobody changes a document."""
    lines = markdown_lines.split_lines(text)
    front = markdown_lines.count_front_matter(lines)
    document = Document(lines)
    document.read(front)
    if not front and markdown_lines.begins_front_matter(lines):
        sentence = "--- is never closed; the text below it is not front matter"
        document.warnings.insert(0, (1, sentence))
    _group(document)
    return document


def render_document(document: Document) -> str:
    """Return the text of a document."""
    return "".join(document.lines)


def _group(document: Document) -> None:
    tops = [heading for heading in document.headings if heading.rank <= 2]
    ends = [heading.line for heading in tops[1:]] + [len(document.lines)]
    for heading, end in zip(tops, ends, strict=False):
        if heading.rank == 2:
            document.sections.append(Section(heading, end))
    lines = [item.line for item in document.items]
    for section in document.sections:
        section.items = document.items[bisect(lines, section.line) : bisect(lines, section.end - 1)]
        for item in section.items:
            item.section = section.title


def find_comment(document: Document, key: str) -> int | None:
    """Find the line of a header comment."""
    for at in document.comments:
        text = document.lines[at].partition("<!--")[2].lstrip()
        if text.startswith(f"{key}:") and "-->" in text:
            return at
    return None


def read_update_time(document: Document) -> str:
    """Return the time in the header, `YYYY-MM-DD HH:MM:SS`, or "" if there is none."""
    at = find_comment(document, UPDATED_COMMENT)
    match = None if at is None else _UPDATE.search(document.lines[at])
    return match[1] if match else ""


def normalize_title(title: str) -> str:
    """Return the title for comparisons: without case, emphasis and final colon."""
    return " ".join(title.strip("*_: ").split()).casefold()


def find_section(document: Document, title: str) -> Section | None:
    """Return the first section with that title, in any case and emphasis."""
    key = normalize_title(title)
    sections = (part for part in document.sections if normalize_title(part.title) == key)
    return next(sections, None)


def find_section_of(document: Document, text: str) -> Section | None:
    """Return the first section with an item of this text."""
    sections = (one for one in document.sections if any(item.text == text for item in one.items))
    return next(sections, None)


def split_title(title: str) -> tuple[str, str]:
    """Split `Title (Max: 15 items)` into the title and its suffix."""
    match = _SUFFIX.search(title)
    return (title[: match.start()].rstrip(), match[0]) if match else (title, "")


def list_items(document: Document) -> list[ItemFields]:
    """Return the fields of each item that has a text."""
    return [ItemFields(one.text, one.section, one.nested) for one in document.items if one.text]


def join_nested(text: str, nested: str) -> str:
    """Return an item's text with its nested lines; both may be empty."""
    return "\n".join(filter(None, (text, nested)))
