"""The inbox and its worker: what a hook has collected is saved once, whatever happens."""

import contextlib
import errno
import fcntl
import os
import posix
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from memory_core.delegation import inbox_reports, worker
from memory_core.files import file_actions
from memory_core.history.item_history import History
from memory_core.storage import hook_files, inbox
from memory_core.storage.store import Store
from support import events
from support.calls import call_agent, end_agent, start_agent
from support.command_line import Person
from support.events import LEARNED, REPORT, is_silent, make_report, make_stop_event
from support.inbox import TAUGHT, add_event, add_report, count_reports
from support.paths import REPO
from support.processes import wait_until
from support.runs import list_runs
from support.sandbox import Outcome, Sandbox
from support.workers import await_worker

ROOMY = "memory: {limits: {default_size_kb: 1024, max_items_per_section: 1000}}"
SHARED = "Deployments need the VPN to be up"
HOOKS = 8
# Starts a worker, and lives until the end of its stdin.
PROGRAM = """
import sys
from memory_core.delegation import background, worker
from memory_core.storage.project import find_project
background.MAX_SECONDS = 1
worker.start(find_project(sys.argv[1], {"CLAUDE_PROJECT_DIR": sys.argv[1], "HOME": sys.argv[2]}))
sys.stdin.read()
"""
STARTING = [sys.executable, "-c", PROGRAM]


def drain(sandbox: Sandbox) -> None:
    inbox_reports.drain(sandbox.open_project(), with_tried=True)


def run_unawaited(sandbox: Sandbox, hook: str, event: dict[str, Any], **env: str) -> Outcome:
    """Run a hook without waiting for its worker."""
    return sandbox._run_hook(hook, event, False, {**sandbox.env, **env})


def start_worker(sandbox: Sandbox, folder: Path = REPO) -> None:
    """Start a worker of the program in this folder, and wait for it."""
    command = [*STARTING, str(sandbox.root), str(sandbox.home)]
    subprocess.run(command, check=True, cwd=folder, stdin=subprocess.DEVNULL)
    await_worker(sandbox.paths)


def count_items(sandbox: Sandbox) -> Counter[str]:
    lines = sandbox.read_memory("engineer").splitlines()
    return Counter(line.removeprefix("- ") for line in lines if line.startswith("- "))


def list_records(sandbox: Sandbox, *kinds: str) -> list[dict[str, Any]]:
    records = Store(sandbox.paths).history("engineer").read()
    return [record for record in records if record["kind"] in kinds]


def assert_saved_once(sandbox: Sandbox) -> None:
    """Check one item, one record of it, and one outcome of one run."""
    assert count_reports(sandbox) == 0
    assert count_items(sandbox) == Counter([LEARNED])
    assert len(list_records(sandbox, "learned")) == 1
    (state,) = History(Store(sandbox.paths).history("engineer").read())
    assert state.confidence == 0.5
    assert len(list_runs(sandbox.paths)) == 1


def test_two_hooks_for_one_event_write_one_report(sandbox: Sandbox) -> None:
    with _hold_worker_lock(sandbox):
        for _twice in range(2):
            run_unawaited(sandbox, "subagent_stop", make_stop_event())
        assert count_reports(sandbox) == 1
    drain(sandbox)
    assert_saved_once(sandbox)


