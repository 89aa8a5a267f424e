"""What the history knows of each item: which items the agent receives with every task."""

from typing import Any

from memory_core.history import item_history
from memory_core.selection import item_notes
from support.tables import for_each

FACT = "Run `make db` before the tests"
BUGS = {
    "a1": "Payments are charged twice: retry in src/pay.py",
    "a2": "The login page shows no captcha on mobile phones",
    "a3": "Invoices leave with yesterday's exchange rates",
    "a4": "Charged payments are retried in src/pay.py again",
}


def make_report(run: str, day: int) -> item_history.Record:
    kind = "learned" if day == 1 else "reinforced"
    return make_record(kind, day, run=run, section="Tests")


def make_record(kind: str, day: int, **fields: Any) -> item_history.Record:
    time = f"2026-11-{day:02}T08:00:00.000Z"
    return item_history.make_record(kind, time, FACT, change=f"c{day}", **fields)


def report(*runs: str) -> list[item_history.Record]:
    return [make_report(run, day) for day, run in enumerate(runs, 1)]


ONE, THREE = report("a1"), report("a1", "a2", "a3")
PIN, UNPIN = make_record("pinned", 8), make_record("unpinned", 9)
UNDO = make_record("undone", 10, source="person", id="c9")
PINNED = {
    "one run": (ONE, False),
    "three runs of different subjects": (THREE, True),
    "two of three runs had one subject": (report("a1", "a2", "a4"), False),
    "one run three times": (report("a1", "a1", "a1"), False),
    "a person pinned it": ([*ONE, PIN], True),
    "and unpinned it": ([*ONE, PIN, UNPIN], False),
    "a person unpinned what three runs pin": ([*THREE, UNPIN], False),
    "and took that back": ([*THREE, UNPIN, UNDO], True),
    "pinning was undone": ([*ONE, make_record("pinned", 9), UNDO], False),
}


@for_each("name", PINNED)
def test_items_of_many_subjects_and_of_the_user_are_pinned(name: str) -> None:
    records, expected = PINNED[name]
    history = item_history.History(records)
    notes = item_notes.list_notes(history, BUGS)
    assert notes[FACT].is_pinned is expected


def test_a_new_wording_stays_pinned() -> None:
    records = [*report("a1"), make_record("pinned", 2)]
    old = records[0]["id"]
    history = item_history.History(records)
    merged = item_history.make_record(
        "merged", "2026-11-03T08:00:00.000Z", f"{FACT} and lint", was=old, run="a2"
    )
    history.add([merged])
    assert item_notes.list_notes(history)[f"{FACT} and lint"].is_pinned
