"""Many processes and a user with an editor change one memory file; no line is lost."""

import os
import re
import shutil
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from memory_core.document.merge_learnings import Learning
from memory_core.history import item_history
from memory_core.memory import changes, transaction
from memory_core.memory.agent_memory import AgentMemory
from memory_core.text.times import format_utc
from support.calls import SESSION, teach
from support.events import FACT, LEARNED, REPORT, make_stop_event
from support.histories import append_records
from support.inbox import count_reports
from support.paths import REPO
from support.processes import read_output, release_programs, run_text, start_program
from support.sandbox import Sandbox
from support.workers import await_worker

WRITERS, REPORTS, EACH = 64, 2, 25  # 3,200 merges in sequence take minutes
AGENTS = ("engineer", "qa", "docs")

WRITER = """
import sys
from memory_core.delegation import event_handlers
from memory_core.storage.project import find_project
root, home, number = sys.argv[1:]
project = find_project(root, {"CLAUDE_PROJECT_DIR": root, "HOME": home})
types = ("pattern", "architecture", "guideline", "mistake", "strategy") * 5
name = "SubagentStop"
print("ready", flush=True)
sys.stdin.read()
for report in range(2):
    words = [f"Fact_{number}_{report}_{place}" for place in range(25)]
    text = "\\n".join(
        f"# Add To Memory:\\nType: {kind}\\nContent: {word}\\n#" for kind, word in zip(types, words)
    )
    agent = ("engineer", "qa", "docs")[(int(number) + report) % 3]
    ids = {"session_id": "s1", "agent_id": f"w{number}r{report}", "agent_type": agent}
    event = {**ids, "hook_event_name": name, "last_assistant_message": text}
    event_handlers.handle(project, event, name)
    event_handlers.finish(project, event, name)
"""

READER = """
import os, re, select, sys
line = r"(?:|<!-- .* -->|## .*|- Fact_\\d+_\\d+_\\d+)\\n"
whole = re.compile(rf"# Engineer Memory - shop\\n(?:{line})+")
os.nice(19)
print("ready", flush=True)
seen = reads = 0
while not select.select([sys.stdin], [], [], 0)[0]:
    with open(sys.argv[1], encoding="utf-8") as file:
        text = file.read()
    assert whole.fullmatch(text), text[-200:]
    assert text.count("\\n- ") >= seen, "lines went away"
    seen = text.count("\\n- ")
    reads += 1
print(reads)
"""


@pytest.mark.slow
def test_64_processes_lose_and_duplicate_no_learning(sandbox: Sandbox) -> None:
    sandbox.configure("memory: {limits: {default_size_kb: 1024, max_items_per_section: 1000}}")
    sandbox.run_hook("subagent_stop", make_stop_event(text=REPORT.replace(LEARNED, "Fact_64_0_0")))
    path = sandbox.memories / "engineer.md"
    readers = [start_program(READER, path) for _ in range(2)]
    home = sandbox.home
    writers = [start_program(WRITER, sandbox.root, home, number) for number in range(WRITERS)]
    release_programs(writers)
    for writer in writers:
        read_output(writer)
    await_worker(sandbox.paths)
    assert count_reports(sandbox) == 0
    release_programs(readers)
    assert all(int(read_output(reader)) > 10 for reader in readers)
    texts = [(sandbox.memories / f"{agent}.md").read_text() for agent in AGENTS]
    lines = Counter(line for text in texts for line in text.splitlines() if line.startswith("- "))
    assert set(lines.values()) == {1}, "doubled"
    assert len(lines) == WRITERS * REPORTS * EACH + 1
    names = [*(f"{agent}.md" for agent in AGENTS), "README.md", "history"]
    assert sorted(os.listdir(sandbox.memories)) == sorted(names)


# A user's editor reads the whole file, and later writes the whole file.


def by_rename(path: Path, text: str) -> None:
    path.with_name("engineer.md~").write_text(text)
    path.with_name("engineer.md~").rename(path)


SAVES = pytest.mark.parametrize("save", [by_rename, Path.write_text])
Save = Callable[[Path, str], object]

DOCKER, TESTS = "Tests need docker to be running", "Migrations run before the tests"
OWN = "A line that a person added"
CHANGED = f"{FACT}, says the person"


def edited(text: str) -> str:
    return text.replace(FACT, CHANGED) + f"- {OWN}\n"


def assert_holds(sandbox: Sandbox, *contents: str) -> None:
    lines = Counter(sandbox.read_memory("engineer").splitlines())
    assert {content: lines[f"- {content}"] for content in contents} == dict.fromkeys(contents, 1)


@SAVES
@pytest.mark.parametrize("opened", [0, 1, 2])
def test_a_user_saves_an_older_text(sandbox: Sandbox, save: Save, opened: int) -> None:
    path = sandbox.write_memory("engineer", FACT)
    versions = [path.read_text()]
    for number, text in enumerate((DOCKER, LEARNED)):
        teach(sandbox, f"a{number}", text)
        versions.append(path.read_text())
    save(path, edited(versions[opened]))
    teach(sandbox, "a3", TESTS)
    assert_holds(sandbox, CHANGED, OWN, DOCKER, LEARNED, TESTS)
    save(path, path.read_text().replace(f"- {LEARNED}\n", ""))
    teach(sandbox, "a4", "Deployments need the VPN to be up")
    assert_holds(sandbox, CHANGED, OWN, DOCKER, TESTS)
    assert LEARNED not in sandbox.read_memory("engineer")


