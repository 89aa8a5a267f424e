"""Read an agent's memory, including hand edits of the file since the last write.

The history is compared with the file.  A missing item was either removed by the user, or it was
learned after the version that the user's editor had loaded; then it is added again.
"""

from __future__ import annotations

import os
import time

from memory_core.claude_code import agent_spelling
from memory_core.document import (
    dated_entries,
    markdown,
    merge_learnings,
    merge_versions,
    template,
)
from memory_core.document.block_reader import ItemFields
from memory_core.history import item_history
from memory_core.history.item_history import Difference, place_of
from memory_core.memory import agent_memory
from memory_core.memory.agent_memory import AgentMemory
from memory_core.origin import text_origins
from memory_core.storage.database import change_table
from memory_core.storage.paths import NOWHERE
from memory_core.storage.project import Project
from memory_core.storage.store import Store
from memory_core.text.times import format_utc

Place = tuple[int, str, str, float]


# Maximum number of seconds that an editor may have had a file open that had no header yet.
DAY_SECONDS = 86400

# Places of records in a history, as item_history.place_of returns them.
FIRST_PLACE = (-1, "", "", 0.0)
LAST_PLACE = (1 << 62, "", "", 0.0)


def read_memory(
    project: Project, agent: str, store: Store | None = None, change_id: str = ""
) -> AgentMemory:
    """Return an agent's memory as a value; nothing is written, and no lock is needed.

    Its records are the hand edits that the history does not have yet.  Items that the user's
    editor had not loaded are added to the text again.  Both sides of git's conflicts are kept.
    `change_id` is the id of the following change, by default a new one.  Raises OSError.
    """
    store = store or project.store
    snapshot = store.read(agent)
    history = text_origins.read_history(project, store, agent)
    memory = AgentMemory(project, agent, store, snapshot, history)
    document = memory.document
    if document.markers:
        document = _solve_conflicts(memory)
    memory.header_time = markdown.read_update_time(document).replace(" ", "T")
    memory.begin_version()
    if not snapshot:
        name = agent_spelling.format_title(agent)
        memory.text = memory.before = template.render_new(
            name, project.name, memory.limits, memory.now
        )
    change_id = change_id or agent_memory.make_change_id(agent)
    memory.change_id = agent_memory.make_hand_change_id(change_id, agent, snapshot)
    _take_hand_edits(memory, document)
    memory.begin_change(change_id)
    return memory


def _find_place(memory: AgentMemory, items: list[ItemFields]) -> Place:
    """Return the place in the history of the version that the user's editor had loaded.

    The time in the header names that version.
    """
    if not memory.snapshot:
        return LAST_PLACE
    if not memory.header_time:
        since = format_utc(time.time() - DAY_SECONDS)
        may_be_old = item_history.is_before_first_write(memory.history, items, since)
        return FIRST_PLACE if may_be_old else LAST_PLACE
    records = memory.history.records
    places = [place_of(item) for item in records if item["time"][:19] == memory.header_time]
    # A time that nobody has recorded: an item too many does less harm than a lost one.
    return max(places, default=FIRST_PLACE)


def _list_unseen(memory: AgentMemory, place: Place) -> list[str]:
    """Return the changes made here since the version that the user's editor had loaded.

    A recorded version that was not written here came with git, which had merged all changes of
    this machine into it.
    """
    paths, stem = memory.store.paths, memory.store.stem(memory.agent)
    if place == LAST_PLACE:
        return []
    if paths.state.root.startswith(NOWHERE):
        records = memory.history.records
        return [item_history.change_of(record) for record in records if place_of(record) > place]
    return change_table.list_later(paths, stem, memory.header_time, or_all=place == FIRST_PLACE)


def _solve_conflicts(memory: AgentMemory) -> markdown.Document:
    """Resolve git's conflicts so that the items of both sides stay."""
    solved = merge_versions.merge_sides(memory.text)
    memory.text = solved.text
    path = memory.store.path(memory.agent)
    origin = dated_entries.format_file_origin(os.path.basename(path))
    memory.evicted += [(origin, text) for text in solved.left]
    return memory.document


def _take_hand_edits(memory: AgentMemory, document: markdown.Document) -> None:
    """Record hand edits, and add items that the user's editor had not loaded."""
    is_first = not list(memory.history)
    items = markdown.list_items(document)
    place = _find_place(memory, items)
    difference = item_history.compare(memory.history, items, lambda: _list_unseen(memory, place))
    if later := [state for state in difference.gone if state.place > place]:
        # Changes that came from elsewhere while an editor was open: their items may be unwanted.
        own = change_table.list_changes(memory.store.paths, memory.store.stem(memory.agent))
        memory.evicted += [
            (state.section, state.text) for state in later if state.added_by not in own
        ]
    if difference.missed:
        _check_version(memory, difference)
    # The header shows that agent-memory wrote the file; its history was lost later.
    kind = "imported" if is_first and memory.header_time else "edited"
    record_difference(memory, difference, kind, item_history.HAND_SOURCE)
    for state in difference.missed:
        entry, document = markdown.join_nested(state.text, state.nested), memory.document
        try:
            after = merge_learnings.insert_entry(document, state.section, entry, memory.limits)
        except ValueError:
            memory.evicted.append((state.section, entry))
            continue
        text = markdown.render_document(after)
        memory.text = template.update_header(text, memory.limits, memory.now, memory.agent)


def _check_version(memory: AgentMemory, difference: Difference) -> None:
    """Do not add missing items if the text equals a version of the history.

    Such a text was written by a killed process, or git checked it out.
    """
    stem = memory.store.stem(memory.agent)
    version = change_table.identify(memory.store.paths, stem, memory.before)
    if version == change_table.LAST:
        difference.gone = []  # the inbox still has the report of the killed writer
    elif version == change_table.OLD:
        difference.gone += difference.missed
        memory.evicted += [(state.section, state.text) for state in difference.missed]
    if version != change_table.NEW:
        difference.missed = []


def record_difference(memory: AgentMemory, difference: Difference, new: str, source: str) -> None:
    """Record hand edits; `new` is the kind of the records for new items."""
    for state in difference.gone:
        fields = {"id": state.id, "section": state.section, "nested": state.nested}
        memory.record("removed", state.text, source=source, **fields)
    for text, section, nested in difference.returned:
        memory.record("returned", text, section=section, nested=nested, source=source)
    for text, section, nested, was in difference.new:
        memory.record(new, text, section=section, nested=nested, source=source, was=was)
