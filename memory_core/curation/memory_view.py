"""An agent's memory as a person sees it: its text in parts, and what is known of each item."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import groupby
from types import MappingProxyType
from typing import NamedTuple

from memory_core.curation import agent_status
from memory_core.curation.agent_status import MemoryStatus
from memory_core.document import markdown
from memory_core.document.block_reader import Heading, Item
from memory_core.document.markdown import Document
from memory_core.history.item_history import ItemState
from memory_core.memory import preparing
from memory_core.memory.agent_memory import AgentMemory
from memory_core.memory.loading import read_memory
from memory_core.monitor.numbers import Numbers
from memory_core.origin import text_origins
from memory_core.secrets import scanner
from memory_core.selection.item_notes import ItemNote
from memory_core.text import markdown_lines

# Kinds of the parts of a memory file.
HEADING, ITEM, TEXT, CODE, COMMENT = "heading", "item", "text", "code", "comment"
CONFLICT, FRONT_MATTER = "conflict", "front matter"


class ItemView(NamedTuple):
    """An item of a memory file with its origin and its use; texts are without secrets.

    `reading` is what its run had read from outside, `gone` why it may be out of date, `waits` the
    id of the learning that waits for a decision about it.
    """

    text: str
    nested: str
    origin: str
    state: ItemState
    note: ItemNote
    reading: list[str]
    gone: list[str]
    waits: str


class DocumentPart(NamedTuple):
    """A part of a Markdown file: its kind, and its text without secrets.

    A heading has a `rank`.  The text of an item has its nested lines, and in a memory it has a
    view.
    """

    kind: str
    text: str
    rank: int = 0
    item: ItemView | None = None


def read_view(numbers: Numbers, agent: str) -> tuple[MemoryStatus, list[DocumentPart]]:
    """Return the numbers and warnings of a memory, and its parts in the order of the file.

    Raises OSError if its file or history cannot be read.
    """
    project, store = numbers.project, numbers.store
    agent_status.read_file(store, agent)  # raises for a file that hooks refuse
    memory = read_memory(project, agent, store)
    document = markdown.parse_document(memory.snapshot.text if memory.snapshot else "")
    status = agent_status.read_memory_status(numbers, agent)
    views = _make_views(numbers, status, memory, document)
    return status, list(list_parts(document, views))


def _make_views(
    numbers: Numbers, status: MemoryStatus, memory: AgentMemory, document: Document
) -> dict[int, ItemView]:
    """Return the views of the items of a document by their lines."""
    project, store, agent = memory.project, memory.store, memory.agent
    notes: dict[str, ItemNote] = {}
    with suppress(OSError):  # numbers that nobody can read now
        notes = preparing.read_notes(project, store, agent)
    texts = text_origins.list_texts(project, store, agent)
    origins = {(item.text, item.nested): item.origin for item in texts}
    gone = {item.id: [*item.gone.values()] for item in status.stale}
    waiting = {entry["content"]: str(entry["id"]) for entry in numbers.waiting(agent)}
    views = {}
    for item in filter(lambda item: item.text, document.items):
        state = memory.state_of(item.text)
        views[item.line] = ItemView(
            text=scanner.redact(item.text),
            nested=scanner.redact(item.nested),
            origin=origins.get((item.text, item.nested), ""),
            state=state,
            note=notes.get(item.text) or ItemNote(confidence=state.confidence),
            reading=scanner.redact_values(state.reading),
            gone=gone.get(state.id, []),
            waits=waiting.get(item.text, ""),
        )
    return views


def list_parts(
    document: Document, views: Mapping[int, ItemView] = MappingProxyType({})
) -> Iterator[DocumentPart]:
    """Yield the parts of a document, without blank lines; `views` are those of its items."""
    kinds, owners = _list_kinds(document), dict[int, Item | Heading]()
    for heading in document.headings:
        owners[heading.line] = heading
    for item in filter(lambda item: item.text, document.items):
        owners |= dict.fromkeys(range(item.line, item.end), item)
    for owner, group in groupby(range(len(kinds)), lambda at: owners.get(at, kinds[at])):
        start, *rest = group
        if isinstance(owner, Item):
            text = scanner.redact(markdown.join_nested(owner.text, owner.nested))
            yield DocumentPart(ITEM, text, item=views.get(start))
        elif isinstance(owner, Heading):
            yield DocumentPart(HEADING, scanner.redact(owner.title), owner.rank)
        elif owner:
            text = "".join(document.lines[start : start + 1 + len(rest)]).rstrip()
            yield DocumentPart(owner, scanner.redact(text))


def _list_kinds(document: Document) -> list[str]:
    """Return the kind of each line, as if it were neither an item nor a heading; "" if blank."""
    kinds = [TEXT if line.strip() else "" for line in document.lines]
    front = markdown_lines.count_front_matter(document.lines)
    kinds[:front] = [FRONT_MATTER] * front
    for at in document.verbatim:
        kinds[at] = COMMENT if at in document.comment_lines else CODE
    for at in document.markers:
        kinds[at] = CONFLICT
    return kinds