def test_rules_that_replace_the_whole_file_bring_nothing_back(sandbox: Sandbox) -> None:
    path = sandbox.write_memory("engineer", FACT)
    teach(sandbox, "a1", LEARNED)
    path.write_text(f"# Rules\n\n- {OWN}\n")
    teach(sandbox, "a2", TESTS)
    assert_holds(sandbox, OWN, TESTS)
    assert LEARNED not in sandbox.read_memory("engineer")


def between_read_and_replace(sandbox: Sandbox, run: str, deed: Callable[[], None]) -> None:
    """Learn as a hook does; call `deed` after the memory is read and before it is replaced."""
    deeds = [deed]

    def learn(memory: AgentMemory) -> None:
        by = {"run": run, "session": "s1", "source": "agent"}
        changes.learn(memory, changes.Lesson([Learning("pattern", LEARNED)], by))
        while deeds:
            deeds.pop()()

    project = sandbox.open_project()
    transaction.change_memory(project, "engineer", learn)


@SAVES
@pytest.mark.parametrize("opened", [1, 2])
def test_a_user_saves_while_a_hook_works(sandbox: Sandbox, save: Save, opened: int) -> None:
    path = sandbox.write_memory("engineer", FACT)
    versions = [path.read_text()]
    for number, text in enumerate((DOCKER, TESTS)):
        teach(sandbox, f"a{number}", text)
        versions.append(path.read_text())
    between_read_and_replace(sandbox, "a3", lambda: save(path, edited(versions[opened])))
    assert_holds(sandbox, CHANGED, OWN, LEARNED, TESTS)


@pytest.mark.parametrize("is_emptied", [False, True])
def test_a_restored_or_emptied_file_stays_so(sandbox: Sandbox, is_emptied: bool) -> None:
    path = sandbox.write_memory("engineer", FACT)
    teach(sandbox, "a1", DOCKER)
    text = "" if is_emptied else path.read_text()
    teach(sandbox, "a2", LEARNED)
    path.write_text(text)
    teach(sandbox, "a3", TESTS)
    items = [] if is_emptied else [FACT, DOCKER]
    assert_holds(sandbox, *items, TESTS)
    assert sandbox.read_memory("engineer").count("\n- ") == len(items) + 1
    archive = sandbox.memories / "archive" / "engineer.md"
    assert is_emptied or LEARNED in archive.read_text()


def test_a_history_of_thousands_of_other_items_stalls_no_hook(sandbox: Sandbox) -> None:
    now = format_utc(time.time())
    texts = [f"The retry count of service {number} is high" for number in range(25_000)]
    sandbox.write_memory("engineer", FACT)
    records = [item_history.make_record("learned", now, text, section="Tips") for text in texts]
    mine = item_history.make_record("edited", now, FACT, source=item_history.HAND_SOURCE)
    append_records(sandbox, *records, mine)
    teach(sandbox, "a1", LEARNED)
    assert_holds(sandbox, LEARNED)
    entries = (sandbox.memories / "archive" / "engineer.md").read_text()
    assert texts[12_000] in entries + sandbox.read_memory("engineer"), "one of the newest 15,000"


def test_temporary_files_of_killed_hooks_are_removed(sandbox: Sandbox) -> None:
    teach(sandbox, "a1", LEARNED)
    names = [".settings.1f", ".route.json.2f", "inbox/.1-1.json.3f"]
    paths = [sandbox.state / f"{name}.agent-memory-tmp" for name in names]
    paths[-1].parent.mkdir(parents=True, exist_ok=True)
    for path in paths:
        path.write_text("{")
    sandbox.run_hook("session_start", SESSION)
    assert all(path.exists() for path in paths), "somebody may still be writing them"
    for path in paths:
        os.utime(path, (0, 0))
    sandbox.run_hook("session_start", SESSION)
    assert not any(path.exists() for path in paths)


# Run a sample of tests/tools/faults.py, which kills and fails hooks at their system calls.


# Minimum sizes of the sample; fewer runs would mean that strace showed no calls.
LEAST = {"kill points": 60, "faults": 90, "other harms": 20}


@pytest.mark.slow
def test_nothing_is_lost_at_any_fault(tmp_path: Path) -> None:
    if not shutil.which("strace") and not os.environ.get("CI"):
        pytest.skip("strace is not installed (package strace)")
    command = [sys.executable, str(REPO / "tests/tools/faults.py"), "--every=15", "--jobs=2"]
    env = {**os.environ, "TMPDIR": str(tmp_path)}
    done = run_text(command, env=env)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    counts = {kind: int(n) for n, kind in re.findall(r"(\d+) ([a-z ]+)", done.stdout)}
    assert all(counts[kind] >= count for kind, count in LEAST.items()), counts
    assert not any(counts[kind] for kind in ("lost", "doubled", "broken")), done.stdout
