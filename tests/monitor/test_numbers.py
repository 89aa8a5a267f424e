"""The numbers of a project, from its histories, its memory files and its event log."""

from datetime import datetime, timezone

import pytest

from memory_core.curation import agent_status
from memory_core.history import item_history
from memory_core.memory.agent_memory import find_limits
from memory_core.monitor.numbers import Counts, Numbers
from memory_core.storage.store import Store
from support import events
from support.command_line import Person
from support.memory_files import pack_history
from support.runs import add_runs, make_run
from support.sandbox import Sandbox

TODAY = datetime.now(timezone.utc).date().isoformat()


def read_numbers(sandbox: Sandbox) -> Numbers:
    return Numbers(sandbox.open_project())


# --- a project that real hooks and commands made ---


def test_what_is_undone_does_not_count(person: Person) -> None:
    def count() -> tuple[int, int]:
        total = read_numbers(person.sandbox).total()
        return total.learned, total.removed

    for command, numbers in (
        (("add", "qa", "pattern", "Anchors are heavy"), (1, 0)),
        (("undo",), (0, 0)),
        (("redo",), (1, 0)),
        (("remove", "qa", "Anchors"), (1, 1)),
        (("undo",), (1, 0)),
    ):
        assert person.run(*command).returncode == 0, command
        assert count() == numbers, command


# --- deliveries and the history ---


def test_deliveries_are_counted_by_agent_and_day(sandbox: Sandbox) -> None:
    today, old = f"{TODAY}T00:00:00.000Z", "2020-01-01T00:00:00.000Z"
    verdicts = ["delivered", "doubled", "lost", None]
    runs = [
        make_run(f"r{at}", "done", today, arrived=verdict, prompt_tokens=100, hook_ms=at)
        for at, verdict in enumerate(verdicts)
    ]
    qa = {"agent": "qa", "arrived": "delivered", "arrived_by": "start"}
    late = f"{TODAY}T00:00:01.000Z"
    without_memory = make_run("r9", "done", today)
    add_runs(sandbox.paths, *runs, without_memory, make_run("r5", "done", late, **qa))
    add_runs(sandbox.paths, make_run("r6", "done", old, prompt_tokens=6, hook_ms=90))
    numbers = read_numbers(sandbox)
    total = numbers.total()
    assert (total.loaded, total.tokens, total.runs) == (5, 406, 7)
    assert (total.delivered, total.doubled, total.lost, total.checked) == (2, 1, 1, 4)
    assert numbers.measure_hooks(TODAY) == (1, 3, 4)
    assert numbers.measure_hooks("2099-01-01") == (None, None, 0)
    assert sum(day.loaded for day in numbers.by_day(7).values()) == 4
    assert numbers.runs.last_delivery == ("qa", "delivered", "start", late)
    assert numbers.total("qa").delivered == 1


@pytest.mark.parametrize("is_packed", [False, True])
def test_a_history_is_counted_without_doubles(sandbox: Sandbox, is_packed: bool) -> None:
    records = []
    for number, kind in enumerate(["learned", "approved", "reinforced", "confirmed", "removed"]):
        record = item_history.make_record(kind, f"{TODAY}T00:00:0{number}.000Z", f"Item {number}")
        records.append({**record, "change": f"c{number}", "seq": number})
    records.append({"time": f"{TODAY}T00:01:00.000Z", "kind": "undone", "id": "c4", "change": "u"})
    later = f"{TODAY}T00:02:00.000Z"
    records.append({"time": later, "kind": "task", "id": "1", "outcome": "failed"})  # older
    runs = [("r1", "done"), ("r2", "failed"), ("r2", "failed")]
    more = {"given": "1 2 3", "used": "2 9"}
    add_runs(sandbox.paths, *(make_run(*run, later, **more) for run in runs))
    Store(sandbox.paths).history("engineer").append([*records, records[0]])
    if is_packed:
        pack_history(sandbox.memories / "history" / "engineer.jsonl")
    with (sandbox.memories / "history" / "engineer.jsonl").open("a") as file:
        file.write('<<<<<<< HEAD\n{"time": 1}\n{"kind": "learned"\n')
    numbers = read_numbers(sandbox)
    expected = Counts(learned=2, confirmed=2, runs=2, failed=1, given=6, used=2)
    assert (numbers.agents(), numbers.total("engineer")) == (["engineer"], expected)


# --- the rest ---


def test_sizes_and_what_waits_follow_the_files(person: Person, sandbox: Sandbox) -> None:
    path = sandbox.write_memory("engineer", "Tests need redis", "Builds need Node 20")
    (row,) = agent_status.list_memories(read_numbers(sandbox))
    assert (row.agent, row.items, row.sections) == ("engineer", 2, 1)
    assert row.size == path.stat().st_size
    assert row.limit == find_limits(sandbox.open_project(), "engineer").size
    sandbox.configure("memory: {learning: ask}\n")
    sandbox.run_hook("subagent_stop", events.make_stop_event("a1", events.REPORT))
    sandbox.write_memory("qa", "One")
    sandbox.write_memory("PM", "Two", "Three")
    rows = agent_status.list_memories(read_numbers(sandbox))
    assert [(row.agent, row.review, row.items) for row in rows] == [
        *(("engineer", 1, 2), ("qa", 0, 1), ("PM", 0, 2))
    ]
    assert read_numbers(sandbox).agents() == ["engineer", "qa", "PM"]
    (sandbox.memories / "qa.md").unlink()
    numbers = read_numbers(sandbox)
    assert numbers.agents() == ["engineer", "PM"]
    assert numbers.total("nobody") == Counts()


def test_the_use_of_the_last_runs(person: Person) -> None:
    texts = ["Tests need redis", "Builds need Node", "Ask before you add a dependency"]
    person.run("add", "engineer", "guideline", "-", data="\n".join(texts).encode())
    redis, node, _ask = map(item_history.id_of, texts)
    for number in range(12):
        given = f"{redis} {node}" if number else item_history.id_of(texts[2])
        time = f"2099-11-20T08:{number:02}:00.000Z"
        add_runs(person.sandbox.paths, make_run(str(number), time=time, given=given, used=redis))
    (agent,) = person.read_json("status")["agents"]
    assert agent["recent"] == {"runs": 10, "given": 2, "used": 1, "never": texts[2:]}
    shown = person.run("status").stdout
    assert "2/1/1" in shown
    assert "engineer: 1 rule of yours was not given in the last 10 runs" in shown


def test_a_rule_that_is_newer_than_the_last_runs_is_not_missed(person: Person) -> None:
    person.run("add", "engineer", "guideline", "Tests need redis")
    add_runs(person.sandbox.paths, *(make_run(str(number)) for number in range(12)))
    assert "rule of yours" not in person.run("status").stdout