@contextlib.contextmanager
def _hold_worker_lock(sandbox: Sandbox) -> Iterator[None]:
    sandbox.paths.state.make_root()
    with open(sandbox.state / inbox.LOCK_FILE, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def test_a_delivery_has_what_was_reported_just_before(sandbox: Sandbox) -> None:
    run_unawaited(sandbox, "subagent_stop", make_stop_event())
    assert LEARNED in call_agent(sandbox)


def test_a_delivery_starts_a_worker_in_place_of_a_killed_one(sandbox: Sandbox) -> None:
    add_report(sandbox.paths)
    assert TAUGHT in start_agent(sandbox, "a2")
    assert count_reports(sandbox) == 0


def test_a_delivery_does_not_wait_long(sandbox: Sandbox) -> None:
    with _hold_worker_lock(sandbox):  # of a worker that hangs
        add_report(sandbox.paths)
        began = time.monotonic()
        prompt = run_unawaited(sandbox, "pre_tool_use", events.make_pre_event())
        assert 0.25 < time.monotonic() - began < 2
        assert TAUGHT.encode() not in prompt.stdout
    add_report(sandbox.paths, run="a2", text=make_report(SHARED), is_tried=True)
    os.remove(sandbox.paths.state.locate(add_report(sandbox.paths)))
    began = time.monotonic()
    run_unawaited(sandbox, "pre_tool_use", events.make_pre_event())
    assert time.monotonic() - began < 0.25, "a report that failed once is not waited for"


def test_the_end_of_a_session_waits_for_the_last_reports(sandbox: Sandbox) -> None:
    end = {"hook_event_name": "SessionEnd", "session_id": "s1", "reason": "other"}
    add_report(sandbox.paths)
    assert is_silent(run_unawaited(sandbox, "session_end", end))
    assert count_items(sandbox) == Counter([TAUGHT])
    with _hold_worker_lock(sandbox):
        began = time.monotonic()
        assert is_silent(run_unawaited(sandbox, "session_end", end))
        assert 1.1 < time.monotonic() - began < 3


def test_reports_that_come_while_the_memory_is_locked_are_merged_at_once(sandbox: Sandbox) -> None:
    sandbox.configure(ROOMY)
    own = {f"r{number}": f"Service {number} caches its answers" for number in range(HOOKS)}

    def stop(run: str) -> bool:
        event = make_stop_event(run, make_report(own[run], SHARED))
        return is_silent(run_unawaited(sandbox, "subagent_stop", event))

    with sandbox.open_project().store.lock("engineer"), ThreadPoolExecutor(HOOKS) as threads:
        assert all(threads.map(stop, own))
        assert count_reports(sandbox) == HOOKS
    await_worker(sandbox.paths)
    end_agent(sandbox, "last", make_report("The cache is cleared by make clean"))
    assert count_reports(sandbox) == 0
    last = "The cache is cleared by make clean"
    assert count_items(sandbox) == Counter([*own.values(), SHARED, last])
    reported = list_records(sandbox, "learned", "reinforced")
    changes = {record["run"]: record["change"] for record in reported}
    assert len(reported) == 2 * HOOKS + 1
    assert len(set(changes.values())) == len(changes) == HOOKS + 1


@pytest.mark.parametrize("is_noted", [True, False], ids=["run noted", "run not noted"])
def test_a_worker_is_killed_after_the_merge(sandbox: Sandbox, is_noted: bool) -> None:
    add_report(sandbox.paths, text=REPORT)
    project = sandbox.open_project()
    (name,) = hook_files.list_names(sandbox.paths)
    inbox_reports.merge(project, hook_files.read(sandbox.paths, name))
    assert count_reports(sandbox) == 1
    if not is_noted:
        shutil.rmtree(sandbox.state / "runs")
    drain(sandbox)
    assert_saved_once(sandbox)
    add_report(sandbox.paths, text=REPORT)
    drain(sandbox)
    assert_saved_once(sandbox)


def test_two_workers_do_the_work_once(sandbox: Sandbox) -> None:
    sandbox.configure(ROOMY)
    facts = [f"Service {number} caches its answers" for number in range(100)]
    for number, fact in enumerate(facts):
        add_report(sandbox.paths, run=f"r{number}", text=make_report(fact))
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(drain, [sandbox] * 4))
    assert count_items(sandbox) == Counter(facts)
    assert len(list_runs(sandbox.paths)) == len(facts)


def test_a_report_that_no_worker_can_read_is_put_aside(settled: Person) -> None:
    sandbox = settled.sandbox
    file_actions.truncate(sandbox.paths.state, add_report(sandbox.paths), 20)
    add_report(sandbox.paths, run="a2", text=REPORT)
    drain(sandbox)
    assert LEARNED in count_items(sandbox), "others are saved"
    (name,) = hook_files.list_names(sandbox.paths)
    assert inbox.count_tries(name) == 1
    drain(sandbox)
    drain(sandbox)
    assert hook_files.list_names(sandbox.paths) == []
    (left,) = hook_files.list_unreadable(sandbox.paths)
    assert left in settled.run("doctor").stdout
    without_message = {"hook_event_name": "PreToolUse", "tool_name": "SubagentHandback"}
    add_event(sandbox.paths, {**without_message, "session_id": "s1", "tool_input": {}}, run="a3")
    for _ in range(3):
        drain(sandbox)
    assert len(hook_files.list_unreadable(sandbox.paths)) == 2


