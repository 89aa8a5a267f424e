"""Split a text into the blocks that `merge_versions` compares.

A block is an item with its nested lines, a code block or comment, a heading, the title, the front
matter, a header comment, a line of free text or a blank line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from memory_core.document import edits, markdown, preferences, template
from memory_core.document.block_reader import Heading, Item
from memory_core.text import markdown_lines, similarity

Lines = tuple[str, ...]
Key = tuple[str, ...]
Path = tuple[tuple[int, str, int], ...]  # of (level, title, number) above a block
Place = tuple[Path, Key, int]  # with a number for equal blocks below one heading


ITEM, PREFERENCE, ENTRY = LISTED = ("item", "preference", "entry")
TEXT, CODE, HEADING, HEADER, FRONT = ("text", "code", "heading", "header", "front")
BLANK = "blank"
HEADER_COMMENTS = (template.LIMITS_COMMENT, template.UPDATED_COMMENT)


@dataclass
class Block:
    """One block: its lines and nested lines without line ends.

    Blocks of two versions with equal `place` are the same block.  `level` is that of a heading.
    """

    kind: str
    lines: Lines
    text: str = ""
    nested: Lines = ()
    level: int = 0
    path: Path = ()
    number: int = 1
    key: Key = ()

    def __post_init__(self) -> None:
        words = similarity.normalize_text(self.text) if self.kind == ITEM else self.text
        if not self.key:
            parts = [words] if words else self.whole
            self.key = (self.kind, str(self.level), *parts)

    @property
    def place(self) -> Place:
        return self.path, self.key, self.number

    @property
    def whole(self) -> Lines:
        return (*self.lines, *self.nested)


def read_blocks(text: str, is_dated: bool = False) -> list[Block]:
    """Split a text into blocks; `is_dated` for files in archive/.

    Code and comments that are never closed are closed, and items without any text are skipped.
    """
    blocks, counts = list(_read_memory(text)), Counter[tuple[Path, Key]]()
    twins = Counter[tuple[Path, Key]]()
    path: Path = ()
    for at, block in enumerate(blocks):
        if block.kind == HEADING:
            parents = path if block.level > 2 else ()
            above = tuple(part for part in parents if part[0] < block.level)
            # Two sections with one title stay two, except the days of an archive.
            twins[above, block.key] += not is_dated
            path = (*above, (block.level, block.text, twins[above, block.key]))
        if is_dated and block.kind == ITEM:
            lines = tuple(line.rstrip() for line in block.whole)
            blocks[at] = block = Block(ENTRY, lines, "\n".join(lines))
        block.path = path
        if block.kind != HEADING:
            counts[path, block.key] += 1
            block.number = counts[path, block.key]
    return blocks


def _read_memory(text: str) -> Iterator[Block]:
    document = markdown.parse_document(text)
    lines = tuple(line.rstrip("\r\n") for line in document.lines)
    if text.startswith(markdown_lines.BOM):
        lines = (lines[0].removeprefix(markdown_lines.BOM), *lines[1:])
    at = markdown_lines.count_front_matter(document.lines)
    if at:
        yield Block(FRONT, lines[:at], "front matter")
    headings = {heading.line: heading for heading in document.headings}
    items = {item.line: item for item in document.items}
    comments = {edits.find_comment(document, name): name for name in HEADER_COMMENTS}
    code, begins = set(document.verbatim), {*document.comments, *document.unclosed}
    preference_lines = {item.line for item in preferences.list_items(document)}
    while at < len(lines):
        end = at + 1
        if at in headings:
            yield _read_heading(headings[at], lines[at], headings[at] is document.headings[0])
        elif at in items:
            item, end = items[at], items[at].end
            if "".join(lines[at:end]).strip("-+* \t"):
                yield _read_item(item, lines, at in preference_lines)
        elif at in comments:
            yield Block(HEADER, lines[at:end], comments[at])
        elif at in code:
            is_comment = at in document.comments
            while (
                end in code and end not in begins and not (is_comment and "-->" in lines[end - 1])
            ):
                end += 1
            closing = (document.unclosed[at],) if at in document.unclosed else ()
            yield Block(CODE, lines[at:end] + closing)
        else:
            text = lines[at].strip(" \t")
            yield Block(TEXT if text else BLANK, lines[at:end], text)
        at = end


def _read_item(item: Item, lines: Lines, is_preference: bool) -> Block:
    key = preferences.normalize_key(preferences.parse_pair(item.text)[0])
    inner = item.text_end if item.text else item.end
    kind, text = (PREFERENCE, key) if is_preference and key else (ITEM, item.text)
    return Block(kind, lines[item.line : inner], text, lines[inner : item.end])


def _read_heading(heading: Heading, line: str, is_title: bool) -> Block:
    if heading.level == 1 and is_title:
        return Block(HEADER, (line,), "title")
    title = markdown.normalize_title(markdown.split_title(heading.title)[0])
    return Block(HEADING, (line,), title, level=heading.level)
