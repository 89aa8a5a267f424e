"""Prepare the memory of an agent for hooks, from its files, their history, ledger and settings.

Left out is what may be poisoned, items that a run reported as wrong, items below
`memory.min_confidence`, items that others contradict or repeat, and preferences of the user that
the project overrides.
"""

from __future__ import annotations

import marshal
from collections.abc import Collection, Sequence
from contextlib import suppress
from typing import Any

from memory_core.claude_code import agent_spelling
from memory_core.document import (
    contradictions,
    edits,
    markdown,
    preferences,
)
from memory_core.document.block_reader import Item
from memory_core.files import stale_items
from memory_core.history import performance, rights
from memory_core.history.item_history import History
from memory_core.memory import ready, run_history
from memory_core.memory.ready import ReadyMemory
from memory_core.origin import text_origins
from memory_core.secrets import scanner
from memory_core.selection import item_notes, splitting
from memory_core.selection.indexing import MAX_COMPARED, index_passages, shorten_ids
from memory_core.selection.item_notes import ItemNote, Uses
from memory_core.selection.passages import SHORTEST_ID, Passage
from memory_core.storage import event_log, typed_command, user_level
from memory_core.storage.paths import MemoryFolder
from memory_core.storage.project import Project
from memory_core.storage.store import FileSnapshot, Store
from memory_core.text import code_names, digests, sanitize, similarity, times

# Why an agent does not receive an item.
DOUBTED = "reported as wrong: agent-memory review"
UNCERTAIN = "below memory.min_confidence"
REPEATED = "another item repeats or contradicts it"


def prepare(project: Project, agent: str) -> ReadyMemory:
    """Return what an agent may receive, and write it for the next readers.

    Unreadable files are logged, and then nothing is written.
    """
    stamp = ready.make_stamp(project, agent)
    parts = sort_out(project, agent)
    short = shorten_ids(passage.id for passage in parts.passages)
    for passage in parts.passages:
        passage.short_id = short.get(passage.id, "")
    memory = ReadyMemory(
        passages=index_passages(parts.passages + _list_extras(project, agent, parts), parts.abouts),
        paths=[project.paths.relative(snapshot.path) for snapshot in parts.files],
        day=_find_day(parts.files[0]) if parts.files else "",
        command=typed_command.read_command(project.environ),
        id_length=max(map(len, short.values()), default=0),
        has_recorded=parts.has_recorded,
    )
    if not (parts.files or len(memory.passages)):
        remove(project.store, agent)
    elif parts.is_whole:
        data = pack(memory, stamp)
        with suppress(OSError):  # each reader prepares it again
            place = ready.locate(project.folders[0], agent)
            project.paths.state.replace(place, data, durable=False)
    return memory


def pack(memory: ReadyMemory, stamp: Sequence[Any] = ()) -> bytes:
    """Return what an agent may receive as bytes, see `ready.unpack`."""
    facts, index = vars(memory), vars(memory.passages)
    values: Any = (
        stamp,
        {name: value for name, value in index.items() if name != "passages"},
        {name: value for name, value in facts.items() if name != "passages"},
    )
    data = marshal.dumps(values)
    return digests.hash_bytes(data, ready.DIGEST_SIZE) + data


def remove(folder: MemoryFolder, agent: str) -> None:
    """Remove what was prepared, because the memory is gone."""
    folder.paths.state.remove(ready.locate(folder, agent))


def _find_day(snapshot: FileSnapshot) -> str:
    """Return the day of the last change from the header, else from the file system."""
    updated = markdown.read_update_time(markdown.parse_document(snapshot.text))
    return (updated or times.format_utc(snapshot.changed))[:10]


def _list_extras(project: Project, agent: str, parts: SortedItems) -> list[Passage]:
    """Return the common errors of an agent, and its performance."""
    errors, results = list[str](), list[str]()
    try:
        errors = performance.format_errors(run_history.list_given_errors(project, agent))
        if project.config["give_performance"]:
            own = run_history.measure(project.store, agent)
            results = performance.format_performance(own)
    except OSError as error:
        log_unreadable(project, agent, error)
        parts.is_whole = False
    lines = map(sanitize.escape, errors)
    extras = [Passage("Common Errors to Avoid", line, is_list=True) for line in lines]
    text = sanitize.escape("\n".join(results))
    own_results = Passage("Your Performance", text, is_wished=True, is_list=True)
    return [*extras, own_results] if text else extras


def refresh(project: Project, stems: Collection[str] = ()) -> None:
    """Prepare the memories of these files, and those that changed since they were prepared."""
    for stem in {*stems, *project.paths.state.list_names(ready.FOLDER)}:
        agent = agent_spelling.agent_of_file(f"{stem}.md")
        if agent and (stem in stems or ready.read(project, agent) is None):
            prepare(project, agent)


