"""Add, judge, pin, remove and restore items; set preferences; record tasks and errors.

Each call is one change, which undo takes back; `record_task` and `record_error` change no memory,
and undo does not take them back.  Parameters of most functions: `store` is the level (default: the
project's), `item` is a name for lookup.find_item, `by` may have run, session and source.  Functions
that change a memory raise OSError if its file cannot be locked, read or written.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from memory_core.curation import lookup, searching
from memory_core.curation.searching import ItemHit
from memory_core.document import dated_entries, markdown, merge_learnings, preferences
from memory_core.document.merge_learnings import Learning
from memory_core.history import item_history, performance, rights
from memory_core.learning import extraction, type_names
from memory_core.memory import changes, preparing, run_history, transaction
from memory_core.memory.agent_memory import AgentMemory
from memory_core.memory.loading import read_memory
from memory_core.origin import text_origins
from memory_core.origin.text_origins import JudgedText
from memory_core.secrets import scanner
from memory_core.selection import splitting
from memory_core.storage.project import Project
from memory_core.storage.store import Store
from memory_core.text import sanitize

# What `judge_items` does, and the word for what was done.
JUDGEMENTS = {kind: kind.title() for kind in ("confirmed", "contradicted", "pinned", "unpinned")}
JUDGEMENTS["removed"] = "Archived"

# The type of a preference that waits for review.
PREFERENCE = "preference"

# If one of several learnings is refused, the message quotes this many characters of it.
QUOTE_LENGTH = 40


class RatedItem(NamedTuple):
    """An item: id, text, title of its section, confidence after the call, nested lines.

    `is_outside`: nobody on this machine wrote, reported or reviewed it.  `used` is when a run last
    reported it or a person confirmed it; a sentence has no such time, and no id.  One that is
    taught may have been present already, or replace an item, whose text is `was`.
    """

    id: str
    text: str
    section: str
    confidence: float
    nested: str = ""
    is_outside: bool = False
    agent: str = ""
    used: str = ""
    was_present: bool = False
    was: str = ""

    @property
    def whole(self) -> str:
        """Return the text with its nested lines."""
        return markdown.join_nested(self.text, self.nested)


class SavedItem(NamedTuple):
    """An item that a command put into an agent's memory, or that `was_present` there already.

    Its text may have nested lines; `section` is "" if nobody needs it.
    """

    agent: str
    id: str
    text: str
    was_present: bool
    section: str = ""


class TeachResult(NamedTuple):
    """Taught items, items that lost confidence, evicted items, and why a learning has to wait.

    Of several learnings some may be evicted at once; a single one never is.  Evicted items are
    (section, text with nested lines).  `rivals` are items of people that contradict the taught
    ones of people; they stay.  `waits` is "" if no learning waits for a person.
    """

    taught: list[RatedItem]
    doubted: list[RatedItem]
    evicted: list[tuple[str, str]]
    rivals: list[RatedItem]
    waits: str = ""


class InvalidRequest(ValueError):
    """A request with an invalid value, or for a memory that is off; the message is the reason.

    A learning is invalid, too, if it is rejected for its form or refused for lack of room.
    """

    status = 2


class PreferenceWaits(preferences.InvalidPreference):
    """A preference that is not set before a person accepts it; `reason` says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"not set, it waits for review: {reason}")
        self.reason = reason


class NotRestored(ValueError):
    """An item that cannot be restored; the message is the reason."""

    status = 1


# One item.


def list_items(memory: AgentMemory) -> list[RatedItem]:
    """Return the items of a memory in the order of the file."""
    items = []
    for text, section, nested in markdown.list_items(memory.document):
        state = memory.state_of(text)
        facts = state.id, text, section, state.confidence, nested
        items.append(RatedItem(*facts, agent=memory.agent, used=state.used))
    return items


def list_own(memory: AgentMemory, texts: Iterable[JudgedText]) -> list[RatedItem]:
    """Return what a person wrote on this machine; sentences and code have no id."""
    items = list_items(memory)
    own = [text for text in texts if text.origin in rights.WRITTEN_HERE]
    ids = {item.id for item in items}
    prose = [text.text for text in own if text.id not in ids and text.text[0] != "#"]
    items = [item for item in items if item.id in {text.id for text in own}]
    # First, because on a terminal they would look like a part of the last section.
    return [RatedItem("", " ".join(text.split()), "", 1.0) for text in prose] + items


