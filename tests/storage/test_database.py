"""The database: damaged, lost, newer, locked by another program, full, and used by many at once.

No learning is lost, and hooks never notice.
"""

import itertools
import json
import os
import shutil
import subprocess
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
from support.calls import call_agent, end_agent, teach
from support.command_line import COMMAND, Person, check_refused, read_stderr
from support.database import execute
from support.events import make_pre_event, make_report, make_start_event, make_stop_event
from support.git import git
from support.sandbox import Sandbox

MINE, TYPED, AGENTS = "Prices are in cents", "Orders have numbers", "Staging has no queue"
WAITS, REJECTED, LATER = "far too " + "long " * 80, "much too " + "wide " * 80, "Tests are fast"


def list_waiting(person: Person) -> list[str]:
    return [one["content"].strip() for one in person.read_json("review", "--list")]


@pytest.fixture
def shop(person: Person) -> Person:
    """A project with an item of a person, one of an agent, and learnings with and without a
    decision.
    """
    git(person.sandbox.root, "init", "-q")
    assert person.run("add", "engineer", "pattern", MINE).returncode == 0
    assert person.run("pin", "engineer", MINE).returncode == 0
    end_agent(person.sandbox, "a1", make_report(AGENTS, WAITS, REJECTED))
    for run in ("b1", "b2"):
        end_agent(person.sandbox, run, make_report(AGENTS))
    (key,) = [one["id"] for one in person.read_json("review") if "wide" in one["content"]]
    assert person.run("review", "--reject", key).returncode == 0
    git(person.sandbox.root, "add", "-A")
    git(person.sandbox.root, "commit", "-qm", "one")
    person.sandbox.append_to_memory("engineer", f"- {TYPED}\n")
    assert person.list_origins() == {MINE: "person", AGENTS: "agent", TYPED: "hand"}
    assert list_waiting(person) == [WAITS.strip()]
    return person


def check_recovery(shop: Person, is_set_aside: bool) -> None:
    """The agent gets its memory; nothing is lost or asked twice; pins and confidences stay."""
    sandbox = shop.sandbox
    prompt = call_agent(sandbox)
    assert all(text in prompt for text in (MINE, TYPED, AGENTS))
    end_agent(sandbox, "a2", make_report(LATER, WAITS, REJECTED))
    assert list_waiting(shop) == [WAITS.strip()]
    told = shop.run("status").stdout + shop.run("doctor").stdout
    assert told.count("database was damaged") == 2 * is_set_aside
    assert shop.list_origins() == {MINE: "person", AGENTS: "agent", TYPED: "hand", LATER: "agent"}
    assert shop.read_json("review", "--new")["items"] == []
    items = shop.read_json("list", "engineer")
    rows = {item["text"]: shop.read_json("show", item["id"]) for item in items}
    assert (rows[MINE]["pinned"], rows[AGENTS]["confidence"]) == (True, 0.7)


def test_a_deleted_database(shop: Person) -> None:
    (shop.sandbox.state / state_db.FILE_NAME).unlink()
    check_recovery(shop, is_set_aside=False)


def test_a_database_that_is_lost_with_its_journal(shop: Person) -> None:
    """The lines that a person wrote are unknown until one question is answered."""
    for name in (state_db.FILE_NAME, state_db.JOURNAL):
        (shop.sandbox.state / name).unlink()
    origins = {MINE: "unknown", AGENTS: "agent", TYPED: "unknown"}
    assert shop.list_origins() == origins
    texts = [one["text"] for one in shop.read_json("review", "--new")["items"]]
    assert sorted(texts) == sorted([MINE, TYPED])
    done = shop.succeed("review", "--mine")
    assert MINE in done.stdout
    assert AGENTS not in done.stdout
    assert shop.list_origins() == {**origins, MINE: "hand", TYPED: "hand"}
    assert shop.read_json("review", "--new")["items"] == []


def test_a_database_of_random_bytes(shop: Person) -> None:
    path = shop.sandbox.state / state_db.FILE_NAME
    path.write_bytes(b"\x01\xff garbage" * 2000)
    check_recovery(shop, is_set_aside=True)
    (aside,) = shop.sandbox.state.glob("state.db.*")
    assert aside.read_bytes().startswith(b"\x01\xff garbage")


@pytest.mark.slow
def test_a_database_that_is_cut_at_every_page(shop: Person, tmp_path: Path) -> None:
    whole = (shop.sandbox.state / state_db.FILE_NAME).read_bytes()
    trees = (shop.sandbox.root, shop.sandbox.state)
    for number, tree in enumerate(trees):
        shutil.copytree(tree, tmp_path / f"copy{number}")
    for size in range(0, len(whole), 4096):  # the size of a page
        for number, tree in enumerate(trees):
            shutil.rmtree(tree)
            shutil.copytree(tmp_path / f"copy{number}", tree)
        (shop.sandbox.state / state_db.FILE_NAME).write_bytes(whole[:size])
        check_recovery(shop, is_set_aside=size > 0)


