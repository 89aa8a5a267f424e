"""`agent-memory doctor`: what it finds, what it mends, and that it says so."""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pexpect
import pytest
from conftest import REPO
from test_cli import (
    COMMAND,
    PAGE,
    Person,
    contents,
    cut_in_spool,
    fields_told,
    in_spool,
    on_terminal,
    waiting,
)
from test_cli import person as person
from test_cli import settled as settled

from memory_core import (
    client,
    hook_checks,
    installation,
    log,
    memory,
    mending,
    patient,
    places,
    runs,
    settings,
    spool,
)

Ail = Callable[[Person], object]

CONFLICT = "<<<<<<< ours\n- a\n=======\n- b\n>>>>>>> theirs\n"
OLD = 1_000_000_000  # seconds since 1970: long ago


def findings(done: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    found = json.loads(done.stdout)
    assert done.returncode == found["broken"], done.stderr
    return list(found["findings"])


def wrong(found: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(each["level"], each["check"]) for each in found if each["level"] != "ok"]


def settings_of(person: Person) -> Path:
    return person.sandbox.root / ".claude" / "settings.json"


def change(path: Path, **values: Any) -> None:
    """Set keys of a JSON file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    value = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps({**value, **values}))


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


# What is well.


def test_a_healthy_project(settled: Person) -> None:
    before = contents(settled.sandbox.root)
    found = settled.findings()
    assert {level for level, _check in found} == {"ok"}
    assert found.count(("ok", "command")) == 6
    after = contents(settled.sandbox.root)
    assert after == before


def test_a_new_project_wants_its_hooks(person: Person) -> None:
    done = person.run("doctor", "--fix", "--json")
    told = json.loads(done.stdout)
    assert (done.returncode, wrong(told["findings"])) == (1, [("broken", "settings")])
    assert told["mended"] == []
    assert contents(person.sandbox.root) == {}


# What is not.  The ails of a row have nothing to do with one another.


def broken_settings(person: Person) -> None:
    (person.sandbox.root / ".claude" / "settings.local.json").write_text("{,}")


def missing_events(person: Person) -> None:
    some = dict(list(settings.block(installation.template()).items())[:2])
    settings_of(person).write_text(settings.merge("", some))


def other_version(person: Person) -> None:
    path = settings_of(person)
    path.write_text(path.read_text().replace('"timeout": 10', '"timeout": 20', 1))


def a_guard_without_its_form(person: Person) -> None:
    """Claude Code drops the whole file."""
    hooks = json.loads(settings_of(person).read_text())["hooks"]
    hooks["PreToolUse"].append({"hooks": [{"type": "shell", "command": "true"}]})
    change(settings_of(person), hooks=hooks)


def hooks_without_their_form(person: Person) -> None:
    """Claude Code drops the whole file, or these alone, depending on its version."""
    hooks = json.loads(settings_of(person).read_text())["hooks"]
    hooks["Stop"] = [{"matcher": 5, "hooks": [{"type": "command", "command": "x", "timeout": "1"}]}]
    hooks["SessionEnd"] = {}
    hooks["Notification"] = [{"command": "true"}, {"hooks": ["true", {"type": "prompt"}]}]
    change(settings_of(person), hooks=hooks)


def program(person: Person) -> Path:
    return person.sandbox.home / ".local" / "share" / "agent-memory" / "venv"


def no_scripts(person: Person) -> None:
    (program(person) / "hooks").unlink()


def no_program(person: Person) -> None:
    shutil.rmtree(program(person))


def python_gone(person: Person) -> None:
    (program(person) / "bin" / "python").unlink()
    (program(person) / "bin" / "python").symlink_to("/nowhere/python3.9")


def old_python(person: Person) -> None:
    path = program(person) / "bin" / "python"
    path.unlink()
    write(path, "#!/bin/sh\necho 3 9 1\n").chmod(0o755)


def strange_python(person: Person) -> None:
    path = program(person) / "bin" / "python"
    path.unlink()
    write(path, "#!/bin/sh\nexit 3\n").chmod(0o755)


def says_too_much(person: Person) -> None:
    """A start of the command that a person has changed."""
    path = settings_of(person)
    path.write_text(path.read_text().replace("; if [", "; echo Hello; if [", 1))


def hooks_disabled(person: Person) -> None:
    change(person.sandbox.home / ".claude" / "settings.json", disableAllHooks=True)


def old_client(person: Person) -> None:
    person.program("claude", 'echo "2.0.30 (Claude Code)"')


def untested_client(person: Person) -> None:
    person.program("claude", 'echo "2.1.9 (Claude Code)"')


def bad_config(person: Person) -> None:
    person.sandbox.configure("memory:\n  natural_langage: true\n")


def switched_off(person: Person) -> None:
    person.sandbox.configure("memory:\n  enabled: false\n")


def learns_nothing(person: Person) -> None:
    person.sandbox.configure("memory:\n  auto_learning: false\n")


def switched_off_in_settings(person: Person) -> None:
    change(person.sandbox.home / ".claude" / "settings.json", env={"AGENT_MEMORY": "off"})


def odd_memory(person: Person) -> None:
    path = person.sandbox.memories / "engineer.md"
    path.write_text(f"{path.read_text()}{CONFLICT}")


def odd_memory_of_the_user(person: Person) -> None:
    path = person.sandbox.remembers("engineer", "Prefers tabs", user=True)
    path.write_text(f"{path.read_text()}{CONFLICT}")


def conflicts_beside(person: Person) -> None:
    write(person.sandbox.memories / "archive" / "engineer.md", f"## 2026-11-20\n{CONFLICT}")
    write(person.sandbox.memories / "quarantine" / "engineer.md", f"## 2026-11-20\n{CONFLICT}")


def torn_history(person: Person) -> None:
    write(person.sandbox.memories / "history" / "qa.jsonl", '{"v": 1, "time": "2026-1\n\n')


def history_elsewhere(person: Person) -> None:
    (person.sandbox.home / "kept").mkdir()
    (person.sandbox.memories / "history").symlink_to(person.sandbox.home / "kept")


def unreadable_memory(person: Person) -> None:
    (person.sandbox.memories / "qa.md").symlink_to("/etc/hostname")


def second_file(person: Person) -> None:
    write(person.sandbox.memories / "Engineer_memories.md", "- Retries are set in one place\n")


def no_folder(person: Person) -> None:
    person.sandbox.configure("memory:\n  directory: notes/memory\n")
    (person.sandbox.root / "notes").write_text("a file")


def another_in_spool(person: Person) -> None:
    entry = {**waiting("engineer"), "learnings": "Retries are set in one place"}
    spool.add(places.Place(str(person.sandbox.root)), "engineer", entry)


def no_text_in_spool(person: Person) -> None:
    path = spool.add(places.Place(str(person.sandbox.root)), "engineer", waiting("engineer"))
    Path(path).write_bytes(b"\xff")


def unreadable_in_spool(person: Person) -> None:
    """A folder: a file that root cannot read either."""
    (person.sandbox.state / "spool" / "qa" / "1-1.json").mkdir(parents=True)


def spool_without_end(person: Person) -> None:
    (person.sandbox.state / "spool").mkdir(parents=True, exist_ok=True)
    (person.sandbox.state / "spool" / "ops").symlink_to("ops")


def in_review(person: Person) -> None:
    project = memory.project_of(str(person.sandbox.root), person.sandbox.env)
    project.store.append("quarantine", "engineer", ["[x] a (too long)"], "2026-11-20")


def native_memory(person: Person) -> None:
    agent = '---\nname: "Engineer"\nmemory: project  # own\n---\nYou ...\n'
    write(person.sandbox.root / ".claude" / "agents" / "team" / "e.md", agent)


def other_tool(person: Person) -> None:
    hook = {"matcher": "Task", "hooks": [{"type": "command", "command": "other-tool"}]}
    text = json.dumps({"hooks": {"PreToolUse": [hook]}})
    (person.sandbox.root / ".claude" / "settings.local.json").write_text(text)


def lost_delivery(person: Person) -> None:
    place = places.Place(str(person.sandbox.root))
    log.write(place, "agent.memory.lost", agent_id="engineer", route="prompt")


def fallback(person: Person) -> None:
    runs.prefer_start(places.Place(str(person.sandbox.root)))


def logged_error(person: Person) -> None:
    log.write(places.Place(str(person.sandbox.root)), "agent.memory.error", error="no space")


def left_over(person: Person) -> None:
    for path in (
        person.sandbox.memories / ".qa.md.4711",
        person.sandbox.state / "sweep.json.4711",
    ):
        os.utime(write(path, "half"), (OLD, OLD))


def odd_lines_in_the_log(person: Person) -> None:
    lines = '{"a":1}\n{"event":"agent.memory.error"}\n{"event":5,"timestamp":[]}\n'
    write(person.sandbox.root / ".claude-mpm" / "logs" / "events.jsonl", lines)


def odd_environment(person: Person) -> None:
    """Names and values that no process can have."""
    env = {"A=B": "x", "X": "a\0b", "Q": "\ud800", "": "x", "\0": "x"}
    change(person.sandbox.home / ".claude" / "settings.json", env=env)


def no_path(person: Person) -> None:
    change(person.sandbox.home / ".claude" / "settings.json", env={"PATH": "/nowhere"})


BROKEN, WARNING = "broken", "warning"

ROWS: list[tuple[list[Ail], list[tuple[str, str]]]] = [
    (
        [broken_settings, bad_config, odd_memory, in_review, lost_delivery, native_memory],
        [
            (BROKEN, "settings"),
            (WARNING, "native-memory"),
            (WARNING, "config"),
            *[(WARNING, "memory")] * 3,
            (WARNING, "review"),
            (WARNING, "deliveries"),
        ],
    ),
    (
        [missing_events, in_spool, conflicts_beside, torn_history, logged_error],
        [
            (BROKEN, "settings"),
            *[(WARNING, "memory")] * 3,
            (WARNING, "spool"),
            (WARNING, "review"),
            (WARNING, "errors"),
        ],
    ),
    (
        [other_version, cut_in_spool, odd_memory_of_the_user, history_elsewhere],
        [
            (WARNING, "settings"),
            *[(BROKEN, "memory")] * 2,
            *[(WARNING, "memory")] * 3,
            (WARNING, "spool"),
        ],
    ),
    (
        [a_guard_without_its_form, another_in_spool, learns_nothing],
        [(WARNING, "switched-off"), (BROKEN, "settings"), (WARNING, "spool")],
    ),
    (
        [hooks_without_their_form, no_text_in_spool, unreadable_in_spool, spool_without_end],
        [*[(WARNING, "settings")] * 6, *[(WARNING, "spool")] * 3],
    ),
    ([no_scripts, second_file], [(BROKEN, "interpreter"), (WARNING, "memory")]),
    ([no_program, unreadable_memory], [(BROKEN, "interpreter"), (BROKEN, "memory")]),
    ([python_gone, left_over], [(BROKEN, "interpreter"), (WARNING, "leftovers")]),
    ([old_python, other_tool], [(BROKEN, "interpreter"), (WARNING, "other-hooks")]),
    ([strange_python, no_folder], [(BROKEN, "interpreter"), (BROKEN, "folder")]),
    (
        [says_too_much, fallback],
        [(WARNING, "settings"), (WARNING, "command"), (WARNING, "route")],
    ),
    ([hooks_disabled, old_client], [(BROKEN, "disabled"), *[(BROKEN, "claude")] * 3]),
    ([untested_client, switched_off], [(WARNING, "switched-off"), (WARNING, "claude")]),
    ([switched_off_in_settings], [(WARNING, "switched-off")]),
    ([odd_lines_in_the_log, odd_environment], []),
    ([no_path], []),
]


@pytest.mark.parametrize(
    ("ails", "found"), ROWS, ids=["+".join(each.__name__ for each in ails) for ails, _ in ROWS]
)
def test_the_doctor_finds(settled: Person, ails: list[Ail], found: list[tuple[str, str]]) -> None:
    for ail in ails:
        ail(settled)
    told = findings(settled.run("doctor", "--json"))
    assert wrong(told) == found
    assert all(each["where"] and each["mend"] for each in told if each["level"] != "ok")


def test_a_finding_says_what_where_and_how_to_mend(settled: Person) -> None:
    for ail in (bad_config, odd_memory, python_gone, torn_history):
        ail(settled)
    done = settled.run("doctor")
    assert (
        "broken   interpreter: the hooks' Python is gone: it was /nowhere/python3.9\n"
        f"         in: {program(settled)}/bin/python\n"
        "         mend: run ./install.sh again, from a clone of agent-memory\n"
    ) in done.stdout
    assert "         in: .claude-mpm/config.yml:2\n" in done.stdout.replace(
        f"{settled.sandbox.root}/", ""
    )
    assert re.search(r"^         in: \.claude-mpm/memories/engineer\.md:\d+$", done.stdout, re.M)
    assert "         in: .claude-mpm/memories/history/qa.jsonl:1\n" in done.stdout
    assert "         mend: agent-memory resolve engineer\n" in done.stdout
    assert done.stderr == "agent-memory doctor --fix mends 3 of these\n"


def test_an_event_that_an_old_client_does_not_know_costs_us_our_hooks(settled: Person) -> None:
    """Also where another tool names it."""
    settled.program("claude", 'echo "2.0.50 (Claude Code)"')
    assert settled.run("install", str(settled.sandbox.root)).returncode == 0
    hooks = json.loads(settings_of(settled).read_text())["hooks"]
    assert "PostToolUseFailure" not in hooks
    hooks["PostToolUseFailure"] = [{"hooks": [{"type": "command", "command": "true"}]}]
    change(settings_of(settled), hooks=hooks)
    told = findings(settled.run("doctor", "--json"))
    assert wrong(told) == [(WARNING, "claude"), (BROKEN, "claude")]
    assert "does not know PostToolUseFailure and drops all hooks of the file" in told[-2]["what"]


def test_a_native_memory_that_is_switched_off_is_none(settled: Person) -> None:
    native_memory(settled)
    env = {"CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1"}
    change(settled.sandbox.home / ".claude" / "settings.json", env=env)
    assert settled.findings("warning", "broken") == []


def test_no_text_of_a_repository_is_run(settled: Person) -> None:
    """Settings come with a clone: that a command begins like ours says nothing."""
    path, root = settings_of(settled), settled.sandbox.root
    ran = root / "ran"
    evil = write(root / "evil" / "bin" / "python", f"#!/bin/sh\ntouch '{ran}'\n")
    evil.chmod(0o755)
    write(root / "evil" / "hooks" / "session_start.py", "")
    write(root / "bin" / "sh", f"#!/bin/sh\ntouch '{ran}'\n").chmod(0o755)
    hooks = json.loads(path.read_text())["hooks"]
    good = hooks["SessionStart"][0]["hooks"][0]["command"]
    folder = good[len(settings.TAG) : good.index(";")]
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
    settled.program("claude", 'echo "2.1.329 (Claude Code)"')
    found = findings(settled.run("doctor", "--live", "--json"))
    (told,) = [each for each in found if each["check"] == "command"]
    assert told["what"] == f"{', '.join(texts)}: of another version, or not ours: not run"
    assert told["mend"] == f"agent-memory install {root}"
    assert not ran.exists()
    fixed = settled.json("doctor", "--fix")
    assert wrong(fixed["findings"]) == []
    assert not ran.exists()


@pytest.mark.parametrize(
    ("folder", "is_known"),
    [
        ('"${XDG_DATA_HOME:-$HOME/.local/share}/agent-memory/venv"', True),
        ('"/opt/my tools/venv"', True),
        ('"$HOME/src/clone/venv"', False),
        ('"/opt/agent-memory/venv"', True),
        ('"/clone/venv"', False),
        ('"/opt/../clone/venv"', False),
        ('"$HOME/.."', False),
        ('"/proc/self/cwd/venv"', False),
        ('"venv"', False),
        ('"/opt/$(id)"', False),
        ('"/opt/`id`"', False),
        ('"/opt/a\n"', False),
        ('"/opt"; id; "/x"', False),
        ("/opt", False),
    ],
)
def test_where_a_command_may_look_for_our_program(folder: str, is_known: bool) -> None:
    script = settings.command("pre_tool_use")
    text = f"{settings.TAG}{folder}{script[script.index(';') :]}"
    assert patient.is_known("PreToolUse", text, "/clone") is is_known
    assert not patient.is_known("SessionStart", text, "/clone")


def test_a_project_with_blanks_in_its_path(person: Person) -> None:
    """What is told can be typed; and settings that are not read may name our hooks."""
    root = person.sandbox.root / "my shop; id"
    (root / ".claude-mpm").mkdir(parents=True)
    command = [*COMMAND, "doctor", "--json"]
    env = {**person.env, "CLAUDE_PROJECT_DIR": str(root)}
    done = subprocess.run(command, cwd=root, env=env, capture_output=True, text=True, check=False)
    (told,) = [each for each in findings(done) if each["level"] != "ok"]
    assert told["mend"] == f"agent-memory install '{root}'"
    write(root / ".claude" / "settings.json", "{,}")
    done = subprocess.run(command, cwd=root, env=env, capture_output=True, text=True, check=False)
    (told,) = [each for each in findings(done) if each["level"] != "ok"]
    assert told["what"].startswith("not read: ")


# Plugins.


def plugin(person: Person, name: str, files: dict[str, Any], is_on: bool = True) -> Path:
    """Install a plugin as Claude Code does, and switch it on or off in the user's settings."""
    config = person.sandbox.home / ".claude"
    folder = config / "plugins" / "cache" / "shelf" / name / "1.0.0"
    for file, value in {".claude-plugin/plugin.json": {"name": name}, **files}.items():
        write(folder / file, value if isinstance(value, str) else json.dumps(value))
    path = config / "plugins" / "installed_plugins.json"
    installed = json.loads(path.read_text())["plugins"] if path.exists() else {}
    installed[f"{name}@shelf"] = [{"scope": "user", "installPath": str(folder)}]
    change(path, version=2, plugins=installed)
    users = config / "settings.json"
    switched = json.loads(users.read_text()).get("enabledPlugins", {}) if users.exists() else {}
    change(users, enabledPlugins={**switched, f"{name}@shelf": is_on})
    return folder


def watcher(command: str, matcher: str = "Task|Agent") -> dict[str, Any]:
    hook = {"type": "command", "command": command}
    return {"PreToolUse": [{"matcher": matcher, "hooks": [hook]}]}


def exec_form(hook: dict[str, Any]) -> dict[str, Any]:
    return {**hook, "command": "sh", "args": ["-c", hook["command"]]}


def test_our_hooks_may_come_with_a_plugin(settled: Person) -> None:
    wanted = settings.block(installation.template())
    form = {
        event: [{**group, "hooks": [exec_form(group["hooks"][0])]}]
        for event, group in wanted.items()
    }
    folder = plugin(settled, "mnemo", {"hooks/hooks.json": {"hooks": form}})
    found = findings(settled.run("doctor", "--json"))
    assert wrong(found) == [(WARNING, "settings")]
    assert "our hooks run twice" in next(each["what"] for each in found if each["level"] != "ok")
    mends = [each["mend"] for each in found if each["level"] != "ok"]
    assert mends == [f"agent-memory uninstall {settled.sandbox.root}, or switch off that plugin"]
    users = settled.sandbox.home / ".claude" / "settings.json"
    change(users, hooks=json.loads(settings_of(settled).read_text())["hooks"])
    settings_of(settled).write_text("{}")
    found = findings(settled.run("doctor", "--json"))
    mends = [each["mend"] for each in found if each["level"] != "ok"]
    assert mends == ["agent-memory uninstall --user, or switch off that plugin"]
    change(users, hooks={})
    settings_of(settled).unlink()
    found = findings(settled.run("doctor", "--json"))
    commands = [each["where"] for each in found if each["check"] == "command"]
    assert (wrong(found), commands) == ([], [f"{folder}/hooks/hooks.json"] * 6)
    assert settled.json("status")["hooks"][0]["level"] == "plugin"


def test_plugins_of_others_may_rewrite_prompts(settled: Person) -> None:
    """Wherever a plugin names its hooks."""
    a_file = {"hooks": watcher("from-a-file")}
    plugin(settled, "usual", {"hooks/hooks.json": {"hooks": watcher("usual")}})
    manifest = ".claude-plugin/plugin.json"
    plugin(settled, "inline", {manifest: {"hooks": watcher("inline")}})
    plugin(settled, "named", {manifest: {"hooks": "./a.json"}, "a.json": a_file})
    plugin(settled, "listed", {manifest: {"hooks": ["./a.json"]}, "a.json": a_file})
    plugin(settled, "off", {"hooks/hooks.json": {"hooks": watcher("off")}}, is_on=False)
    plugin(settled, "all", {"hooks/hooks.json": {"hooks": watcher("all-tools", "*")}})
    plugin(settled, "bare", {"hooks/hooks.json": watcher("bare")})  # Claude Code ignores it
    plugin(settled, "other", {"hooks/hooks.json": {"hooks": watcher("others", "Edit|Write")}})
    plugin(settled, "torn", {"hooks/hooks.json": "{"})
    plugin(settled, "odd", {manifest: "[]", "hooks/hooks.json": '{"hooks": {"PreToolUse": [1]}}'})
    found = findings(settled.run("doctor", "--json"))
    told = {
        (each["level"], each["what"].rpartition(": ")[2], Path(each["where"]).name)
        for each in found
        if each["check"] == "other-hooks"
    }
    assert told == {
        ("warning", "usual", "hooks.json"),
        ("warning", "inline", "plugin.json"),
        ("warning", "from-a-file", "a.json"),
        ("ok", "all-tools", "hooks.json"),
    }
    (broken,) = [each for each in found if each["level"] == "broken"]
    assert broken["where"].endswith("torn/1.0.0/hooks/hooks.json")
    assert broken["what"].startswith("not read: no JSON")


def test_a_plugin_of_a_folder_is_read_where_it_is(settled: Person, tmp_path: Path) -> None:
    """And its marketplace may name hooks as well."""
    plugin(settled, "near", {"hooks/hooks.json": {"hooks": watcher("the-copy")}})
    shelf = tmp_path / "shelf"
    write(shelf / "near" / "hooks" / "hooks.json", json.dumps({"hooks": watcher("in-place")}))
    entry = {"name": "near", "source": "./near", "hooks": watcher("the-market")}
    write(shelf / ".claude-plugin" / "marketplace.json", json.dumps({"plugins": [entry]}))
    source = {"source": "directory", "path": str(shelf)}
    known = settled.sandbox.home / ".claude" / "plugins" / "known_marketplaces.json"
    change(known, shelf={"source": source, "installLocation": str(shelf)})
    agent = "---\nname: helper\ndescription: d\nmemory: user\n---\nYou help.\n"
    write(shelf / "near" / "agents" / "inner" / "a.md", agent)
    found = findings(settled.run("doctor", "--json"))
    told = [each["what"].rpartition(": ")[2] for each in found if each["check"] == "other-hooks"]
    assert told == ["in-place", "the-market"]
    (native,) = [each["what"] for each in found if each["check"] == "native-memory"]
    assert native.startswith("near:inner:helper has a memory of Claude Code's as well")


# What those who manage the machine say.


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("managed-settings.json", {"disableAllHooks": True}, "disableAllHooks is true"),
        ("managed-settings.json", {"allowManagedHooksOnly": True}, "allowManagedHooksOnly"),
        ("managed-settings.d/10-x.json", {"allowManagedHooksOnly": True}, "allowManagedHooksOnly"),
        ("managed-settings.json", {"disableAllHooks": False}, ""),
    ],
)
def test_managed_settings_may_forbid_our_hooks(
    settled: Person,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    value: dict[str, Any],
    said: str,
) -> None:
    hooks_disabled(settled) if not said else None
    monkeypatch.setattr(client, "MANAGED", str(tmp_path / "managed"))
    change(tmp_path / "managed" / name, **value)
    project = memory.project_of(str(settled.sandbox.root), settled.env)
    found = list(hook_checks.disabled(patient.Patient(project, settled.env)))
    assert [each.where for each in found] == ([str(tmp_path / "managed" / name)] if said else [])
    assert all(said in each.what and each.mend for each in found)