def _find_item(memory: AgentMemory, name: str, items: list[RatedItem]) -> RatedItem:
    """Do the same as `lookup.find_item`; of a sentence the error says how to change it."""
    try:
        return lookup.find_item(name, items)
    except lookup.ItemNotFound as error:
        prose = (text for _start, _end, text in splitting.list_paragraphs(memory.document))
        if not any(name.casefold() in " ".join(text.split()).casefold() for text in prose):
            raise
        way = f"agent-memory edit {memory.agent} changes a text without list sign"
        raise lookup.ItemNotFound(f"{error}; {way}") from None


def judge_items(
    project: Project,
    names: Sequence[tuple[str, str]],
    kind: str,
    store: Store | None = None,
    **by: str,
) -> list[RatedItem]:
    """Change the confidence of items, given as (agent, item), pin or archive them; return them.

    All or none are changed, as one change.  `kind` is confirmed, contradicted, removed (archived),
    pinned, unpinned, or reinforced (a run reported them again; each run counts once).  Raises
    ItemNotFound or AmbiguousItem.
    """
    by = {"source": "person", **by}

    def change(memory: AgentMemory) -> list[RatedItem]:
        items = list_items(memory)
        own = [name for agent, name in names if agent == memory.agent]
        chosen = {item.id: item for item in (_find_item(memory, name, items) for name in own)}
        for item in chosen.values():
            decided = _settle(memory, item.text) if kind in ("removed", "confirmed") else {}
            if kind == "removed":
                changes.remove_items(memory, [item.text], kind, **by, **decided)
            else:
                memory.record(kind, item.text, **by, **decided)
        return [
            item._replace(confidence=memory.state_of(item.text).confidence)
            for item in chosen.values()
        ]

    agents = dict.fromkeys(agent for agent, _item in names)
    changed = transaction.change_memories(project, store or project.store, agents, change)
    return [item for items in changed for item in items]


def _settle(memory: AgentMemory, text: str) -> dict[str, Any]:
    """Take an item that waits because a run reported it as wrong off the list.

    Returns a field for the record of the decision, with which undo puts it back; {} for others.
    """
    state = memory.history.find(text)
    waiting = memory.store.read_review(memory.agent) if state and state.is_doubted else []
    for entry in waiting:
        if entry["content"] == text:
            memory.decided.append(entry["id"])
            return {"waiting": entry}
    return {}


# Restore.


def restore(project: Project, store: Store, named: Sequence[tuple[str, str]]) -> list[SavedItem]:
    """Put items, given as (agent, item), back into their sections, all of them as one change.

    One that was present is only removed from the archive.  Items that are not in the archive are
    searched in the history.  Raises NotRestored, ItemNotFound and AmbiguousItem; nothing is changed
    then.
    """

    def change(memory: AgentMemory) -> list[SavedItem]:
        """Restore items: first from the archive, then removed, then present ones."""
        archived = searching.list_archived(memory.store, memory.agent)
        past = sorted(memory.history, key=lambda one: one.changed, reverse=True)
        past.sort(key=lambda one: one.is_present)
        others = searching.list_past(memory.agent, past)
        names = [name for agent, name in named if agent == memory.agent]
        hits = [*archived[::-1], *others]  # of equal entries the latest
        items = dict.fromkeys(lookup.find_item(name, hits) for name in names)
        return [_restore(memory, item) for item in items]

    agents = dict.fromkeys(agent for agent, _item in named)
    results = transaction.change_memories(project, store, agents, change)
    return [item for items in results for item in items]


def _restore(memory: AgentMemory, archived: ItemHit) -> SavedItem:
    """Insert the item into the memory, unless it is present; raises NotRestored."""
    document = memory.document
    if archived.place == searching.IN_ARCHIVE:
        memory.from_archive.append((archived.section, archived.whole))
    key = archived.id
    if present := [item for item in document.items if item_history.id_of(item.text) == key]:
        lines = list(map(str.strip, present[0].nested.splitlines()))
        if not all(line.strip() in lines for line in archived.nested.splitlines()):
            raise NotRestored("the memory has it without some nested lines; copy them by hand")
        return SavedItem(memory.agent, key, archived.whole, True, archived.section)
    if dated_entries.is_from_file(archived.section):
        raise NotRestored("it is free text of a file, not an item; copy it by hand")
    try:
        title = changes.restore_item(memory, archived.section, archived.whole)
    except ValueError as error:
        raise NotRestored(f"it cannot be restored: {error}; copy it by hand") from None
    return SavedItem(memory.agent, key, archived.whole, False, title)


# Teach.


def check_type(name: str) -> None:
    """Raise InvalidRequest for a type that docs/learnings.md does not name."""
    if not name.strip() or not type_names.type_of(sanitize.clean_line(name)):
        expected = ", ".join(type_names.TYPES)
        raise InvalidRequest(f"unknown type {name!r}; use one of {expected}")