def test_a_newer_database(shop: Person) -> None:
    """Commands say what to do; hooks deliver and collect as ever."""
    sandbox = shop.sandbox
    (version,) = execute(sandbox.state, "PRAGMA user_version")[0]
    execute(sandbox.state, "PRAGMA user_version = 99")
    before = (sandbox.state / state_db.FILE_NAME).read_bytes()
    assert MINE in call_agent(sandbox)
    outcome = end_agent(sandbox, "a2", make_report(LATER))
    assert (outcome.status, outcome.stdout, outcome.stderr) == (0, b"", b"")
    said = "is of a newer version: run agent-memory upgrade"
    commands = ("status", "review", "list engineer", f"add engineer pattern {LATER}")
    check_refused(shop, dict.fromkeys(commands, said), status=1)
    report = json.loads(shop.run("doctor", "--json").stdout)
    found = report["findings"]
    assert {"memory", "inbox", "deliveries"} <= {*report["skipped"]}, "nobody knows"
    (state,) = [one for one in found if one["check"] == "state"]
    assert (state["level"], state["mend"]) == ("broken", "agent-memory upgrade")
    assert state["what"].startswith(said)
    assert "settings" in {one["check"] for one in found}, "the other checks are done"
    assert LATER not in sandbox.read_memory("engineer")
    assert (sandbox.state / state_db.FILE_NAME).read_bytes() == before
    execute(sandbox.state, f"PRAGMA user_version = {version}")
    assert shop.run("tidy").returncode == 0
    assert LATER in sandbox.read_memory("engineer")


def test_reading_makes_no_file(sandbox: Sandbox) -> None:
    assert state_db.read_note(sandbox.paths.state, "a") == ""
    assert not sandbox.state.exists()


# Many processes at once, a database that another program locks, a disk that is full.

LOCK = """
import sqlite3, sys
with sqlite3.connect(sys.argv[1]) as db:
    db.execute("BEGIN EXCLUSIVE")
    print("ready", flush=True)
    sys.stdin.read()
"""

SECONDS = 60


@contextmanager
def lock_database(sandbox: Sandbox, program: str = LOCK) -> Iterator[None]:
    """Lock the database by another program."""
    other = processes.start_program(program, sandbox.state / state_db.FILE_NAME)
    yield
    processes.release_programs([other])
    processes.read_output(other)


@pytest.mark.slow
def test_the_worker_waits_for_a_program_that_locks_the_database(sandbox: Sandbox) -> None:
    teach(sandbox, "a1", MINE)
    program = LOCK.replace("sys.stdin.read()", "import time; time.sleep(1)")
    with lock_database(sandbox, program):
        teach(sandbox, "a2", AGENTS)
    assert AGENTS in sandbox.read_memory("engineer")


@pytest.mark.slow
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
        teach(sandbox, "a2", AGENTS, WAITS)
        said = "state.db: database is locked by another program; try again"
        commands = ("add engineer pattern 'Not now'", "list engineer", "undo")
        check_refused(person, dict.fromkeys(commands, said), status=1)
        assert AGENTS not in sandbox.read_memory("engineer")
    teach(sandbox, "a3", "Tests are fast")  # its worker merges what has waited
    text = sandbox.read_memory("engineer")
    assert [text.count(one) for one in (AGENTS, "Tests are fast", "Not now")] == [1, 1, 0]
    assert [one["content"].strip() for one in person.read_json("review")] == [WAITS.strip()]


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


@pytest.mark.slow
def test_a_full_disk_for_the_state(person: Person, sandbox: Sandbox, small_disk: Path) -> None:
    """The agent gets its memory; commands say what is wrong; nothing is lost or half done."""
    assert person.run("add", "engineer", "pattern", MINE).returncode == 0
    teach(sandbox, "a1", WAITS)
    before = sandbox.read_memory("engineer")
    filler = small_disk / "filler"
    disk = os.statvfs(small_disk)
    filler.write_bytes(b"x" * disk.f_bavail * disk.f_bsize)
    start = sandbox.run_hook("subagent_start", make_start_event("a5"))  # a receipt has no room
    assert (start.status, start.stderr, MINE in str(start.reply)) == (0, b"", True)
    for words in (["add", "engineer", "pattern", "Not now"], ["pin", "engineer", MINE]):
        said = read_stderr(person.run(*words), 1)
        assert "disk is full" in said.replace("No space left on device", "disk is full")
        assert "Traceback" not in said
    assert sandbox.read_memory("engineer") == before
    teach(sandbox, "a2", AGENTS)
    filler.unlink()
    assert person.run("tidy").returncode == 0
    text = sandbox.read_memory("engineer")
    assert [text.count(one) for one in (MINE, AGENTS, "Not now")] == [1, 1, 0]
    assert [one["content"].strip() for one in person.read_json("review")] == [WAITS.strip()]
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
        sandbox = self.person.sandbox
        outcome = sandbox._run_hook(name, event, process=True, variables=sandbox.env)
        assert (outcome.status, outcome.stderr) == (0, b""), name
        return outcome.stdout

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


@pytest.mark.slow
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
    assert [one["what"] for one in found if one["check"] == "state"] == ["no problems"]
