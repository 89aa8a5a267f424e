"""Learnings that wait in the spool: the next writer merges all of them, each exactly once."""

from __future__ import annotations

import errno
import os
import shutil
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from memory_core.history.item_history import History, id_of
from memory_core.learning.extraction import Extraction, Learning
from memory_core.memory import remember
from memory_core.storage import spool
from memory_core.storage.project import find_project
from memory_core.storage.store import Store
from support.command_line import Person
from support.events import is_silent, make_stop_event
from support.processes import wait_until
from support.sandbox import Sandbox

ROOMY = "memory: {limits: {default_size_kb: 1024, max_items_per_section: 1000}}"
SHARED = "Deployments need the VPN to be up"
NEW = ("Migrations run before the tests", "The cache is cleared by make clean")
HOOKS = 8


def make_report(*contents: str) -> str:
    blocks = (f"# Add To Memory:\nType: pattern\nContent: {text}\n#\n" for text in contents)
    return "Done.\n\n" + "\n".join(blocks)


def add_entry(sandbox: Sandbox, run: str, *contents: str, kind: str = "pattern") -> None:
    """Put the learnings of a run into the spool, as a hook does that is killed then."""
    entry = {"agent": "engineer", "run": run, "session": "s1", "source": "agent", "rejected": []}
    learnings = [[kind, content, ""] for content in contents]
    spool.add(sandbox.paths, "engineer", {**entry, "learnings": learnings})


def count_waiting(sandbox: Sandbox) -> int:
    """Return the number of learnings that no memory has yet."""
    entries = spool.read_entries(sandbox.paths, "engineer")
    return sum(len(entry["learnings"]) for _path, entry in entries)


def count_items(sandbox: Sandbox) -> Counter[str]:
    lines = sandbox.read_memory("engineer").splitlines()
    return Counter(line.removeprefix("- ") for line in lines if line.startswith("- "))


def list_records(sandbox: Sandbox, *kinds: str) -> list[dict[str, Any]]:
    records = Store(sandbox.paths).history("engineer").read()
    return [record for record in records if record["kind"] in kinds]


def test_the_next_hook_merges_what_locked_out_hooks_left(sandbox: Sandbox) -> None:
    sandbox.configure(ROOMY)
    own = {f"r{number}": f"Service {number} caches its answers" for number in range(HOOKS)}

    def stop(run: str) -> bool:
        text = make_report(own[run], SHARED)
        return is_silent(sandbox.run_hook("subagent_stop", make_stop_event(run, text)))

    project = find_project(str(sandbox.root), sandbox.env)
    with project.store.lock("engineer"), ThreadPoolExecutor(HOOKS) as threads:
        assert all(threads.map(stop, own))
        assert count_waiting(sandbox) == 2 * HOOKS
    assert not (sandbox.memories / "engineer.md").exists()

    last = NEW[0]
    sandbox.run_hook("subagent_stop", make_stop_event("last", make_report(last)))
    assert count_waiting(sandbox) == 0
    assert count_items(sandbox) == Counter([*own.values(), SHARED, last])
    reported = list_records(sandbox, "learned", "reinforced")
    runs = {(record["run"], record["id"]) for record in reported}
    own["last"] = last
    of_all = {(run, id_of(SHARED)) for run in own if run != "last"}
    assert runs == {(run, id_of(text)) for run, text in own.items()} | of_all
    assert len(reported) == len(runs)
    changes = {record["run"]: record["change"] for record in reported}
    assert len(set(changes.values())) == len(changes) == HOOKS + 1


def test_no_hook_waits_for_the_merge_into_a_large_memory(sandbox: Sandbox) -> None:
    old, (first, second) = write_large_memory(sandbox), NEW
    project = find_project(str(sandbox.root), sandbox.env)
    with project.store.lock("engineer"):
        for run, text in enumerate(NEW):
            report = make_report(text, SHARED)
            assert is_silent(sandbox.run_hook("subagent_stop", make_stop_event(f"r{run}", report)))
        assert count_waiting(sandbox) == 2 * len(NEW)
    wait_until(lambda: not count_waiting(sandbox))
    with project.store.lock("engineer"):  # the merge removes the entries before it is over
        assert count_items(sandbox) == Counter([*old, first, SHARED, second])
    learned = list_records(sandbox, "learned")
    assert Counter(record["text"] for record in learned) == Counter([first, SHARED, second])


@pytest.mark.parametrize("is_absent", [True, False])
def test_without_another_process_a_hook_merges_into_a_large_memory(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, is_absent: bool
) -> None:
    old = write_large_memory(sandbox)
    monkeypatch.setattr(os, "fork", fail_to_fork)
    if is_absent:
        monkeypatch.delattr(os, "fork")
    project = find_project(str(sandbox.root), sandbox.env)
    extraction = Extraction([Learning("pattern", SHARED)], [], [])
    assert remember.save_learnings(project, "engineer", [extraction], "r1", "s1")
    assert count_items(sandbox) == Counter([*old, SHARED])


def write_large_memory(sandbox: Sandbox) -> list[str]:
    sandbox.configure(ROOMY)
    items = [f"Job {number} {'copies its files ' * 6}at night" for number in range(700)]
    path = sandbox.write_memory("engineer", *items)
    assert path.stat().st_size > remember.LARGE_MEMORY
    return items


def fail_to_fork() -> int:
    raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")


@pytest.mark.slow
def test_a_command_merges_what_a_hook_has_no_time_for(person: Person) -> None:
    sandbox, waiting, last = person.sandbox, 1000, NEW[0]
    sandbox.configure(ROOMY)
    old = [f"Job {number} runs at night" for number in range(500)]
    sandbox.write_memory("engineer", *old)
    new = [f"Service {number} caches its answers" for number in range(waiting)]
    for run in range(20):
        kind = ("pattern", "guideline")[run % 2]
        add_entry(sandbox, f"r{run}", *new[50 * run : 50 * run + 50], kind=kind)
    sandbox.run_hook("subagent_stop", make_stop_event("last", make_report(last)))
    merged = count_items(sandbox)
    assert merged[last] == 1
    assert 0 < count_waiting(sandbox) == waiting + len(old) + 1 - merged.total() < waiting

    assert person.run("tidy").returncode == 0
    assert count_waiting(sandbox) == 0
    assert count_items(sandbox) == Counter([*old, *new, last])
    runs = {record["text"]: record["run"] for record in list_records(sandbox, "learned")}
    assert runs == {text: f"r{number // 50}" for number, text in enumerate(new)} | {last: "last"}


@pytest.mark.parametrize("is_noted", [True, False], ids=["run noted", "run not noted"])
def test_an_entry_that_was_merged_and_not_removed_counts_once(
    sandbox: Sandbox, is_noted: bool
) -> None:
    """A writer is killed between the write of the memory and the removal of the entry."""
    text = "Service 1 caches its answers"
    sandbox.run_hook("subagent_stop", make_stop_event("r1", make_report(text)))
    add_entry(sandbox, "r1", text)
    if not is_noted:
        shutil.rmtree(sandbox.state / "runs")
    sandbox.run_hook("subagent_stop", make_stop_event("r2", make_report(SHARED)))
    assert count_waiting(sandbox) == 0
    assert count_items(sandbox) == Counter([text, SHARED])
    states = History(Store(sandbox.paths).history("engineer").read())
    assert {state.text: state.confidence for state in states} == {text: 0.5, SHARED: 0.5}
