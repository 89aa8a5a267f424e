"""Find and remove unused files, orphaned memories, and items with low confidence.

Items move to the archive, and undo restores them.  The inbox is never changed.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

from memory_core.claude_code import agent_definitions, agent_names
from memory_core.curation import item_actions
from memory_core.curation.item_actions import RatedItem
from memory_core.document import dated_entries, markdown, preferences, template
from memory_core.files import file_actions
from memory_core.files.file_actions import STALE_SECONDS
from memory_core.files.safe_files import TEMPORARY, SafeFiles
from memory_core.memory import changes, transaction
from memory_core.memory.agent_memory import AgentMemory
from memory_core.storage import event_log, hook_files, paths
from memory_core.storage.database import run_table, state_db
from memory_core.storage.project import Project
from memory_core.storage.store import Store
from memory_core.text.times import FAR_FUTURE, format_utc

# A memory is unused after a month; sessions are resumed and branches checked out within days.
IDLE_SECONDS = 30 * 86400

# The doctor reads one week of the log; three months are enough for users.
LOG_MAX_AGE = 90 * 86400

INTERRUPTED_WRITE = "left by a write that was interrupted"
ENDED_SESSION = "of a session that ended long ago"

# An item starts at 0.5 and loses 0.2 for each contradiction: two bring it below this.
LOW_CONFIDENCE = 0.3


class UnusedFile(NamedTuple):
    """A file to remove, its size in bytes, the reason, and the files that it is one of."""

    path: str
    size: int
    reason: str
    files: SafeFiles


class OrphanMemory(NamedTuple):
    """The memory of an agent without a definition, with the time of its last use (UTC)."""

    agent: str
    path: str
    text: str
    items: list[str]
    last: str


class UnusedData(NamedTuple):
    """Files and memories that can be removed, or that are.

    `failed` has the reasons by the path or agent.
    """

    files: list[UnusedFile]
    orphans: list[OrphanMemory]
    failed: dict[str, str]


class PruneResult(NamedTuple):
    """One agent's items to archive."""

    agent: str
    items: list[RatedItem]


def find_unused(project: Project, store: Store) -> UnusedData:
    """Return removable files and memories of one level; changes nothing.  Raises OSError."""
    return UnusedData(list(_find_leftovers(store)), list(_find_orphans(project, store)), {})


# Files.


def _find_leftovers(store: Store) -> Iterator[UnusedFile]:
    """Find the files of interrupted writes and of old sessions, and the old log."""
    state = store.paths.state
    for kind in ("", "archive", "history"):
        folder = os.path.join(store.folder, kind) if kind else store.folder
        for name in store.files.list_names(folder):
            if name.endswith(TEMPORARY):
                path = os.path.join(folder, name)
                yield from _check_age(store.files, path, STALE_SECONDS, INTERRUPTED_WRITE)
    for path in hook_files.list_outdated(store.paths):
        is_temporary = not path.startswith(("receipts/", "runs/", "done/"))
        yield from _check_age(state, path, 0, INTERRUPTED_WRITE if is_temporary else ENDED_SESSION)
    for name in (event_log.OLD_FILE, "events.2.jsonl"):  # the second one is of older versions
        yield from _check_age(state, name, LOG_MAX_AGE, "a log that nobody reads")


def _check_age(files: SafeFiles, path: str, age: float, reason: str) -> Iterator[UnusedFile]:
    """Yield a file if it exists and was last written at least `age` seconds ago."""
    try:
        status = files.status(path)
    except OSError:
        return
    if status and (not age or time.time() - status.st_mtime >= age):
        yield UnusedFile(files.locate(path), status.st_size, reason, files)


# Orphaned memories.


def _find_orphans(project: Project, store: Store) -> Iterator[OrphanMemory]:
    """Yield the memories of agents that are defined nowhere and were not used for long.

    There are none if agents may be defined in a place that cannot be read: at the user's level any
    project may define them, and without a home folder the user's own agents are unknown.
    """
    home = paths.find_user_level(project.environ)
    if home is None or not os.path.isdir(home.root) or home.root == store.paths.root:
        return
    catalog = agent_definitions.AgentCatalog(project.paths.root, project.environ)
    agents = [agent for agent in store.agents() if agent != agent_names.PM]
    agents = [agent for agent in agents if not catalog.has(agent)]
    if catalog.unread or not agents:
        return
    days = state_db.read(store.paths.state, run_table.list_days)
    last_days = {row["agent"]: row["day"] for row in sorted(days, key=lambda row: row["day"])}
    for agent in agents:
        with suppress(OSError):
            if orphan := _read_orphan(project, store, agent, last_days.get(agent, "")):
                yield orphan


