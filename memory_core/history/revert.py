"""Undo changes item by item, the last one first.

Text that the history does not record stays: free text, headings, and the order of the items.
If a later change that is not undone changed an item again, that later change stays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from memory_core.document import block_reader, edits, markdown, reinsert, template
from memory_core.history import item_history
from memory_core.history.item_history import History, ItemState
from memory_core.text import similarity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.history.item_history import Record


class PriorItem(NamedTuple):
    """An item before a record: text, section, nested lines; whether it was in the memory."""

    text: str
    section: str
    nested: str
    is_present: bool


class UndoStep(NamedTuple):
    """The step that undoes a record.

    `now` is the present text of the item, "" if the step restores it; `target` is its earlier
    state, None if the step removes it.  `above` is the text of the item above it.
    """

    record: Record
    now: str
    target: PriorItem | None
    above: str = ""


def plan_steps(records: Iterable[Record], chosen: Callable[[Record], bool]) -> list[UndoStep]:
    """Return the steps that undo the chosen records, in the order of execution.

    `records` are all records of one agent.  Items that another record has changed since then are
    left out.
    """
    so_far, steps = History(), dict[str, list[tuple[int, UndoStep]]]()
    for number, record in enumerate(item_history.sort_records(records)):
        own, older = so_far.get(record["id"]), so_far.get(record.get("was") or "")
        if chosen(record):
            step = _step(record, so_far, _prior_item(own), _prior_item(older))
            steps.setdefault(record["id"], []).extend([(number, step)] if step else [])
        elif record["kind"] in (*item_history.ARRIVAL_KINDS, *item_history.DEPARTURE_KINDS):
            steps.pop(record["id"], None)
        if record["kind"] in item_history.ITEM_KINDS:  # `undone` only changes confidence
            so_far.add([record])
    numbered = sorted(
        (pair for group in steps.values() for pair in group), key=lambda pair: -pair[0]
    )
    return [step for _number, step in numbered]


def find_superseded(
    records: Iterable[Record], chosen: Callable[[Record], bool]
) -> list[tuple[Record, str]]:
    """Return the chosen records that added an item which was reworded since, and its new text.

    Items that were removed since are left out.
    """
    brought: dict[str, tuple[Record, str]] = {}  # by the present id of the item
    for record in item_history.sort_records(records):
        key, text = record["id"], record.get("text") or ""
        if record["kind"] in item_history.DEPARTURE_KINDS:
            brought.pop(key, None)
        elif record["kind"] in item_history.ARRIVAL_KINDS and chosen(record):
            brought[key] = record, ""
        elif record["kind"] in item_history.ARRIVAL_KINDS:
            before = [brought.pop(old) for old in (record.get("was"), key) if old in brought]
            brought.update((key, (chosen_record, text)) for chosen_record, _text in before)
    return [pair for pair in brought.values() if pair[1]]


def _prior_item(state: ItemState | None) -> PriorItem | None:
    return PriorItem(state.text, state.section, state.nested, state.is_present) if state else None


def _step(
    record: Record, so_far: History, own: PriorItem | None, older: PriorItem | None
) -> UndoStep | None:
    kind = record["kind"]
    if kind in item_history.ARRIVAL_KINDS:
        then = own if own and own.is_present else older if older and older.is_present else None
        return UndoStep(record, record.get("text") or "", then)
    if kind in item_history.DEPARTURE_KINDS and own and own.is_present:
        above = record.get("after") or ""
        neighbour = so_far.get(above)
        nested, section = record.get("nested"), record.get("section")
        whole = own._replace(nested=nested or own.nested, section=section or own.section)
        return UndoStep(record, "", whole, neighbour.text if neighbour else above)
    return None


def apply_step(text: str, step: UndoStep, limits: template.Limits) -> str:
    """Return a text with one step applied; the same text if a later change prevents it."""
    document, target = markdown.parse_document(text), step.target
    items = find_items(document, step.now) if step.now else []
    is_present = target is not None and bool(find_items(document, target.text))
    try:
        if step.now and not items:
            return text
        if target is None or (target.text != step.now and is_present):
            document = edits.remove_items(document, items)
        elif items:
            document = reinsert.replace_item(document, items[0], target.text, target.nested)
        else:
            whole = markdown.join_nested(target.text, target.nested)
            document, _text = reinsert.insert_after(
                document, target.section, whole, step.above, limits
            )
    except ValueError:
        return text
    return markdown.render_document(document)


def find_items(document: markdown.Document, text: str) -> list[block_reader.Item]:
    """Return the items with the same words as a text."""
    fold = similarity.normalize_text(text)
    return [item for item in document.items if similarity.normalize_text(item.text) == fold]


def revert_records(
    text: str, records: Sequence[Record], chosen: Callable[[Record], bool], limits: template.Limits
) -> str:
    """Return the memory text without the chosen records; later changes of their items stay."""
    for step in plan_steps(records, chosen):
        text = apply_step(text, step, limits)
    return text
