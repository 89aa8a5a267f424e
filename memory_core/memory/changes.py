"""Change the value of an agent's memory: learn, remove, insert and merge items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from memory_core.claude_code.agent_names import PM
from memory_core.document import edits, markdown, merge_learnings, template
from memory_core.document.block_reader import Item, ItemFields
from memory_core.document.merge_learnings import Learning, MergeResult
from memory_core.history import item_history, rights
from memory_core.history.item_history import ItemState
from memory_core.memory.agent_memory import AgentMemory, index_items
from memory_core.origin import text_origins
from memory_core.secrets import scanner
from memory_core.storage.config_yml import default_settings
from memory_core.text import similarity

# Why a learning waits with this setting, and why one is dropped.
ASK_REASON = "learning: ask"
REJECTED_REASON = "a person rejected it before"
REMOVED_REASON = "a person removed or changed it before"
WRONG_REASON = "reported as wrong"
STILL_GIVEN = "; agents still receive it"
STAYS = "; it stays in the file, but agents do not receive it"
TAINTED_REASON = "the run read from outside"
MCP_REASON = "an MCP client wrote it"

# So many runs on this machine, which read nothing from outside, withdraw an item of an agent.
WITHDRAWING_RUNS = 2


class Lesson(NamedTuple):
    """What one run teaches: learnings, and their source.

    `source` has the run, session and source, and `reading` if the run read from outside; such a run
    is tainted.  What a tainted run, an import or MCP teaches is from outside.  `wrong` has the
    reasons by the ids of items that the run reported as wrong, and `about` says what it was about.
    """

    learnings: Sequence[Learning]
    source: dict[str, Any]
    wrong: Mapping[str, str] = {}
    about: str = ""

    @property
    def is_persons(self) -> bool:
        return self.source.get("source") in item_history.HUMAN_SOURCES


def learn(memory: AgentMemory, lesson: Lesson, kind: str = "learned") -> MergeResult:
    """Merge the learnings of a lesson; the records of new items get this kind.

    It is `learned` or `approved`.  Learnings of agents that are rejected or cannot be merged wait
    for a person, except those that a person has rejected before.  With `learning: ask`, new ones
    wait as well.
    """
    source = lesson.source
    origin = rights.find_run_origin(source.get("source", ""), source.get("reading", ()))
    memory.is_outside = not rights.rank_of(origin)
    judged = _judge(memory, lesson)
    new = (one for one in judged if not one.reason)
    age_of = partial(memory.history.age_of, is_outside=memory.is_outside)
    # Limits apply to agents only.
    rules = merge_learnings.Rules(age_of, memory.history.weights.agent, lesson.is_persons)
    merged = merge_learnings.merge_learnings(
        memory.text, new, memory.limits, memory.now, memory.agent, rules
    )
    merged.refused = [one for one in judged if one.reason] + merged.refused
    _record_outcomes(memory, merged, source, kind)
    for one in [] if lesson.is_persons else merged.refused:
        if not _is_decided(memory, one):
            memory.hold(one, merged.rivals.get(one.content, ""), **source)
    memory.take_merged(merged)
    _take_wrong(memory, lesson)
    return merged


def _is_decided(memory: AgentMemory, learning: Learning) -> bool:
    """Return whether a person has rejected the learning, or has it in the memory as it is."""
    state = memory.history.find(learning.content)
    is_accepted = state is not None and state.is_present and state.is_persons
    return is_accepted or memory.history.is_rejected(learning.content)


def _record_outcomes(
    memory: AgentMemory, merged: MergeResult, source: dict[str, Any], kind: str
) -> None:
    """Record what became of each learning, with the source of its lesson."""
    fields = {
        item.text: {"section": item.section, "nested": item.nested}
        for item in markdown.parse_document(merged.text).items
    }

    record = memory.record
    for text, type_name in merged.added.items():
        record(kind, text, type=type_name, **fields.get(text, {}), **source)
    for old, text in merged.replaced:
        record("merged", text, was=item_history.id_of(old), **fields.get(text, {}), **source)
    for text, _ in merged.duplicates:
        record("reinforced", text, **source)
    for learning in merged.refused:
        rival = merged.rivals.get(learning.content, "")
        if rival and not memory.history.is_persons(rival):
            record("contradicted", rival, **source)


def _judge(memory: AgentMemory, lesson: Lesson) -> list[Learning]:
    """Return the learnings without secrets; those that must not be merged have a reason."""
    waits = "" if lesson.is_persons else _find_waiting_reason(memory, lesson)
    origins = text_origins.read_origins(memory.store, memory.agent)
    judged = []
    for learning in lesson.learnings:
        clean = Learning(*map(scanner.redact, learning))
        reason = clean.reason or (scanner.REASON if clean != learning else "")
        if not (reason or lesson.is_persons):
            origin = origins.find(clean.content, clean.nested)
            reason = _find_refusal(memory, clean, origin, waits)
        judged.append(clean._replace(reason=reason))
    return judged


def _find_waiting_reason(memory: AgentMemory, lesson: Lesson) -> str:
    """Return why all new learnings of an agent's report wait for a person, "" for most."""
    config = memory.project.config
    if config.learning_of(memory.agent) == default_settings.ASK:
        return ASK_REASON
    if lesson.source.get("reading") and (config["hold_tainted"] or config["hold_outside"]):
        return TAINTED_REASON
    is_closed = memory.agent == PM or config["hold_outside"]
    is_mcp = lesson.source.get("source") == item_history.MCP_SOURCE
    return MCP_REASON if is_mcp and is_closed else ""