# Locks, and rights.


def test_a_lock_that_somebody_holds_is_told_with_who_it_is(settled: Person) -> None:
    path = settled.sandbox.state / "locks" / "engineer.lock"
    write(path, "")
    write(path.with_name("qa.lock"), "")
    with open(path) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        found = findings(settled.run("doctor", "--json"))
        (told,) = [each for each in found if each["check"] == "lock"]
    assert told["where"] == ".claude-mpm/state/locks/engineer.lock"
    if sys.platform == "linux":
        assert told["what"].startswith(f"is held for more than 1 s by process {os.getpid()} (")
        assert told["mend"] == f"if it hangs: kill {os.getpid()}"
    assert settled.findings("warning", "broken") == []


# Root reads and writes everything, unless it does without that power.
POWERLESS = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]


def test_rights_are_looked_at_and_mended(settled: Person) -> None:
    if os.geteuid() == 0 and not shutil.which("setpriv"):
        pytest.skip("nothing here takes root's powers away")
    closed = write(settled.sandbox.memories / "qa.md", "- Fixtures are small\n")
    history = write(settled.sandbox.memories / "history" / "engineer.jsonl", "")
    logs = settled.sandbox.root / ".claude-mpm" / "logs"
    logs.mkdir()
    settled.sandbox.memories.joinpath("engineer.md").chmod(0o444)
    for path, mode in ((closed, 0), (history, 0o444), (logs, 0o555)):
        path.chmod(mode)

    def doctor(*options: str) -> Any:
        start = POWERLESS if os.geteuid() == 0 else []
        command = [*start, *COMMAND, "doctor", "--json", *options]
        done = subprocess.run(
            command, cwd=settled.sandbox.root, env=settled.env, capture_output=True, check=False
        )
        return json.loads(done.stdout)

    found = {each["where"]: each for each in doctor()["findings"] if each["check"] == "rights"}
    told = {Path(where).name: (each["level"], each["mend"]) for where, each in found.items()}
    assert told == {
        "logs": ("broken", "chmod u+rwx .claude-mpm/logs"),
        "engineer.md": ("warning", "chmod u+rw .claude-mpm/memories/engineer.md"),
        "qa.md": ("broken", "chmod u+rw .claude-mpm/memories/qa.md"),
        "engineer.jsonl": ("broken", "chmod u+rw .claude-mpm/memories/history/engineer.jsonl"),
    }
    told = doctor("--fix")
    assert {each["undo"] for each in told["mended"]} == {
        "chmod 555 .claude-mpm/logs",
        "chmod 444 .claude-mpm/memories/engineer.md",
        "chmod 0 .claude-mpm/memories/qa.md",
        "chmod 444 .claude-mpm/memories/history/engineer.jsonl",
    }
    assert wrong(told["findings"]) == []
    assert closed.stat().st_mode & 0o777 == 0o600


