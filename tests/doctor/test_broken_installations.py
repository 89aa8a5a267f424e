"""Ordinary ways to break an installation: `doctor` names the one cause, and `--fix` repairs it.

One real installation is made once and copied for each row.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.command_line import COMMAND, ITEM, Person
from support.files import define_agents
from support.inbox import add_tried_report
from support.paths import REPO
from support.sandbox import Sandbox

Damage = Callable[[Person], object]

DATA = ".local/share/agent-memory"
ENVIRONMENT = "environments/20260101-101112-7"

# Root can read and write everything, so it gives up that capability.
POWERLESS = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]


@pytest.fixture(scope="session")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a project and a home: the hooks are installed, an agent has items."""
    folder = tmp_path_factory.mktemp("installation")
    person = Person(Sandbox(folder), folder)
    environment = person.sandbox.home / DATA / ENVIRONMENT
    (environment / "bin").mkdir(parents=True)
    (environment / "bin" / "python").symlink_to(sys.executable)
    command = os.path.relpath(person.bin / "agent-memory", environment / "bin")
    (environment / "bin" / "agent-memory").symlink_to(command)
    (environment / "hooks").symlink_to(REPO / "hooks")
    (person.sandbox.home / DATA / "venv").symlink_to(ENVIRONMENT)
    person.add_program("claude", "echo 2.1.329")
    person.env["PATH"] += f":{person.sandbox.home / DATA}/venv/bin"
    for words in (["install"], ["add", "engineer", "architecture", ITEM]):
        person.succeed(*words)
    shutil.rmtree(person.sandbox.home / ".local" / "state")
    return folder


@pytest.fixture
def person(installation: Path, tmp_path: Path) -> Person:
    person = Person(Sandbox(tmp_path), tmp_path)
    for name in ("shop", "home", "bin"):
        shutil.copytree(installation / name, tmp_path / name, symlinks=True, dirs_exist_ok=True)
    return person


