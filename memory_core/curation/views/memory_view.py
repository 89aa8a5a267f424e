"""An agent's memory as a person sees it: its text in parts, and what is known of each item."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import NamedTuple

from memory_core.curation import agent_status
from memory_core.curation.agent_status import MemoryStatus
from memory_core.document import markdown
from memory_core.document.markdown import Document
from memory_core.history import item_history
from memory_core.history.item_history import History, ItemState
from memory_core.memory import preparing
from memory_core.memory.reading import read_memory
from memory_core.monitor.numbers import Numbers
from memory_core.origin import text_origins
from memory_core.secrets import scanner
from memory_core.selection.item_notes import ItemNote
from memory_core.storage.config_yml import project_rules
from memory_core.storage.project import Project
from memory_core.storage.store import Store
from memory_core.text import markdown_lines

# Kinds of the parts of a memory file.
HEADING, ITEM, TEXT, CODE, COMMENT = "heading", "item", "text", "code", "comment"
CONFLICT, FRONT_MATTER = "conflict", "front matter"


class ItemView(NamedTuple):
    """An item of a memory file with its origin and its use; texts are without secrets.

    The times of its state are "" if the history does not have the item: a person wrote it in the
    file.  `runs` counts the runs that reported it, `reading` is what its run had read from outside,
    `gone` why it may be out of date, `waits` the id of the learning that waits for a decision about
    it.
    """

    id: str
    text: str
    nested: str
    section: str
    tier: str
    state: ItemState
    note: ItemNote
    source: str
    reading: list[str]
    runs: int
    gone: list[str]
    waits: str


class DocumentPart(NamedTuple):
    """A part of a Markdown file: its kind, its first line from 1, its text without secrets.

    A heading has a `level`.  The text of an item has its nested lines, and in a memory it has a
    view.
    """

    kind: str
    line: int
    text: str
    level: int = 0
    item: ItemView | None = None


class MemoryView(NamedTuple):
    """A memory: its numbers and warnings, and its parts in the order of the file.

    `user_file` is the path of the agent's user-level memory, "" without one.
    """

    status: MemoryStatus
    parts: list[DocumentPart]
    user_file: str


def read_view(numbers: Numbers, agent: str) -> MemoryView:
    """Return the memory of an agent; raises OSError if its file or history cannot be read."""
    project, store = numbers.project, numbers.store
    snapshot = agent_status.read_file(store, agent)
    document = markdown.parse_document(snapshot.text if snapshot else "")
    status = agent_status.read_memory_status(numbers, agent)
    views = _ViewMaker(numbers, agent, status)
    parts = list(list_parts(document, views.make))
    return MemoryView(status, parts, _find_user_file(project, store, agent))


def _find_user_file(project: Project, store: Store, agent: str) -> str:
    if project.user_paths is None or store.paths is project.user_paths:
        return ""
    user = project.level(user=True)
    return user.path(agent) if user.has_file(agent) else ""


class _ViewMaker:
    """Makes the views of the items of one memory; all files are read once."""

    def __init__(self, numbers: Numbers, agent: str, status: MemoryStatus) -> None:
        project, store = numbers.project, numbers.store
        self._history: History = read_memory(project, agent, store).history
        self._notes: dict[str, ItemNote] = {}
        with suppress(OSError):  # numbers that nobody can read now
            self._notes = preparing.read_notes(project, store, agent)
        texts = text_origins.list_texts(project, store, agent)
        self._tiers = {(item.text, item.nested): item.tier for item in texts}
        self._gone = {item.id: [*item.gone.values()] for item in status.stale}
        self._waiting = {entry["content"]: str(entry["id"]) for entry in numbers.waiting(agent)}
        self._person = project_rules.read_weights(project).person

    def make(self, text: str, nested: str, section: str) -> ItemView:
        key = item_history.id_of(text)
        state = self._history.find(text) or ItemState(key, "", self._person)
        note = self._notes.get(text) or ItemNote(confidence=self._person)
        return ItemView(
            id=key,
            text=scanner.redact(text),
            nested=scanner.redact(nested),
            section=section,
            tier=self._tiers.get((text, nested), ""),
            state=state,
            note=note,
            source=state.source or item_history.HAND_SOURCE,
            reading=scanner.redact_values(state.reading),
            runs=len(state.runs - {""}),
            gone=self._gone.get(key, []),
            waits=self._waiting.get(text, ""),
        )


def list_parts(
    document: Document, make_view: Callable[[str, str, str], ItemView] | None = None
) -> Iterator[DocumentPart]:
    """Yield the parts of a document, without blank lines.

    `make_view` returns the view of an item by its text, its nested lines and its section.
    """
    items = {item.line: item for item in document.items if item.text}
    headings = {heading.line: heading for heading in document.headings}
    titles = {item.line: section.title for section in document.sections for item in section.items}
    kinds, at = _list_kinds(document), 0
    while at < len(document.lines):
        start = at
        if item := items.get(at):
            nested = markdown.read_nested(document, item)
            view = make_view(item.text, nested, titles.get(at, "")) if make_view else None
            text = scanner.redact(markdown.join_nested(item.text, nested))
            yield DocumentPart(ITEM, at + 1, text, item=view)
            at = item.end
        elif heading := headings.get(at):
            yield DocumentPart(HEADING, at + 1, scanner.redact(heading.title), heading.level)
            at = heading.body
        else:
            while (
                at < len(kinds)
                and kinds[at] == kinds[start]
                and not (at in items or at in headings)
            ):
                at += 1
            text = "".join(document.lines[start:at]).rstrip()
            if kinds[start]:
                yield DocumentPart(kinds[start], start + 1, scanner.redact(text))


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