# Mending.


def test_what_fails_is_told_of_its_own_file(settled: Person) -> None:
    project = memory.project_of(str(settled.sandbox.root), settled.sandbox.env)
    there = settled.sandbox.memories / "engineer.md"
    there.chmod(0o444)
    found = [
        patient.Finding(patient.BROKEN, "rights", "", where, "chmod it", "rights", subject)
        for where, subject in (("a", f"{there}.gone"), ("b", str(there)))
    ]
    failed, done = mending.mend(project, found)
    assert (failed.where, failed.error) == ("a", "No such file or directory")
    assert (done.where, done.error) == (".claude-mpm/memories/engineer.md", "")


def test_what_is_safe_is_mended_once_and_told(settled: Person) -> None:
    subprocess.run(["git", "init", "-q"], cwd=settled.sandbox.root, check=True)
    write(settled.sandbox.memories / ".gitattributes", "*.md merge=agent-memory\n")
    for ail in (missing_events, in_spool, odd_memory, conflicts_beside, second_file, left_over):
        ail(settled)
    odd_memory_of_the_user(settled)
    fallback(settled)
    for ail in (bad_config, native_memory):  # a person's
        ail(settled)
    done = settled.run("doctor", "--fix", "--json")
    told = json.loads(done.stdout)
    assert done.returncode == 0, done.stdout
    assert wrong(told["findings"]) == [
        (WARNING, "native-memory"),
        (WARNING, "config"),
        (WARNING, "review"),
    ]
    mended = [(each["check"], each["what"].partition(",")[0]) for each in told["mended"]]
    assert sorted(mended) == [
        ("git", "git merges memories by item here"),
        ("leftovers", "removed"),
        ("leftovers", "removed"),
        *[("memory", "conflict resolved")] * 4,
        ("memory", "took in .claude-mpm/memories/Engineer_memories.md"),
        ("route", "memory goes with prompts again"),
        ("settings", "hooks brought up to date"),
        ("spool", "engineer: what waited is merged"),
    ]
    assert not any(each["error"] for each in told["mended"])
    assert all(set(each) == fields_told("`doctor`, in `mended`") for each in told["mended"])
    assert '+    "SubagentStop": [' in told["mended"][0]["diff"]
    text = settled.sandbox.memory("engineer")
    assert text.count("Retries are set in one place") == 1
    before = contents(settled.sandbox.root)
    again = json.loads(settled.run("doctor", "--fix", "--json").stdout)
    assert (again["mended"], wrong(again["findings"])) == ([], wrong(told["findings"]))
    assert contents(settled.sandbox.root) == before


