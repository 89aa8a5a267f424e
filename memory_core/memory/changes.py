"""Change the value of an agent's memory: learn, remove and replace items, and apply an edit."""

from __future__ import annotations

from memory_core.document import edits, markdown, merge_learnings, template
from memory_core.history import item_history
from memory_core.learning.extraction import Learning
from memory_core.memory.agent_memory import AgentMemory, ItemPositions, index_items, list_items
from memory_core.memory.reading import record_difference
from memory_core.storage import config_defaults
from memory_core.text import similarity

# Why a learning waits with this setting.
ASK_REASON = "learning: ask"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any

    from memory_core.document.markdown import Document
    from memory_core.document.merge_learnings import MergeResult
    from memory_core.history.item_history import Difference


def learn(
    memory: AgentMemory, rows: list[list[str]], kind: str = "learned", **source: Any
) -> MergeResult:
    """Merge learnings, given as [type, content] or [type, content, nested lines].

    `source` has their run, session and source.  New items get records of this kind, `learned` or
    `approved`.  With `learning: ask`, new learnings of agents are refused, so that they wait for a
    person.
    """
    mode = memory.project.config.learning_of(memory.agent)
    if mode == config_defaults.ASK and source.get("source") in item_history.AGENT_SOURCES:
        return _hold_back(memory, rows, source)
    _record_contradictions(memory, rows, source)
    learnings = [Learning(*row) for row in rows]
    by_person = source.get("source") in item_history.HUMAN_SOURCES
    merged = memory.merge_learnings(learnings, by_person)
    fields = {
        text: {"section": title, "nested": nested, **source}
        for text, title, nested in list_items(markdown.parse_document(merged.text))
    }
    types = {template.join_lines(learning.content): learning.type for learning in learnings}
    for text in merged.added:
        memory.record(kind, text, type=types[text], **fields.get(text, source))
    for old, text in merged.replaced:
        was = item_history.id_of(old)
        memory.record("merged", text, was=was, **fields.get(text, source))
    for text, _learning in merged.duplicates:
        memory.record("reinforced", text, **source)
    for text in merged.rivals.values():
        if not memory.history.is_persons(text):
            memory.record("contradicted", text, **source)
    return memory.take_merged(merged)


def _hold_back(memory: AgentMemory, rows: list[list[str]], source: dict[str, Any]) -> MergeResult:
    """Refuse learnings, except that those with the words of an item confirm it."""
    merged = merge_learnings.MergeResult(memory.text)
    present = index_items(memory.document)
    for learning in [Learning(*row) for row in rows]:
        item = present.get(item_history.id_of(learning.content))
        if item:
            memory.record("reinforced", item[0], **source)
            merged.duplicates.append((item[0], learning.content))
        else:
            merged.refused.append((learning, ASK_REASON))
    return merged


def _record_contradictions(
    memory: AgentMemory, rows: list[list[str]], source: dict[str, Any]
) -> None:
    """Record a contradiction of each item whose id a learning of type `mistake` names."""
    title = template.SECTION_TITLES["mistake"]
    words = {
        word.strip("\"'`()[]{}<>*_.,:;!?")
        for kind, content, *_nested in rows
        if template.section_of(kind) == title
        for word in content.casefold().split()
    }
    for text, _section, _nested in list_items(memory.document) if words else []:
        if item_history.id_of(text) in words:
            memory.record("contradicted", text, **source)


def remove_items(
    memory: AgentMemory,
    texts: Collection[str],
    kind: str,
    section: str | None = None,
    **source: str,
) -> list[str]:
    """Move the items with these texts to the archive; return the texts of the removed items.

    `kind` is the kind of the records, `removed` or `archived`.  If `section` is given, only items
    of the section with this title are removed.
    """
    document = memory.document
    normal_forms = set(map(similarity.normalize_text, texts))
    items = [
        item for item in document.items if similarity.normalize_text(item.text) in normal_forms
    ]
    titles = {item.line: part.title for part in document.sections for item in part.items}
    items = [item for item in items if section in (None, titles.get(item.line, ""))]
    if not items:
        return []
    positions = ItemPositions(document)
    for item in items:
        nested, title = markdown.read_nested(document, item), titles.get(item.line, "")
        memory.evicted.append((title, markdown.join_nested(item.text, nested)))
        above = positions.remove(item.text)
        memory.record(kind, item.text, section=title, nested=nested, after=above, **source)
    memory.set_document(edits.remove_items(document, items))
    return [item.text for item in items]


def replace_items(memory: AgentMemory, olds: list[str], new: str, **source: str) -> bool:
    """Replace the first of these items by a new text, and archive the others.

    Returns False, and changes nothing, if one of them is not in the memory word for word.
    Raises ValueError if the text does not fit into one line.
    """
    document = memory.document
    present = {fields[0]: fields for fields in list_items(document)}
    if not all(old in present for old in olds):
        return False
    old, new_id = olds[0], item_history.id_of(new)
    item = next(item for item in document.items if item.text == old)
    after = edits.replace_item(document, item, new)
    if item_history.id_of(old) != new_id:
        _text, section, nested = present[old]
        memory.evicted.append((section, old))
        was = item_history.id_of(old)
        memory.record("merged", new, section=section, nested=nested, was=was, **source)
    memory.set_document(after)
    others = [text for text in olds[1:] if item_history.id_of(text) != new_id]
    remove_items(memory, others, "archived", **source)
    return True


def apply_edit(memory: AgentMemory, document: Document, difference: Difference) -> None:
    """Replace the document by the user's edited version, and record the difference."""
    positions = ItemPositions(memory.document)
    gone, difference.gone = difference.gone, []
    for state in gone:
        above = positions.remove(state.text)
        fields = {"section": state.section, "nested": state.nested, "after": above}
        memory.record("removed", state.text, id=state.id, source="person", **fields)
    record_difference(memory, difference, "edited", "person")
    memory.set_document(document)
