"""The Claude Code plugin without Claude Code: its manifests and its hooks."""

from __future__ import annotations

import json
import re
import shutil
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from memory_core.claude_code import sample_events, settings_json
from memory_core.setup import installation, plugin, plugin_environment
from support.paths import REPO
from support.plugin import (
    HOOKS,
    ITEM,
    Plugged,
    base_python,
    borrow_environment,
    copy_plugin,
    install_builder,
    is_over,
    make_borrowing_script,
)
from support.processes import wait_until
from support.sandbox import Sandbox

# The plugin cannot depend on the project, so it has the hooks for tasks, too.
TEMPLATE: dict[str, list[Any]] = {}
for part in json.loads(installation.read_template()).values():
    for name, listed in part.items():
        TEMPLATE[name] = [*TEMPLATE.get(name, []), *listed]
MANIFEST = json.loads((REPO / ".claude-plugin" / "plugin.json").read_text(encoding="utf-8"))
MARKET = json.loads((REPO / ".claude-plugin" / "marketplace.json").read_text(encoding="utf-8"))


# The manifests.


def without_commands(hooks: dict[str, Any]) -> dict[str, list[tuple[str, dict[str, Any]]]]:
    """Return the memory hooks of each event with their matchers, without the command."""
    return {
        event: [
            (group.get("matcher", ""), {**group["hooks"][0], "command": ""}) for group in groups
        ]
        for event, groups in hooks.items()
    }


def test_the_plugin_has_the_hooks_of_an_installation() -> None:
    """The same events, matchers and scripts; all other hooks manage the plugin."""
    assert without_commands(HOOKS) == without_commands(TEMPLATE)
    for event, groups in TEMPLATE.items():
        for group, own in zip(groups, HOOKS[event], strict=True):
            script = re.fullmatch(r"\{command:(\w+)\}", group["hooks"][0]["command"])
            assert script
            assert own["hooks"][0]["command"] == plugin.format_command(script[1])
            assert (REPO / "hooks" / f"{script[1]}.py").exists()
    others = [
        hook["command"] for groups in HOOKS.values() for g in groups for hook in g["hooks"][1:]
    ]
    assert [command.split()[-2] for command in others] == ["setup;"]


def test_the_manifests_agree_with_the_project() -> None:
    project = (REPO / "pyproject.toml").read_text(encoding="utf-8")
    assert f'\nname = "{MANIFEST["name"]}"\nversion = "{MANIFEST["version"]}"\n' in project
    assert [each["name"] for each in MARKET["plugins"]] == [MANIFEST["name"]] == [plugin.NAME]
    assert not (REPO / ".mcp.json").exists()  # everyone who opens this repository would get it
    (server,) = MANIFEST["mcpServers"].values()
    assert server["args"] == ["${CLAUDE_PLUGIN_ROOT}/hooks/plugin.sh", "mcp"]


def test_repeated_texts_are_equal() -> None:
    script = (REPO / "hooks" / "plugin.sh").read_text(encoding="utf-8")
    assert f"\ndoor='{plugin.LAUNCH_CODE}'\n" in script
    assert f"/plugins/data/{plugin.FALLBACK_FOLDER}\n" in script
    assert f"AGENT_MEMORY_PLUGIN_DATA={'' or chr(34)}$data" in script
    assert plugin.DATA_VARIABLE == "AGENT_MEMORY_PLUGIN_DATA"
    assert plugin.TAG == settings_json.COMMAND_PREFIX
    assert settings_json.build_command("x").startswith(f"{plugin.TAG}{plugin.FOLDER};")
    assert plugin_environment.read_dependencies() == re.findall(
        r'^    "([^"]+)",$',
        (REPO / "pyproject.toml").read_text().split("\ndependencies = [")[1].split("\n]")[0],
        re.MULTILINE,
    )


@pytest.mark.parametrize("path", sorted((REPO / "commands").glob("*.md")), ids=lambda p: p.stem)
def test_commands_name_existing_programs(plugged: Plugged, path: Path) -> None:
    """Each is for users, and names only existing commands of the plugin's program."""
    borrow_environment(plugged.data)
    text = path.read_text(encoding="utf-8")
    assert "disable-model-invocation: true" in text
    own = r'"\$\{CLAUDE_PLUGIN_ROOT\}/bin/agent-memory" (\w+)'
    verbs = set(re.findall(own, text))
    assert verbs
    for verb in verbs:
        done = plugged.run_shell(f'"$CLAUDE_PLUGIN_ROOT/bin/agent-memory" {verb} --help')
        assert done.returncode == 0, done.stderr
    # A `!` command would execute text from arguments or files.
    assert "!`" not in text


