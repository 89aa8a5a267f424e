"""Merge the text and the history of a memory that was exported by another project."""

from __future__ import annotations

from memory_core.document import markdown
from memory_core.history import item_history
from memory_core.history.item_history import IMPORT_SOURCE, ItemFields, Record
from memory_core.memory import agent_memory
from memory_core.memory.agent_memory import AgentMemory, SectionText, index_items
from memory_core.storage.config_yml import project_rules
from memory_core.storage.history_file import RUN_KINDS
from memory_core.text import similarity


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
    records, weights = [*memory.history.records, *new], project_rules.read_weights(memory.project)
    memory.history = item_history.History(records, weights, memory.history.origins)
    memory.records += new
    # An editor that has loaded this version knows all earlier records.
    memory.begin_version()
    before = index_items(memory.document)
    memory.set_document(markdown.parse_document(text))
    _record_present(memory, before)
    _record_difference(memory, before, index_items(memory.document))
    memory.evicted += archived
    return len(new)


def _record_present(memory: AgentMemory, present: dict[str, ItemFields]) -> None:
    """Record how the file differs from the imported history, so that undo does not revert it.

    These records are not part of the change.
    """
    source = {
        "source": item_history.HAND_SOURCE,
        "change": agent_memory.make_hand_change_id(memory.change_id, memory.agent),
    }
    for state in [state for state in memory.history if state.is_present]:
        if state.id not in present:
            fields = {"id": state.id, "section": state.section, "nested": state.nested}
            memory.record("removed", state.text, **source, **fields)
    for key, (text, section, nested) in present.items():
        item, fields = memory.history.get(key), {"section": section, "nested": nested}
        if item is None or not item.is_present:
            memory.record("returned", text, **source, **fields)
        elif (item.section, item.nested) != (section, nested):
            memory.record("edited", text, **source, **fields)


def _record_difference(
    memory: AgentMemory, before: dict[str, ItemFields], after: dict[str, ItemFields]
) -> None:
    """Record the items that the import added, reworded or removed."""
    source = {"source": IMPORT_SOURCE, "origin": IMPORT_SOURCE}
    gone = [fields[0] for key, fields in before.items() if key not in after]
    for key, (text, section, nested) in after.items():
        if key in before and before[key][1:] == (section, nested):
            continue
        twin = next((old for old in gone if similarity.is_same(old, text)), "")
        gone = [old for old in gone if old != twin]
        was = twin and item_history.id_of(twin)
        kind = "returned" if memory.history.get(key) else "imported"
        memory.record(kind, text, section=section, nested=nested, was=was, **source)
    for text in gone:
        _text, section, nested = before[item_history.id_of(text)]
        memory.record("archived", text, section=section, nested=nested, **source)