def run(person: Person, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the command line, without the powers of root where they make a difference."""
    if os.geteuid() or not is_closed(person):
        return person.run(*words)
    place: dict[str, Any] = {"cwd": person.sandbox.root, "env": person.env}
    return subprocess.run([*POWERLESS, *COMMAND, *words], capture_output=True, text=True, **place)


def run_doctor(person: Person, *options: str) -> dict[str, Any]:
    """Return the answer, with the problems as (check, place and problem)."""
    done = run(person, "doctor", "--json", *options)
    assert not done.stderr, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    problems = [
        (finding["check"], f"{finding['where']}: {finding['what']}")
        for finding in answer["findings"]
        if finding["level"] in ("warning", "broken")
    ]
    assert done.returncode == bool(problems)
    return {**answer, "problems": problems}


def is_closed(person: Person) -> bool:
    """Say whether a file or folder lacks a right that root has anyway."""
    folders = (person.sandbox.root, person.sandbox.home)
    paths = [path for folder in folders for path in (folder, *folder.rglob("*"))]
    return any(path.lstat().st_mode & 0o600 != 0o600 for path in paths)


# Settings.


def settings(person: Person, name: str = "settings.json") -> Path:
    return person.sandbox.root / ".claude" / name


def user_settings(person: Person) -> Path:
    path = person.sandbox.home / ".claude" / "settings.json"
    path.parent.mkdir(exist_ok=True)
    return path


def replace(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def edit(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    value = json.loads(path.read_text())
    change(value)
    path.write_text(json.dumps(value, indent=2))


def wrong_path(person: Person) -> None:
    replace(settings(person), "$HOME/.local/share", "$HOME/.local/shar")


def renamed_script(person: Person) -> None:
    replace(settings(person), "subagent_stop.py", "subagent-stop.py")


def only_the_last_events(person: Person) -> None:
    def drop(value: dict[str, Any]) -> None:
        del value["hooks"]["PreToolUse"], value["hooks"]["SubagentStart"]

    edit(settings(person), drop)


def other_matcher(person: Person) -> None:
    edit(settings(person), lambda value: value["hooks"]["PreToolUse"][0].update(matcher="Bash"))


def hooks_pasted_twice(person: Person) -> None:
    def double(value: dict[str, Any]) -> None:
        for groups in value["hooks"].values():
            groups.extend(groups[:])

    edit(settings(person), double)


def deleted_settings(person: Person) -> None:
    settings(person).unlink()


def closed_settings(person: Person) -> None:
    settings(person).chmod(0)


def trailing_comma(person: Person) -> None:
    settings(person).write_text(settings(person).read_text().rstrip().rstrip("}") + ",\n}\n")


def linked_settings_folder(person: Person) -> None:
    folder = settings(person).parent
    folder.rename(folder.with_name("shared"))
    folder.symlink_to("shared")


def all_hooks_disabled(person: Person) -> None:
    user_settings(person).write_text('{"disableAllHooks": true}')


# The program.


def program(person: Person) -> Path:
    return person.sandbox.home / DATA / "venv"


def deleted_program(person: Person) -> None:
    shutil.rmtree(person.sandbox.home / DATA)


def deleted_environment(person: Person) -> None:
    shutil.rmtree(person.sandbox.home / DATA / ENVIRONMENT)


def no_home(person: Person) -> None:
    person.env["HOME"] = ""


def deleted_home(person: Person) -> None:
    person.env["HOME"] = "/nonexistent/anna"


def no_claude(person: Person) -> None:
    person.add_program("claude", "exit 127")


# Folders and files.


def closed_project(person: Person) -> None:
    person.sandbox.root.chmod(0o111)


def closed_memories(person: Person) -> None:
    person.sandbox.memories.chmod(0)


def memories_of_root(person: Person) -> None:
    """Make the folder read-only, as it is after a command with sudo."""
    person.sandbox.memories.chmod(0o555)


def file_for_a_folder(person: Person) -> None:
    shutil.rmtree(person.sandbox.memories)
    person.sandbox.memories.write_text("notes")


def memory(person: Person) -> Path:
    return person.sandbox.memories / "engineer.md"


def utf16_memory(person: Person) -> None:
    memory(person).write_bytes(memory(person).read_text().encode("utf-16"))


def tab_in_config(person: Person) -> None:
    person.sandbox.configure("memory:\n\tenabled: true\n")


def older_program(person: Person) -> None:
    note = {"version": "0.0.9", "packages": "", "tool": "pipx", "place": ""}
    (program(person) / "program.json").write_text(json.dumps(note))


def other_name_of_config(person: Person) -> None:
    (person.sandbox.memories.parent / "config.yaml").write_text("memory:\n  enabled: false\n")


def no_merge_driver(person: Person) -> None:
    subprocess.run(["git", "init", "-q"], cwd=person.sandbox.root, check=True)
    (person.sandbox.memories / ".gitattributes").write_text("*.md merge=agent-memory\n")


MISSING = "does not exist: the hooks of PreToolUse, SubagentStart,"

# The damage, the check that finds its cause, and part of the place and the problem.
COLUMNS = ("damage", "check", "problem")
REPAIRED: list[tuple[Damage, str, str]] = [
    (wrong_path, "settings", f"/.local/shar/agent-memory {MISSING}"),
    (renamed_script, "settings", "subagent-stop.py does not exist: the hooks of SubagentStop do"),
    (only_the_last_events, "settings", "no hooks for PreToolUse, SubagentStart"),
    (other_matcher, "settings", "the matcher Bash does not match Agent"),
    (hooks_pasted_twice, "settings", "or there twice (not tested): PreToolUse"),
    (deleted_settings, "settings", "no hooks of agent-memory"),
    (add_tried_report, "inbox", "not merged into the memory of engineer yet: 1 report"),
    (no_merge_driver, "git", "the merge driver is not installed in this clone"),
]
LEFT: list[tuple[Damage, str, str]] = [
    (closed_settings, "settings", "settings.json: Claude Code ignores the whole file: Permission"),
    (closed_project, "paths", "/shop: the project cannot be read"),
    (closed_memories, "paths", ".claude-mpm/memories: cannot be read"),
    (memories_of_root, "paths", ".claude-mpm/memories: cannot be written"),
    (trailing_comma, "settings", "settings.json: Claude Code ignores the whole file: line 8"),
    (linked_settings_folder, "settings", "/.claude: is a link, which is not followed: its hooks"),
    (all_hooks_disabled, "switched-off", "disableAllHooks is true"),
    (deleted_program, "settings", f"/share/agent-memory {MISSING}"),
    (deleted_environment, "settings", f"venv is a link to {ENVIRONMENT}, which {MISSING}"),
    (older_program, "program", "hooks run agent-memory 0.0.9, which is older than this one"),
    (no_home, "program", "HOME is ''"),
    (deleted_home, "program", "HOME is '/nonexistent/anna'"),
    (no_claude, "program", "no `claude` on PATH"),
    (file_for_a_folder, "paths", ".claude-mpm/memories: is a file, not a folder"),
    (utf16_memory, "memory", "engineer.md: is not text"),
    (tab_in_config, "config", "config.yml:2:1: not YAML"),
    (other_name_of_config, "config", "config.yaml: has no effect"),
]


@pytest.mark.parametrize(
    COLUMNS,
    [
        pytest.param(*row, id=row[0].__name__, marks=[pytest.mark.slow] * (number % 4 > 0))
        for number, row in enumerate(REPAIRED)
    ],
)
def test_a_cause_is_found_and_repaired(
    person: Person, damage: Damage, check: str, problem: str
) -> None:
    damage(person)
    ((found_by, found),) = run_doctor(person)["problems"]
    assert found_by == check
    assert problem in found
    answer = run_doctor(person, "--fix")
    assert (answer["problems"], answer["skipped"]) == ([], [])
    assert [repair["error"] for repair in answer["mended"]] == [None]
    assert ITEM in person.sandbox.read_memory("engineer")


@pytest.mark.parametrize(COLUMNS, LEFT, ids=[row[0].__name__ for row in LEFT])
def test_a_cause_is_found_and_left_to_a_person(
    person: Person, damage: Damage, check: str, problem: str
) -> None:
    damage(person)
    answer = run_doctor(person, "--fix")
    ((found_by, found),) = answer["problems"]
    assert (found_by, answer["mended"]) == (check, [])
    assert problem in found


def hooks_in_local_settings(person: Person) -> None:
    settings(person).rename(settings(person, "settings.local.json"))


def hooks_of_the_user(person: Person) -> None:
    settings(person).rename(user_settings(person))


def hooks_at_two_levels(person: Person) -> None:
    shutil.copy(settings(person), user_settings(person))


def windows_files(person: Person) -> None:
    for path in (settings(person), memory(person)):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    settings(person).write_bytes(b"\xef\xbb\xbf" + settings(person).read_bytes())


def moved_project(person: Person) -> None:
    person.sandbox.root = person.sandbox.root.rename(person.sandbox.root.with_name("market"))
    person.env["CLAUDE_PROJECT_DIR"] = str(person.sandbox.root)


UNUSUAL = [hooks_in_local_settings, hooks_of_the_user, hooks_at_two_levels]


@pytest.mark.parametrize("change", [*UNUSUAL, windows_files, moved_project])
def test_an_unusual_installation_is_healthy(person: Person, change: Damage) -> None:
    change(person)
    answer = run_doctor(person)
    assert (answer["problems"], answer["skipped"]) == ([], [])
    assert "warning" not in run(person, "status").stdout


def full_section(person: Person) -> None:
    lines = "".join(f"- Decision {number} stays as it is\n" for number in range(20))
    person.sandbox.append_to_memory("engineer", lines)


def misspelt_agent(person: Person) -> None:
    person.sandbox.write_memory("enginer", ITEM)
    define_agents(person.sandbox.root, "engineer")


def other_ending(person: Person) -> None:
    person.sandbox.memories.joinpath("qa.txt").write_text(f"- {ITEM}\n")


def long_text(person: Person) -> None:
    del person.env["AGENT_MEMORY_SELECTION"]
    person.sandbox.append_to_memory("engineer", f"- Own rule\n  - {'long ' * 1200}\n")


@pytest.mark.parametrize(
    ("change", "note"),
    [
        (long_text, "tokens, which agents never receive: a prompt has room for 1000"),
        (other_ending, "their names do not end in .md: qa.txt"),
        (full_section, "Project Architecture has 21 items, limit 15"),
        (misspelt_agent, "no agents of these names are defined: enginer"),
    ],
)
def test_what_may_be_meant_is_a_note(person: Person, change: Damage, note: str) -> None:
    change(person)
    answer = run_doctor(person)
    (found,) = [finding["what"] for finding in answer["findings"] if finding["level"] == "note"]
    assert answer["problems"] == []
    assert note in found


# Status.


def no_memory(person: Person) -> None:
    shutil.rmtree(person.sandbox.memories.parent)


def nothing_installed(person: Person) -> None:
    no_memory(person)
    deleted_settings(person)


def switched_off(person: Person) -> None:
    person.env["AGENT_MEMORY"] = "off"


def waiting_learning(person: Person) -> None:
    """Let a report teach what is too long, so that a person has to decide."""
    event = json.loads(person.make_sample("post"))
    block = event["tool_response"]["content"][0]
    block["text"] = block["text"].replace("sample event", "sample event " * 40)
    person.sandbox.run_hook("post_tool_use", event)


def moved_with_state(person: Person) -> None:
    waiting_learning(person)
    folder = person.sandbox.root.parent / "code"
    folder.mkdir()
    person.sandbox.root = person.sandbox.root.rename(folder / "shop")
    person.env["CLAUDE_PROJECT_DIR"] = str(person.sandbox.root)


INSTALLED = "Hooks: installed in project settings"
WAITING = "1 learning waits for you (agent-memory review)"

# What is changed, and lines that `status` then has.
STATES: list[tuple[Damage, list[str]]] = [
    (nothing_installed, ["No agent has a memory yet.", "Next: agent-memory install"]),
    (no_memory, ["No agent has a memory yet.", "Next: start a new Claude Code session"]),
    (hooks_in_local_settings, ["Hooks: installed in local settings"]),
    (hooks_of_the_user, ["Hooks: installed in user settings"]),
    (deleted_settings, ["Hooks: not installed", "(agent-memory install)"]),
    (trailing_comma, ["Hooks: not found", "settings.json: line"]),
    (all_hooks_disabled, [f"{INSTALLED}, but they do not work", "disableAllHooks switches all"]),
    (deleted_program, [f"{INSTALLED}, but they do not work", f"/agent-memory {MISSING}"]),
    (other_matcher, [f"{INSTALLED}, but not all of them work", "the matcher Bash does not"]),
    (only_the_last_events, [f"{INSTALLED}, but not all of them work", "no hooks for PreToolUse"]),
    (closed_memories, ["Cannot read ", "/.claude-mpm/memories: cannot be read"]),
    (closed_project, ["Cannot read ", "/shop: cannot be read"]),
    (tab_in_config, ["config.yml: 1 problem, so memory is off (agent-memory config check)"]),
    (switched_off, ["memory is switched off (unset AGENT_MEMORY)"]),
    (utf16_memory, ["engineer.md: is not text, perhaps UTF-16"]),
    (full_section, ["engineer: Project Architecture has 21 items, limit 15"]),
    (waiting_learning, [WAITING]),
    (moved_with_state, [WAITING]),
    (add_tried_report, ["1 report not merged yet (agent-memory tidy)"]),
]


@pytest.mark.parametrize(("change", "lines"), STATES, ids=[row[0].__name__ for row in STATES])
def test_status_is_true(person: Person, change: Damage, lines: list[str]) -> None:
    change(person)
    done = run(person, "status")
    assert done.returncode == 0, done.stderr
    assert [line for line in lines if line not in done.stdout] == [], done.stdout
