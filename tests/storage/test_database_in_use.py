"""Many processes at once, a database that another program locks, a disk that is full."""

import itertools
import json
import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from memory_core.storage.database import state_db
from support import processes
from support.calls import call_agent, teach
from support.command_line import COMMAND, Person
from support.database import execute
from support.events import make_pre_event, make_report, make_start_event, make_stop_event
from support.paths import REPO
from support.sandbox import Sandbox

pytestmark = pytest.mark.slow

MINE, LATER = "Prices are in cents", "Staging has no queue"
TOO_LONG = "far too " + "long " * 80

LOCK = """
import sqlite3, sys
with sqlite3.connect(sys.argv[1]) as db:
    db.execute("BEGIN EXCLUSIVE")
    print("locked", flush=True)
    sys.stdin.read()
"""

SECONDS = 60


@contextmanager
def lock_database(sandbox: Sandbox) -> Iterator[None]:
    """Lock the database by another program."""
    command = [sys.executable, "-c", LOCK, str(sandbox.state / state_db.FILE_NAME)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, text=True, **pipes) as other:
        assert other.stdout.readline() == "locked\n"
        try:
            yield
        finally:
            other.communicate("")


def test_the_worker_waits_for_a_program_that_locks_the_database(sandbox: Sandbox) -> None:
    teach(sandbox, "a1", MINE)
    program = LOCK.replace("sys.stdin.read()", "import time; time.sleep(1)")
    command = [sys.executable, "-c", program, str(sandbox.state / state_db.FILE_NAME)]
    with subprocess.Popen(command, text=True, stdout=subprocess.PIPE) as other:
        assert other.stdout.readline() == "locked\n"
        teach(sandbox, "a2", LATER)
    assert LATER in sandbox.read_memory("engineer")


def test_reports_wait_while_the_database_is_locked(person: Person, sandbox: Sandbox) -> None:
    assert person.run("add", "engineer", "pattern", MINE).returncode == 0
    tasks = sandbox.root / "backlog" / "tasks"
    tasks.mkdir(parents=True)
    with lock_database(sandbox):
        (tasks / "task-1 - Pay.md").write_text("---\nid: task-1\nstatus: In Progress\n---\n")
        start = sandbox.run_hook("subagent_start", make_start_event("a9"))
        assert MINE in start.reply["additionalContext"], "whatever the tasks wait for"
        assert MINE in call_agent(sandbox, "toolu_7")
        sandbox.append_to_memory("engineer", "- A line typed meanwhile\n")
        assert "A line typed meanwhile" in call_agent(sandbox, "toolu_8"), "prepared without it"
        teach(sandbox, "a2", LATER, TOO_LONG)
        for words in (["add", "engineer", "pattern", "Not now"], ["list", "engineer"], ["undo"]):
            done = person.run(*words)
            assert (done.returncode, done.stdout) == (1, "")
            assert "state.db: database is locked by another program; try again" in done.stderr
        assert LATER not in sandbox.read_memory("engineer")
    teach(sandbox, "a3", "Tests are fast")  # its worker merges what has waited
    text = sandbox.read_memory("engineer")
    assert [text.count(one) for one in (LATER, "Tests are fast", "Not now")] == [1, 1, 0]
    assert [one["content"].strip() for one in person.read_json("review")] == [TOO_LONG.strip()]


@pytest.fixture
def small_disk(person: Person) -> Iterator[Path]:
    """Give the state a disk of its own with one megabyte."""
    folder = person.sandbox.state.parent
    folder.mkdir(parents=True)
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m,mode=700", "tmpfs", str(folder)]
    if not shutil.which("mount") or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("nothing may be mounted here (root can)")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk_for_the_state(person: Person, sandbox: Sandbox, small_disk: Path) -> None:
    """The agent gets its memory; commands say what is wrong; nothing is lost or half done."""
    assert person.run("add", "engineer", "pattern", MINE).returncode == 0
    teach(sandbox, "a1", TOO_LONG)
    before = sandbox.read_memory("engineer")
    filler = small_disk / "filler"
    disk = os.statvfs(small_disk)
    filler.write_bytes(b"x" * disk.f_bavail * disk.f_bsize)
    start = sandbox.run_hook("subagent_start", make_start_event("a5"))  # a receipt has no room
    assert (start.status, start.stderr, MINE in str(start.reply)) == (0, b"", True)
    for words in (["add", "engineer", "pattern", "Not now"], ["pin", "engineer", MINE]):
        done = person.run(*words)
        assert (done.returncode, done.stdout) == (1, "")
        assert "disk is full" in done.stderr.replace("No space left on device", "disk is full")
        assert "Traceback" not in done.stderr
    assert sandbox.read_memory("engineer") == before
    teach(sandbox, "a2", LATER)
    filler.unlink()
    assert person.run("tidy").returncode == 0
    text = sandbox.read_memory("engineer")
    assert [text.count(one) for one in (MINE, LATER, "Not now")] == [1, 1, 0]
    assert [one["content"].strip() for one in person.read_json("review")] == [TOO_LONG.strip()]
    assert person.run("pin", "engineer", MINE).returncode == 0
    assert person.read_json("undo")[0]["written"] is True


