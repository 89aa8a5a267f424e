"""The state of a project: outside of it, for the user alone, found again after a move."""

import json
import os
import shutil
import stat
from pathlib import Path

import pytest

from memory_core.history import rights
from memory_core.origin import ledger
from memory_core.storage import event_log, hook_files, state_owner
from memory_core.storage.paths import LevelPaths
from memory_core.storage.store import Store
from support.calls import SESSION
from support.events import FACT, LEARNED, REPORT, make_post_event, make_pre_event, make_start_event
from support.inbox import add_report
from support.review import make_waiting
from support.sandbox import Sandbox


def live(sandbox: Sandbox) -> None:
    """Run a session with a delegation that teaches something."""
    sandbox.run_hook("session_start", SESSION)
    sandbox.run_hook("pre_tool_use", make_pre_event())
    sandbox.run_hook("subagent_start", make_start_event())
    sandbox.run_hook("post_tool_use", make_post_event())


def add_waiting(paths: LevelPaths) -> None:
    add_report(paths, text=REPORT)
    Store(paths).add_to_review("engineer", [make_waiting("Waits")], "2026-11-20 10:00:00")


def move(sandbox: Sandbox, root: Path) -> LevelPaths:
    sandbox.root.rename(root)
    sandbox.root = root
    sandbox.env["CLAUDE_PROJECT_DIR"] = str(root)
    sandbox.memories = root / ".claude-mpm" / "memories"
    return LevelPaths(str(root), sandbox.env)


def test_all_state_is_outside_and_for_the_user_alone(sandbox: Sandbox) -> None:
    before = os.umask(0)
    try:
        sandbox.write_memory("engineer", FACT)
        live(sandbox)
    finally:
        os.umask(before)
    assert sorted(os.listdir(sandbox.memories.parent)) == ["locks", "memories"]
    assert (sandbox.memories.parent / "locks" / ".gitignore").read_text() == "*\n"
    assert {"project.json", "events.jsonl", "runs"} <= set(os.listdir(sandbox.state))
    paths = [sandbox.home / ".local", *(sandbox.home / ".local").rglob("*")]
    files = {stat.S_IMODE(path.stat().st_mode) for path in paths if path.is_file()}
    folders = {stat.S_IMODE(path.stat().st_mode) for path in paths if path.is_dir()}
    assert (files, folders) == ({0o600}, {0o700})


def test_a_moved_project_finds_its_state_and_what_waits(sandbox: Sandbox) -> None:
    add_waiting(sandbox.paths)
    (sandbox.root.parent / "elsewhere").mkdir()
    moved = move(sandbox, sandbox.root.parent / "elsewhere" / sandbox.root.name)
    sandbox.run_hook("session_start", SESSION)
    assert not sandbox.state.exists()
    assert LEARNED in sandbox.read_memory("engineer")
    assert [entry["content"] for entry in Store(moved).read_review("engineer")] == ["Waits"]
    owner = json.loads(moved.state.read_text(state_owner.OWNER_FILE))
    assert owner["path"] == str(sandbox.root)


def test_a_renamed_project_knows_whose_its_lines_are(sandbox: Sandbox) -> None:
    new = "Somebody added this line meanwhile"
    path = sandbox.write_memory("engineer", FACT)
    ledger.add_origins(Store(sandbox.paths), "engineer", {(FACT, ""): rights.HAND})
    renamed = move(sandbox, sandbox.root.parent / "renamed")
    path = sandbox.memories / path.name
    path.write_text(f"{path.read_text()}- {new}\n")
    sandbox.run_hook("session_start", SESSION)
    origins = ledger.read_origins(Store(renamed), "engineer")
    found = [origins.find(text) for text in (FACT, new)]
    assert found == [rights.HAND, rights.UNKNOWN]


def test_a_copy_has_a_state_of_its_own(sandbox: Sandbox) -> None:
    add_waiting(sandbox.paths)
    copy = sandbox.root.parent / "copy"
    shutil.copytree(sandbox.root, copy)
    paths = LevelPaths(str(copy), sandbox.env)
    event_log.write(paths, "agent.memory.loaded")
    assert paths.state.list_names() == ["events.jsonl", "project.json"]
    assert hook_files.list_agents(sandbox.paths) == {"engineer": 1}


def test_each_project_has_a_folder_with_a_plain_name(sandbox: Sandbox) -> None:
    link = sandbox.root.parent / "link"
    link.symlink_to(sandbox.root)
    assert LevelPaths(str(link), sandbox.env).state.root == str(sandbox.state)
    projects = ["/a/shop", "/b/shop", "/p/../../etc", "/p/a b", "/p/$(touch x)", f"/p/{'x' * 255}"]
    projects += ["/p/été", "/p/-"]
    folders = [LevelPaths(project, {"HOME": "/h"}).state.root for project in projects]
    assert len(set(folders)) == len(projects)
    elsewhere = LevelPaths("/a/shop", {"HOME": "/h", "XDG_STATE_HOME": "/s"}).state.root
    assert elsewhere.startswith("/s/agent-memory/shop-")
    names = [folder.removeprefix("/h/.local/state/agent-memory/") for folder in folders]
    assert names[0].startswith("shop-")
    assert all(name.replace("-", "").isalnum() and len(name) <= 51 for name in names)


@pytest.mark.parametrize("place", ["{root}", "{root}/state", "{link}/state", "relative", ""])
def test_a_state_home_in_the_project_is_ignored(sandbox: Sandbox, place: str) -> None:
    link = sandbox.home / "link"
    link.symlink_to(sandbox.root)
    sandbox.env["XDG_STATE_HOME"] = place.format(root=sandbox.root, link=link)
    sandbox.write_memory("engineer", FACT)
    live(sandbox)
    assert sorted(os.listdir(sandbox.root)) == [".claude-mpm"]
    assert (sandbox.state / "events.jsonl").exists()
