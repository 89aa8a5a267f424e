"""Find and remove what is no longer needed: unused files, orphaned memories, weak items.

Items move to the archive, and undo brings them back.  The spool is never touched.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from memory_core.claude_code import agent_definitions, agent_names
from memory_core.curation import item_actions, lookup
from memory_core.curation.item_actions import RatedItem
from memory_core.document import edits, markdown, preferences, template
from memory_core.history import item_history
from memory_core.memory import agent_memory, changes, transaction
from memory_core.memory.agent_memory import AgentMemory
from memory_core.memory.project import Project
from memory_core.memory.reading import read_memory
from memory_core.storage import event_log, history_file, paths, run_records, spool
from memory_core.storage.file_io import STALE_SECONDS, sync_folder
from memory_core.storage.store import Lock, LockTimeout, Store

# A memory is unused after a month: sessions are resumed and branches checked out within days.
IDLE_SECONDS = 30 * 86400

# The doctor reads a week of the log; a quarter of a year is enough for people.
LOG_MAX_AGE = 90 * 86400

# A file with more white space than this at its start was not written by agent-memory.
MAX_BLANK_BYTES = 4096

# Folders with one file for each agent, and the ending of these files.
AGENT_FOLDERS = {"archive": ".md", "quarantine": ".md", "history": ".jsonl"}
STATE_FOLDERS = {"versions": "", "errors": "", "locks": ".lock"}

INTERRUPTED_WRITE = "left by a write that was interrupted"
ENDED_SESSION = "of a session that ended long ago"

# An item starts at 0.5 and loses 0.2 for each contradiction: two bring it below this.
LOW_CONFIDENCE = 0.3


class UnusedFile(NamedTuple):
    """A file to remove, its size in bytes and the reason.

    `stem` names the agent whose lock the removal needs, "" for none.
    """

    path: str
    size: int
    reason: str
    stem: str = ""


class OrphanMemory(NamedTuple):
    """The memory of an agent that is defined nowhere, with the time of its last use (UTC).

    `is_bare` says whether only a header remains without the items.
    """

    agent: str
    path: str
    text: str
    items: list[str]
    last: str
    is_bare: bool


class SkippedCleanup(NamedTuple):
    """A file or memory that is kept although it looks unused, and the reason."""

    what: str
    reason: str


class UnusedData(NamedTuple):
    """The result of a search: what can be removed, and what is kept."""

    files: list[UnusedFile]
    orphans: list[OrphanMemory]
    skipped: list[SkippedCleanup]


class CleanResult(NamedTuple):
    """Removed files, emptied memories, agents whose memory file was removed, and failures."""

    files: list[UnusedFile]
    orphans: list[OrphanMemory]
    gone: list[str]
    failed: list[SkippedCleanup]


class PruneResult(NamedTuple):
    """The items that leave one agent's memory, and for each the time of its last use."""

    agent: str
    items: list[RatedItem]
    used: list[str]


def find_unused(
    project: Project,
    store: Store,
    environ: Mapping[str, str],
    progress: transaction.ProgressWrapper = iter,
) -> UnusedData:
    """Return what can be removed at one level; nothing is changed.  Raises OSError."""
    files = [*_find_temporary_files(store), *_find_session_files(store.place)]
    old_log = os.path.join(store.place.logs, event_log.OLD_FILE_NAME)
    files += _check_age(old_log, LOG_MAX_AGE, "a log that nobody reads")
    if os.path.isdir(store.folder):  # it may be on a disk that is not mounted now
        files += _find_agent_files(store)
    orphans, skipped = _find_orphans(project, store, environ, progress)
    return UnusedData(files, orphans, skipped)


# Files.


def find_interrupted_writes(store: Store) -> list[UnusedFile]:
    """Return the temporary files of killed processes.  Raises OSError."""
    files = (*_find_temporary_files(store), *_find_session_files(store.place))
    return [file for file in files if file.reason == INTERRUPTED_WRITE]


def _find_temporary_files(store: Store) -> Iterator[UnusedFile]:
    """Find files named .NAME.PID, which a killed process left next to the file NAME."""
    errors = os.path.join(store.place.state, "errors")
    folders = [os.path.join(store.folder, kind) for kind in AGENT_FOLDERS]
    for folder in [store.folder, *folders, errors]:
        for name in _list_names(folder):
            target, _dot, pid = name[1:].rpartition(".")
            is_own = folder == errors or target.endswith((".md", ".jsonl", ".gitattributes"))
            if name.startswith(".") and pid.isdecimal() and is_own:
                yield from _check_age(os.path.join(folder, name), STALE_SECONDS, INTERRUPTED_WRITE)


