"""One agent's memory as a value: its text, its history, and the changes to be written.

Nothing here writes a file.  `loading` creates the value, `changes` changes it, and
`transaction` writes it.
"""

from __future__ import annotations

import time
from itertools import count
from typing import Any

from memory_core.document import markdown, template
from memory_core.document.block_reader import ItemFields
from memory_core.document.markdown import Document
from memory_core.document.merge_learnings import Learning, MergeResult
from memory_core.document.template import Limits
from memory_core.history import item_history, rights
from memory_core.history.item_history import History, ItemState, Record
from memory_core.secrets import scanner
from memory_core.selection import splitting
from memory_core.storage.database import change_table
from memory_core.storage.database.change_table import TextStep
from memory_core.storage.project import Project, load_config
from memory_core.storage.store import FileSnapshot, Store
from memory_core.text import digests
from memory_core.text.times import format_utc

SectionText = tuple[str, str]  # a section's title, an item's text with its nested lines


# The fields of a record that a hand edit, an older version or another program may have written.
RECORDED_TEXTS = {"text", "nested", "section", "waiting"}


class AgentMemory:
    """An agent's memory file with its history, and the changes that are not written yet.

    `snapshot` is the file at the time of reading, None without a file.  `before` is its text, or
    the text of a new file.  `text` and `history` include all changes up to now; `is_removed` if
    the file goes.  To be written: `records` for the history, `evicted` texts for the
    archive, `review` entries for a person, `decided` ids of those that do not wait any more,
    `origins` of texts with their nested lines, besides those that the records say, and `doubted`
    texts whose review is undone; `from_archive` are entries to remove from the archive.  Records
    get the id `change_id`, the number `seq`, which orders them, and the time `time`, which is ISO
    8601 in UTC.  `header_time` is the time in the header of the file, "" without one.
    """

    def __init__(
        self,
        project: Project,
        agent: str,
        store: Store,
        snapshot: FileSnapshot | None,
        history: History,
    ) -> None:
        self.project, self.agent, self.store = project, agent, store
        self.is_outside = False  # what is taught now is from outside
        self.limits = find_limits(project, agent, store)
        self.snapshot = snapshot
        self.text = self.before = snapshot.text if snapshot else ""
        self.history = history
        self.records: list[Record] = []
        self.evicted: list[SectionText] = []
        self.from_archive: list[SectionText] = []
        self.review: list[dict[str, Any]] = []
        self.decided: list[str] = []
        self.origins: dict[tuple[str, str], str] = {}
        self.doubted: list[tuple[str, str]] = []
        self.change_id = self.time = self.header_time = ""
        self.is_removed = False
        self._start: str | None = None
        self._seq = 0

    @property
    def now(self) -> str:
        """Return the time in the format of the header of a memory file."""
        return self.time[:19].replace("T", " ")

    @property
    def document(self) -> Document:
        return markdown.parse_document(self.text)

    def record(self, kind: str, text: str, **fields: Any) -> None:
        """Add a record about the item with this text to the history, without secrets.

        Its id is that of the whole text, so that the item in the file is still recognised.
        """
        fields |= {"n": len(self.records)} if self.records else {}
        fields = {"agent": self.agent, "change": self.change_id, "seq": self.seq, **fields}
        record = item_history.make_record(kind, self.time, text, **fields)
        for name in RECORDED_TEXTS & record.keys():
            record[name] = scanner.redact_values(record[name])
        self.history.add([record], is_new=True)
        state = self.history.get(record["id"])
        if state:
            record["confidence"] = state.confidence
        self.records.append(record)

    def has_item(self, text: str) -> bool:
        """Return whether an item with this text is in the memory."""
        state = self.history.find(text)
        return state is not None and state.is_present

    def state_of(self, text: str) -> ItemState:
        """Return the state of an item of the file: reading it has recorded all of them."""
        state = self.history.find(text)
        assert state, f"{self.agent} has no record of {text!r}"
        return state

    def begin_version(self) -> None:
        """Choose the time and the number of a change that follows all records up to now.

        The time names the version, so each version has a second of its own.
        """
        taken = {record["time"][:19] for record in self.history.records} | {self.header_time}
        now = int(time.time())
        self.time = next(
            moment for second in count(now) if (moment := format_utc(second))[:19] not in taken
        )
        self._seq = 0

    @property
    def seq(self) -> int:
        """The number of this change, which is larger than those of all changes known here."""
        if not self._seq:
            last = change_table.read_sequence(self.store.paths)
            self._seq = 1 + max(last, self.history.last_seq)
        return self._seq

    def begin_change(self, change_id: str) -> None:
        """Begin a change at the present text."""
        self.change_id = change_id
        self._start = self.text if self.snapshot else None

    def end_change(self) -> TextStep | None:
        """Return the step of the change in progress, None if it has no records."""
        before = self.before if self._start is None else self._start
        after = None if self.is_removed else self.text
        if not any(record.get("change") == self.change_id for record in self.records):
            if after == before:
                return None
            self.record("rewritten", "")
        documents = [markdown.parse_document(text or "") for text in (self._start, after)]
        times = [markdown.read_update_time(one).replace(" ", "T") for one in documents]
        return TextStep(self.change_id, self._start, after, *times)

    def set_document(self, document: Document, author: str = "") -> None:
        """Replace the document; if it differs, its header gets the time of this change.

        `author` is the origin of new headings and paragraphs; without one, new headings came from
        elsewhere.
        """
        text = markdown.render_document(document)
        if text != self.text:
            list_all = splitting.list_free_texts if author else splitting.list_headings
            present = [one for *_, one in list_all(self.document)]
            new = [(one, "") for *_, one in list_all(document) if one not in present]
            self.origins |= dict.fromkeys(new, author or rights.IMPORT)
            self.text = template.update_header(text, self.limits, self.now, self.agent)

    def take_merged(self, merged: MergeResult) -> None:
        """Replace the text by a merge result, and record the items that it evicted.

        Those that a learning contradicts wait for a person, too.
        """
        self.text = merged.text
        self.evicted += merged.evicted
        for (section, item), other in merged.evicted.items():
            text, _, nested = item.partition("\n")
            entry: Any = ""
            if other:
                kind = template.type_of(section)
                entry = self.hold(Learning(kind, text, nested, f"contradicts: {other}"), other)
            self.record("evicted", text, section=section, nested=nested, waiting=entry)

    def hold(self, learning: Learning, other: str = "", **source: Any) -> dict[str, Any]:
        """Add a learning, which has a reason, to the review; return its entry.

        `other` is the item that it contradicts.  `source` may have the run, session, source and
        reading; without it, they are those of the item with this text.
        """
        state = None if source else self.history.find(learning.content)
        if state:
            source = {"run": state.run, "session": state.session, "source": state.source}
            source |= {"origin": state.origin, "reading": state.reading}
        origin = rights.find_run_origin(source.get("source", ""), source.get("reading", ()))
        entry = {**learning._asdict(), "other": other, "origin": origin, **source}
        self.review.append(entry)
        return entry


