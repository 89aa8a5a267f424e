"""Items of agents that no run used for long move to the archive, if a person wants that."""

import time
from typing import Any

import pytest

from memory_core.history import item_history
from memory_core.memory import expiry
from memory_core.origin import ledger
from memory_core.storage.database import state_db
from memory_core.storage.store import Store
from support import histories
from support.calls import SESSION
from support.command_line import Person
from support.histories import DAY, ago
from support.runs import add_runs, make_run
from support.sandbox import Sandbox

OLD = "The lift is slow"


def make_record(kind: str, days: float, text: str = OLD, **fields: Any) -> item_history.Record:
    return item_history.make_record(kind, ago(days), text, section="Tips", **fields)


def remember(sandbox: Sandbox, agent: str, *records: item_history.Record) -> None:
    histories.remember(sandbox, agent, records, "Tips")
    ledger.add_origins(Store(sandbox.paths), agent, {}, records)


LEARNED, LATELY = (make_record("learned", days, run="a1", source="agent") for days in (40, 20))
AGAIN = make_record("reinforced", 20, run="a2", source="agent")
KEY = LEARNED["id"]

PINNED, CONFIRMED = (make_record(kind, 39, source="person") for kind in ("pinned", "confirmed"))
UNPINNED = make_record("unpinned", 38, source="person")
# The records of an item, whether it leaves, and runs that received it: days ago, what they used.
CASES: dict[str, tuple[list[item_history.Record], bool, list[tuple[int, str]]]] = {
    "learned long ago": ([LEARNED], True, []),
    "learned lately": ([LATELY], False, []),
    "reported again": ([LEARNED, AGAIN], False, []),
    "pinned": ([LEARNED, PINNED], False, []),
    "unpinned": ([LEARNED, PINNED, UNPINNED], True, []),
    "confirmed by a person": ([LEARNED, CONFIRMED], False, []),
    "a person's": ([make_record("learned", 40, source="person")], False, []),
    "written in the file": ([make_record("edited", 40, source="hand")], False, []),
    "used by a run": ([LEARNED], False, [(3, KEY)]),
    "used long ago": ([LEARNED], True, [(30, KEY)]),
    "only given to a run": ([LEARNED], True, [(3, "")]),
}


@pytest.mark.parametrize("name", CASES)
def test_tidy_archives_what_no_run_uses(person: Person, name: str) -> None:
    records, leaves, runs = CASES[name]
    remember(person.sandbox, "engineer", *records)
    for days, used in runs:
        time = make_record("learned", days)["time"]
        run = make_run("a2", time=time, given=f"beef {KEY}", used=used)
        add_runs(person.sandbox.paths, run)
    person.run("tidy", "--yes")
    assert OLD in person.sandbox.read_memory("engineer")  # off by default
    person.sandbox.configure("memory: {expire_after: 28d}\n")
    done = person.run("tidy", "--dry-run")
    assert (f"engineer: unused, would be archived: {OLD}\n" in done.stdout) is leaves
    assert OLD in person.sandbox.read_memory("engineer")
    done = person.run("tidy")
    assert (f"engineer: unused, archived: {OLD}\n" in done.stdout) is leaves
    assert (OLD not in person.sandbox.read_memory("engineer")) is leaves


def test_all_items_of_a_session_are_one_change(person: Person) -> None:
    person.sandbox.configure("memory: {expire_after: 4w}\n")
    other = make_record("learned", 50, "Ask Ann first", run="a1", source="agent")
    remember(person.sandbox, "engineer", LEARNED, other)
    remember(person.sandbox, "qa", LEARNED)
    person.sandbox.run_hook("session_start", SESSION)
    assert OLD not in person.sandbox.read_memory("engineer") + person.sandbox.read_memory("qa")
    shown = " ".join(person.run("status").stdout.split())
    assert "Expired: 3 items that no run used for 4w are archived" in shown
    expired = person.read_json("status")["expired"]
    assert expired["items"] == 3
    person.run("undo", expired["change"])
    assert OLD in person.sandbox.read_memory("engineer")
    assert OLD in person.sandbox.read_memory("qa")
    assert person.read_json("status")["expired"] is None
    person.run("tidy")  # they are as young as the undo
    assert OLD in person.sandbox.read_memory("qa")
    assert person.read_json("show", "qa", item_history.id_of(OLD))["source"] == "agent"


def test_a_session_looks_once_a_day(sandbox: Sandbox) -> None:
    sandbox.configure("memory: {expire_after: 28d}\n")
    sandbox.run_hook("session_start", SESSION)
    remember(sandbox, "engineer", LEARNED)
    sandbox.run_hook("session_start", SESSION)
    assert OLD in sandbox.read_memory("engineer")
    day_before = str(time.time() - 1.1 * DAY)
    state_db.write_note(sandbox.paths.state, expiry.NOTE, day_before)
    sandbox.run_hook("session_start", SESSION)
    assert OLD not in sandbox.read_memory("engineer")


@pytest.mark.parametrize(
    ("value", "days"),
    [("off", 0), ("28d", 28), ("4w", 28), ("1d", 1), ("'off'", 0), ("28D", 28), ("90 d", None)]
    + [(wrong, None) for wrong in ("0d", "28", "d", "-1d", "5h", "99999d", "true", "[]", "٣d")],
)
def test_durations_of_the_setting(person: Person, value: str, days: int | None) -> None:
    person.sandbox.configure(f"memory: {{expire_after: {value}}}\n")
    done = person.run("config", "check")
    assert (done.returncode == 0) is (days is not None), done.stdout
    shown = person.run("config", "get", "memory.expire_after").stdout.strip()
    assert (shown in ("off", '"off"')) is (not days)
