"""Texts name the command as people have to type it if PATH has another one first."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_core.storage import typed_command
from memory_core.storage.typed_command import FILE, FOLDER
from support.command_line import ITEM, Person

PATH = "/opt/tools/bin/agent-memory"
TEXT = "agent-memory: 2 learnings wait (agent-memory review, or agent-memory undo 1f)"


def note(home: Path, word: str) -> None:
    folder = home / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    (folder / FILE).write_text(word, encoding="utf-8")


@pytest.mark.parametrize(
    ("word", "command"),
    [
        (f"{PATH}\n", PATH),
        ("'/my tools/agent-memory'\n", "'/my tools/agent-memory'"),
        ("", "agent-memory"),
        ("relative/agent-memory", "agent-memory"),
        ("/x/\x1b[31mred", "agent-memory"),
        ("/x/" + "y" * 5000, "agent-memory"),
    ],
)
def test_a_text_names_the_command_of_the_file(tmp_path: Path, word: str, command: str) -> None:
    note(tmp_path, word)
    named = typed_command.name_command(TEXT, {"HOME": str(tmp_path)})
    assert named == (f"agent-memory: 2 learnings wait ({command} review, or {command} undo 1f)")


@pytest.mark.parametrize("home", ["", "relative", "/nonexistent"])
def test_without_a_file_the_command_has_its_name(home: str) -> None:
    assert typed_command.name_command(TEXT, {"HOME": home}) == TEXT


def test_commands_and_hooks_print_it(person: Person) -> None:
    note(person.sandbox.home, f"{PATH}\n")
    assert f"Undo with: {PATH} undo " in person.run("add", "engineer", ITEM).stderr
    assert f"({PATH} install)" in person.run("status").stdout
    assert f"{PATH} doctor --fix" in person.run("doctor").stdout
    assert f"{PATH} status lists" in person.run("show", "nobody").stderr
    sample = person.make_sample("post")
    assert person.sandbox.run_hook("post_tool_use", sample).status == 0
    shown = person.sandbox.run_hook("pre_tool_use", person.make_sample("pre")).stdout.decode()
    assert f"({PATH} undo " in shown