def _find_session_files(place: paths.LevelPaths) -> Iterator[UnusedFile]:
    spool_folder = os.path.join(place.state, "spool", "")
    for path in run_records.list_outdated(place):
        is_temporary = os.path.dirname(path) == place.state or path.startswith(spool_folder)
        yield from _check_age(path, 0, INTERRUPTED_WRITE if is_temporary else ENDED_SESSION)
    if not run_records.are_prompts_lost(place):
        route = os.path.join(place.state, "route.json")
        yield from _check_age(route, run_records.ROUTE_LIFE, "of a delivery that failed long ago")


def _find_agent_files(store: Store) -> Iterator[UnusedFile]:
    """Find the files of agents that have nothing else."""
    used = _list_used_stems(store)
    for kind, ending in AGENT_FOLDERS.items():
        for path, stem in _list_agent_files(store, os.path.join(store.folder, kind), ending):
            if stem not in used:
                yield from _check_age(path, 0, "empty", stem)
    for kind, ending in STATE_FOLDERS.items():
        age = 0 if kind == "locks" else IDLE_SECONDS
        for path, stem in _list_agent_files(store, os.path.join(store.place.state, kind), ending):
            if stem not in used:
                yield from _check_age(path, age, "of an agent that has nothing here", stem)


def _check_age(path: str, age: float, reason: str, stem: str = "") -> Iterator[UnusedFile]:
    """Yield a file if it exists and was last written at least `age` seconds ago."""
    try:
        status = os.lstat(path)
    except OSError:
        return
    if not age or time.time() - status.st_mtime >= age:
        yield UnusedFile(path, status.st_size, reason, stem)


def _list_used_stems(store: Store) -> set[str]:
    """Return the stems of agents with a memory, an entry in another file, or spooled learnings."""
    stems = {store.stem(agent) for agent in store.agents()}
    stems |= {stem for _path, stem in _list_agent_files(store, store.folder, ".md")}
    for kind, ending in AGENT_FOLDERS.items():
        files = _list_agent_files(store, os.path.join(store.folder, kind), ending)
        stems |= {stem for path, stem in files if not _is_blank(path)}
    folder = os.path.join(store.place.state, "spool")
    return stems | {stem for stem in _list_names(folder) if _list_names(os.path.join(folder, stem))}


def _list_agent_files(store: Store, folder: str, ending: str) -> Iterator[tuple[str, str]]:
    """Yield (path, stem of the agent) of the files of a folder with this ending."""
    for name in _list_names(folder):
        if name.endswith(ending) and not name.startswith("."):
            stem = name[: len(name) - len(ending)]
            agent = lookup.agent_of_file(f"{stem}.md")
            yield os.path.join(folder, name), store.stem(agent) if agent else stem