def find_limits(project: Project, agent: str, store: Store | None = None) -> Limits:
    """Return the limits of an agent's memory file in a store, by default the project's.

    Settings of a repository must not make items of the user's own files leave.
    """
    settings = project.config
    if store and project.user_paths and store.paths is project.user_paths:
        settings = load_config(project.user_paths, None, project.environ)
    common, own = settings["limits"], settings.find_override(agent)
    return Limits(
        size=settings.size_kb(agent) * 1024,
        sections=own.get("max_sections") or common["max_sections"],
        items=own.get("max_items_per_section") or common["max_items_per_section"],
        line=common["max_line_length"],
    )


def index_items(document: Document) -> dict[str, ItemFields]:
    """Return the fields of items by id; of several items with one id only the first."""
    items = markdown.list_items(document)
    return {item_history.id_of(item.text): item for item in reversed(items)}


def make_change_id(name: str) -> str:
    """Return a new id for all records of one command or write.

    It begins with the clock time, so that changes sort by their ids; the times of versions may be
    ahead of the clock.
    """
    now = time.time_ns()
    begin = f"{format_utc(now // 10**9)[:-4]}{now // 1000 % 10**6:06d}"
    return f"{begin}-{digests.hash_text(name)[:4]}"


def make_hand_change_id(change_id: str, agent: str, snapshot: FileSnapshot | None = None) -> str:
    """Return the id for the hand edits that a change detects; it sorts before the change.

    It begins with the time when the file was saved.
    """
    begin = change_id.rpartition("-")[0]
    begin = min(begin, format_utc(snapshot.changed)[:-1]) if snapshot else begin
    return f"{begin}+{digests.hash_text(agent)[:4]}"