# Hooks with and without an environment.


def test_the_first_delegation_receives_memory_and_learns(plugged: Plugged) -> None:
    """It uses only the system's Python, which is looked up once."""
    plugged.add_program("python3", f'echo >> "$HOME/asked"; exec "{base_python()}" "$@"')
    assert plugged.learns_report()
    assert sample_events.LEARNING in plugged.receive_prompt()
    assert (plugged.data / "python").read_text().strip() == base_python()
    assert (plugged.sandbox.home / "asked").read_text() == "\n"
    assert not (plugged.data / "venv").exists()


def test_with_its_environment_it_needs_no_other_python(plugged: Plugged) -> None:
    borrow_environment(plugged.data)
    plugged.add_program("python3", "exit 1")
    assert plugged.learns_report()
    assert sample_events.LEARNING in plugged.receive_prompt()
    assert plugged.start_session() == ""


def test_settings_wait_for_the_environment(plugged: Plugged) -> None:
    """Without a YAML parser memory is off, because the settings may turn it off."""
    plugged.sandbox.configure("memory:\n  limits:\n    default_size_kb: 40\n")
    plugged.sandbox.write_memory("engineer", ITEM)
    assert plugged.receive_prompt() == ""
    borrow_environment(plugged.data)
    assert ITEM in plugged.receive_prompt()
    shutil.rmtree(plugged.data)  # the compiled settings are used
    assert ITEM in plugged.receive_prompt()


@pytest.fixture
def copied(sandbox: Sandbox, tmp_path: Path) -> Plugged:
    """Return a user whose plugin finds a Python on PATH only, in a folder that shells dislike."""
    folder = tmp_path / """it's a "copy" of $(touch pwned) `touch pwned` & more; touch pwned"""
    copy_plugin(folder)
    script = folder / "hooks" / "plugin.sh"
    text = script.read_text(encoding="utf-8")
    (line,) = [line for line in text.splitlines() if line.startswith("places=")]
    script.write_text(text.replace(line, "places="), encoding="utf-8")
    return Plugged(sandbox, tmp_path, folder)


@pytest.mark.parametrize("python", ["", "exit 1", "echo nonsense; exit 3"])
def test_a_missing_python_is_reported_once(copied: Plugged, python: str) -> None:
    (copied.bin / "python3").unlink()
    if python:
        copied.add_program("python3", python)
    assert copied.receive_prompt() == ""
    assert "no Python 3.10 or newer" in copied.start_session()
    assert copied.start_session() == ""
    done = copied.run_shell('sh "$CLAUDE_PLUGIN_ROOT/hooks/plugin.sh" mcp')
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "agent-memory: no Python 3.10 or newer was found\n"


def test_the_path_of_the_plugin_is_never_run(copied: Plugged) -> None:
    install_builder(copied, make_borrowing_script(copied))
    assert copied.learns_report()
    assert sample_events.LEARNING in copied.receive_prompt()
    assert copied.start_session() == plugin_environment.BUILD_STARTED
    wait_until(lambda: is_over(copied))
    done = copied.run_shell('"$CLAUDE_PLUGIN_ROOT/bin/agent-memory" version')
    assert (done.returncode, done.stderr) == (0, "")
    assert [*copied.sandbox.root.rglob("pwned"), *copied.data.rglob("pwned")] == []


def test_the_client_inserts_no_path_into_a_command() -> None:
    """It replaces `${CLAUDE_PLUGIN_ROOT}` by the text of the path, which a shell would run."""
    for groups in HOOKS.values():
        for group in groups:
            assert not any("${" in hook["command"] for hook in group["hooks"])


# Programs that a project puts in the way.

PROJECT_PROGRAMS = ("sh", "python3.13", "python3", "python", "mkdir", "mv", "uv")