def _is_blank(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return not file.read(MAX_BLANK_BYTES).strip() and not file.read(1)
    except (FileNotFoundError, IsADirectoryError):
        return False  # leave dangling links alone: agent-memory never creates any


def _list_names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return []


# Orphaned memories.


def _find_orphans(
    project: Project,
    store: Store,
    environ: Mapping[str, str],
    progress: transaction.ProgressWrapper,
) -> tuple[list[OrphanMemory], list[SkippedCleanup]]:
    """Judge the memories of agents that are defined nowhere."""

    def keep_all(agents: list[str], reason: str) -> tuple[list[OrphanMemory], list[SkippedCleanup]]:
        return [], [SkippedCleanup("every memory", reason)] if agents else []

    home = paths.find_user_level(environ)
    agents = [agent for agent in store.agents() if agent != agent_names.PM]
    if home and home.root == store.place.root:
        return keep_all(agents, "any project may define its agent")
    if home is None or not os.path.isdir(home.root):
        return keep_all(agents, "without a home folder your own agents are unknown")
    catalog = agent_definitions.AgentCatalog(project.place.root, environ)
    undefined = [agent for agent in agents if not catalog.has(agent)]
    if catalog.unread:
        error = catalog.unread[0]
        path = store.place.relative(str(error.filename))
        return keep_all(
            undefined, f"agents may be defined in {path}, which cannot be read: {_format(error)}"
        )
    last_events: dict[str, str] = {}
    for event in event_log.read(store.place) if undefined else ():
        agent, when = str(event.get("agent_id")), str(event.get("timestamp") or "")
        last_events[agent] = max(last_events.get(agent, ""), when)
    verdicts = [
        _judge(project, store, agent, last_events.get(agent, "")) for agent in progress(undefined)
    ]
    orphans = [verdict for verdict in verdicts if isinstance(verdict, OrphanMemory)]
    return orphans, [verdict for verdict in verdicts if isinstance(verdict, SkippedCleanup)]


def _format(error: OSError) -> str:
    return error.strerror or str(error)


def _judge(
    project: Project, store: Store, agent: str, last_event: str
) -> OrphanMemory | SkippedCleanup:
    """Say whether the memory of an undefined agent can go, or why it is kept."""
    try:
        snapshot = store.read(agent)
        if snapshot is None:
            return SkippedCleanup(agent, "its file is a dangling link")
        last = _find_last_use(store, agent, last_event)
    except OSError as error:
        return SkippedCleanup(agent, _format(error))
    text, document = snapshot.text, markdown.parse_document(snapshot.text)
    reason = _find_reason(project, store, agent, last)
    if not reason and not (
        template.read_update_time(document) or history_file.read(store.history(agent))
    ):
        reason = "agent-memory never wrote to it"
    if not reason and not document.items and not has_only_header(text):
        reason = "it has no items, only free text, which has no history"
    if reason:
        return SkippedCleanup(agent, reason)
    items = [item for item in document.items if item.text]
    bare = markdown.render_document(edits.remove_items(document, items))
    path, texts = store.place.relative(snapshot.path), [item.text for item in items]
    return OrphanMemory(agent, path, text, texts, last, has_only_header(bare))


def _find_reason(project: Project, store: Store, agent: str, last: str) -> str:
    """Return why a memory is kept whatever it contains, or ""."""
    names = (*project.config["agent_overrides"], *project.config["include"])
    if last >= event_log.format_utc(time.time() - IDLE_SECONDS):
        return f"it is defined nowhere, but was used on {last[:10]}"
    if any(agent_names.is_same(name, agent) for name in names):
        return "it is defined nowhere, but config.yml names it"
    if spool.read_entries(store.place, store.stem(agent)):
        return "it has spooled learnings: run agent-memory sweep"
    if len(store.files(agent)) > 1:
        return f"it has several files: run agent-memory migrate {agent}"
    return "its file is a link" if os.path.islink(store.path(agent)) else ""


def _find_last_use(store: Store, agent: str, last_event: str) -> str:
    """Return when an agent last ran, learned, or was edited by hand."""
    now = time.time()
    # A later time comes from a wrong clock.
    until = event_log.format_utc(now + agent_memory.MAX_CLOCK_LEAD)
    times = [str(record["time"]) for record in history_file.read(store.history(agent))]
    changed = event_log.format_utc(min(os.stat(store.path(agent)).st_mtime, now))
    return max(moment for moment in [*times, last_event, changed] if moment <= until)


def has_only_header(text: str) -> bool:
    """Say whether a memory has only its header and the default headings."""
    document = markdown.parse_document(text)
    default = {markdown.normalize_title(title) for title in (*template.TITLE_ORDER, "preferences")}
    lines = list(document.lines)
    spans = [(part.line, part.body) for part in document.headings if part.level == 1][:1]
    spans += [
        (part.line, part.body)
        for part in document.sections
        if markdown.normalize_title(part.title) in default
    ]
    for begin, end in spans:
        lines[begin:end] = [""] * (end - begin)
    for name in (template.LIMITS_COMMENT, template.UPDATED_COMMENT):
        at = edits.find_comment(document, name)
        if at is not None:
            lines[at] = ""
    return not any(line.strip() not in ("", markdown.EMPTY_COMMENT) for line in lines)


# Removing.


def remove_unused(
    project: Project, store: Store, unused: UnusedData, progress: transaction.ProgressWrapper = iter
) -> CleanResult:
    """Remove the result of find_unused, except what was used in the meantime.

    Raises OSError if a memory is locked, or cannot be read or written.  What is done by
    then is in the history, and the next search finds the rest.
    """
    result = CleanResult([], [], [], [])
    change_id = agent_memory.make_change_id("clean")
    transaction.check_unlocked(store, [orphan.agent for orphan in unused.orphans])
    # Temporary files first: a write of a memory would remove them without a report.
    for file in unused.files:
        if not file.stem:
            _remove(file, result)
    for orphan in progress(unused.orphans):
        _remove_orphan(project, store, orphan, change_id, result)
    for stem in dict.fromkeys(file.stem for file in unused.files if file.stem):
        files = [file for file in unused.files if file.stem == stem]
        _remove_agent_files(store, stem, files, result)
    ended = [file.path for file in result.files if file.reason == ENDED_SESSION]
    for folder in set(map(os.path.dirname, ended)):
        try:
            os.rmdir(folder)
        except OSError:
            pass  # it still has younger files
    return result


def _remove_orphan(
    project: Project, store: Store, orphan: OrphanMemory, change_id: str, result: CleanResult
) -> None:
    """Move all items to the archive, and remove the file if it has no other text."""

    def change(memory: AgentMemory) -> bool:
        is_same = memory.snapshot is not None and memory.snapshot.text == orphan.text
        if is_same:
            changes.remove_items(memory, orphan.items, "archived", source="person")
        return is_same

    if not transaction.change_memory(project, orphan.agent, change, store, change_id):
        result.failed.append(SkippedCleanup(orphan.agent, "it was changed just now"))
        return
    result.orphans.append(orphan)
    with store.lock(orphan.agent):
        snapshot = store.read(orphan.agent)
        if snapshot and has_only_header(snapshot.text):
            os.unlink(snapshot.path)
            sync_folder(store.folder)
            result.gone.append(orphan.agent)


def _remove(file: UnusedFile, result: CleanResult) -> None:
    try:
        os.unlink(file.path)
    except FileNotFoundError:
        pass  # another process removed it
    except OSError as error:
        result.failed.append(SkippedCleanup(file.path, _format(error)))
    else:
        result.files.append(file)


def _remove_agent_files(
    store: Store, stem: str, files: list[UnusedFile], result: CleanResult
) -> None:
    """Remove files of an agent under its lock, and the lock file last.

    A process that waits for the lock notices that the file is another one, and tries again.
    """
    path = os.path.join(store.place.make_folder("state", "locks"), f"{stem}.lock")
    try:
        with Lock(path, 0.0):
            if stem in _list_used_stems(store):
                return
            for file in files:
                if file.path != path:
                    _remove(file, result)
            locks = [file for file in files if file.path == path]
            if locks:
                _remove(locks[0], result)
            else:
                os.unlink(path)  # this lock created it
    except LockTimeout:
        result.failed.append(SkippedCleanup(path, "another process is using it"))


# Weak items.


def prune_items(
    project: Project,
    store: Store,
    agents: Sequence[str],
    older_than: int,
    below: float = LOW_CONFIDENCE,
    write: bool = False,
    progress: transaction.ProgressWrapper = iter,
) -> list[PruneResult]:
    """Archive items with a confidence lower than `below`, last used `older_than` seconds ago.

    An item is used when a run reports it again or a person confirms it; otherwise the time
    when it was added counts.  Preferences and items without a history are kept.  All of it
    is one change; without `write` nothing is changed.
    """
    # Times in a history may be some seconds ahead of the clock, so 0 means any age.
    until = item_history.FAR_FUTURE
    if older_than:
        until = event_log.format_utc(time.time() - older_than)

    def find_weak(memory: AgentMemory) -> PruneResult:
        weak = PruneResult(memory.agent, [], [])
        for item in item_actions.list_items(memory):
            state = memory.history.get(item.id)
            if state is None or preferences.is_title(item.section):
                continue
            if state.used < until and state.confidence < below:
                weak.items.append(item)
                weak.used.append(state.used)
        return weak

    def change(memory: AgentMemory) -> PruneResult:
        weak = find_weak(memory)
        texts = [item.text for item in weak.items]
        changes.remove_items(memory, texts, "archived", source="person")
        return weak

    results = [find_weak(read_memory(project, agent, store)) for agent in progress(agents)]
    results = [result for result in results if result.items]
    if not write:
        return results
    change_id = agent_memory.make_change_id("prune")
    transaction.check_unlocked(store, [result.agent for result in results])
    return [
        transaction.change_memory(project, result.agent, change, store, change_id)
        for result in progress(results)
    ]
