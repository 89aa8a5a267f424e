"""The numbers of a project equal those that simple code counts from its raw files."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import fields
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from memory_core.history import item_history, performance
from memory_core.monitor.counts import Counts
from memory_core.monitor.numbers import Numbers
from memory_core.storage import event_log
from memory_core.storage.config_yml import project_rules
from memory_core.storage.project import Project, find_project
from memory_core.storage.store import Store
from support import events, life, traps
from support.command_line import Person
from support.recount import Key, recount_history, recount_log
from support.sandbox import Sandbox

NAMES = [item.name for item in fields(Counts) if item.name != "durations"]
TODAY = datetime.now(timezone.utc).replace(hour=12, minute=0)


def list_numbers(numbers: Numbers) -> Counter[Key]:
    """Return all numbers above 0 by agent, day and name."""
    found: Counter[Key] = Counter()
    days = (
        (agent, *day)
        for tallies in numbers.list_tallies()
        for agent in tallies.agents()
        for day in tallies.items(agent)
    )
    for agent, day, counts in days:
        for name in NAMES:
            if getattr(counts, name):
                found[agent, day, name] += getattr(counts, name)
    return found


def list_times(numbers: Numbers) -> list[int]:
    times = numbers.total().durations or {}
    return sorted(time for time, count in times.items() for _hook in range(count))


def recount(sandbox: Sandbox) -> tuple[Counter[Key], list[int]]:
    counts, times = recount_log(sandbox.state)
    for path in (sandbox.memories / "history").glob("*.jsonl"):
        counts += recount_history(path, path.stem)
    return counts, times


def project_of(sandbox: Sandbox) -> Project:
    return find_project(str(sandbox.root), sandbox.env)


def read_numbers(sandbox: Sandbox) -> Numbers:
    return Numbers(project_of(sandbox))


def check(numbers: Numbers, sandbox: Sandbox) -> Counts:
    """Compare all numbers, and the sums of the views; return the total."""
    counts, times = recount(sandbox)
    assert list_numbers(numbers) == counts
    assert list_times(numbers) == times
    total = numbers.total()
    for name in NAMES:
        assert getattr(total, name) == sum(
            count for (_agent, _day, number), count in counts.items() if number == name
        )
        days = (TODAY - timedelta(days=ago) for ago in range(7))
        recent = {day.date().isoformat() for day in days}
        week = sum(c for (_, day, number), c in counts.items() if number == name and day in recent)
        assert getattr(numbers.by_week(2)[-1].counts, name) == week
        assert sum(getattr(bucket.counts, name) for bucket in numbers.by_day(7)) == week
    if times:
        hooks = total.hook_time
        assert hooks.hooks == len(times)
        assert hooks.p50_ms == times[-(-len(times) // 2) - 1]
        assert hooks.p95_ms == times[-(-len(times) * 95 // 100) - 1]
    return total


# --- a project that real hooks and commands made ---


def test_a_life_of_a_project(person: Person) -> None:
    sandbox = person.sandbox
    life.settle(sandbox)
    for step in life.live(sandbox.root, "alpha"):
        left_out = {"skill", "task", "note", "background", "launch", "hand-back"}
        if step.door != "mcp" and not left_out & set(step.name.split()):
            assert traps.run_step(step, sandbox).status == 0
    for command in ("confirm engineer Invoices", "remove engineer Crane", "remove PM log", "undo"):
        assert person.run(*command.split()).returncode == 0, command
    facts = {fact.split()[0]: fact for fact in life.state_facts("alpha")}
    block = events.REPORT.replace(events.LEARNED, facts["Customs"])
    used = f"Used: {item_history.id_of(facts['Invoices'])}"
    run_delegation(sandbox, "b1", f"{block}\n{used}\n")
    session = {"hook_event_name": "SessionStart", "session_id": "s9", "source": "startup"}
    sandbox.run_hook("session_start", session)
    person.run("add", "engineer", "pattern", "Anchors are heavy")  # also saves what waits
    total = check(read_numbers(sandbox), sandbox)
    assert total.learned >= 5
    assert total.runs >= 3
    assert total.failed == 1
    assert min(total.delivered, total.loaded, total.sessions, total.removed, total.used) >= 1
    assert total.confirmed >= 2
    status = person.read_json("status")
    use = {"runs": total.loaded, "tokens": total.tokens_per_run}
    assert status["use"] == {**use, "given": total.given, "used": total.used}
    weeks = zip(*(agent["trend"] for agent in status["agents"]), strict=True)
    assert [sum(week) for week in weeks] == [0] * 7 + [total.learned]


def test_what_is_undone_does_not_count(person: Person) -> None:
    def count() -> tuple[int, int]:
        total = check(read_numbers(person.sandbox), person.sandbox)
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


def run_delegation(sandbox: Sandbox, run: str, report: str) -> None:
    """Run an agent in the foreground, as Claude Code does."""
    outcome = sandbox.run_hook("pre_tool_use", events.make_pre_event(run))
    prompt = outcome.reply["updatedInput"]["prompt"]
    sandbox.run_hook("subagent_start", events.make_start_event(run))
    sandbox.run_hook("subagent_stop", events.make_stop_event(run, report))
    sandbox.run_hook("post_tool_use", events.make_post_event(prompt, report, run, run))


# --- any log ---


def make_event(chance: random.Random) -> dict[str, Any]:
    """Return an event of this version, an older or another one."""
    when = TODAY - timedelta(days=chance.randrange(20), milliseconds=chance.randrange(10**6))
    last = ["loaded"] * 4 + [*["delivered", "doubled", "lost", "learned", "error", "used"]]
    event: dict[str, Any] = {
        "event": f"agent.memory.{chance.choice(last)}",
        "timestamp": when.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "agent_id": chance.choice(["engineer", "qa", "PM", "café"]),
        "memory_size": chance.randrange(4000),
        "tokens_estimated": chance.randrange(900),
        "duration_ms": chance.randrange(80),
        "route": "prompt",
    }
    if chance.random() < 0.1:
        event |= {"event": chance.choice(["hook.slow", "hook.error", "task.memory.begun", ""])}
    for _change in range(chance.choice([0, 0, 1, 2])):
        name = chance.choice([*event, "new"])
        if chance.random() < 0.5:
            event.pop(name, None)
        else:
            odd: list[Any] = [None, True, -1, 1.5, 10**12, "", "x", [], {}, 0]
            event[name] = chance.choice(odd)
    return event


@pytest.mark.parametrize("seed", range(6))
def test_any_log_is_counted_once(sandbox: Sandbox, seed: int) -> None:
    """The log is appended to, torn and rotated; tests of following change it in more ways."""
    chance = random.Random(seed)
    sandbox.state.mkdir(parents=True)
    oldest, old, newest = (sandbox.state / name for name in (*event_log.OLD_FILES, "events.jsonl"))
    for step in range(9):
        lines = [json.dumps(make_event(chance)) for _ in range(chance.randrange(30))]
        lines += [chance.choice(["[]", "{", "null", '"agent.memory.lost"', ""])]
        with newest.open("ab") as file:
            file.write("\n".join(lines).encode() + chance.choice([b"\n", b"\xff\n", b"\xff"]))
        check(read_numbers(sandbox), sandbox)
        if step in (2, 5):
            if old.exists():
                old.rename(oldest)
            newest.rename(old)
    check(read_numbers(sandbox), sandbox)


# --- any history ---


def make_records(chance: random.Random, count: int) -> Iterator[dict[str, Any]]:
    for number in range(count):
        when = TODAY - timedelta(days=chance.randrange(20), milliseconds=chance.randrange(10**6))
        time = when.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        change = f"c{chance.randrange(20)}"
        kind = chance.choice([*item_history.ITEM_KINDS, "task", "task", "task", "undone"])
        record: dict[str, Any]
        if kind == "task":
            ids = [str(chance.randrange(9)) for _item in range(4)]
            run, outcome = f"r{chance.randrange(60)}", chance.choice(performance.OUTCOMES)
            words = {"given": " ".join(ids), "used": " ".join([*ids[2:], "x"])}
            record = {"time": time, **performance.make_task_record(run, outcome, **words)}
        else:
            record = item_history.make_record(kind, time, f"Item {chance.randrange(9)}")
            record |= {"change": change, "seq": number}
        if kind == "undone":
            record["id"] = f"c{chance.randrange(20)}"
            record["change"] = f"u{number}"
        yield from [record] * chance.choice([1, 1, 1, 2])


@pytest.mark.parametrize("seed", range(6))
def test_any_history_is_counted(sandbox: Sandbox, seed: int) -> None:
    chance = random.Random(seed)
    for agent in ("engineer", "qa", "engineer"):
        history = Store(sandbox.paths).history(agent)
        history.append([*make_records(chance, 60)])
        with (sandbox.memories / "history" / f"{agent}.jsonl").open("a") as file:
            file.write('<<<<<<< HEAD\n{"time": 1}\n{"kind": "learned"')
            file.write("\n")
        check(read_numbers(sandbox), sandbox)


def test_a_packed_history_is_counted(sandbox: Sandbox) -> None:
    history = Store(sandbox.paths).history("engineer")
    history.append([*make_records(random.Random(1), 3000)])
    history.pack(history.size)
    assert '"packed"' in (sandbox.memories / "history" / "engineer.jsonl").read_text()
    check(read_numbers(sandbox), sandbox)


# --- the rest ---


def test_an_empty_project(sandbox: Sandbox) -> None:
    numbers = read_numbers(sandbox)
    assert check(numbers, sandbox) == Counts()
    assert (numbers.agents(), numbers.by_agent(), numbers.last_delivery) == ([], [], None)
    assert numbers.total().used_share is None
    assert numbers.total().hook_time == (None, None, 0)
    assert [len(numbers.by_day(30)), len(numbers.by_week(8))] == [30, 8]


def test_sizes_and_what_waits_follow_the_files(person: Person) -> None:
    sandbox = person.sandbox
    path = sandbox.write_memory("engineer", "Tests need redis", "Builds need Node 20")
    numbers = read_numbers(sandbox)
    (row,) = numbers.by_agent()
    assert (row.agent, row.memory.items, row.memory.sections) == ("engineer", 2, 1)
    assert row.memory.size == path.stat().st_size
    assert row.memory.limit == project_rules.find_limits(project_of(sandbox), "engineer").size
    sandbox.configure("memory: {learning: ask}\n")
    report = events.REPORT
    sandbox.run_hook("subagent_stop", events.make_stop_event("a1", report))
    sandbox.write_memory("qa", "One")
    sandbox.write_memory("PM", "Two", "Three")
    numbers = read_numbers(sandbox)
    rows = {row.agent: row for row in numbers.by_agent()}
    assert [*rows] == ["engineer", "qa", "PM"]
    assert [row.waiting for row in rows.values()] == [1, 0, 0]
    assert rows["PM"].memory.items == 2
    (sandbox.memories / "qa.md").unlink()
    numbers = read_numbers(sandbox)
    assert numbers.agents() == ["engineer", "PM"]
    assert numbers.of("nobody").counts == Counts()


def test_the_use_of_the_last_runs(person: Person) -> None:
    texts = ["Tests need redis", "Builds need Node", "Ask before you add a dependency"]
    person.run("add", "engineer", "guideline", "-", data="\n".join(texts).encode())
    redis, node, _ask = map(item_history.id_of, texts)
    history = Store(person.sandbox.paths).history("engineer")
    for number in range(12):
        given = f"{redis} {node}" if number else item_history.id_of(texts[2])
        task = performance.make_task_record(str(number), "done", given=given, used=redis)
        history.append([{"time": f"2099-11-20T08:{number:02}:00.000Z", **task}])
    (agent,) = person.read_json("status")["agents"]
    assert agent["recent"] == {"runs": 10, "given": 2, "used": 1, "never": texts[2:]}
    shown = person.run("status").stdout
    assert "2/1/1" in shown
    assert "engineer: 1 rule of yours was not given in the last 10 runs" in shown


def test_a_rule_that_is_newer_than_the_last_runs_is_not_missed(person: Person) -> None:
    person.run("add", "engineer", "guideline", "Tests need redis")
    history = Store(person.sandbox.paths).history("engineer")
    for number in range(12):
        task = performance.make_task_record(str(number), "done")
        history.append([{"time": f"2026-11-20T08:{number:02}:00.000Z", **task}])
    assert "rule of yours" not in person.run("status").stdout