def _find_refusal(memory: AgentMemory, learning: Learning, origin: str, waits: str) -> str:
    """Return why a learning of an agent is not merged, "" if it is; `waits`: why any new one."""
    state, text = memory.history.find(learning.content), f"{learning.content}\n{learning.nested}"
    if memory.history.is_rejected(learning.content):
        return REJECTED_REASON
    reason = "" if origin in rights.DECIDED else text_origins.find_reason(text, memory.is_outside)
    if reason:
        return reason
    if state and state.is_present:
        return ""
    if state and state.is_doubted:
        return WRONG_REASON
    is_there = merge_learnings.find_duplicate(memory.document.items, learning.content) is not None
    return REMOVED_REASON if state and state.is_withdrawn and not is_there else waits


def _take_wrong(memory: AgentMemory, lesson: Lesson) -> None:
    """Record which items a run reported as wrong, and move them to the archive if that is enough.

    A person decides on them.  An item that only a person may withdraw is still delivered until
    then.  Another one stays in the file with `learning: ask`, and is not delivered.
    """
    must_ask = memory.project.config.learning_of(memory.agent) == default_settings.ASK
    for key, reason in lesson.wrong.items():
        state = memory.history.get(key)
        if state is None:
            continue
        if state.is_doubted or not state.is_present or not _is_enough(memory, state, lesson):
            memory.record("contradicted", state.text, **lesson.source)
            continue
        why = f"{WRONG_REASON}: {reason}" if reason else WRONG_REASON
        if state.is_persons:
            why += STILL_GIVEN
        elif must_ask:
            why += STAYS
        kind = template.type_of(state.section)
        entry = memory.hold(Learning(kind, state.text, state.nested, why))
        memory.record("contradicted", state.text, waiting=entry, **lesson.source)
        if not (state.is_persons or must_ask):
            remove_items(memory, [state.text], "archived", **lesson.source)


def _is_enough(memory: AgentMemory, state: ItemState, lesson: Lesson) -> bool:
    """Return whether a person is asked about an item that this run, too, reported as wrong.

    Any run is enough for a person's item, and for one from outside.
    """
    if state.is_persons or not state.rank[0]:
        return True
    runs = state.doubting_runs | {lesson.source.get("run", "")}
    return not memory.is_outside and len(runs) >= WITHDRAWING_RUNS


def remove_items(
    memory: AgentMemory, texts: Collection[str], kind: str, **source: Any
) -> list[str]:
    """Move the items with these texts to the archive; return the texts of the removed items.

    `kind` is the kind of the records, `removed` or `archived`.
    """
    document = memory.document
    normal_forms = set(map(similarity.normalize_text, texts))
    items = [
        item for item in document.items if similarity.normalize_text(item.text) in normal_forms
    ]
    for item in items:
        memory.evicted.append((item.section, markdown.join_nested(item.text, item.nested)))
        memory.record(kind, item.text, section=item.section, nested=item.nested, **source)
    memory.set_document(edits.remove_items(document, items))
    return [item.text for item in items]


def restore_item(memory: AgentMemory, section: str, text: str) -> str:
    """Insert a text with its nested lines again; return the title of its section.

    Raises ValueError if the memory cannot hold the text.
    """
    after = merge_learnings.insert_entry(memory.document, section, text, memory.limits)
    item = index_items(after)[item_history.id_of(text.partition("\n")[0])]
    memory.set_document(after)
    source = item_history.PERSON_SOURCE
    memory.record("restored", item.text, section=item.section, nested=item.nested, source=source)
    return item.section


def merge_items(memory: AgentMemory, olds: Sequence[ItemFields], new: str) -> None:
    """Archive all of these items except the first one, which gets the new text and their history.

    All of them are in the memory.  Raises ValueError if the text does not fit into one line.
    """
    first, key, wanted = olds[0], item_history.id_of(new), Counter(olds[1:])
    others = list[Item]()
    for item in reversed(memory.document.items):  # of equal items the first one stays
        old = ItemFields(item.text, item.section, item.nested)
        if wanted[old]:
            wanted[old] -= 1
            others.insert(0, item)
    document = edits.remove_items(memory.document, others)
    if new != first.text:
        item = next(one for one in document.items if (one.text, one.section, one.nested) == first)
        document = edits.replace_item(document, item, new)
    if item_history.id_of(first.text) != key:
        memory.evicted.append((first.section, first.text))
    by = {"source": item_history.PERSON_SOURCE}
    for item in others:
        memory.evicted.append((item.section, markdown.join_nested(item.text, item.nested)))
        if item_history.id_of(item.text) != key:  # else it is one item in the history
            memory.record("archived", item.text, section=item.section, nested=item.nested, **by)
    merged = first._replace(text=new)._asdict()
    for was in dict.fromkeys(item_history.id_of(old.text) for old in olds):
        if was != key:
            memory.record("merged", **merged, was=was, **by)
    memory.set_document(document)
