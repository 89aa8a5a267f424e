"""A memory as it was: changes taken back item by item, the last first.

What the history does not hold stays as it is now: prose, headings, the order that a
person gave the items.  Where an item was changed again by a change that is not taken
back, that later change stays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from memory_core.document import edits, markdown, reinsert, template
from memory_core.history import item_history
from memory_core.history.item_history import History, ItemState
from memory_core.text import similarity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.history.item_history import Record


class PriorItem(NamedTuple):
    """An item before a record: text, section, nested lines; `here` if it stood there."""

    text: str
    section: str
    nested: str
    is_present: bool


class UndoStep(NamedTuple):
    """What takes a record back.

    `now` is the text that has to stand in the document, "" where the item comes back;
    `then` is what it becomes, None where it goes.  `behind` is the text of the item that it
    stood behind.
    """

    record: Record
    now: str
    target: PriorItem | None
    behind: str = ""


def plan_steps(records: Iterable[Record], chosen: Callable[[Record], bool]) -> list[UndoStep]:
    """Return what takes the chosen records back, the last first, as it is to be done.

    `records` are all of one agent.  What a record that is not chosen has changed since
    is left as it is.
    """
    so_far, steps = History(), dict[str, list[tuple[int, UndoStep]]]()
    for number, record in enumerate(item_history.sort_records(records)):
        own, older = so_far.get(record["id"]), so_far.get(record.get("was") or "")
        if chosen(record):
            step = _step(record, so_far, _was(own), _was(older))
            steps.setdefault(record["id"], []).extend([(number, step)] if step else [])
        elif record["kind"] in (*item_history.ARRIVAL_KINDS, *item_history.DEPARTURE_KINDS):
            steps.pop(record["id"], None)
        if record["kind"] in item_history.ITEM_KINDS:  # what is undone tells of confidence only
            so_far.add([record])
    numbered = sorted(
        (pair for group in steps.values() for pair in group), key=lambda pair: -pair[0]
    )
    return [step for _number, step in numbered]


def find_superseded(
    records: Iterable[Record], chosen: Callable[[Record], bool]
) -> list[tuple[Record, str]]:
    """Return the chosen records that brought an item which is another one since, and its text.

    What has left since is not told.
    """
    brought: dict[str, tuple[Record, str]] = {}  # by the item's id since
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


def _was(state: ItemState | None) -> PriorItem | None:
    return PriorItem(state.text, state.section, state.nested, state.is_present) if state else None


def _step(
    record: Record, so_far: History, own: PriorItem | None, older: PriorItem | None
) -> UndoStep | None:
    kind = record["kind"]
    if kind in item_history.ARRIVAL_KINDS:
        then = own if own and own.is_present else older if older and older.is_present else None
        return UndoStep(record, record.get("text") or "", then)
    if kind in item_history.DEPARTURE_KINDS and own and own.is_present:
        behind = record.get("after") or ""
        neighbour = so_far.get(behind)
        nested, section = record.get("nested"), record.get("section")
        whole = own._replace(nested=nested or own.nested, section=section or own.section)
        return UndoStep(record, "", whole, neighbour.text if neighbour else behind)
    return None


def apply_step(text: str, step: UndoStep, limits: template.Limits) -> str:
    """Return a text with one step done; the same where a later change stands against it."""
    document = markdown.parse_document(text)
    try:
        if not step.now:
            return _with_item(document, step, limits)
        items = find_items(document, step.now)
        if not items:
            return text
        then = step.target
        if then is None or (then.text != step.now and find_items(document, then.text)):
            return markdown.render_document(edits.remove_items(document, items))
        return markdown.render_document(
            reinsert.replace_item(document, items[0], then.text, then.nested)
        )
    except ValueError:
        return text


def find_items(document: markdown.Document, text: str) -> list[markdown.Item]:
    """Return the items that say these words."""
    fold = similarity.normalize_text(text)
    return [item for item in document.items if similarity.normalize_text(item.text) == fold]


def _with_item(document: markdown.Document, step: UndoStep, limits: template.Limits) -> str:
    then = step.target
    if then is None or find_items(document, then.text):
        return markdown.render_document(document)
    whole = "\n".join([then.text, then.nested]) if then.nested else then.text
    after, _key = reinsert.insert_after(document, then.section, whole, step.behind, limits)
    return markdown.render_document(after)


def revert_to_time(text: str, records: Sequence[Record], time: str, limits: template.Limits) -> str:
    """Return the memory as its items were at a time, which is compared as records have it."""
    return _without(text, records, lambda record: record["time"] > time, limits)


def revert_change(
    text: str, records: Sequence[Record], change: str, limits: template.Limits
) -> str:
    """Return the memory without one change."""
    return _without(text, records, lambda record: item_history.change_of(record) == change, limits)


def _without(
    text: str, records: Sequence[Record], chosen: Callable[[Record], bool], limits: template.Limits
) -> str:
    for step in plan_steps(records, chosen):
        text = apply_step(text, step, limits)
    return text
