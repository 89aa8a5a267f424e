"""`agent-memory doctor`: its findings, its repairs, and its output."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from memory_core.claude_code import settings_files, settings_json
from memory_core.doctor import checks
from memory_core.setup import hook_runner
from support.command_line import Person
from support.files import read_files, write, write_program
from support.pages import PAGE


def list_wrong(person: Person, *options: str, **how: Any) -> list[dict[str, Any]]:
    """Return all findings that are not good."""
    results = json.loads(person.run("doctor", "--json", *options, **how).stdout)
    return [finding for finding in results["findings"] if finding["level"] != "ok"]


def settings_of(person: Person) -> Path:
    return person.sandbox.root / ".claude" / "settings.json"


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
    problems = [("warning", "program"), ("broken", "settings")]
    assert person.list_findings("warning", "note", "broken") == problems
    assert "command" not in {check for _level, check in person.list_findings()}
    last = person.run("doctor", "--fix").stdout.splitlines()[-1]
    assert last == "Repaired: nothing; problems left for you: 2"
    assert read_files(person.sandbox.root) == {}


@pytest.mark.slow
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
    answer = list_wrong(settled)
    assert {finding["check"] for finding in answer} == {"settings"}
    assert answer[0]["mend"] == f"agent-memory install {root}"
    assert not ran.exists()
    assert list_wrong(settled, "--fix") == []
    assert not ran.exists()


def test_a_project_with_blanks_in_its_path(person: Person) -> None:
    """Suggested commands are quoted for the shell; unreadable settings may contain the hooks."""
    person.add_program("claude", "echo 2.1.329")
    root = person.sandbox.root / "my shop; id"
    (root / ".claude-mpm").mkdir(parents=True)

    def examine_there() -> dict[str, Any]:
        (answer,) = list_wrong(person, cwd=root, CLAUDE_PROJECT_DIR=str(root))
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
    path = config / "settings.json"
    switched = json.loads(path.read_text()).get("enabledPlugins", {}) if path.exists() else {}
    change(path, enabledPlugins={**switched, full_name: is_on})
    return folder


def watcher(command: str) -> dict[str, Any]:
    hook = {"type": "command", "command": f"{settings_json.COMMAND_PREFIX}{command}"}
    return {"PreToolUse": [{"matcher": "Task|Agent", "hooks": [hook]}]}


def test_hooks_of_the_plugin_are_found(settled: Person) -> None:
    hooks = settings_json.build_hooks(hook_runner.read_template())
    folder = plugin(settled, "mnemo", {"hooks/hooks.json": {"hooks": hooks}})

    assert list_wrong(settled) == []
    settings_of(settled).unlink()
    assert list_wrong(settled) == []
    results = settled.read_json("doctor")["findings"]
    places = [finding["where"] for finding in results if finding["check"] == "command"]
    assert places == [f"{folder}/hooks/hooks.json"] * 7


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
    assert "plugin" in {each["level"] for each in settled.read_json("status")["hooks"]}
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


# On a terminal, and on the page.


def test_the_checks_on_the_page_are_those_of_the_doctor() -> None:
    page = PAGE.partition("| check |")[2].partition("\n\n")[0]
    assert re.findall(r"^\| `([a-z-]+)` \| ", page, re.MULTILINE) == [*checks.CHECKS]
