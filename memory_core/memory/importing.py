"""Merge the text and the history of a memory that was exported by another project."""

from __future__ import annotations

from memory_core.document import markdown
from memory_core.history import item_history
from memory_core.history.item_history import IMPORT_SOURCE, Record
from memory_core.memory import agent_memory, reading
from memory_core.memory.agent_memory import AgentMemory, SectionText
from memory_core.storage.history_file import RUN_KINDS


def import_memory(
    memory: AgentMemory, text: str, records: list[Record], archived: list[SectionText]
) -> int:
    """Replace the text, within the limits, and add the records; return the number of new ones.

    The items that change are recorded, too.  `archived` are entries for the archive.
    """
    present = set(map(item_history.key_of, memory.history.records))
    new = [
        {name: value for name, value in record.items() if name != "about"}
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
    memory.set_document(markdown.parse_document(text))
    _record_items(memory, "imported", IMPORT_SOURCE)
    memory.evicted += archived
    return len(new)


def _record_items(memory: AgentMemory, kind: str, source: str) -> None:
    """Record how the items of the document differ from the history."""
    items = markdown.list_items(memory.document)
    reading.record_difference(memory, item_history.compare(memory.history, items), kind, source)
