"""`agent-memory demo`: what a newcomer sees, and that nothing of the user is touched."""

import re
from pathlib import Path

from memory_core.setup import demo
from support.command_line import Person, read_stdout
from support.files import read_files


def play(person: Person, folder: Path) -> str:
    """Run the demo with its own folder for temporary files; return its output."""
    folder.mkdir()
    return read_stdout(person.run("demo", process=True, TMPDIR=str(folder)))


def test_the_demo_shows_the_finding_of_one_run_in_the_prompt_of_the_next(
    person: Person, tmp_path: Path
) -> None:
    shown = play(person, tmp_path / "tmp")
    _, rules, prompt, report, change, notice, following = re.split(r"^\d\. ", shown, flags=re.M)
    for rule in demo.RULES:
        assert f"  - {rule}\n" in rules
        assert f"✓ {rule}\n" in prompt
    assert prompt.index(demo.TASKS[0]) < prompt.index("<agent-memory-")
    assert demo.LEARNING not in prompt
    assert f"  Content: {demo.LEARNING}\n" in report
    assert f"\n+- {demo.LEARNING}\n" in change
    assert re.search(r"1 learned \(agent-memory undo \w+\)", notice)
    assert f"] {demo.LEARNING}\n" in following.partition(demo.TASKS[1])[2]
    assert [line for line in shown.split("\n") if len(line) > 80 and "/" not in line] == []


def test_the_demo_leaves_one_page_and_nothing_of_the_user_changes(
    person: Person, tmp_path: Path
) -> None:
    person.sandbox.write_memory("engineer", "A rule of the user")
    person.env |= {"AGENT_MEMORY": "off", "CLAUDE_CONFIG_DIR": str(tmp_path / "claude")}
    before = read_files(person.sandbox.root), read_files(person.sandbox.home)
    shown = play(person, tmp_path / "tmp")
    assert "A rule of the user" not in shown
    assert (read_files(person.sandbox.root), read_files(person.sandbox.home)) == before
    (page,) = [path for path in (tmp_path / "tmp").rglob("*") if path.is_file()]
    assert f"for your browser: {page}\n" in shown
    text = page.read_text(encoding="utf-8")
    assert "engineer" in text
    assert "installed in project settings" in text
    assert 'class="notice' not in text