def test_what_was_mended_is_printed_with_the_way_back(settled: Person) -> None:
    in_spool(settled)
    other_version(settled)
    done = settled.run("doctor", "--fix")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(
        f"mended   settings: hooks brought up to date\n         in: {settings_of(settled)}\n"
    )
    assert '         -            "timeout": 20\n' in done.stdout
    assert (
        "mended   spool: engineer: what waited is merged\n"
        "         in: .claude-mpm/memories/engineer.md\n"
        "         undo: agent-memory undo\n"
    ) in done.stdout
    assert "warning" not in done.stdout


def test_hooks_are_renewed_where_they_are(settled: Person) -> None:
    local = settings_of(settled).with_name("settings.local.json")
    settings_of(settled).rename(local)
    local.write_text(local.read_text().replace('"timeout": 10', '"timeout": 20', 1))
    told = settled.json("doctor", "--fix")
    assert [each["where"] for each in told["mended"]] == [str(local)]
    assert not settings_of(settled).exists()


def test_what_cannot_be_mended_stays_a_finding(settled: Person) -> None:
    missing_events(settled)
    no_program(settled)
    in_spool(settled)
    path = settled.sandbox.state / "locks" / "engineer.lock"
    write(path, "")
    before = settings_of(settled).read_bytes()
    with open(path) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        done = settled.run("doctor", "--fix", "--json")
    told = json.loads(done.stdout)
    assert done.returncode == 1
    assert [(each["check"], bool(each["error"])) for each in told["mended"]] == [
        ("settings", True),
        ("spool", True),
    ]
    assert {(BROKEN, "settings"), (WARNING, "spool")} <= set(wrong(told["findings"]))
    assert settings_of(settled).read_bytes() == before