def test_a_report_that_cannot_be_merged_now_is_never_put_aside(sandbox: Sandbox) -> None:
    add_report(sandbox.paths)
    sandbox.memories.parent.mkdir(exist_ok=True)
    sandbox.memories.write_text("a file in place of the folder")
    for _ in range(5):
        drain(sandbox)
    assert count_reports(sandbox) == 1
    assert "is a file, not a folder" in sandbox.read_log("agent.memory.waiting")[0]["reason"]
    sandbox.memories.unlink()
    drain(sandbox)
    assert count_items(sandbox) == Counter([TAUGHT])


def test_a_worker_that_hangs_is_ended_and_replaced(sandbox: Sandbox) -> None:
    add_report(sandbox.paths)
    began = time.monotonic()
    with sandbox.open_project().store.lock("engineer"):  # the worker waits for it up to 2 s
        start_worker(sandbox)
    assert 0.9 < time.monotonic() - began < 20
    (name,) = hook_files.list_names(sandbox.paths)
    assert inbox.count_tries(name) == 1
    drain(sandbox)
    assert count_items(sandbox) == Counter([TAUGHT])


def list_groups_of_children(pid: int) -> set[int]:
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return {os.getpgid(int(child)) for child in file.read().split()}


def test_a_worker_survives_the_signals_for_its_hook(sandbox: Sandbox) -> None:
    add_report(sandbox.paths)
    command, pipe = [*STARTING, str(sandbox.root), str(sandbox.home)], subprocess.PIPE
    with (
        sandbox.open_project().store.lock("engineer"),  # it waits for it
        subprocess.Popen(command, cwd=REPO, start_new_session=True, stdin=pipe) as hook,
    ):
        wait_until(lambda: list_groups_of_children(hook.pid) - {hook.pid})
        os.killpg(hook.pid, signal.SIGKILL)
    await_worker(sandbox.paths)
    assert count_items(sandbox) == Counter([TAUGHT])


def test_a_worker_that_fails_says_so_in_the_log(sandbox: Sandbox, tmp_path: Path) -> None:
    ignored = shutil.ignore_patterns("__pycache__")
    program = shutil.copytree(REPO / "memory_core", tmp_path / "p/memory_core", ignore=ignored)
    (program / "delegation/inbox_reports.py").write_text("raise ImportError('half of an upgrade')")
    add_report(sandbox.paths)
    start_worker(sandbox, program.parent)
    assert sandbox.read_log("agent.memory.error")[0]["error"] == "ImportError: half of an upgrade"
    drain(sandbox)
    assert count_items(sandbox) == Counter([TAUGHT])


def test_without_another_process_the_work_is_done_here(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    busy = Mock(side_effect=BlockingIOError(errno.EAGAIN, "try again"))
    monkeypatch.setattr(posix, "fork", busy)
    add_report(sandbox.paths)
    worker.start(sandbox.open_project())
    assert count_items(sandbox) == Counter([TAUGHT])


def test_a_worker_keeps_the_settings_of_the_hook(sandbox: Sandbox) -> None:
    with _hold_worker_lock(sandbox):
        run_unawaited(sandbox, "subagent_stop", make_stop_event(), AGENT_MEMORY_LEARNING="off")
        run_unawaited(sandbox, "subagent_stop", make_stop_event("a2", make_report(SHARED)))
    drain(sandbox)
    assert count_items(sandbox) == Counter([SHARED])
    assert len(list_runs(sandbox.paths)) == 2


SYNCS = re.compile(r"(fsync|linkat)\(.*?<(.*?)>")


def test_a_report_is_on_the_disk_before_it_has_its_name(sandbox: Sandbox) -> None:
    if not shutil.which("strace") and not os.environ.get("CI"):
        pytest.skip("strace is not installed (package strace)")
    trace = sandbox.root.parent / "strace.log"
    program = (
        "import sys; from memory_core.storage import inbox, paths\n"
        "place = paths.LevelPaths(sys.argv[1], {'HOME': sys.argv[2]})\n"
        "inbox.add(place, 'engineer', 'k', {})"
    )
    command = ["strace", "-y", "-o", str(trace), "-e", "trace=fsync,linkat", sys.executable]
    subprocess.run([*command, "-c", program, str(sandbox.root), str(sandbox.home)], check=True)
    calls = [(call, os.path.basename(path)) for call, path in SYNCS.findall(trace.read_text())]
    file, link = calls
    assert file[0] == "fsync"
    assert file[1].endswith(".agent-memory-tmp")
    assert link == ("linkat", "inbox")