def _read_orphan(project: Project, store: Store, agent: str, last_run: str) -> OrphanMemory | None:
    """Return the memory of an undefined agent, None if it may still be needed; raises OSError."""
    snapshot = store.read(agent)
    if snapshot is None:
        return None
    text, document = snapshot.text, markdown.parse_document(snapshot.text)
    history = store.history(agent).read()
    now = time.time()
    changed = format_utc(min(snapshot.changed, now))
    times = [last_run, changed, *(str(record["time"]) for record in history)]
    last = max(moment for moment in times if moment <= format_utc(now))
    names = (*project.config["agent_overrides"], *project.config["include"])
    is_needed = (
        last >= format_utc(now - IDLE_SECONDS)
        or agent_names.id_of(agent) in map(agent_names.id_of, names)
        or store.stem(agent) in hook_files.list_agents(store.paths)
        or len(store.list_files(agent)) > 1
    )
    is_ours = markdown.read_update_time(document) or history
    # Free text has no history, so it could not be restored.
    is_prose = not document.items and not has_only_header(text)
    if is_needed or not is_ours or is_prose:
        return None
    texts = [item.text for item in document.items if item.text]
    return OrphanMemory(agent, store.paths.relative(snapshot.path), text, texts, last)


def has_only_header(text: str) -> bool:
    """Say whether a memory has only its header and the default headings."""
    document = markdown.parse_document(text)
    own: set[int | None] = {one.line for one in document.headings[:1] if one.rank == 1}
    own |= {part.line for part in document.sections if template.is_known(part.title)}
    names = (template.LIMITS_COMMENT, markdown.UPDATED_COMMENT)
    own |= {markdown.find_comment(document, name) for name in names}
    return not document.items and all(
        at in own or line.strip() in ("", markdown.EMPTY_COMMENT)
        for at, line in enumerate(document.lines)
    )


# Removing.


def remove_unused(project: Project, store: Store, unused: UnusedData) -> UnusedData:
    """Remove the files and memories that find_unused returned, unless they were used meanwhile.

    Raises OSError if a memory is locked, or cannot be read or written.  Finished removals are in
    the history, and the next search finds the remaining files.
    """
    result = UnusedData([], [], {})
    orphans = {orphan.agent: orphan for orphan in unused.orphans}

    def change(memory: AgentMemory) -> bool:
        orphan = orphans[memory.agent]
        is_same = memory.snapshot is not None and memory.snapshot.text == orphan.text
        if is_same:
            _archive_all(memory)
        return is_same

    # Temporary files come first, because writing a memory would remove them unreported.
    transaction.check_unlocked(store, orphans)
    for file in unused.files:
        _remove(file, result)
    removed = transaction.change_memories(project, store, orphans, change)
    for orphan, is_removed in zip(orphans.values(), removed, strict=True):
        if is_removed:
            result.orphans.append(orphan)
        else:
            result.failed[orphan.agent] = "it was changed just now"
    ended = [file.path for file in result.files if file.reason == ENDED_SESSION]
    for folder in set(map(os.path.dirname, ended)):
        file_actions.remove_folder(store.paths.state, folder)  # stays if it has newer files
    return result


def archive_memories(project: Project, store: Store, agents: Sequence[str]) -> None:
    """Move all items and the free text of memories to the archive, and remove the files.

    It is one change.
    """
    transaction.change_memories(project, store, agents, _archive_all)


def _archive_all(memory: AgentMemory) -> None:
    texts = [item.text for item in memory.document.items if item.text]
    changes.remove_items(memory, texts, "archived", source="person")
    if not has_only_header(memory.text):
        name = os.path.basename(memory.store.path(memory.agent))
        lines = filter(str.strip, memory.text.splitlines())
        memory.evicted.append((dated_entries.format_file_origin(name), "\n".join(lines)))
    memory.is_removed = True


def _remove(file: UnusedFile, result: UnusedData) -> None:
    try:
        file.files.delete(file.path)
    except FileNotFoundError:
        pass  # another process removed it
    except OSError as error:
        result.failed[file.path] = error.strerror or str(error)
    else:
        result.files.append(file)


# Items with low confidence.


def prune_items(
    project: Project,
    store: Store,
    agents: Sequence[str],
    older_than: int,
    below: float = LOW_CONFIDENCE,
    write: bool = False,
) -> list[PruneResult]:
    """Archive items with a confidence below `below`, last used `older_than` seconds ago.

    An item is used when a run reports it again or the user confirms it; otherwise its creation time
    counts.  Preferences and items without a history are kept.  All of it is one change; without
    `write` nothing is changed.
    """
    # Times in a history may be some seconds ahead of the clock, so 0 must match any age.
    until = format_utc(time.time() - older_than) if older_than else FAR_FUTURE

    def archive_weak(memory: AgentMemory) -> PruneResult:
        weak = [
            item
            for item in item_actions.list_items(memory)
            if item.used < until and item.confidence < below
            if not preferences.is_title(item.section)
        ]
        texts = [item.text for item in weak]
        changes.remove_items(memory, texts, "archived", source="person")
        return PruneResult(memory.agent, weak)

    results = transaction.change_memories(project, store, agents, archive_weak, write=write)
    return [result for result in results if result.items]