class SortedItems:
    """The passages that an agent may receive, and the items that it does not, with the reasons.

    `abouts` says what runs were about, `has_recorded` whether the agent has recorded an item, and
    `is_whole` whether all files could be read.
    """

    def __init__(self) -> None:
        self.passages: list[Passage] = []
        self.left_out: list[tuple[Passage, str]] = []
        self.abouts: dict[str, str] = {}
        self.files: list[FileSnapshot] = []
        self.has_recorded = False
        self.is_whole = True


def sort_out(project: Project, agent: str) -> SortedItems:
    """Decide which parts of its files an agent may receive.

    Of two that say the same it is only the project's.  If one file is unreadable, the agent still
    receives the other one.
    """
    parts = SortedItems()
    levels = [_read_level(project, store, agent, parts) for store in list_levels(project, agent)]
    for level in levels:
        if level:
            level.sort_out()
            passages = level.list_passages()
            parts.has_recorded |= any(level.is_recorded(passage) for passage in passages)
            parts.passages += _list_new(passages, parts.passages)
            parts.left_out += level.list_left_out()
    return parts


def list_levels(project: Project, agent: str) -> list[Store]:
    """Return the levels whose memory of an agent it receives, the project's in any case."""
    own, user, setting = project.store, project.level(user=True), project.config["user_level"]
    is_off = setting == "off" or (setting == "shadow" and own.has_file(agent))
    # Anything else in the place of the file is refused when it is read.
    if project.user_paths is None or is_off or not user.files.has_entry(user.path(agent)):
        return [own]
    return [own, user] if user_level.is_allowed(project.paths) else [own]


def read_notes(project: Project, store: Store, agent: str) -> dict[str, ItemNote]:
    """Return the notes on the items of an agent's history, by their texts.  Raises OSError."""
    history = text_origins.read_history(project, store, agent)
    uses, abouts = run_history.read_use(store, agent)
    return item_notes.list_notes(history, abouts, uses)


def log_unreadable(project: Project, agent: str, error: OSError) -> None:
    """Log that a file of an agent could not be read."""
    text = f"{type(error).__name__}: {error}"
    event_log.write(project.paths, "agent.memory.error", agent_id=agent, error=text)


def _list_new(passages: list[Passage], others: list[Passage]) -> list[Passage]:
    """Return the passages that say something else than the others that are not from outside.

    Preferences that a person confirmed override those of the same key.
    """
    earlier = [one.text for one in others if not one.is_outside]
    keys = {_find_key(one) for one in others if one.is_confirmed} - {""}
    return [
        passage
        for passage in passages
        if _find_key(passage) not in keys
        and not any(similarity.is_same(passage.text, text) for text in earlier)
    ]


def _find_key(passage: Passage) -> str:
    return preferences.read_key(passage.item) if passage.is_preference else ""


def _read_level(project: Project, store: Store, agent: str, parts: SortedItems) -> _Level | None:
    """Read the memory file of a level with its history, None without a file."""
    snapshot, history = None, History()
    uses, abouts = dict[str, Uses](), dict[str, str]()
    try:
        snapshot = store.read(agent)
        if snapshot:
            history = text_origins.read_history(project, store, agent)
            uses, abouts = run_history.read_use(store, agent)
    except OSError as error:
        log_unreadable(project, agent, error)
        parts.is_whole = False
    if snapshot is None:
        return None
    parts.files.append(snapshot)
    parts.abouts |= abouts
    document = markdown.parse_document(scanner.redact(snapshot.text))
    guard = text_origins.make_guard(store, agent, project, history)
    notes = item_notes.list_notes(history, abouts, uses)
    return _Level(project, store, document, guard, notes, uses)