@pytest.mark.parametrize("entry", [".", "", "tools", "{project}/tools", "{link}/tools", "{odd}"])
def test_no_program_of_the_project_runs(plugged: Plugged, entry: str) -> None:
    project, link = plugged.sandbox.root, plugged.sandbox.home / "link"
    link.symlink_to(project)
    for folder in (project, project / "tools"):
        folder.mkdir(exist_ok=True)
        for name in PROJECT_PROGRAMS:
            (folder / name).write_text('#!/bin/sh\n: > "$HOME/pwned"\n')
            (folder / name).chmod(0o755)
    install_builder(plugged, make_borrowing_script(plugged))
    odd = f"{plugged.sandbox.home}/../{project.name}/tools"
    entry = entry.format(project=project, link=link, odd=odd)
    path = f"{entry}:{plugged.bin}"
    assert plugged.start_session(PATH=path) == plugin_environment.BUILD_STARTED
    wait_until(lambda: is_over(plugged))
    (plugged.data / "venv").unlink()
    assert plugged.learns_report(PATH=path)
    assert not (plugged.sandbox.home / "pwned").exists()


@pytest.mark.parametrize("name", ["CLAUDE_PLUGIN_DATA", "CLAUDE_CONFIG_DIR", "XDG_DATA_HOME"])
@pytest.mark.parametrize("value", ["{project}", ".", "{home}/../{name}"])
def test_variables_of_a_project_choose_no_program(plugged: Plugged, name: str, value: str) -> None:
    sandbox = plugged.sandbox
    value = value.format(project=sandbox.root, home=sandbox.home, name=sandbox.root.name)
    old = plugin.FALLBACK_FOLDER
    for place in ("", f"plugins/data/{old}", "agent-memory"):
        program = sandbox.root / place / "venv" / "bin" / "python"
        program.parent.mkdir(parents=True)
        program.write_text('#!/bin/sh\n: > "$HOME/pwned"\n')
        program.chmod(0o755)
        (program.parent.parent / "hooks").symlink_to(REPO / "hooks")
    install(plugged, places(plugged)["user"])
    installed = json.loads(places(plugged)["user"].read_text())["hooks"]["PreToolUse"]
    env = {"CLAUDE_PLUGIN_DATA": "", name: value}
    done = plugged.run_shell(installed[0]["hooks"][0]["command"], plugged.make_sample("pre"), **env)
    assert (done.returncode, done.stderr) == (0, "")
    assert plugged.event("PreToolUse", "pre", **env).returncode == 0
    assert not (sandbox.home / "pwned").exists()


def test_a_session_in_the_home_folder_uses_its_programs(plugged: Plugged) -> None:
    """There is no project then: a Python below it is the user's."""
    sandbox = plugged.sandbox
    tools = sandbox.home / "tools"
    shutil.move(plugged.bin, tools)
    done = plugged.event("PreToolUse", "pre", CLAUDE_PROJECT_DIR=str(sandbox.home), PATH=str(tools))
    assert (done.returncode, done.stderr) == (0, "")
    assert (plugged.data / "python").read_text().strip() == base_python()


def test_a_removed_plugin_is_silent(plugged: Plugged, tmp_path: Path) -> None:
    done = plugged.event("PreToolUse", "pre", CLAUDE_PLUGIN_ROOT=str(tmp_path / "gone"))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    done = plugged.event("SessionStart", "session", at=1, CLAUDE_PLUGIN_ROOT=str(tmp_path / "gone"))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_damaged_plugin_does_not_stop_agents(sandbox: Sandbox, tmp_path: Path) -> None:
    folder = tmp_path / "with blanks"
    copy_plugin(folder)
    (folder / "memory_core" / "hook.py").unlink()
    (folder / "hooks" / "subagent_stop.py").unlink()
    plugged = Plugged(sandbox, tmp_path, folder)
    for event, kind in [("PreToolUse", "pre"), ("SubagentStop", "stop")]:
        done = plugged.event(event, kind)
        assert (done.returncode, done.stdout) == (0, "")


def test_an_unwritable_data_folder(plugged: Plugged) -> None:
    """A file has the name of the data folder: nothing can be stored, but all hooks work."""
    plugged.data.parent.mkdir(parents=True)
    plugged.data.write_text("")
    assert plugged.learns_report()
    assert sample_events.LEARNING in plugged.receive_prompt()
    assert plugged.start_session() == ""


