"""A memory as it was: changes taken back item by item, the last first.

What the history does not hold stays as it is now: prose, headings, the order that a
person gave the items.  Where an item was changed again by a change that is not taken
back, that later change stays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from memory_core import edits, insertion, markdown, merge, past, similarity
from memory_core.past import Known, Past

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_core.past import Record


class Was(NamedTuple):
    """An item before a record: text, section, nested lines; `here` if it stood there."""

    text: str
    section: str
    nested: str
    here: bool


class Step(NamedTuple):
    """What takes a record back.

    `now` is the text that has to stand in the document, "" where the item comes back;
    `then` is what it becomes, None where it goes.  `behind` is the text of the item that it
    stood behind.
    """

    record: Record
    now: str
    then: Was | None
    behind: str = ""


def steps(records: Iterable[Record], chosen: Callable[[Record], bool]) -> list[Step]:
    """Return what takes the chosen records back, the last first, as it is to be done.

    `records` are all of one agent.  What a record that is not chosen has changed since
    is left as it is.
    """
    so_far, found = Past(), dict[str, list[tuple[int, Step]]]()
    for number, record in enumerate(past.ordered(records)):
        own, older = so_far.get(record["id"]), so_far.get(record.get("was") or "")
        if chosen(record):
            step = _step(record, so_far, _was(own), _was(older))
            found.setdefault(record["id"], []).extend([(number, step)] if step else [])
        elif record["kind"] in (*past.ARRIVALS, *past.DEPARTURES):
            found.pop(record["id"], None)
        if record["kind"] in past.OF_ITEMS:  # what is undone tells of confidence only
            so_far.add([record])
    numbered = sorted(
        (each for group in found.values() for each in group), key=lambda each: -each[0]
    )
    return [step for _number, step in numbered]


def overtaken(
    records: Iterable[Record], chosen: Callable[[Record], bool]
) -> list[tuple[Record, str]]:
    """Return the chosen records that brought an item which is another one since, and its text.

    What has left since is not told.
    """
    found: dict[str, tuple[Record, str]] = {}  # by the item's id since
    for record in past.ordered(records):
        key, text = record["id"], record.get("text") or ""
        if record["kind"] in past.DEPARTURES:
            found.pop(key, None)
        elif record["kind"] in past.ARRIVALS and chosen(record):
            found[key] = record, ""
        elif record["kind"] in past.ARRIVALS:
            before = [found.pop(each) for each in (record.get("was"), key) if each in found]
            found.update((key, (each, text)) for each, _text in before)
    return [pair for pair in found.values() if pair[1]]


def _was(known: Known | None) -> Was | None:
    return Was(known.text, known.section, known.nested, known.here) if known else None


def _step(record: Record, so_far: Past, own: Was | None, older: Was | None) -> Step | None:
    kind = record["kind"]
    if kind in past.ARRIVALS:
        then = own if own and own.here else older if older and older.here else None
        return Step(record, record.get("text") or "", then)
    if kind in past.DEPARTURES and own and own.here:
        behind = record.get("after") or ""
        known = so_far.get(behind)
        nested, section = record.get("nested"), record.get("section")
        whole = own._replace(nested=nested or own.nested, section=section or own.section)
        return Step(record, "", whole, known.text if known else behind)
    return None


def done(text: str, step: Step, limits: merge.Limits) -> str:
    """Return a text with one step done; the same where a later change stands against it."""
    document = markdown.parse(text)
    try:
        if not step.now:
            return _with_item(document, step, limits)
        found = standing(document, step.now)
        if not found:
            return text
        then = step.then
        if then is None or (then.text != step.now and standing(document, then.text)):
            return markdown.render(edits.remove_items(document, found))
        return markdown.render(insertion.swapped(document, found[0], then.text, then.nested))
    except ValueError:
        return text


def standing(document: markdown.Document, text: str) -> list[markdown.Item]:
    """Return the items that say these words."""
    fold = similarity.fold(text)
    return [item for item in document.items if similarity.fold(item.text) == fold]


def _with_item(document: markdown.Document, step: Step, limits: merge.Limits) -> str:
    then = step.then
    if then is None or standing(document, then.text):
        return markdown.render(document)
    whole = "\n".join([then.text, then.nested]) if then.nested else then.text
    after, _key = insertion.put(document, then.section, whole, step.behind, limits)
    return markdown.render(after)


def at(text: str, records: Sequence[Record], time: str, limits: merge.Limits) -> str:
    """Return the memory as its items were at a time, which is compared as records have it."""
    return _without(text, records, lambda record: record["time"] > time, limits)


def before(text: str, records: Sequence[Record], change: str, limits: merge.Limits) -> str:
    """Return the memory without one change."""
    return _without(text, records, lambda record: past.change_of(record) == change, limits)


def _without(
    text: str, records: Sequence[Record], chosen: Callable[[Record], bool], limits: merge.Limits
) -> str:
    for step in steps(records, chosen):
        text = done(text, step, limits)
    return text