def teach(
    project: Project,
    agent: str,
    kind: str,
    contents: Sequence[str],
    store: Store | None = None,
    **by: str,
) -> TeachResult:
    """Add learnings, or confirm equal items; either all of them or none.

    `kind` is a type or a category of docs/learnings.md.  A person's text may have any length.
    Another learning that cannot be saved waits for a person.  Raises InvalidRequest for a learning
    that a report could not teach either, or that a person rejected before.
    """
    check_type(kind)
    by = {"source": item_history.PERSON_SOURCE, **by}
    is_persons = by["source"] == item_history.PERSON_SOURCE
    contents = list(dict.fromkeys(contents))
    longest = 0 if is_persons else project.config["max_learning_length"]
    learnings = _check_all(contents, kind, longest)

    def change(memory: AgentMemory) -> TeachResult:
        first = len(memory.records)
        merged = changes.learn(memory, changes.Lesson(learnings, by))
        for one in merged.refused:
            if is_persons or one.reason == changes.REJECTED_REASON:
                raise _make_refusal(one.content, one.reason, contents)
        records = memory.records[first:]
        doubted = {record["id"] for record in records if record["kind"] == "contradicted"}
        items = {item.id: item for item in list_items(memory)}
        taught = _list_taught(merged, items)
        waits = merged.refused[0].reason if merged.refused else ""
        doubted_items = [item for key, item in items.items() if key in doubted]
        stayed = set(merged.rivals.values())
        rivals = [item for item in items.values() if item.text in stayed]
        return TeachResult(taught, doubted_items, [*merged.evicted], rivals, waits)

    return transaction.change_memory(project, agent, change, store)


def _check_all(contents: Sequence[str], kind: str, longest: int) -> list[Learning]:
    """Return the learnings, of any length if `longest` is 0; raises InvalidRequest."""
    learnings = []
    for content in contents:
        line = sanitize.clean_line(content)
        learning = Learning(type_names.type_of(kind), line, reason=scanner.refuse(content))
        if longest or not line:
            learning = extraction.check_one(kind, content, longest)
        if learning.reason:
            raise _make_refusal(scanner.redact(content), learning.reason, contents)
        learnings.append(learning)
    return learnings


def _make_refusal(content: str, reason: str, contents: Sequence[str]) -> InvalidRequest:
    """Return the error for one of several learnings, which it quotes."""
    quote = f"{content[:QUOTE_LENGTH]!r}: " if len(contents) > 1 else ""
    return InvalidRequest(quote + reason)


def _list_taught(
    merged: merge_learnings.MergeResult, items: dict[str, RatedItem]
) -> list[RatedItem]:
    """Return the item of each learning that was not evicted at once, those that are new first."""
    was = {item_history.id_of(new): old for old, new in merged.replaced}
    new = [*map(item_history.id_of, merged.added), *was]
    present = [item_history.id_of(text) for text, _learning in merged.duplicates]
    return [
        items[key]._replace(was_present=key not in new, was=was.get(key, ""))
        for key in dict.fromkeys(new + present)
        if key in items
    ]


# Preferences.


def set_preference(
    project: Project,
    agent: str,
    key: str,
    value: str,
    store: Store | None = None,
    source: str = "person",
) -> bool:
    """Set a preference; return False if it has this value already.

    One that is not from a person waits for review if it may be poisoned, and without its secrets
    if it has some; one of an MCP client always waits.  Raises InvalidPreference, PreferenceWaits.
    """
    text, reason = f"{key}: {value}", ""
    if source != item_history.PERSON_SOURCE:
        text, reason = text_origins.hold(text)
        reason = reason or (changes.MCP_REASON if source == item_history.MCP_SOURCE else "")
    elif refused := scanner.refuse(text):
        raise preferences.InvalidPreference(refused)

    def change(memory: AgentMemory) -> tuple[bool, str]:
        if not reason or _has_preference(memory, key, value):
            return put_preference(memory, key, value, source=source), ""
        memory.hold(Learning(PREFERENCE, text, reason=reason), source=source)
        return False, reason

    store = store or project.store
    ((is_changed, waits),) = transaction.change_memories(project, store, [agent], change)
    if waits:
        raise PreferenceWaits(waits)
    return is_changed


def put_preference(memory: AgentMemory, key: str, value: str, **source: Any) -> bool:
    """Set a preference of a memory and record it; return False if it has this value already."""
    *doubled, old = _list_preferences(memory, key) or [""]
    if _has_preference(memory, key, value):
        return False
    changes.remove_items(memory, doubled, "removed", source=source["source"])
    text = merge_learnings.put_preference(memory.text, key, value, memory.limits)
    after = markdown.parse_document(text)
    new = preferences.find(after, key)
    memory.set_document(after)
    if new and new.text != old:
        was = item_history.id_of(old) if old else ""
        memory.record("preference", new.text, section=preferences.TITLE, was=was, **source)
    return True