def test_without_a_home(plugged: Plugged) -> None:
    """Memory works, and nothing else is kept, which stderr says."""
    env = {"HOME": "", "CLAUDE_PLUGIN_DATA": ""}
    assert plugged.event("PostToolUse", "post", **env).returncode == 0
    done = plugged.event("SubagentStart", "start", **env)
    assert done.returncode == 0
    assert sample_events.LEARNING in done.stdout
    assert plugged.start_session(**env) == ""


# With an installation as well.


def install(plugged: Plugged, path: Path) -> None:
    """Put the hooks of an installation into a settings file, and install their program."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        settings_json.add_hooks("", settings_json.build_hooks(installation.read_template()))
    )
    program(plugged.sandbox.home / ".local" / "share" / "agent-memory" / "venv")


def program(venv: Path) -> None:
    (venv / "bin").mkdir(parents=True)
    (venv / "bin" / "python").symlink_to(sys.executable)
    (venv / "hooks").symlink_to(REPO / "hooks")


def places(plugged: Plugged) -> dict[str, Path]:
    project, home = plugged.sandbox.root / ".claude", plugged.sandbox.home / ".claude"
    return {
        "user": home / "settings.json",
        "project": project / "settings.json",
        "local": project / "settings.local.json",
    }


@pytest.mark.parametrize("level", ["user", "project", "local"])
def test_the_plugin_is_inactive_next_to_an_installation(plugged: Plugged, level: str) -> None:
    plugged.sandbox.write_memory("engineer", ITEM)
    assert ITEM in plugged.receive_prompt()
    install(plugged, places(plugged)[level])
    assert plugged.receive_prompt() == ""
    assert not plugged.learns_report()
    assert plugged.sandbox.read_log("agent.memory.learned") == []


def absolute(plugged: Plugged, path: Path) -> dict[str, str]:
    venv = plugged.sandbox.home / "opt"
    program(venv)
    path.write_text(
        path.read_text().replace(*(json.dumps(t)[1:-1] for t in (plugin.FOLDER, f'"{venv}"')))
    )
    shutil.rmtree(plugged.sandbox.home / ".local")
    return {}


def bom(plugged: Plugged, path: Path) -> dict[str, str]:
    path.write_text(path.read_text(), encoding="utf-8-sig")
    return {}


def not_here(plugged: Plugged, path: Path) -> dict[str, str]:
    """Use a teammate's settings on a machine without the program."""
    shutil.rmtree(plugged.sandbox.home / ".local")
    return {}


def older(plugged: Plugged, path: Path) -> dict[str, str]:
    """Use settings of a version without this hook."""
    value = json.loads(path.read_text())
    del value["hooks"]["PreToolUse"]
    path.write_text(json.dumps(value))
    return {}


def torn(plugged: Plugged, path: Path) -> dict[str, str]:
    path.write_text(path.read_text()[:-5])
    return {}


def odd(plugged: Plugged, path: Path) -> dict[str, str]:
    path.write_text('{"hooks": {"PreToolUse": ["agent_memory="]}}')
    return {}


@pytest.mark.parametrize(
    ("happen", "is_inactive"),
    [
        (absolute, True),
        (bom, True),
        (not_here, False),
        (older, False),
        (torn, False),
        (odd, False),
    ],
)
def test_the_plugin_is_inactive_only_if_the_installation_works(
    plugged: Plugged, happen: Any, is_inactive: bool
) -> None:
    plugged.sandbox.write_memory("engineer", ITEM)
    path = places(plugged)["project"]
    install(plugged, path)
    env = happen(plugged, path)
    assert (ITEM in plugged.receive_prompt(**env)) != is_inactive


# Findings of the doctor.


@pytest.fixture
def listed(plugged: Plugged) -> Plugged:
    """Return a user whose Claude Code has the plugin from a local marketplace."""
    config = plugged.sandbox.home / ".claude"
    (config / "plugins").mkdir(parents=True)
    name = f"{plugin.NAME}@{MARKET['name']}"
    values = {
        "settings.json": {"enabledPlugins": {name: True}},
        "plugins/installed_plugins.json": {
            "version": 2,
            "plugins": {name: [{"scope": "user", "installPath": str(REPO)}]},
        },
    }
    for file, value in values.items():
        (config / file).write_text(json.dumps(value))
    (config / "local").mkdir()
    (config / "local" / "claude").write_text("#!/bin/sh\necho 2.1.329\n")
    (config / "local" / "claude").chmod(0o755)
    borrow_environment(plugged.data)
    return plugged


