"""Texts of memories that came by other means than hooks and commands: a pull, a script, an editor.

`arrivals.json` in the state has the stamps and digests of the memory files at the last look.  A
session that starts looks at the files with other stamps, unless only this machine wrote them, and
records texts without an origin as imported ones.
"""

from __future__ import annotations

import time

from memory_core.claude_code import agent_names
from memory_core.text import fastjson

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memory_core.memory.project import Project
    from memory_core.storage.store import FileSnapshot, Store

FILE = "arrivals.json"
MAX_BYTES = 2_000_000

# In the state, after a person has been told that the user-level memory is not given.
ASKED_FILE = "user-level-asked"

# Seconds: of more files, the others are looked at when the next session starts.
SECONDS = 2.0

NEW_TEXTS = (
    "agent-memory: {} in {} came from elsewhere (a clone, a pull, a script or an edit by hand)."
    "  To see what is new: agent-memory review --new (what may be poisoned: agent-memory review)"
)
NOT_ALLOWED = (
    "agent-memory: the agents of this project do not receive your user-level memory."
    "  If you want them to: agent-memory allow"
)


def format_notices(project: Project) -> list[str]:
    """Return what a person has to know when a session starts, each once; [] mostly."""
    counts, notices = look(project), []
    if counts:
        from memory_core.text.phrases import format_count

        items = format_count(sum(counts.values()), "item")
        notices.append(NEW_TEXTS.format(items, format_count(len(counts), "memory")))
    return notices + _ask_for_user_level(project)


def look(project: Project) -> dict[str, int]:
    """Record the texts that came from elsewhere since the last look; return numbers by agent."""
    store, state = project.store, project.paths.state
    files = store.files.scan(store.folder)
    now = {
        name: [status.st_size, status.st_mtime_ns, status.st_ino]
        for name, status in files
        if name.endswith(".md")
    }
    before = fastjson.load_object(state.read_text(FILE, MAX_BYTES))
    changed = sorted(name for name in now if before.get(name, [])[:-1] != now[name])
    if not changed:
        return {}
    is_older, until = not before and state.is_from_before(), time.monotonic() + SECONDS
    seen = {name: before[name] for name in now if name in before and name not in changed}
    counts: dict[str, int] = {}
    try:
        for name in changed:
            agent = agent_names.agent_of_file(name)
            if time.monotonic() > until:
                break
            digest = before.get(name, [""])[-1]
            if agent:
                counts[agent], digest = _record_new(project, store, agent, digest, is_older)
            seen[name] = [*now[name], digest]
        if is_older:
            state.allow_user_level(True)
        state.replace(FILE, fastjson.dumps(seen).encode(), durable=False)
    except OSError:
        return {}  # without a state nothing can be reported once
    return {agent: count for agent, count in counts.items() if count}


def _record_new(
    project: Project, store: Store, agent: str, before: str, is_older: bool
) -> tuple[int, str]:
    """Give an origin to the texts of an agent that have none.

    Returns the number of new ones, and the digest of the file; `before` is that of the last look.
    `is_older`: the memory was used here before origins were recorded, so nothing is new.
    """
    from memory_core.storage import local_changes
    from memory_core.text import digests

    snapshot = _read(store, agent)
    text = snapshot.text if snapshot else ""
    state, stem, digest = store.paths.state, store.stem(agent), digests.hash_text(text)
    if before and local_changes.is_continued(store.paths, stem, before, text):
        return 0, digest
    from memory_core.trust import ledger

    origins = ledger.read(state, stem)
    texts = [part for part in _split(text) if ledger.make_key(*part) not in origins]
    find_origin = _make_finder(project, store, agent) if texts and is_older else None
    ledger.add(
        state,
        stem,
        {
            ledger.make_key(*text): find_origin(text[0]) if find_origin else ledger.IMPORT
            for text in texts
        },
    )
    return 0 if is_older else len(texts), digest


def list_texts(store: Store, agent: str) -> list[tuple[str, str]]:
    """Return (text, nested lines) of the parts of a memory file; [] if it cannot be read."""
    snapshot = _read(store, agent)
    return _split(snapshot.text) if snapshot else []


def _read(store: Store, agent: str) -> FileSnapshot | None:
    try:
        return store.read(agent)
    except OSError:
        return None  # the doctor reports it


def _split(text: str) -> list[tuple[str, str]]:
    from memory_core.document import markdown
    from memory_core.selection import splitting

    return splitting.list_texts(markdown.parse_document(text))


def _make_finder(project: Project, store: Store, agent: str) -> Callable[[str], str]:
    """Return a function from a text to its origin, by the history and by what was done here."""
    from memory_core.history import item_history
    from memory_core.storage import local_changes
    from memory_core.trust import ledger

    history = item_history.History(store.history(agent).read(runs=False), project.weights)
    local = {*local_changes.list_changes(store.paths, store.stem(agent))}

    def find_origin(text: str) -> str:
        state = history.find(text)
        if state is None or state.source in (item_history.HAND_SOURCE, item_history.IMPORT_SOURCE):
            return ledger.IMPORT
        if state.source != item_history.PERSON_SOURCE:
            return ledger.AGENT
        return ledger.PERSON if state.added_by in local else ledger.IMPORT

    return find_origin


def _ask_for_user_level(project: Project) -> list[str]:
    """Return a notice if agents do not receive the user-level memory; only once."""
    state, is_off = project.paths.state, project.config["user_level"] == "off"
    if is_off or project.user_paths is None or project.gives_user_level():
        return []
    if state.is_file(ASKED_FILE) or not project.level(user=True).agents():
        return []
    try:
        state.replace(ASKED_FILE, b"", durable=False)
    except OSError:
        return []  # it would be said again and again
    return [NOT_ALLOWED]