def _has_preference(memory: AgentMemory, key: str, value: str) -> bool:
    return merge_learnings.put_preference(memory.text, key, value, memory.limits) == memory.text


def remove_preference(
    project: Project, agent: str, key: str, store: Store | None = None, source: str = "person"
) -> bool:
    """Remove a preference; return False if the agent does not have this key."""
    if preferences.find(read_memory(project, agent, store).document, key) is None:
        return False

    def change(memory: AgentMemory) -> bool:
        return bool(
            changes.remove_items(memory, _list_preferences(memory, key), "removed", source=source)
        )

    return transaction.change_memory(project, agent, change, store)


def read_preferences(project: Project, agent: str, store: Store | None = None) -> dict[str, str]:
    """Return the values by key, with the keys spelled as in the memory file."""
    return preferences.read_values(read_memory(project, agent, store).document)


def _list_preferences(memory: AgentMemory, key: str) -> list[str]:
    return [item.text for item in preferences.find_all(memory.document, key)]


# Reports of programs.


def check_enabled(project: Project) -> None:
    """Raise InvalidRequest if memory is off; an unreadable config.yml turns it off."""
    config, why = project.config, "see memory.enabled in config.yml, or the variable AGENT_MEMORY"
    if not config["enabled"]:
        why = why if config.is_readable else config.problems[0]
        raise InvalidRequest(f"memory is switched off here: {why}")


def check_included(project: Project, agent: str) -> None:
    """Raise InvalidRequest if the settings exclude the agent, or it is one of Claude Code's own."""
    if not project.serves(agent):
        raise InvalidRequest(f"{agent} has no memory here: see include and exclude in config.yml")


def check_may_learn(project: Project, agent: str) -> None:
    """Raise InvalidRequest if the settings switch off learning for the agent."""
    if not project.config.may_learn(agent):
        raise InvalidRequest(f"nothing is learned for {agent}: memory.auto_learning is off for it")


def record_task(
    project: Project,
    agent: str,
    outcome: str,
    *,
    source: str,
    duration_s: float | None = None,
    run: str = "",
    **fields: Any,
) -> None:
    """Record a finished task for the agent's performance; None means unknown.

    `outcome` is one of performance.OUTCOMES; each run counts once.  `fields` may have tokens,
    tool_uses, type and session.  Raises InvalidRequest for an unknown outcome, or a negative
    number.
    """
    if outcome not in performance.OUTCOMES:
        expected = ", ".join(performance.OUTCOMES)
        raise InvalidRequest(f"invalid outcome {outcome!r}: use one of {expected}")
    longest = performance.MAX_NUMBER // 1000
    if duration_s is not None and not 0 <= duration_s <= longest:
        raise InvalidRequest(f"invalid duration_s {duration_s!r}: use seconds, 0 to {longest}")
    fields["duration_ms"] = None if duration_s is None else round(duration_s * 1000)
    for name in performance.MEASURES:
        number = fields.get(name)
        if number is not None and performance.parse_count(number) is None:
            raise InvalidRequest(
                f"invalid {name} {number!r}: use a whole number, 0 to {performance.MAX_NUMBER}"
            )
    key = run or f"{source} {os.getpid()} {time.time_ns()}"
    record = {"kind": "task", "key": key, "outcome": outcome, "run": run, **fields}
    _add_record(project, agent, record, source)


def record_error(
    project: Project,
    agent: str,
    text: str,
    resolution: str = "",
    *,
    source: str,
    **run: str,
) -> performance.Row:
    """Record an error and, if known, its resolution, run and session; return the record.

    Without a resolution it stays on this machine.  Only the first line of the error is used, up
    to 200 characters, without secrets.  Raises InvalidRequest if it is empty.
    """
    record = performance.make_error(text, resolution=resolution, **run)
    if record is None:
        raise InvalidRequest("error: a text is expected")
    _add_record(project, agent, record, source)
    return record


def _add_record(project: Project, agent: str, record: dict[str, Any], source: str) -> None:
    for name in ("type", "run", "session"):
        value = record.get(name) or ""
        if not isinstance(value, str) or "\n" in value:
            raise InvalidRequest(f"invalid {name} {value!r}: use a text of one line")
    records = run_history.date_records(agent, [{**record, "source": source}])
    run_history.add_records(project.store, records)
    preparing.prepare(project, agent)