def doctor(plugged: Plugged) -> list[dict[str, Any]]:
    plugged.sandbox.write_memory("engineer", ITEM)
    done = plugged.run_shell('"$CLAUDE_PLUGIN_ROOT/bin/agent-memory" doctor --json')
    return list(json.loads(done.stdout)["findings"])


def wrong(found: list[dict[str, Any]]) -> list[tuple[str, str, str]]:
    return [(e["level"], e["check"], e["what"]) for e in found if e["level"] != "ok"]


def test_the_doctor_finds_nothing_wrong_with_the_plugin_alone(listed: Plugged) -> None:
    found = doctor(listed)
    assert wrong(found) == []
    commands = [each for each in found if each["check"] == "command"]
    assert len(commands) == len(HOOKS)
    assert all(each["where"] == str(REPO / "hooks" / "hooks.json") for each in commands)
    (message,) = [each for each in found if each["check"] == "plugin"]
    assert message["where"] == str(listed.data)


@pytest.mark.parametrize("level", ["user", "project"])
def test_the_doctor_reports_an_installation_as_well(listed: Plugged, level: str) -> None:
    path = places(listed)[level]
    before = json.loads(path.read_text()) if path.exists() else {}
    install(listed, path)
    path.write_text(json.dumps({**json.loads(path.read_text()), **before}))
    found = doctor(listed)
    name = f"{plugin.NAME}@{MARKET['name']}"
    what = f"the plugin {name} has the same hooks"
    assert wrong(found) == [("note", "settings", what)]
    (mend,) = [each["mend"] for each in found if each["what"] == what]
    assert "agent-memory uninstall " in mend
    commands = [each for each in found if each["check"] == "command"]
    assert {each["where"] for each in commands} == {str(path)}


def test_the_doctor_ignores_settings_of_teammates(listed: Plugged) -> None:
    """Their hooks do nothing on this machine; those of the plugin do."""
    install(listed, places(listed)["project"])
    shutil.rmtree(listed.sandbox.home / ".local")
    found = doctor(listed)
    assert wrong(found) == []
    commands = {each["where"] for each in found if each["check"] == "command"}
    assert commands == {str(REPO / "hooks" / "hooks.json")}


def test_the_doctor_reports_the_state_of_the_environment(listed: Plugged) -> None:
    (listed.data / "venv").unlink()
    failed = {
        "key": plugin_environment.hash_dependencies(),
        "when": time.time(),
        "reason": "No room left.",
    }
    (listed.data / "failed.json").write_text(json.dumps(failed))
    done = subprocess.run(
        [sys.executable, "-m", "memory_core.cli", "doctor", "--json"],
        cwd=listed.sandbox.root,
        env={**listed.env(), "PYTHONPATH": str(REPO)},
        capture_output=True,
        text=True,
        check=False,
    )
    found = json.loads(done.stdout)["findings"]
    (message,) = [each for each in found if each["check"] == "plugin"]
    assert message["level"] == "warning"
    assert message["what"] == "the plugin's Python environment could not be built: No room left."
    assert str(listed.data / "build.log") in message["mend"]


def test_a_link_to_the_command_is_followed(plugged: Plugged, tmp_path: Path) -> None:
    borrow_environment(plugged.data)
    (tmp_path / "first").symlink_to(REPO / "bin" / "agent-memory")
    (tmp_path / "with blanks").mkdir()
    (tmp_path / "with blanks" / "second").symlink_to(Path("..") / "first")
    for link in ("first", "with blanks/second"):
        done = plugged.run_shell(f'"{tmp_path}/{link}" version')
        assert (done.returncode, done.stderr) == (0, "")


def test_the_scripts_are_executable() -> None:
    for path in (REPO / "bin" / "agent-memory", REPO / "hooks" / "plugin.sh"):
        assert path.stat().st_mode & stat.S_IXUSR


def test_the_page_agrees_with_the_plugin() -> None:
    page = (REPO / "docs" / "plugin.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`/agent-memory:(\w+)", page))
    assert named == {path.stem for path in (REPO / "commands").glob("*.md")}
    assert plugin_environment.BUILD_STARTED.partition(". ")[0] in page
    assert f"up to {plugin_environment.COMMAND_WAIT:.0f} s" in page
    for word in ("environments/", "venv", "python", plugin_environment.LOG_NAME):
        assert f"`{word}`" in page
