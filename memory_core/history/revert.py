"""Undo changes item by item, the last one first.

Text that the history does not record stays: free text, headings, and the order of the items.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import copy
from itertools import groupby
from typing import NamedTuple

from memory_core.document import block_reader, edits, markdown, reinsert
from memory_core.document.markdown import Document
from memory_core.document.template import Limits
from memory_core.history import item_history
from memory_core.history.item_history import History, ItemState, Record
from memory_core.text import similarity


class UndoStep(NamedTuple):
    """The step that undoes a record.

    `now` is the present text of the item, "" if the step restores it; `target` is its earlier
    state, None if the step removes it.  `above` is the text of the item above it.
    """

    record: Record
    now: str
    target: ItemState | None
    above: str = ""

    @property
    def kind(self) -> str:
        if self.target is None:
            return "remove"
        return "replace" if self.now else "restore"


class UndoPlan(NamedTuple):
    """The steps that undo chosen records, in the order of execution.

    `superseded` are pairs of a chosen record and a later one that changed the same item again;
    there is no step for such an item.  `lost` are chosen records of which the history does not
    have the item before.
    """

    steps: list[UndoStep]
    superseded: list[tuple[Record, Record]]
    lost: list[Record]


def plan(records: Iterable[Record], chosen: Callable[[Record], bool]) -> UndoPlan:
    """Return how to undo the chosen records; `records` are all of one agent, in any order."""
    so_far, steps = History(), list[UndoStep]()
    superseded: dict[str, tuple[Record, Record]] = {}
    lost = []
    for record in item_history.sort_records(records):
        own, older = so_far.get(record["id"]), so_far.get(record.get("was") or "")
        if chosen(record):
            step = _step(record, so_far, own, older)
            steps += [step] if step else []
            lost += [record] if _is_lost(record, own or older) else []
        elif record["kind"] in (*item_history.ARRIVAL_KINDS, *item_history.DEPARTURE_KINDS):
            keys = (record["id"], record.get("was"))
            gone = [step for step in steps if step.record["id"] in keys]
            superseded |= {step.record["id"]: (step.record, record) for step in gone}
            steps = [step for step in steps if step not in gone]
        if record["kind"] in item_history.ITEM_KINDS:  # `undone` only changes confidence
            so_far.add([record])
    return UndoPlan(steps[::-1], list(superseded.values()), lost)


def _is_lost(record: Record, before: ItemState | None) -> bool:
    """Return whether a record changed an item that the history does not have."""
    is_change = record["kind"] in item_history.DEPARTURE_KINDS or record.get("was")
    return bool(is_change) and before is None


def _step(
    record: Record, so_far: History, own: ItemState | None, older: ItemState | None
) -> UndoStep | None:
    kind = record["kind"]
    if kind in item_history.ARRIVAL_KINDS:
        then = own if own and own.is_present else older if older and older.is_present else None
        return UndoStep(record, record.get("text") or "", copy(then))
    if kind in item_history.DEPARTURE_KINDS and own and own.is_present:
        above = record.get("after") or ""
        neighbour = so_far.get(above)
        whole = copy(own)
        whole.nested = record.get("nested") or own.nested
        whole.section = record.get("section") or own.section
        return UndoStep(record, "", whole, neighbour.text if neighbour else above)
    return None


def apply_steps(document: Document, steps: Sequence[UndoStep], limits: Limits) -> Document:
    """Return the document with these steps applied, except those that a later edit prevents.

    Limits are for the headings of new sections only.
    """
    for kind, group in groupby(steps, key=lambda step: step.kind):
        run = list(group)
        if kind == "remove":
            texts = {similarity.normalize_text(step.now) for step in run}
            document = edits.remove_items(document, _find_all(document, texts))
        elif kind == "restore":
            document = _restore(document, run, limits)
        else:
            for step in run:
                document = _replace(document, step)
    return document


def _find_all(document: Document, normal_forms: set[str]) -> list[block_reader.Item]:
    return [item for item in document.items if similarity.normalize_text(item.text) in normal_forms]


def _restore(document: Document, steps: list[UndoStep], limits: Limits) -> Document:
    """Insert the items that are not in the document."""
    present = {similarity.normalize_text(item.text) for item in document.items}
    for step in steps:
        target = step.target
        if target is None or similarity.normalize_text(target.text) in present:
            continue
        present.add(similarity.normalize_text(target.text))
        item = markdown.join_nested(target.text, target.nested)
        try:
            document, _text = reinsert.insert_item(
                document, target.section, item, limits, step.above
            )
        except ValueError:
            continue  # no line can hold it
    return document


def _replace(document: Document, step: UndoStep) -> Document:
    """Replace the present wording of an item by its earlier one, which stays if it is present."""
    target = step.target
    items = find_items(document, step.now)
    if target is None or not items:
        return document
    if target.text != step.now and find_items(document, target.text):
        is_same = similarity.normalize_text(target.text) == similarity.normalize_text(step.now)
        if not is_same:
            return edits.remove_items(document, items)
    try:
        return reinsert.replace_item(document, items[0], target.text, target.nested)
    except ValueError:
        return document


def find_items(document: Document, text: str) -> list[block_reader.Item]:
    """Return the items with the same words as a text."""
    return _find_all(document, {similarity.normalize_text(text)})


def revert_records(text: str, records: Sequence[Record], chosen: Callable[[Record], bool]) -> str:
    """Return the memory text without the chosen records; later changes of their items stay."""
    steps = plan(records, chosen).steps
    return markdown.render_document(apply_steps(markdown.parse_document(text), steps, Limits()))