class Crowd:
    """Processes that use one project until a time, and what each has acknowledged."""

    def __init__(self, person: Person) -> None:
        self.person, self.until = person, time.monotonic() + SECONDS
        self.kept: list[str] = []
        self.undone: list[str] = []
        self.counts: Counter[str] = Counter()

    def use(self, kind: str, name: str) -> None:
        """Do the work of this kind again and again; raises AssertionError."""
        work = getattr(self, kind)
        for number in itertools.count():
            if time.monotonic() > self.until:
                return
            work(f"Fact {number} of {name}", f"{name}{number}")
            self.counts[kind] += 1

    def command(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a command, which may be refused because others were quicker."""
        env, root = self.person.env, self.person.sandbox.root
        done = subprocess.run([*COMMAND, *words], cwd=root, env=env, capture_output=True, text=True)
        refusals = ("is locked by another process", "saved by", "its text is not kept")
        is_refused = any(one in done.stderr for one in refusals)  # 200 other changes were quicker
        assert done.returncode == 0 or is_refused, (words, done.stderr)
        return done

    def hook(self, name: str, event: dict[str, Any]) -> bytes:
        words = [sys.executable, "-I", str(REPO / "hooks" / f"{name}.py")]
        sandbox = self.person.sandbox
        done = processes.run(words, json.dumps(event).encode(), cwd=sandbox.root, env=sandbox.env)
        assert (done.returncode, done.stderr) == (0, b""), name
        return done.stdout

    def add(self, fact: str, _name: str) -> None:
        if self.command("add", "engineer", "pattern", fact).returncode == 0:
            self.kept.append(fact)

    def collect(self, fact: str, name: str) -> None:
        self.hook("subagent_stop", make_stop_event(name, make_report(fact)))
        self.kept.append(fact)

    def deliver(self, _fact: str, name: str) -> None:
        assert MINE.encode() in self.hook("pre_tool_use", make_pre_event(f"toolu_{name}"))

    def look(self, _fact: str, _name: str) -> None:
        rows = json.loads(self.command("status", "--json").stdout)["agents"]
        assert [row["agent"] for row in rows] == ["engineer"]

    def undo(self, fact: str, _name: str) -> None:
        done = self.command("add", "engineer", "pattern", fact, "--json")
        if done.returncode:
            return
        change = json.loads(done.stdout)["change"]
        is_undone = self.command("undo", change).returncode == 0
        (self.undone if is_undone else self.kept).append(fact)


def test_two_processes_of_each_kind_at_once(person: Person, sandbox: Sandbox) -> None:
    sandbox.configure("memory: {limits: {max_items_per_section: 500, max_size_kb: 500}}\n")
    assert person.run("add", "engineer", "pattern", MINE).returncode == 0
    crowd = Crowd(person)
    kinds = ("add", "collect", "deliver", "look", "undo")
    with ThreadPoolExecutor(2 * len(kinds)) as pool:
        works = [pool.submit(crowd.use, kind, f"{kind} {at}") for kind in kinds for at in "ab"]
    for work in works:
        work.result()
    assert all(crowd.counts[kind] for kind in kinds), crowd.counts
    # A crowd reports faster than one command merges.
    assert any(person.run("tidy").returncode == 0 for _ in range(20))
    memory, archive = sandbox.read_memory("engineer"), sandbox.memories / "archive" / "engineer.md"
    text = memory + (archive.read_text() if archive.exists() else "")
    assert [fact for fact in crowd.kept if text.count(f" {fact}\n") != 1] == []
    assert [fact for fact in crowd.undone if f" {fact}\n" in memory] == []
    origins = dict(execute(sandbox.state, "SELECT decision, count(*) FROM origins GROUP BY 1"))
    assert origins["person"] >= len([fact for fact in crowd.kept if "add" in fact])
    found = json.loads(person.run("doctor", "--json").stdout)["findings"]
    assert [one["what"] for one in found if one["check"] == "state"] == []
