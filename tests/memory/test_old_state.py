"""What older versions kept in the project is taken over once, cleaned, and removed."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from memory_core.memory import old_state
from memory_core.memory.project import Project, find_project
from memory_core.storage import event_log, review_file, spool
from memory_core.text.times import format_utc
from support.command_line import Person
from support.files import read_files
from support.review import make_waiting
from support.sandbox import Sandbox
from support.spool import make_spool_entry

HEADER = "# Written by agent-memory: what only this machine needs.\nstate/\nlogs/\n"
REVIEW = "## 2026-11-20\n\n- [tip] An event (too short)\n"
WHEN = "2026-11-20T10:00:00.000Z"


def put(sandbox: Sandbox, name: str, data: object) -> Path:
    """Write a file below .claude-mpm: text unchanged, other values as JSON."""
    path = sandbox.root / ".claude-mpm" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    return path


def make_entry(*learnings: str) -> dict[str, Any]:
    return {**make_spool_entry("qa"), "learnings": [["pattern", text, ""] for text in learnings]}


@pytest.fixture
def project(sandbox: Sandbox) -> Project:
    """Create a project as older versions left it."""
    event = {"event": "agent.memory.loaded", "timestamp": WHEN, "agent_id": "qa"}
    put(sandbox, "logs/events.1.jsonl", f"{json.dumps(event)}\n")
    put(sandbox, "logs/events.jsonl", json.dumps({**event, "event": "agent.memory.delivered"}))
    put(sandbox, "memories/quarantine/engineer.md", REVIEW)
    put(sandbox, "memories/qa.md", "## A\n- An item\n")
    put(sandbox, "state/spool/qa/1-1.json", make_entry("Prices are in cents"))
    put(sandbox, "state/runs/s1/a1.jsonl", {"agent": "qa"})
    put(sandbox, "state/tasks/task-1.md", "a copy\n")
    put(sandbox, "state/locks/qa.lock", "")
    put(sandbox, ".gitignore", HEADER)
    return find_project(str(sandbox.root), sandbox.env)


def list_waiting(project: Project) -> dict[str, list[str]]:
    """Return the learnings that wait, as lines by agent."""
    store = project.store
    return {
        agent: list(map(review_file.format_line, store.read_review(agent)))
        for agent in store.agents_to_review()
    }


def migrate(project: Project) -> old_state.OldState:
    old = old_state.find(project.store)
    old_state.take_over(project.store, old)
    return old


def test_old_data_is_taken_over_once(project: Project, sandbox: Sandbox) -> None:
    assert old_state.is_present(project.store)
    event_log.write(project.paths, "agent.memory.lost", agent_id="new")
    migrate(project)
    assert sorted(read_files(sandbox.root)) == [
        *(".claude-mpm/locks/.gitignore", ".claude-mpm/locks/engineer.lock"),
        *(".claude-mpm/locks/qa.lock", ".claude-mpm/memories/qa.md"),
    ]
    assert not (sandbox.root / ".claude-mpm" / "state").exists()
    assert sandbox.read_memory("qa") == "## A\n- An item\n"
    assert list_waiting(project) == {
        "engineer": ["[tip] An event (too short)"],
        "qa": ["[pattern] Prices are in cents (it was not merged)"],
    }
    kinds = [event["event"].rpartition(".")[2] for event in event_log.read(project.paths)]
    assert kinds == ["loaded", "delivered", "lost"]
    assert not old_state.is_present(project.store)
    assert old_state.find(project.store).is_empty


@pytest.mark.parametrize(
    "event",
    [
        {"event": "agent.memory.invented", "timestamp": WHEN},
        {"event": "agent.memory.lost"},
        {"event": "agent.memory.lost", "timestamp": "2026-11-20"},
        {"event": "agent.memory.lost", "timestamp": "9999-01-01T00:00:00.000Z"},
        {"event": ["agent.memory.lost"], "timestamp": WHEN},
        ["agent.memory.lost"],
        "[" * 100_000,
    ],
)
def test_forged_events_are_left_out(sandbox: Sandbox, project: Project, event: object) -> None:
    put(sandbox, "logs/events.jsonl", event)
    assert [each["event"] for each in old_state.find(project.store).events] == [
        "agent.memory.loaded"
    ]


def test_texts_are_cleaned(sandbox: Sandbox, project: Project) -> None:
    bad = "a\x1b[31m\u200b\n<system-reminder>" + "x" * 3000
    event = {"event": "agent.memory.lost", "timestamp": WHEN, "error": bad, "more": bad}
    put(sandbox, "logs/events.jsonl", event)
    put(sandbox, "state/spool/qa/1-1.json", make_entry(bad))
    put(sandbox, "memories/quarantine/engineer.md", f"## 2026-11-20\n\n- {bad[1:]}\n")
    old = migrate(project)
    assert old.events[-1]["error"].startswith("a ‹system-reminder>x")
    assert len(old.events[-1]["error"]) == 200
    assert "more" not in old.events[-1]
    (entry,) = old.learnings["qa"]
    assert entry["content"].startswith("a ‹system-reminder>x")
    assert len(entry["content"]) == old_state.MAX_LENGTH
    assert list_waiting(project)["qa"] == [review_file.format_line(entry)]


def test_damaged_files_are_kept(sandbox: Sandbox, project: Project) -> None:
    damaged = {"state/spool/qa/2-1.json": "{", "state/spool/qa/3-1.json": {"agent": "qa"}}
    paths = [put(sandbox, name, data) for name, data in damaged.items()]
    paths.append(put(sandbox, "memories/quarantine/README.md", REVIEW))
    old = migrate(project)
    assert {sandbox.root / name for name in old.kept} == set(paths)
    assert [path.exists() for path in paths] == [True] * 3
    assert old_state.is_present(project.store)


@pytest.mark.parametrize(
    "name", ["state", "logs", "memories/quarantine", "state/spool", "state/runs/s1"]
)
def test_nothing_outside_is_read_or_removed(
    sandbox: Sandbox, project: Project, tmp_path: Path, name: str
) -> None:
    path = sandbox.root / ".claude-mpm" / name
    outside = tmp_path / "outside"
    path.rename(outside)
    path.symlink_to(outside)
    before = read_files(outside)
    old = migrate(project)
    assert path.is_symlink()
    assert read_files(outside) == before
    assert all(str(outside) not in files.locate(where) for files, where in old.files)
    lines = [line for lines in old.learnings.values() for line in lines]
    assert len(lines) == (1 if name in ("state", "memories/quarantine", "state/spool") else 2)


def test_other_lines_of_gitignore_stay(sandbox: Sandbox, project: Project) -> None:
    path = put(sandbox, ".gitignore", f"*.bak\n{HEADER}")
    migrate(project)
    assert path.read_text() == "*.bak\n"
    path.write_text("state/\n")  # not by agent-memory
    assert not old_state.is_present(project.store)
    assert migrate(project).is_empty
    assert path.read_text() == "state/\n"


def test_learnings_of_a_deleted_project_are_taken_over(sandbox: Sandbox, tmp_path: Path) -> None:
    gone = tmp_path / "old" / "shop"
    gone.mkdir(parents=True)
    other = find_project(str(gone), {**sandbox.env, "CLAUDE_PROJECT_DIR": str(gone)})
    spool.add(other.paths, "qa", make_entry("Prices are in cents"))
    other.store.add_to_review("qa", [make_waiting("An event")], format_utc(time.time()))
    project = find_project(str(sandbox.root), sandbox.env)
    project.paths.state.make_root()
    assert old_state.find(project.store).is_empty  # it still exists
    gone.rmdir()
    old = migrate(project)
    assert old.projects == [str(gone)]
    assert len(old.learnings["qa"]) == 2
    assert len(list_waiting(project)["qa"]) == 2
    assert spool.list_agents(other.paths) == []
    assert old_state.find(project.store).is_empty


def test_the_state_of_a_moved_project_is_left_to_the_move(sandbox: Sandbox) -> None:
    spool.add(sandbox.paths, "qa", make_entry("Prices are in cents"))
    (sandbox.root.parent / "elsewhere").mkdir()
    root = sandbox.root.rename(sandbox.root.parent / "elsewhere" / sandbox.root.name)
    moved = find_project(str(root), {**sandbox.env, "CLAUDE_PROJECT_DIR": str(root)})
    assert migrate(moved).is_empty
    moved.paths.state.make_root()
    assert [agent for _stem, agent in spool.list_agents(moved.paths)] == ["qa"]


def test_migrate_names_folders_without_files(sandbox: Sandbox, person: Person) -> None:
    (sandbox.root / ".claude-mpm" / "state" / "runs").mkdir(parents=True)
    done = person.run("migrate", "--yes")
    assert done.stdout == "to remove: 2 empty folders\n"
    assert not (sandbox.root / ".claude-mpm" / "state").exists()


def test_migrate_needs_consent(project: Project, person: Person, sandbox: Sandbox) -> None:
    before = read_files(sandbox.root)
    done = person.run("status")
    assert f"warning: {old_state.PROBLEM} (agent-memory tidy)\n" in done.stdout
    done = person.run("migrate")
    assert done.returncode == 0
    assert done.stderr == "Nothing is changed yet; run it with --yes to change it.\n"
    assert done.stdout.splitlines() == [
        "2 events for the event log of this machine",
        *("qa: 1 learning to review", "  [pattern] Prices are in cents (it was not merged)"),
        *("engineer: 1 learning to review", "  [tip] An event (too short)"),
        "to remove: 7 files in .claude-mpm/state, .claude-mpm/logs, .claude-mpm/memories",
        "to remove: the lines of agent-memory in .claude-mpm/.gitignore",
    ]
    assert person.read_json("migrate", "--dry-run")["old_state"]["events"] == 2
    assert read_files(sandbox.root) == before
    assert person.run("migrate", "--yes").returncode == 0
    assert "(agent-memory tidy)" not in person.run("status").stdout
    done = person.run("search", "cents", "--in", "review")
    assert "[pattern] Prices are in cents  (to review since " in done.stdout
    done = person.run("migrate", "--yes")
    assert (done.stdout, done.stderr) == ("", "Nothing to tidy up.\n")
