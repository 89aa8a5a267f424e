"""`agent-memory doctor`: its findings, its repairs, and its output."""

import fcntl
import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memory_core.claude_code import settings_files, settings_json
from memory_core.doctor import checks
from memory_core.setup import trial
from memory_core.storage import event_log, receipts
from memory_core.text.times import format_utc
from support.command_line import COMMAND, Person, read_fields
from support.files import read_files, write, write_program
from support.inbox import add_tried_report, add_unreadable_report
from support.pages import PAGE
from support.runs import add_runs, make_run

Damage = Callable[[Person], object]

CONFLICT = "<<<<<<< ours\n- a\n=======\n- b\n>>>>>>> theirs\n"


def findings(done: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    results = json.loads(done.stdout)
    levels = {finding["level"] for finding in results["findings"]}
    assert done.returncode == results["broken"] == bool(levels & {"warning", "broken"})
    return list(results["findings"])


def examine(person: Person) -> list[dict[str, Any]]:
    return findings(person.run("doctor", "--json"))


def select(results: list[dict[str, Any]], check: str, field: str = "what") -> list[str]:
    return [finding[field] for finding in results if finding["check"] == check]


def wrong(results: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(finding["level"], finding["check"]) for finding in results if finding["level"] != "ok"]


def list_problems(results: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [finding for finding in results if finding["level"] in ("warning", "broken")]


def settings_of(person: Person, name: str = "settings.json") -> Path:
    return person.sandbox.root / ".claude" / name


def user_settings(person: Person) -> Path:
    return person.sandbox.home / ".claude" / "settings.json"


def change(path: Path, **values: Any) -> None:
    """Set keys of a JSON file."""
    value = json.loads(path.read_text()) if path.exists() else {}
    write(path, json.dumps({**value, **values}))


# Without problems.


def test_a_healthy_project(settled: Person) -> None:
    before = read_files(settled.sandbox.root)
    results = settled.list_findings()
    assert {level for level, _check in results} == {"ok"}
    assert results.count(("ok", "command")) == 7
    assert read_files(settled.sandbox.root) == before
    assert not settled.sandbox.state.parent.exists()


def test_a_new_project_lacks_hooks(person: Person) -> None:
    done = person.run("doctor", "--fix", "--json")
    answer = json.loads(done.stdout)
    problems = [("warning", "program"), ("broken", "settings")]
    assert (done.returncode, wrong(answer["findings"])) == (1, problems)
    assert "command" not in {finding["check"] for finding in answer["findings"]}
    last = person.run("doctor", "--fix").stdout.splitlines()[-1]
    assert last == "Repaired: nothing; problems left for you: 2"
    assert answer["mended"] == []
    assert read_files(person.sandbox.root) == {}


def test_a_project_with_tasks_needs_the_hooks_for_them(settled: Person) -> None:
    """The form of an older version, which matched every shell command, serves as well."""
    (settled.sandbox.root / "backlog").mkdir()
    assert settled.list_findings("warning", "broken") == [("warning", "settings")]
    done = settled.run("doctor", "--fix", "--json")
    assert "mcp__backlog__" in settings_of(settled).read_text()
    assert json.loads(done.stdout)["mended"]
    assert settled.list_findings("warning", "broken") == []
    (settled.sandbox.root / "backlog").rmdir()
    assert settled.list_findings("warning", "broken") == []


# Problems.  The damages of one row are independent of each other.


def missing_events(person: Person) -> None:
    some = dict(list(settings_json.build_hooks(trial.read_template()).items())[:2])
    settings_of(person).write_text(settings_json.add_hooks("", some))


def other_version(person: Person) -> None:
    path = settings_of(person)
    path.write_text(path.read_text().replace('"timeout": 10', '"timeout": 20', 1))


def program(person: Person) -> Path:
    return person.sandbox.home / ".local" / "share" / "agent-memory" / "venv"


def no_program(person: Person) -> None:
    shutil.rmtree(program(person))


def python_gone(person: Person) -> None:
    (program(person) / "bin" / "python").unlink()
    (program(person) / "bin" / "python").symlink_to("/nowhere/python3.9")


def strange_python(person: Person) -> None:
    write_program(program(person) / "bin" / "python", "exit 3")


def says_too_much(person: Person) -> None:
    """Add other commands to the command of a hook."""
    path = settings_of(person)
    path.write_text(path.read_text().replace("; if [", "; echo Hello; if [", 1))


def bad_config(person: Person) -> None:
    person.sandbox.configure("memory:\n  natural_langage: true\n")


def switched_off(person: Person) -> None:
    person.sandbox.configure("memory:\n  enabled: false\n")


def learns_nothing(person: Person) -> None:
    person.sandbox.configure("memory:\n  auto_learning: false\n")


def switched_off_in_settings(person: Person) -> None:
    change(user_settings(person), env={"AGENT_MEMORY": "off", "PATH": "/nowhere"})


def odd_memory(person: Person) -> None:
    person.sandbox.append_to_memory("engineer", CONFLICT)


def odd_memory_of_the_user(person: Person) -> None:
    path = person.sandbox.write_memory("engineer", "Prefers tabs", user=True)
    path.write_text(f"{path.read_text()}{CONFLICT}")


def torn_history(person: Person) -> None:
    write(person.sandbox.memories / "history" / "qa.jsonl", '{"v": 1, "time": "2026-1\n\n')


def unreadable_memory(person: Person) -> None:
    (person.sandbox.memories / "qa.md").symlink_to("/etc/hostname")


def second_file(person: Person) -> None:
    write(person.sandbox.memories / "Engineer_memories.md", "- Retries are set in one place\n")


def no_folder(person: Person) -> None:
    person.sandbox.configure("memory:\n  directory: .claude-mpm/notes/memory\n")
    (person.sandbox.root / ".claude-mpm" / "notes").write_text("a file")


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


BROKEN, WARNING, NOTE = "broken", "warning", "note"

SETTINGS, INBOX, MEMORY = (BROKEN, "settings"), (WARNING, "inbox"), (WARNING, "memory")
OLDER = (WARNING, "settings")
ROWS: list[tuple[list[Damage], list[tuple[str, str]]]] = [
    (
        [bad_config, odd_memory, lost_delivery],
        [(WARNING, "config"), MEMORY, (WARNING, "deliveries")],
    ),
    (
        [missing_events, add_tried_report, torn_history, logged_error],
        [SETTINGS, MEMORY, INBOX, (WARNING, "deliveries")],
    ),
    ([other_version, add_unreadable_report, odd_memory_of_the_user], [OLDER, MEMORY, INBOX]),
    (
        [add_unreadable_report, add_tried_report, learns_nothing],
        [(NOTE, "switched-off"), INBOX, INBOX],
    ),
    ([no_program, second_file, unreadable_memory], [(BROKEN, "paths"), SETTINGS, MEMORY]),
    ([python_gone], [SETTINGS]),
    ([no_folder, lost_delivery], [(BROKEN, "paths"), (WARNING, "deliveries")]),
    ([strange_python], [(BROKEN, "command")]),
    ([says_too_much, fallback], [OLDER, (WARNING, "deliveries")]),
    ([switched_off], [(WARNING, "switched-off")]),
    ([switched_off_in_settings, odd_lines_in_the_log], [(WARNING, "switched-off")]),
]


@pytest.mark.parametrize(
    ("damages", "expected"), ROWS, ids=["+".join(each.__name__ for each in row[0]) for row in ROWS]
)
def test_the_doctor_finds(
    settled: Person, damages: list[Damage], expected: list[tuple[str, str]]
) -> None:
    for damage in damages:
        damage(settled)
    answer = examine(settled)
    assert wrong(answer) == expected
    assert all(finding["where"] and finding["mend"] for finding in list_problems(answer))


def test_a_finding_has_problem_place_and_repair(settled: Person) -> None:
    for damage in (bad_config, odd_memory, python_gone, torn_history):
        damage(settled)
    text = settled.run("doctor").stdout.replace(f"{settled.sandbox.root}/", "")
    python = program(settled) / "bin" / "python"
    first, place, advice, *_more = text.splitlines()
    problem = f"{python} is a link to /nowhere/python3.9, which does not exist"
    assert first.startswith(f"broken   settings: {problem}: the hooks of PreToolUse, Sub")
    assert place == "         in: .claude/settings.json"
    assert advice.startswith("         to do: run ./install.sh again, from a clone of agent-memory")
    assert "         in: .claude-mpm/config.yml:2\n" in text
    assert "         in: .claude-mpm/memories/history/qa.jsonl:1\n" in text
    assert "         to do: agent-memory tidy\n" in text
    assert "Not checked because of these problems: command\n4 problems found; " in text
    assert text.endswith("agent-memory doctor --fix repairs 1 of them\n")


def test_what_makes_nothing_happen_is_named(settled: Person) -> None:
    write_program(program(settled) / "bin" / "python", "exit 0")
    (finding,) = [each for each in examine(settled) if each["check"] == "command"]
    assert finding["level"] == BROKEN
    assert finding["what"].endswith(": the hook does nothing")
    switched_off_in_settings(settled)
    (finding,) = [each for each in examine(settled) if each["check"] == "switched-off"]
    assert finding["where"] == str(user_settings(settled))


def test_no_text_of_a_repository_is_run(settled: Person) -> None:
    """Settings come with a clone, so a command may only look like a hook of agent-memory."""
    path, root = settings_of(settled), settled.sandbox.root
    ran = root / "ran"
    for name in ("evil/bin/python", "bin/sh"):
        write_program(root / name, f"touch '{ran}'")
    write(root / "evil" / "hooks" / "session_start.py", "")
    hooks = json.loads(path.read_text())["hooks"]
    good = hooks["SessionStart"][0]["hooks"][0]["command"]
    folder = good[len(settings_json.COMMAND_PREFIX) : good.index(";")]
    texts = {
        "PreToolUse": f"agent_memory=$(touch '{ran}')x; true",
        "SubagentStart": good.replace(folder, f'"$(touch {ran})"'),
        "SessionStart": good.replace(folder, f'"{root}/evil"'),
        "PostToolUse": good.replace(folder, '"./evil"'),
        "PostToolUseFailure": f"{good}; touch '{ran}'",
        "SubagentStop": good.replace(folder, '"/proc/self/cwd/evil"'),
    }
    for event, text in texts.items():
        hooks[event][0]["hooks"][0]["command"] = text
    env = {"PATH": str(root / "bin"), "XDG_DATA_HOME": str(root), "LD_PRELOAD": "x.so"}
    change(path, hooks=hooks, env=env)
    settled.add_program("claude", 'echo "2.1.329 (Claude Code)"')
    answer = list_problems(examine(settled))
    assert {finding["check"] for finding in answer} == {"settings"}
    assert answer[0]["mend"] == f"agent-memory install {root}"
    assert not ran.exists()
    assert wrong(settled.read_json("doctor", "--fix")["findings"]) == []
    assert not ran.exists()


def test_a_project_with_blanks_in_its_path(person: Person) -> None:
    """Suggested commands are quoted for the shell; unreadable settings may contain the hooks."""
    person.add_program("claude", "echo 2.1.329")
    root = person.sandbox.root / "my shop; id"
    (root / ".claude-mpm").mkdir(parents=True)

    def examine_there() -> dict[str, Any]:
        done = person.run("doctor", "--json", cwd=root, CLAUDE_PROJECT_DIR=str(root))
        (answer,) = [finding for finding in findings(done) if finding["level"] != "ok"]
        return answer

    assert examine_there()["mend"] == f"agent-memory install '{root}'"
    write(root / ".claude" / "settings.json", "{,}")
    assert examine_there()["what"].startswith("Claude Code ignores the whole file: line 1")


# Plugins.


def plugin(person: Person, name: str, files: dict[str, Any], is_on: bool = True) -> Path:
    """Install a plugin as Claude Code does, and switch it on or off in the user's settings."""
    config = person.sandbox.home / ".claude"
    folder = config / "plugins" / "cache" / "shelf" / name / "1.0.0"
    for file, value in {".claude-plugin/plugin.json": {"name": name}, **files}.items():
        write(folder / file, value if isinstance(value, str) else json.dumps(value))
    full_name = f"{name}@shelf"
    path = config / "plugins" / "installed_plugins.json"
    installed = json.loads(path.read_text())["plugins"] if path.exists() else {}
    installed[full_name] = [{"scope": "user", "installPath": str(folder)}]
    change(path, version=2, plugins=installed)
    path = user_settings(person)
    switched = json.loads(path.read_text()).get("enabledPlugins", {}) if path.exists() else {}
    change(path, enabledPlugins={**switched, full_name: is_on})
    return folder


def watcher(command: str) -> dict[str, Any]:
    hook = {"type": "command", "command": f"{settings_json.COMMAND_PREFIX}{command}"}
    return {"PreToolUse": [{"matcher": "Task|Agent", "hooks": [hook]}]}


def test_hooks_of_the_plugin_are_found(settled: Person) -> None:
    hooks = settings_json.build_hooks(trial.read_template())
    folder = plugin(settled, "mnemo", {"hooks/hooks.json": {"hooks": hooks}})

    def assert_doubled(option: object) -> None:
        (finding,) = [finding for finding in examine(settled) if finding["level"] != "ok"]
        assert (finding["level"], finding["check"]) == (NOTE, "settings")
        assert finding["what"] == "the plugin mnemo@shelf has the same hooks"
        assert finding["mend"] == f"nothing, or agent-memory uninstall {option}"

    assert_doubled(settled.sandbox.root)
    users = user_settings(settled)
    change(users, hooks=json.loads(settings_of(settled).read_text())["hooks"])
    settings_of(settled).write_text("{}")
    assert_doubled("--user")
    change(users, hooks={})
    settings_of(settled).unlink()
    results = examine(settled)
    assert wrong(results) == []
    assert select(results, "command", "where") == [f"{folder}/hooks/hooks.json"] * 7
    assert settled.read_json("status")["hooks"][0]["level"] == "plugin"


def list_commands(person: Person) -> set[str]:
    """Return the commands of all hooks of agent-memory in plugins."""
    files = settings_files.read_hook_files(str(person.sandbox.root), person.env)
    return {hook.command for file in files if file.plugin for hook in file.own_hooks}


def test_hooks_of_plugins_are_read(settled: Person) -> None:
    usual = "hooks/hooks.json"
    variables = {"env": {"AGENT_MEMORY": "0"}, "disableAllHooks": True}
    plugin(settled, "usual", {usual: {"hooks": watcher("usual"), **variables}})
    plugin(settled, "off", {usual: {"hooks": watcher("off")}}, is_on=False)
    plugin(settled, "bare", {usual: watcher("bare")})  # Claude Code ignores it
    plugin(settled, "torn", {usual: "{"})
    plugin(settled, "odd", {usual: '{"hooks": {"PreToolUse": [1]}}'})
    plugin(settled, "none", {})
    assert list_commands(settled) == {"agent_memory=usual"}
    broken, switched_off = settled.list_findings("broken"), ("broken", "switched-off")
    assert ("broken", "settings") in broken
    assert switched_off not in broken


def test_a_plugin_in_a_marketplace_folder_is_read_there(settled: Person, tmp_path: Path) -> None:
    plugin(settled, "near", {"hooks/hooks.json": {"hooks": watcher("the-copy")}})
    shelf = tmp_path / "shelf"
    write(shelf / "near" / "hooks" / "hooks.json", json.dumps({"hooks": watcher("in-place")}))
    entry = {"name": "near", "source": "./near"}
    write(shelf / ".claude-plugin" / "marketplace.json", json.dumps({"plugins": [entry]}))
    source = {"source": "directory", "path": str(shelf)}
    marketplaces = settled.sandbox.home / ".claude" / "plugins" / "known_marketplaces.json"
    change(marketplaces, shelf={"source": source, "installLocation": str(shelf)})
    assert list_commands(settled) == {"agent_memory=in-place"}


# Rights.


# Root can read and write everything, so it gives up that capability.
POWERLESS = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]


RIGHTS = [("", 0o500, WARNING), ("state.db", 0o444, BROKEN)]


@pytest.mark.parametrize(("name", "mode", "level"), RIGHTS)
def test_file_permissions_are_checked(settled: Person, name: str, mode: int, level: str) -> None:
    if os.geteuid() == 0 and not shutil.which("setpriv"):
        pytest.skip("nothing here takes root's powers away")
    assert settled.run("add", "engineer", "pattern", "Prices are in cents").returncode == 0
    state, memories = settled.sandbox.state / name, settled.sandbox.memories
    write(memories / "qa.md", "- Fixtures are small\n")
    write(memories / "history" / "engineer.jsonl", "")
    # The place, its mode, and the level of the finding.
    rows = [
        (state, mode, level),
        (memories / "engineer.md", 0o444, WARNING),
        (memories / "qa.md", 0, BROKEN),
        (memories / "history" / "engineer.jsonl", 0o444, BROKEN),
    ]
    for path, mode, _level in rows:
        path.chmod(mode)

    def shorten(path: Path) -> str:
        return str(path).removeprefix(f"{settled.sandbox.root}/")

    command = [*(POWERLESS if os.geteuid() == 0 else []), *COMMAND, "doctor", "--json"]
    place: dict[str, Any] = {"cwd": settled.sandbox.root, "env": settled.env}
    done = subprocess.run(command, capture_output=True, text=True, **place)
    found = [finding for finding in findings(done) if finding["level"] != "ok"]
    assert {(finding["level"], finding["mend"]) for finding in found} == {
        (level, f"chmod u+rw{'X' * (path == state)} {shorten(path)}") for path, _mode, level in rows
    }


# Mending.


def test_safe_repairs_are_done_once_and_reported(settled: Person) -> None:
    subprocess.run(["git", "init", "-q"], cwd=settled.sandbox.root, check=True)
    write(settled.sandbox.memories / ".gitattributes", "*.md merge=agent-memory\n")
    safe = (missing_events, add_tried_report, odd_memory, odd_memory_of_the_user)
    for damage in (*safe, bad_config):
        damage(settled)
    done = settled.run("doctor", "--fix", "--json")
    answer = json.loads(done.stdout)
    assert done.returncode == 1, done.stdout
    assert wrong(answer["findings"]) == [(WARNING, "config")]
    mended = [(finding["check"], finding["what"].partition(",")[0]) for finding in answer["mended"]]
    assert sorted(mended) == [
        ("git", "merge driver installed in this clone"),
        ("inbox", "1 report merged"),
        *[("memory", "conflict resolved")] * 2,
        ("settings", "hooks updated"),
    ]
    assert not any(finding["error"] for finding in answer["mended"])
    assert all(set(finding) == read_fields("`doctor`, in `mended`") for finding in answer["mended"])
    assert '+    "SubagentStop": [' in answer["mended"][0]["diff"]
    before = read_files(settled.sandbox.root)
    again = json.loads(settled.run("doctor", "--fix", "--json").stdout)
    assert (again["mended"], wrong(again["findings"])) == ([], wrong(answer["findings"]))
    assert read_files(settled.sandbox.root) == before


def test_repairs_are_printed_with_their_undo(settled: Person) -> None:
    add_tried_report(settled)
    other_version(settled)
    done = settled.succeed("doctor", "--fix")
    first, place, *lines = done.stdout.splitlines()
    assert first == "fixed    settings: hooks updated"
    assert place == f"         in: {settings_of(settled)}"
    assert '         -            "timeout": 20' in lines
    merged = lines.index("fixed    inbox: 1 report merged")
    assert lines[merged + 2] == "         undo: agent-memory undo"
    assert lines[-1] == "Repaired: 2; problems left for you: none"
    assert "warning" not in done.stdout


def test_hooks_are_updated_in_place(settled: Person) -> None:
    other_version(settled)
    local = settings_of(settled).rename(settings_of(settled, "settings.local.json"))
    answer = settled.read_json("doctor", "--fix")
    assert [finding["where"] for finding in answer["mended"]] == [str(local)]
    assert not settings_of(settled).exists()


def test_a_problem_without_a_repair_stays_a_finding(settled: Person) -> None:
    for damage in (missing_events, no_program, add_tried_report, fallback):
        damage(settled)
    path = settled.sandbox.root / ".claude-mpm" / "locks" / "engineer.lock"
    write(path, "")
    before = settings_of(settled).read_bytes()
    with open(path) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        done = settled.run("doctor", "--fix", "--json")
    answer = json.loads(done.stdout)
    assert done.returncode == 1
    mended = [(finding["check"], bool(finding["error"])) for finding in answer["mended"]]
    assert mended == [("settings", True), ("inbox", True)]
    assert {SETTINGS, INBOX, (WARNING, "deliveries")} <= set(wrong(answer["findings"]))
    assert settings_of(settled).read_bytes() == before


# On a terminal, and on the page.


def test_the_checks_on_the_page_are_those_of_the_doctor() -> None:
    page = PAGE.partition("| check |")[2].partition("\n\n")[0]
    assert re.findall(r"^\| `([a-z-]+)` \| ", page, re.MULTILINE) == [*checks.CHECKS]
