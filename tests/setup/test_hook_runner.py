"""Hooks that the doctor, the installer and `replay` run: on a copy, nothing else changes."""

import os
from pathlib import Path

import pytest

from memory_core.claude_code import sample_events
from memory_core.files import tree
from memory_core.setup import hook_runner
from memory_core.storage import event_log
from memory_core.storage.project import Project
from memory_core.storage.state_owner import OWNER_FILE
from support.command_line import ITEM, Person
from support.files import read_files, write
from support.sandbox import Sandbox


@pytest.fixture
def project(sandbox: Sandbox) -> Project:
    """Return a project with a memory and a state."""
    sandbox.write_memory("engineer", ITEM)
    project = sandbox.open_project()
    event_log.write(project.paths, "agent.memory.lost", agent_id="engineer")
    return project


def test_a_copy_has_the_state_and_changes_neither(project: Project, person: Person) -> None:
    sandbox = person.sandbox
    before = read_files(sandbox.root), read_files(sandbox.home)
    command = hook_runner.build_command("post_tool_use")
    result = hook_runner.run_on_copy(project, command, person.make_sample("post"), sandbox.env)
    assert result.fault == ""
    assert (read_files(sandbox.root), read_files(sandbox.home)) == before
    changes = {change.path: change for change in result.changes}
    memory = changes[".claude-mpm/memories/engineer.md"]
    assert ITEM.encode() in (memory.before or b"")
    assert sample_events.LEARNING.encode() in (memory.after or b"")
    log = changes[f"state/{event_log.FILE_NAME}"]
    assert b"agent.memory.lost" in (log.before or b"")
    assert b"agent.memory.learned" in (log.after or b"")
    assert f"state/{OWNER_FILE}" not in changes
    # In the project itself the changes of its state are shown, too.
    command = hook_runner.build_command("pre_tool_use")
    result = hook_runner.run(project, command, person.make_sample("pre"), sandbox.env)
    assert result.fault == ""
    (receipt,) = [change.path for change in result.changes if "receipts" in change.path]
    assert (sandbox.state / Path(receipt).relative_to("state")).is_file()


def test_hostile_files_are_not_copied(project: Project, person: Person) -> None:
    sandbox = person.sandbox
    secret = sandbox.home / "secret"
    write(secret / "key.md", "secret\n")
    for name in ("archive", "qa.md", "history"):
        (sandbox.memories / name).symlink_to(secret / ("key.md" if "." in name else ""))
    os.mkfifo(sandbox.memories / "pipe.md")
    os.truncate(sandbox.write_memory("huge", ITEM), 1 << 32)
    command = hook_runner.build_command("pre_tool_use")
    result = hook_runner.run_on_copy(project, command, person.make_sample("pre"), sandbox.env)
    assert result.fault == ""
    assert result.reply is not None
    assert all(b"secret" not in (change.before or b"") for change in result.changes)
    folders = tree.walk(project.paths.files, project.paths.folder)
    names = {name for _folder, names in folders for name in names}
    assert {"engineer.md", "huge.md"} <= names
    assert names.isdisjoint({"key.md", "qa.md", "pipe.md"})
