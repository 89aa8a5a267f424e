"""Ordinary ways to break an installation: `doctor` names the one cause, and `--fix` repairs it."""

import fcntl
import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memory_core.storage import event_log, receipts
from memory_core.text.times import format_utc
from support.command_line import COMMAND, ITEM, Person, read_fields
from support.files import define_agents, read_files, write, write_program
from support.inbox import add_tried_report, add_unreadable_report
from support.runs import add_runs, make_run

Damage = Callable[[Person], object]

CONFLICT = "<<<<<<< ours\n- a\n=======\n- b\n>>>>>>> theirs\n"

# Root can read and write everything, so it gives up that capability.
POWERLESS = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]


def run(person: Person, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the command line, without the powers of root where they make a difference."""
    if os.geteuid() or not is_closed(person):
        return person.run(*words)
    if not shutil.which(POWERLESS[0]):
        pytest.skip("nothing here takes root's powers away")
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


def list_wrong(answer: dict[str, Any], *fields: str) -> list[tuple[str, ...]]:
    """Return these fields of all findings that are not good."""
    found = [finding for finding in answer["findings"] if finding["level"] != "ok"]
    return [tuple(finding[field] for field in fields) for finding in found]


def is_closed(person: Person) -> bool:
    """Say whether a file or folder lacks a right that root has anyway."""
    folders = (person.sandbox.root, person.sandbox.home)
    paths = [path for folder in folders for path in (folder, *folder.rglob("*"))]
    return any(path.lstat().st_mode & 0o600 != 0o600 for path in paths)


# Settings.


def settings(person: Person, name: str = "settings.json") -> Path:
    return person.sandbox.root / ".claude" / name


def user_settings(person: Person) -> Path:
    return person.sandbox.home / ".claude" / "settings.json"


def replace(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def edit_hooks(person: Person, change: Callable[[dict[str, Any]], object]) -> None:
    value = json.loads(settings(person).read_text())
    change(value["hooks"])
    settings(person).write_text(json.dumps(value, indent=2))


def wrong_path(person: Person) -> None:
    replace(settings(person), "$HOME/.local/share", "$HOME/.local/shar")


def renamed_script(person: Person) -> None:
    replace(settings(person), "subagent_stop.py", "subagent-stop.py")


def only_the_last_events(person: Person) -> None:
    edit_hooks(person, lambda hooks: [hooks.pop("PreToolUse"), hooks.pop("SubagentStart")])


def other_matcher(person: Person) -> None:
    edit_hooks(person, lambda hooks: hooks["PreToolUse"][0].update(matcher="Bash"))


def hooks_pasted_twice(person: Person) -> None:
    edit_hooks(person, lambda hooks: [groups.extend(groups[:]) for groups in hooks.values()])


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
    write(user_settings(person), '{"disableAllHooks": true}')


def other_version(person: Person) -> None:
    replace(settings(person), '"timeout": 10', '"timeout": 20')


# The program.


def program(person: Person) -> Path:
    return person.sandbox.home / ".local" / "share" / "agent-memory" / "venv"


def deleted_program(person: Person) -> None:
    shutil.rmtree(program(person).parent)


def python_gone(person: Person) -> None:
    (program(person) / "bin" / "python").unlink()
    (program(person) / "bin" / "python").symlink_to("/nowhere/python3.9")


def strange_python(person: Person) -> None:
    write_program(program(person) / "bin" / "python", "exit 3")


def idle_python(person: Person) -> None:
    write_program(program(person) / "bin" / "python", "exit 0")


def no_home(person: Person) -> None:
    person.env["HOME"] = ""


def no_claude(person: Person) -> None:
    person.add_program("claude", "exit 127")


# Folders and files.


def closed_project(person: Person) -> None:
    person.sandbox.root.chmod(0o111)


def closed_memories(person: Person) -> None:
    person.sandbox.memories.chmod(0)


def memory(person: Person) -> Path:
    return person.sandbox.memories / "engineer.md"


def utf16_memory(person: Person) -> None:
    memory(person).write_bytes(memory(person).read_text().encode("utf-16"))


def tab_in_config(person: Person) -> None:
    person.sandbox.configure("memory:\n\tenabled: true\n")


def bad_config(person: Person) -> None:
    person.sandbox.configure("memory:\n  natural_langage: true\n")


def switched_off(person: Person) -> None:
    person.sandbox.configure("memory:\n  enabled: false\n")


def switched_off_in_settings(person: Person) -> None:
    write(user_settings(person), '{"env": {"AGENT_MEMORY": "off", "PATH": "/nowhere"}}')


def odd_memory(person: Person) -> None:
    person.sandbox.append_to_memory("engineer", CONFLICT)


def odd_memory_of_the_user(person: Person) -> None:
    path = person.sandbox.write_memory("engineer", "Prefers tabs", user=True)
    path.write_text(f"{path.read_text()}{CONFLICT}")


def odd_task_memory(person: Person) -> None:
    person.succeed("task", "start", "5")
    person.succeed("task", "init", "--yes")
    write(person.sandbox.root / "backlog" / "memory" / "5.md", f"## Notes\n{CONFLICT}")


def linked_memory(person: Person) -> None:
    (person.sandbox.memories / "qa.md").symlink_to("/etc/hostname")


def second_file(person: Person) -> None:
    write(person.sandbox.memories / "Engineer_memories.md", "- Retries are set in one place\n")


# The state.


def lost_delivery(person: Person) -> None:
    run = make_run("r1", time=format_utc(time.time()), arrived="lost", arrived_by="prompt")
    add_runs(person.sandbox.paths, run)


def fallback(person: Person) -> None:
    receipts.prefer_start(person.sandbox.paths)


def logged_error(person: Person) -> None:
    event_log.write(person.sandbox.paths, "agent.memory.error", error="no space")


def odd_lines_in_the_log(person: Person) -> None:
    lines = '{"a":1}\n{"event":"agent.memory.error"}\n{"event":5,"timestamp":[]}\n'
    person.sandbox.paths.state.replace("events.jsonl", lines.encode())


def older_program(person: Person) -> None:
    note = {"version": "0.0.9", "packages": "", "tool": "pipx", "place": ""}
    (program(person) / "program.json").write_text(json.dumps(note))
    (program(person) / "bin" / "agent-memory").symlink_to(person.bin / "agent-memory")


def other_name_of_config(person: Person) -> None:
    (person.sandbox.memories.parent / "config.yaml").write_text("memory:\n  enabled: false\n")


def no_merge_driver(person: Person) -> None:
    subprocess.run(["git", "init", "-q"], cwd=person.sandbox.root, check=True)
    (person.sandbox.memories / ".gitattributes").write_text("*.md merge=agent-memory\n")


MISSING = "does not exist: the hooks of PreToolUse, SubagentStart,"

# The damage, the check that finds its cause, and part of the place and the problem.
COLUMNS = ("damage", "check", "problem")
REPAIRED: list[tuple[Damage, str, str]] = [
    (wrong_path, "settings", f"/.local/shar/agent-memory/venv {MISSING}"),
    (renamed_script, "settings", "subagent-stop.py does not exist: the hooks of SubagentStop do"),
    (only_the_last_events, "settings", "no hooks for PreToolUse, SubagentStart"),
    (other_matcher, "settings", "the matcher Bash does not match Agent"),
    (deleted_settings, "settings", "no hooks of agent-memory"),
    (add_tried_report, "inbox", "not merged into the memory of engineer yet: 1 report"),
    (other_version, "settings", "outdated or modified (not tested): PreToolUse"),
    (odd_memory, "memory", "engineer.md:5: a merge conflict is not resolved"),
    (odd_memory_of_the_user, "memory", "engineer.md:5: a merge conflict is not resolved"),
    (odd_task_memory, "memory", "backlog/memory/5.md: a merge conflict is not resolved"),
    (no_merge_driver, "git", "the merge driver is not installed in this clone"),
]
LEFT: list[tuple[Damage, str, str]] = [
    (closed_settings, "settings", "settings.json: Claude Code ignores the whole file: Permission"),
    (closed_project, "paths", "/shop: the project cannot be read"),
    (closed_memories, "paths", ".claude-mpm/memories: cannot be read"),
    (trailing_comma, "settings", "settings.json: Claude Code ignores the whole file: line 8"),
    (linked_settings_folder, "settings", "/.claude: is a link, which is not followed: its hooks"),
    (all_hooks_disabled, "switched-off", "disableAllHooks is true"),
    (deleted_program, "settings", f"/share/agent-memory/venv {MISSING}"),
    (python_gone, "settings", f"python is a link to /nowhere/python3.9, which {MISSING}"),
    (strange_python, "command", "PreToolUse: the hook ended with status 3"),
    (idle_python, "command", "PreToolUse: the hook does nothing"),
    (older_program, "program", "hooks run agent-memory 0.0.9, which is older than this one"),
    (no_home, "program", "HOME is ''"),
    (no_claude, "program", "no `claude` on PATH"),
    (utf16_memory, "memory", "engineer.md: is not text"),
    (tab_in_config, "config", "config.yml:2:1: not YAML"),
    (other_name_of_config, "config", "config.yaml: has no effect"),
    (bad_config, "config", "config.yml:2: "),
    (switched_off, "switched-off", "config.yml: memory is switched off"),
    (switched_off_in_settings, "switched-off", "home/.claude/settings.json: memory is switched"),
    (linked_memory, "paths", "qa.md: is a link"),
    (second_file, "memory", "engineer has more memory files"),
    (add_unreadable_report, "inbox", "a report cannot be read"),
    (lost_delivery, "deliveries", "the last memory did not arrive"),
    (fallback, "deliveries", "memory is given by SubagentStart"),
    (logged_error, "deliveries", "1 error of hooks, the last one: no space"),
]


@pytest.mark.parametrize(
    COLUMNS,
    [
        pytest.param(*row, id=row[0].__name__, marks=[pytest.mark.slow] * (number % 4 > 0))
        for number, row in enumerate(REPAIRED)
    ],
)
def test_a_cause_is_found_and_repaired(
    settled: Person, damage: Damage, check: str, problem: str
) -> None:
    damage(settled)
    ((found_by, found),) = run_doctor(settled)["problems"]
    assert found_by == check
    assert problem in found
    answer = run_doctor(settled, "--fix")
    assert (answer["problems"], answer["skipped"]) == ([], [])
    assert [repair["error"] for repair in answer["mended"]] == [None]
    assert ITEM in settled.sandbox.read_memory("engineer")


@pytest.mark.slow
@pytest.mark.parametrize(COLUMNS, LEFT, ids=[row[0].__name__ for row in LEFT])
def test_a_cause_is_found_and_left_to_a_person(
    settled: Person, damage: Damage, check: str, problem: str
) -> None:
    damage(settled)
    answer = run_doctor(settled, "--fix")
    ((found_by, found),) = answer["problems"]
    assert (found_by, answer["mended"]) == (check, [])
    assert problem in found


def hooks_in_local_settings(person: Person) -> None:
    settings(person).rename(settings(person, "settings.local.json"))


def hooks_of_the_user(person: Person) -> None:
    hooks_at_two_levels(person)
    settings(person).unlink()


def hooks_at_two_levels(person: Person) -> None:
    write(user_settings(person), settings(person).read_text())


def windows_files(person: Person) -> None:
    for path in (settings(person), memory(person)):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    settings(person).write_bytes(b"\xef\xbb\xbf" + settings(person).read_bytes())


def moved_project(person: Person) -> None:
    person.sandbox.root = person.sandbox.root.rename(person.sandbox.root.with_name("market"))
    person.env["CLAUDE_PROJECT_DIR"] = str(person.sandbox.root)


UNUSUAL = [
    *(hooks_in_local_settings, hooks_of_the_user, hooks_at_two_levels, hooks_pasted_twice),
    odd_lines_in_the_log,
]


@pytest.mark.slow
@pytest.mark.parametrize("change", [*UNUSUAL, windows_files, moved_project])
def test_an_unusual_installation_is_healthy(settled: Person, change: Damage) -> None:
    change(settled)
    answer = run_doctor(settled)
    assert (answer["problems"], answer["skipped"]) == ([], [])
    assert "warning" not in run(settled, "status").stdout


def full_section(person: Person) -> None:
    lines = "".join(f"- Decision {number} stays as it is\n" for number in range(20))
    person.sandbox.append_to_memory("engineer", lines)


def misspelt_agent(person: Person) -> None:
    person.sandbox.write_memory("enginer", ITEM)
    define_agents(person.sandbox.root, "engineer")


def learns_nothing(person: Person) -> None:
    person.sandbox.configure("memory:\n  auto_learning: false\n")


def long_text(person: Person) -> None:
    del person.env["AGENT_MEMORY_SELECTION"]
    person.sandbox.append_to_memory("engineer", f"- Own rule\n  - {'long ' * 1200}\n")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "note"),
    [
        (learns_nothing, "auto_learning is off: agents get their memory, but learn nothing"),
        (long_text, "tokens, which agents never receive: a prompt has room for 1000"),
        (full_section, "Project Architecture has 21 items, limit 15"),
        (misspelt_agent, "no agents of these names are defined: enginer"),
    ],
)
def test_what_may_be_meant_is_a_note(settled: Person, change: Damage, note: str) -> None:
    change(settled)
    answer = run_doctor(settled)
    (found,) = [finding["what"] for finding in answer["findings"] if finding["level"] == "note"]
    assert answer["problems"] == []
    assert note in found


# Findings and repairs, as they are reported.


def test_a_finding_has_problem_place_and_repair(settled: Person) -> None:
    for damage in (bad_config, odd_memory, python_gone):
        damage(settled)
    text = settled.run("doctor").stdout.replace(f"{settled.sandbox.root}/", "")
    python = program(settled) / "bin" / "python"
    first, place, advice, *_more = text.splitlines()
    problem = f"{python} is a link to /nowhere/python3.9, which does not exist"
    assert first.startswith(f"broken   settings: {problem}: the hooks of PreToolUse, Sub")
    assert place == "         in: .claude/settings.json"
    assert advice.startswith("         to do: run ./install.sh again, from a clone of agent-memory")
    assert "         in: .claude-mpm/config.yml:2\n" in text
    assert "         to do: agent-memory tidy\n" in text
    assert "Not checked because of these problems: command\n3 problems found; " in text
    assert text.endswith("agent-memory doctor --fix repairs 1 of them\n")


@pytest.mark.parametrize(
    ("name", "mode", "level"), [("", 0o500, "warning"), ("state.db", 0o444, "broken")]
)
def test_file_permissions_are_checked(settled: Person, name: str, mode: int, level: str) -> None:
    settled.succeed("add", "engineer", "pattern", "Prices are in cents")
    state, memories = settled.sandbox.state / name, settled.sandbox.memories
    write(memories / "qa.md", "- Fixtures are small\n")
    write(memories / "history" / "engineer.jsonl", "")
    # The place, its mode, and the level of the finding.
    rows = [
        (state, mode, level),
        (memories / "engineer.md", 0o444, "warning"),
        (memories / "qa.md", 0, "broken"),
        (memories / "history" / "engineer.jsonl", 0o444, "broken"),
    ]
    for path, mode, _level in rows:
        path.chmod(mode)
    found = list_wrong(run_doctor(settled), "level", "mend")
    root = f"{settled.sandbox.root}/"
    assert set(found) == {
        (level, f"chmod u+rwX {str(path).removeprefix(root)}") for path, _mode, level in rows
    }


def test_safe_repairs_are_done_once_and_reported(settled: Person) -> None:
    safe = (
        no_merge_driver,
        only_the_last_events,
        add_tried_report,
        odd_memory,
        odd_memory_of_the_user,
    )
    for damage in (*safe, bad_config):
        damage(settled)
    answer = run_doctor(settled, "--fix")
    assert list_wrong(answer, "check") == [("config",)]
    mended = [(finding["check"], finding["what"].partition(",")[0]) for finding in answer["mended"]]
    assert sorted(mended) == [
        ("git", "merge driver installed in this clone"),
        ("inbox", "1 report merged"),
        *[("memory", "conflict resolved")] * 2,
        ("settings", "hooks updated"),
    ]
    assert not any(finding["error"] for finding in answer["mended"])
    assert all(set(finding) == read_fields("`doctor`, in `mended`") for finding in answer["mended"])
    assert '+    "PreToolUse": [' in answer["mended"][0]["diff"]
    before = read_files(settled.sandbox.root)
    again = run_doctor(settled, "--fix")
    assert (again["mended"], again["problems"]) == ([], answer["problems"])
    assert read_files(settled.sandbox.root) == before


def test_repairs_are_printed_with_their_undo(settled: Person) -> None:
    add_tried_report(settled)
    other_version(settled)
    done = settled.succeed("doctor", "--fix")
    first, place, *lines = done.stdout.splitlines()
    assert first == "fixed    settings: hooks updated"
    assert place == f"         in: {settings(settled)}"
    assert '         -            "timeout": 20' in lines
    merged = lines.index("fixed    inbox: 1 report merged")
    assert lines[merged + 2] == "         undo: agent-memory undo"
    assert lines[-1] == "Repaired: 2; problems left for you: none"
    assert "warning" not in done.stdout


def test_hooks_are_updated_in_place(settled: Person) -> None:
    other_version(settled)
    local = settings(settled).rename(settings(settled, "settings.local.json"))
    answer = settled.read_json("doctor", "--fix")
    assert [finding["where"] for finding in answer["mended"]] == [str(local)]
    assert not settings(settled).exists()


def test_a_problem_without_a_repair_stays_a_finding(settled: Person) -> None:
    for damage in (only_the_last_events, python_gone, add_tried_report, fallback):
        damage(settled)
    path = settled.sandbox.root / ".claude-mpm" / "locks" / "engineer.lock"
    write(path, "")
    before = settings(settled).read_bytes()
    with open(path) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        answer = run_doctor(settled, "--fix")
    mended = [(finding["check"], bool(finding["error"])) for finding in answer["mended"]]
    assert mended == [("settings", True), ("inbox", True)]
    assert {("settings",), ("inbox",), ("deliveries",)} <= {*list_wrong(answer, "check")}
    assert settings(settled).read_bytes() == before


# Status.


def no_memory(person: Person) -> None:
    shutil.rmtree(person.sandbox.memories.parent)


def nothing_installed(person: Person) -> None:
    no_memory(person)
    deleted_settings(person)


def switched_off_in_the_shell(person: Person) -> None:
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
    (deleted_program, [f"{INSTALLED}, but they do not work", f"/agent-memory/venv {MISSING}"]),
    (other_matcher, [f"{INSTALLED}, but not all of them work", "the matcher Bash does not"]),
    (only_the_last_events, [f"{INSTALLED}, but not all of them work", "no hooks for PreToolUse"]),
    (closed_memories, ["Cannot read ", "/.claude-mpm/memories: cannot be read"]),
    (closed_project, ["Cannot read ", "/shop: cannot be read"]),
    (tab_in_config, ["config.yml: 1 problem, so memory is off (agent-memory config check)"]),
    (switched_off_in_the_shell, ["memory is switched off (unset AGENT_MEMORY)"]),
    (utf16_memory, ["engineer.md: is not text, perhaps UTF-16"]),
    (full_section, ["engineer: Project Architecture has 21 items, limit 15"]),
    (moved_with_state, [WAITING]),
]


@pytest.mark.parametrize(("change", "lines"), STATES, ids=[row[0].__name__ for row in STATES])
def test_status_is_true(settled: Person, change: Damage, lines: list[str]) -> None:
    change(settled)
    done = run(settled, "status")
    assert done.returncode == 0, done.stderr
    assert [line for line in lines if line not in done.stdout] == [], done.stdout
