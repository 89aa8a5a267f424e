"""Export memories to a file and import them.

docs/json.md describes the file; `record_models.Export` is its schema.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from memory_core.claude_code import agent_names, agent_spelling
from memory_core.curation import searching
from memory_core.document import dated_entries, edits, markdown, merge_versions, preferences
from memory_core.document.diff import FileChange, compare_texts
from memory_core.document.merge_learnings import put_preference
from memory_core.files import file_actions
from memory_core.files.safe_files import SafeFiles
from memory_core.history import item_history, rights
from memory_core.memory import agent_memory, loading, transaction
from memory_core.memory.agent_memory import AgentMemory
from memory_core.secrets import scanner
from memory_core.storage.database import review_table
from memory_core.storage.history_file import RUN_KINDS
from memory_core.storage.project import Project
from memory_core.storage.store import MAX_DATED_BYTES, MAX_MEMORY_BYTES, Store, add_entries
from memory_core.text import markdown_lines, sanitize
from memory_core.text.times import format_utc

FORMAT = "agent-memory"
FORMAT_VERSION = 1

# In bytes: a hundred agents with the largest memory and history seen so far.
MAX_BYTES = 64 * 1024 * 1024

ExportedAgents = dict[str, dict[str, Any]]  # agent -> fields of `record_models.AgentExport`


class ImportResult(NamedTuple):
    """The effect of an import on one agent's memory.

    `archived` are the new entries of the archive.  `records` counts the new records of the
    history, `entries` the new entries of archive and review.
    """

    agent: str
    change: FileChange
    archived: list[str]
    records: int
    entries: int


class InvalidExport(ValueError):
    """A file that is not an export of memories; the message names the invalid place."""

    status = 2


# Export.


def build_export(project: Project, store: Store, agents: Sequence[str]) -> dict[str, Any]:
    """Return the memories of these agents as one JSON value; raises OSError."""
    return {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "exported": format_utc(time.time()),
        "project": project.name,
        "agents": {
            agent: scanner.redact_values(_export(project, store, agent)) for agent in agents
        },
    }


def _export(project: Project, store: Store, agent: str) -> dict[str, Any]:
    from memory_core.storage import record_models

    # A transaction adds the hand edits since the last write to the history.
    memory = loading.read_memory(project, agent, store)
    text = memory.text if memory.snapshot else ""
    records = item_history.sort_records(memory.history.records)
    return {
        "document": text,
        "preferences": preferences.read_values(markdown.parse_document(text)),
        "history": [record for record in records if record_models.is_valid_record(record)],
        "archive": _read_archive(store, agent),
        "review": store.read_review(agent),
    }


def _read_archive(store: Store, agent: str) -> str:
    snapshot = store.read_file(store.archive_path(agent))
    return snapshot.text if snapshot else ""


def save_file(project: Project, path: str, text: str) -> None:
    """Write a file completely or not at all; raises OSError, and Refused for a link."""
    whole = os.path.abspath(path)
    folder = os.path.dirname(whole)
    is_inside = project.paths.relative(whole) != whole
    files = project.paths.files if is_inside else SafeFiles(folder)
    file_actions.sync(files, folder)  # raises without the folder, which `replace` would create
    files.replace(whole, text.encode())


# Parse.


def parse_export(data: bytes) -> ExportedAgents:
    """Return the exported agents without secrets; raises InvalidExport if a part is invalid."""
    if len(data) > MAX_BYTES:
        raise InvalidExport(f"the file is larger than {MAX_BYTES} bytes")
    from memory_core.storage import record_models

    try:
        value = json.loads(data.decode("utf-8-sig"))
        problem = record_models.check_export(value) or _find_problem(value["agents"])
    except (ValueError, RecursionError) as error:
        raise InvalidExport(f"invalid JSON: {error}") from None
    if problem:
        raise InvalidExport(problem)
    for agent, exported in value["agents"].items():
        for record in exported["history"]:
            record["agent"] = agent  # undo selects records by their agent
    agents: ExportedAgents = scanner.redact_values(value["agents"])
    return agents


def _find_problem(agents: ExportedAgents) -> str:
    """Return a problem that the schema does not cover, with its place; "" for none."""
    for agent, exported in agents.items():
        name = json.dumps(sanitize.shorten(agent, agent_spelling.MAX_NAME_LENGTH))
        ids = (agent_names.PM, agent_names.id_of(agent))
        if agent not in ids or not agent_spelling.is_valid_name(agent):
            return f"agents.{name}: invalid agent id, use small letters, digits and -"
        for field, limit in (("document", MAX_MEMORY_BYTES), ("archive", MAX_DATED_BYTES)):
            if len(exported[field]) > limit:
                return f"agents.{agent}.{field}: larger than {limit:,} characters"
            try:  # lone surrogates stand for bytes that are not UTF-8
                exported[field].encode("utf-8", "surrogateescape")
            except UnicodeEncodeError:
                return f"agents.{agent}.{field}: a file cannot contain this text"
    return ""


# Import.


def import_agents(
    project: Project,
    store: Store,
    agents: ExportedAgents,
    write: bool = False,
) -> list[ImportResult]:
    """Merge the result of parse_export into the memories, as one change.

    Items beyond the limits move to the archive.
    Without `write` nothing is changed.  Raises InvalidExport before any change, and OSError.
    """

    def change(memory: AgentMemory) -> ImportResult:
        return _import(memory, agents[memory.agent])

    results = transaction.change_memories(project, store, agents, change, write=write)
    for agent, exported in agents.items() if write else ():
        with store.lock(agent):
            # Both add what they do not have yet.
            entries = dated_entries.parse_entries(exported["archive"])
            add_entries(store.files, store.archive_path(agent), entries)
            store.add_to_review(agent, exported["review"], format_utc(time.time()))
    return results


def _import(memory: AgentMemory, exported: dict[str, Any]) -> ImportResult:
    agent, store = memory.agent, memory.store
    before = memory.text if memory.snapshot else ""
    try:
        text = _merge(memory, exported)
    except preferences.InvalidPreference as error:
        raise InvalidExport(f"agents.{agent}.preferences: {error}") from None
    records = _replace_memory(memory, text, exported["history"])
    archived = [dated_entries.format_entry(*item) for item in memory.evicted]
    after = memory.text if memory.snapshot or memory.text != memory.before else ""
    difference = compare_texts(store.paths.relative(store.path(agent)), before, after)
    return ImportResult(agent, difference, archived, records, _count_new(store, agent, exported))


def _replace_memory(memory: AgentMemory, text: str, records: list[item_history.Record]) -> int:
    """Replace the text, within the limits, and add the records; return the number of new ones.

    The items that change are recorded, too.
    """
    present = set(map(item_history.key_of, memory.history.records))
    new = [
        {name: value for name, value in record.items() if name not in ("about", "packed")}
        | {"imported": memory.change_id}
        for record in records
        if item_history.key_of(record) not in present and record["kind"] not in RUN_KINDS
    ]
    past = memory.history
    memory.history = item_history.History([*past.records, *new], past.weights, past.origins)
    memory.records += new
    # An editor that has loaded this version knows all earlier records.
    memory.begin_version()
    # What the file says is not undone with the import.
    own_id = memory.change_id
    memory.change_id = agent_memory.make_hand_change_id(own_id, memory.agent)
    _record_items(memory, "returned", item_history.HAND_SOURCE)
    memory.change_id = own_id
    memory.set_document(markdown.parse_document(text), rights.IMPORT)
    _record_items(memory, "imported", item_history.IMPORT_SOURCE)
    return len(new)


def _record_items(memory: AgentMemory, kind: str, source: str) -> None:
    """Record how the items of the document differ from the history."""
    items = markdown.list_items(memory.document)
    loading.record_difference(memory, item_history.compare(memory.history, items), kind, source)


def _count_new(store: Store, agent: str, exported: dict[str, Any]) -> int:
    """Return the number of exported entries that archive and review do not have yet."""
    archives = (_read_archive(store, agent), exported["archive"])
    archived, entries = map(dated_entries.parse_entries, archives)
    waiting = {review_table.make_id(agent, entry) for entry in store.read_review(agent)}
    review = {review_table.make_id(agent, entry) for entry in exported["review"]}
    return len({*entries} - {*archived}) + len(review - waiting)


def _merge(memory: AgentMemory, exported: dict[str, Any]) -> str:
    """Return the union of both documents; free text that does not fit into it is archived.

    If a preference has two values, the memory keeps its value.  What a person removed here does
    not come back.
    """
    document = exported["document"]
    if not (memory.snapshot and document):
        return _add_preferences(memory, document or memory.text, exported)
    document = _drop_removed(memory, document.removeprefix(markdown_lines.BOM))
    for key in preferences.read_values(markdown.parse_document(memory.text)):
        document = preferences.remove(document, key)
    union = merge_versions.merge_documents(memory.text, _unindent(document))
    origin = dated_entries.format_file_origin(os.path.basename(memory.store.path(memory.agent)))
    archived = {item.whole for item in searching.list_archived(memory.store, memory.agent)}
    left = (dated_entries.normalize(text) for text in union.left if not text.startswith("# "))
    memory.evicted += [(origin, text) for text in left if text not in archived]
    return _add_preferences(memory, union.text, exported)


def _drop_removed(memory: AgentMemory, text: str) -> str:
    """Return a text without the items that a person has removed from the memory, or reworded."""
    document = markdown.parse_document(text)
    states = ((item, memory.history.find(item.text)) for item in document.items)
    removed = [item for item, state in states if state and state.is_withdrawn]
    return markdown.render_document(edits.remove_items(document, removed))


def _unindent(text: str) -> str:
    """Return a text whose paragraphs do not become a part of the item that they follow."""
    document = markdown.parse_document(text)
    kept = {at for item in document.items for at in range(item.line, item.end)}
    kept.update(document.verbatim)
    lines = (line if at in kept else line.lstrip(" ") for at, line in enumerate(document.lines))
    return "".join(lines)


def _add_preferences(memory: AgentMemory, text: str, exported: dict[str, Any]) -> str:
    """Add the exported preferences that the memory itself does not set."""
    own = markdown.parse_document(memory.text if memory.snapshot else "")
    for key, value in exported["preferences"].items():
        if preferences.find(own, key) is None:
            text = put_preference(text, key, value, memory.limits)
    return text