class _Level:
    """The memory file of a level; `sort_out` removes from `document` what agents do not receive."""

    def __init__(
        self,
        project: Project,
        store: Store,
        document: markdown.Document,
        guard: text_origins.Guard,
        notes: dict[str, ItemNote],
        uses: dict[str, Uses],
    ) -> None:
        self.document = document
        self._project = project
        self._is_users = store.paths is not project.paths
        self._guard = guard
        self._notes, self._uses = notes, uses
        self._origins: dict[str, str] = {}
        self._nested: dict[str, str] = {}
        self._left_out: dict[str, tuple[str, str]] = {}  # (origin, reason) by the texts of items

    def sort_out(self) -> None:
        """Remove the items that agents do not receive, and hide strange headings."""
        self._drop(self._guard.list_held(self.document))
        self.document = self._guard.hide_headings(self.document)
        self._drop([(item, REPEATED) for item in self._list_outranked()])
        self._origins = {item.text: self._find_origin(item) for item in self.document.items}
        self._nested = {item.text: item.nested for item in self.document.items}
        self._drop(self._list_uncertain())
        losers = contradictions.find_losers(self.document, self._rank_text)
        self._drop([(item, REPEATED) for item, _winner in losers])

    def list_passages(self) -> list[Passage]:
        """Return the passages of what agents receive."""
        parts = splitting.split_document(
            self.document, lambda text: self.find_note(text).list_facts()
        )
        passages = [one for one in parts if one.item or not self._guard.find_reason(one.text)]
        for passage in passages:
            self._complete(passage)
        return passages

    def list_left_out(self) -> list[tuple[Passage, str]]:
        """Return the items that agents do not receive, with the reasons."""
        given = {item.text for item in self.document.items}
        left = []
        for text, (origin, reason) in self._left_out.items():
            if text and text not in given:
                key = similarity.identify(text)
                passage = Passage("", text, text, id=key, short_id=key[:SHORTEST_ID], origin=origin)
                passage.is_users = self._is_users
                left.append((passage, reason))
        return left

    def is_recorded(self, passage: Passage) -> bool:
        """Return whether the agent recorded a passage, and no person claims it."""
        return passage.item != "" and not self.find_note(passage.item).is_persons

    def find_note(self, text: str) -> ItemNote:
        """Return the note on an item, with the rights of its origin.

        An item that the history does not have was written by a person, unless its origin differs.
        """
        origin, note = self._origins.get(text, rights.UNKNOWN), self._notes.get(text)
        if note is None:
            person = self._project.config["confidence"]["person"]
            given = person if origin in rights.DECIDED else rights.FOREIGN_CONFIDENCE
            key = similarity.identify(text)
            uses: dict[str, Any] = self._uses.get(key, Uses())
            note = ItemNote(key, given, self._find_birth(text), is_persons=True, **uses)
        return item_notes.limit(note, origin)

    def _find_birth(self, text: str) -> str:
        """Return when an item that the history does not have was first seen in the file."""
        since = self._guard.origins.find_time(text, self._nested.get(text, ""))
        return times.format_utc(since) if since else times.FAR_FUTURE

    def _drop(self, reasons: Collection[tuple[Item, str]]) -> None:
        """Remove items from the document, and keep the reasons."""
        if reasons:
            for item, reason in reasons:
                self._left_out.setdefault(item.text, (self._find_origin(item), reason))
            items = {item.line: item for item, _reason in reasons}
            self.document = edits.remove_items(self.document, list(items.values()))

    def _find_origin(self, item: Item) -> str:
        note = self._notes.get(item.text)
        return self._guard.find_origin(item.text, item.nested, bool(note and note.has_read_outside))

    def _complete(self, passage: Passage) -> None:
        """Set the fields of a passage that depend on its level and its section."""
        passage.is_users = self._is_users
        if preferences.is_title(passage.section):
            passage.is_preference = True
            passage.is_wished = passage.is_wished or passage.is_confirmed
        if passage.item:
            passage.origin = self._origins[passage.item]
            passage.names = code_names.list_names(passage.text[:MAX_COMPARED])
            if not self._is_users:  # there, paths are of any project
                passage.files = stale_items.list_paths(passage.text)
            nested = self._nested[passage.item]
            passage.is_new = self._guard.is_new(passage.item, nested)
        else:
            passage.origin = self._guard.find_origin(passage.text)
            passage.born = self._find_birth(passage.text)
            passage.is_new = self._guard.is_new(passage.text)

    def _list_outranked(self) -> list[Item]:
        """Return the items that say the same as one of a higher rank.

        Two preferences say the same if they have the same key, and the last of them counts.
        """
        best: dict[str, tuple[int, int]] = {}
        rated = []
        for item in self.document.items:
            key = preferences.read_key(item.text) if preferences.is_title(item.section) else ""
            words = f"{key}:" if key else similarity.normalize_text(item.text) or str(item.line)
            rank = rights.rank_of(self._find_origin(item)), item.line if key else 0
            rated.append((item, words, rank))
            best[words] = max(best.get(words, rank), rank)
        return [item for item, words, rank in rated if rank < best[words]]

    def _list_uncertain(self) -> list[tuple[Item, str]]:
        """Return items that runs reported as wrong, or below a confidence, with the reasons.

        Those that only a person may withdraw stay; a low confidence does not remove preferences.
        """
        least = self._project.config["min_confidence"]
        uncertain = []
        for item in self.document.items:
            note = self.find_note(item.text)
            stays = note.is_persons or preferences.is_title(item.section)
            if not note.is_persons and note.is_doubted:
                uncertain.append((item, DOUBTED))
            elif not stays and note.confidence < least:
                uncertain.append((item, UNCERTAIN))
        return uncertain

    def _rank_text(self, text: str) -> tuple[int, float, str]:
        note = self.find_note(text)
        return rights.make_rank(self._origins.get(text, ""), note.confidence, note.born)