def test_a_route_stays_while_another_hook_is_there(settled: Person) -> None:
    fallback(settled)
    other_tool(settled)
    told = settled.json("doctor", "--fix")
    assert told["mended"] == []
    assert wrong(told["findings"]) == [(WARNING, "other-hooks"), (WARNING, "route")]


def test_each_cure_is_named_by_a_check_and_the_other_way_round() -> None:
    sources = [REPO / "memory_core" / f"{name}_checks.py" for name in ("hook", "file")]
    text = "".join(path.read_text(encoding="utf-8") for path in sources)
    assert all(f'"{cure}"' in text for cure in mending.CURES)


# On a terminal, and on the page.


def test_a_person_is_asked_before_tokens_are_spent(settled: Person) -> None:
    child = pexpect.spawn(
        sys.executable,
        ["-m", "memory_core.cli", "doctor", "--live"],
        env={**settled.env, "TERM": "xterm"},
        cwd=str(settled.sandbox.root),
        encoding="utf-8",
        timeout=60,
    )
    child.expect_exact("which costs tokens.  Go on? [y/N]: ")
    child.sendline("n")
    assert "nothing was done" in str(child.read())
    child.close()
    assert child.exitstatus == 1


def test_a_bar_is_shown_on_a_terminal_where_it_takes_long(settled: Person) -> None:
    python = settled.sandbox.home / ".local/share/agent-memory/venv/bin/python"
    python.unlink()
    python.write_text(f'#!/bin/sh\nsleep 0.3\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    shown = on_terminal(settled, "doctor")
    assert "Looking" in shown
    assert "folder: can be read and written, 1 memory" in shown


def test_live_needs_a_claude(settled: Person) -> None:
    env = {"PATH": "/usr/bin:/bin"}
    assert not shutil.which("claude", path=env["PATH"])
    told = json.loads(settled.run("doctor", "--live", "--json", **env).stdout)
    assert told["findings"][-1]["what"] == "there is no `claude` on PATH"
    assert told["broken"]


def test_live_calls_an_agent_that_takes_part(settled: Person) -> None:
    asked = settled.sandbox.home / "asked"
    version = 'if [ "$1" = --version ]; then echo 2.1.329; exit; fi'
    settled.program("claude", f'{version}; cat > "{asked}"; echo Settings did not load >&2')
    agent = "---\nname: Engineer\ndescription: d\n---\nYou ...\n"
    write(settled.sandbox.root / ".claude" / "agents" / "e.md", agent)
    settled.sandbox.configure("memory:\n  include: [engineer]\n")
    before = contents(settled.sandbox.memories)
    (told,) = wrong_live(settled)
    assert asked.read_text().startswith("Call the agent `Engineer` once")
    assert told["what"] == "Claude Code ran no hook of ours; it said: Settings did not load"
    assert contents(settled.sandbox.memories) == before
    asked.unlink()
    settled.sandbox.configure("memory:\n  exclude: ['*']\n")
    (told,) = wrong_live(settled)
    assert (told["level"], asked.exists()) == (WARNING, False)
    assert told["what"] == "no agent that Claude Code knows here takes part"


def wrong_live(person: Person) -> list[dict[str, Any]]:
    found = findings(person.run("doctor", "--live", "--json"))
    return [each for each in found if each["check"] == "live" and each["level"] != "ok"]


def test_live_is_not_tried_while_something_is_broken(settled: Person) -> None:
    settled.program("claude", "touch asked; exit 1")
    hooks_disabled(settled)
    found = findings(settled.run("doctor", "--live", "--yes", "--json"))
    assert wrong(found) == [(BROKEN, "disabled"), (WARNING, "live")]
    assert found[-1]["what"] == "not tried while something else is broken"


def test_live_is_not_tried_with_hooks_that_would_learn_from_it(settled: Person) -> None:
    """Those of an older version do not know that they are led elsewhere."""
    older = settled.sandbox.home / "older"
    shutil.copytree(REPO / "hooks", older / "hooks")
    shutil.copytree(REPO / "memory_core", older / "memory_core")
    path = older / "memory_core" / "places.py"
    path.write_text(path.read_text().replace("AGENT_MEMORY_TRIAL", "AGENT_MEMORY_OTHER"))
    (program(settled) / "hooks").unlink()
    (program(settled) / "hooks").symlink_to(older / "hooks")
    settled.program("claude", 'echo "2.1.329 (Claude Code)"')
    found = findings(settled.run("doctor", "--live", "--json"))
    assert found[-1]["what"] == "not tried: the hooks that are installed are of an older version"


@pytest.mark.parametrize("is_there", [True, False])
def test_hooks_on_trial_leave_the_project_alone(
    settled: Person, tmp_path: Path, is_there: bool
) -> None:
    trial = tmp_path / "trial"
    if is_there:
        (trial / ".claude-mpm").mkdir(parents=True)
    before = contents(settled.sandbox.root)
    event = json.loads(settled.sample("post"))
    done = settled.sandbox.hook("post_tool_use", event, AGENT_MEMORY_TRIAL=str(trial))
    assert (done.status, done.stderr, bool(done.stdout)) == (0, b"", is_there)
    assert (trial / ".claude-mpm" / "memories" / "engineer.md").exists() == is_there
    assert contents(settled.sandbox.root) == before


def test_the_checks_on_the_page_are_those_of_the_doctor() -> None:
    names = ("diagnosis", "hook_checks", "file_checks", "live", "task_checks")
    sources = [(REPO / "memory_core" / f"{name}.py").read_text(encoding="utf-8") for name in names]
    made = {
        check
        for source in sources
        for check in re.findall(
            r'(?:(?:WARNING|BROKEN|OK|level),|^CHECK =) "([a-z-]+)"', source, re.MULTILINE
        )
    }
    tried = re.findall(r'_tried\([^)]*"(hook|command)"', sources[1])
    page = PAGE.partition("| check |")[2].partition("\n\n")[0]
    assert made | set(tried) == set(re.findall(r"^\| `([a-z-]+)` \| ", page, re.MULTILINE))
