"""The Claude Code plugin without Claude Code: its manifests and its hooks."""

import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memory_core.claude_code import sample_events, settings_json
from memory_core.setup import hook_runner, plugin, plugin_environment
from support.command_line import ITEM, install_hooks, link_program, read_stderr
from support.files import write, write_program
from support.paths import REPO
from support.plugin import FALLBACK_FOLDER, HOOKS, Plugged, borrow_environment, copy_plugin
from support.sandbox import Sandbox
from support.ways import base_python

MANIFEST = json.loads((REPO / ".claude-plugin" / "plugin.json").read_text(encoding="utf-8"))
MARKET = json.loads((REPO / ".claude-plugin" / "marketplace.json").read_text(encoding="utf-8"))


# The manifests.


def test_the_plugin_has_the_hooks_of_an_installation() -> None:
    """The same events, matchers and scripts; all other hooks manage the plugin."""
    template: dict[str, list[Any]] = {}  # with the hooks for tasks, too
    for part in json.loads(hook_runner.read_template()).values():
        for event, groups in part.items():
            template[event] = [*template.get(event, []), *groups]
    assert template.keys() == HOOKS.keys()
    others = []
    for event, groups in template.items():
        for group, own in zip(groups, HOOKS[event], strict=True):
            hook, *more = own["hooks"]
            script = group["hooks"][0]["command"].removeprefix("{command:").removesuffix("}")
            command = plugin.format_command(script)
            assert own.get("matcher") == group.get("matcher")
            assert hook == {**group["hooks"][0], "command": command}
            assert (REPO / "hooks" / f"{script}.py").exists()
            others += [each["command"] for each in more]
    assert [command.split()[-2] for command in others] == ["setup;"]
    # The client replaces such a text by the path, which a shell would run.
    assert "${" not in json.dumps(HOOKS)


def test_the_manifests_agree_with_the_project() -> None:
    project = (REPO / "pyproject.toml").read_text(encoding="utf-8")
    assert f'\nname = "{MANIFEST["name"]}"\nversion = "{MANIFEST["version"]}"\n' in project
    assert [each["name"] for each in MARKET["plugins"]] == [MANIFEST["name"]] == ["agent-memory"]
    assert not (REPO / ".mcp.json").exists()  # everyone who opens this repository would get it
    (server,) = MANIFEST["mcpServers"].values()
    assert server["args"] == ["${CLAUDE_PLUGIN_ROOT}/hooks/plugin.sh", "mcp"]


def test_repeated_texts_are_equal() -> None:
    script = (REPO / "hooks" / "plugin.sh").read_text(encoding="utf-8")
    assert f"\ndoor='{plugin.LAUNCH_CODE}'\n" in script
    assert f"/plugins/data/{FALLBACK_FOLDER}\n" in script
    assert f"AGENT_MEMORY_PLUGIN_DATA={'' or chr(34)}$data" in script
    assert plugin.DATA_VARIABLE == "AGENT_MEMORY_PLUGIN_DATA"
    assert plugin.TAG == settings_json.COMMAND_PREFIX
    assert settings_json.build_command("x").startswith(f"{plugin.TAG}{plugin.FOLDER};")
    project = (REPO / "pyproject.toml").read_text()
    basic = project.split("\ndependencies = [")[1].split("\n]")[0]
    server = re.findall(r'^mcp = \["(.+)"\]$', project, re.MULTILINE)
    wanted = [*re.findall(r'^    "([^"]+)",$', basic, re.MULTILINE), *server]
    assert plugin_environment.read_dependencies() == wanted


@pytest.mark.parametrize("path", sorted((REPO / "commands").glob("*.md")), ids=lambda p: p.stem)
def test_commands_name_existing_programs(plugged: Plugged, path: Path) -> None:
    """Each is for users, and names only existing commands of the plugin's program."""
    borrow_environment(plugged.data)
    text = path.read_text(encoding="utf-8")
    assert "disable-model-invocation: true" in text
    verbs = set(re.findall(r'"\$\{CLAUDE_PLUGIN_ROOT\}/bin/agent-memory" (\w+)', text))
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
    said = read_stderr(copied.run_shell('sh "$CLAUDE_PLUGIN_ROOT/hooks/plugin.sh" mcp'), 1)
    assert said == "agent-memory: no Python 3.10 or newer was found\n"


def test_the_path_of_the_plugin_is_never_run(copied: Plugged) -> None:
    copied.install_builder()
    assert copied.learns_report()
    assert sample_events.LEARNING in copied.receive_prompt()
    assert copied.start_session() == plugin_environment.BUILD_STARTED
    copied.await_build()
    done = copied.run_shell('"$CLAUDE_PLUGIN_ROOT/bin/agent-memory" --version')
    assert (done.returncode, done.stderr) == (0, "")
    assert [*copied.sandbox.root.rglob("pwned"), *copied.data.rglob("pwned")] == []


# Programs that a project puts in the way.


@pytest.mark.parametrize("entry", [".", "", "tools", "{project}/tools", "{link}/tools", "{odd}"])
def test_no_program_of_the_project_runs(plugged: Plugged, entry: str) -> None:
    project, link = plugged.sandbox.root, plugged.sandbox.home / "link"
    link.symlink_to(project)
    for name in ("sh", "python3.13", "python3", "python", "mkdir", "mv", "uv"):
        for folder in (project, project / "tools"):
            plant(plugged, folder / name)
    plugged.install_builder()
    odd = f"{plugged.sandbox.home}/../{project.name}/tools"
    entry = entry.format(project=project, link=link, odd=odd)
    path = f"{entry}:{plugged.bin}"
    assert plugged.start_session(PATH=path) == plugin_environment.BUILD_STARTED
    plugged.await_build()
    (plugged.data / "venv").unlink()
    assert plugged.learns_report(PATH=path)
    assert not (plugged.sandbox.home / "pwned").exists()


def plant(plugged: Plugged, path: Path) -> None:
    """Write a program that leaves a file if it is run."""
    write_program(path, ': > "$HOME/pwned"')


@pytest.mark.parametrize("name", ["CLAUDE_PLUGIN_DATA", "CLAUDE_CONFIG_DIR", "XDG_DATA_HOME"])
@pytest.mark.parametrize("value", ["{project}", ".", "{home}/../{name}"])
def test_variables_of_a_project_choose_no_program(plugged: Plugged, name: str, value: str) -> None:
    sandbox = plugged.sandbox
    value = value.format(project=sandbox.root, home=sandbox.home, name=sandbox.root.name)
    for place in ("", f"plugins/data/{FALLBACK_FOLDER}", "agent-memory"):
        venv = sandbox.root / place / "venv"
        plant(plugged, venv / "bin" / "python")
        (venv / "hooks").symlink_to(REPO / "hooks")
    install_hooks(places(plugged)["user"], sandbox.home)
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


def test_a_removed_or_damaged_plugin_does_not_stop_agents(sandbox: Sandbox, tmp_path: Path) -> None:
    folder = tmp_path / "with blanks"
    plugged = Plugged(sandbox, tmp_path, folder)
    for event, kind, at in (("PreToolUse", "pre", 0), ("SessionStart", "session", 1)):
        done = plugged.event(event, kind, at=at)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    copy_plugin(folder)
    (folder / "memory_core" / "hook.py").unlink()
    (folder / "hooks" / "subagent_stop.py").unlink()
    for event, kind in (("PreToolUse", "pre"), ("SubagentStop", "stop")):
        done = plugged.event(event, kind)
        assert (done.returncode, done.stdout) == (0, "")


def test_an_unwritable_data_folder(plugged: Plugged) -> None:
    """A file has the name of the data folder: nothing can be stored, but all hooks work."""
    write(plugged.data, "")
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


def places(plugged: Plugged) -> dict[str, Path]:
    folders = {"user": plugged.sandbox.home, "project": plugged.sandbox.root}
    found = {level: folder / ".claude" / "settings.json" for level, folder in folders.items()}
    return {**found, "local": found["project"].with_name("settings.local.json")}


def drop_hook(text: str) -> str:
    value = json.loads(text)
    del value["hooks"]["PreToolUse"]
    return json.dumps(value)


# What happens to the settings of an installation, whether its program is there, and whether the
# plugin is inactive.
BESIDE: dict[str, tuple[Callable[[str], str], bool, bool]] = {
    "installed": (lambda text: text, True, True),
    "byte order mark": (lambda text: f"\ufeff{text}", True, True),
    "not on this machine": (lambda text: text, False, False),
    "an older version without this hook": (drop_hook, True, False),
    "torn": (lambda text: text[:-5], True, False),
    "odd": (lambda text: '{"hooks": {"PreToolUse": ["agent_memory="]}}', True, False),
}
CASES = [("user", "installed"), ("local", "installed"), *(("project", name) for name in BESIDE)]


@pytest.mark.parametrize(("level", "case"), CASES)
def test_the_plugin_is_inactive_only_if_the_installation_works(
    plugged: Plugged, level: str, case: str
) -> None:
    change, is_there, is_inactive = BESIDE[case]
    plugged.sandbox.write_memory("engineer", ITEM)
    assert ITEM in plugged.receive_prompt()
    path = places(plugged)[level]
    install_hooks(path, plugged.sandbox.home)
    path.write_text(change(path.read_text()), encoding="utf-8")
    if not is_there:
        shutil.rmtree(plugged.sandbox.home / ".local")
    assert (ITEM in plugged.receive_prompt()) != is_inactive
    if case == "installed":
        assert not plugged.learns_report()
        assert plugged.sandbox.read_log("agent.memory.learned") == []


def test_the_program_of_an_installation_may_be_elsewhere(plugged: Plugged) -> None:
    plugged.sandbox.write_memory("engineer", ITEM)
    path, venv = places(plugged)["project"], plugged.sandbox.home / "opt"
    install_hooks(path, plugged.sandbox.home)
    link_program(venv)
    old, new = (json.dumps(text)[1:-1] for text in (plugin.FOLDER, f'"{venv}"'))
    path.write_text(path.read_text().replace(old, new))
    shutil.rmtree(plugged.sandbox.home / ".local")
    assert plugged.receive_prompt() == ""


# Findings of the doctor.


@pytest.fixture
def listed(plugged: Plugged) -> Plugged:
    """Return a user whose Claude Code has the plugin from a local marketplace."""
    config = plugged.sandbox.home / ".claude"
    write(config / "settings.json", json.dumps({"enabledPlugins": {LISTED: True}}))
    installed = {"version": 2, "plugins": {LISTED: [{"scope": "user", "installPath": str(REPO)}]}}
    write(config / "plugins" / "installed_plugins.json", json.dumps(installed))
    write_program(config / "local" / "claude", "echo 2.1.329")
    borrow_environment(plugged.data)
    return plugged


LISTED = f"agent-memory@{MARKET['name']}"


def doctor(plugged: Plugged) -> list[dict[str, Any]]:
    plugged.sandbox.write_memory("engineer", ITEM)
    command = '"$CLAUDE_PLUGIN_ROOT/bin/agent-memory" doctor --json'
    done = plugged.run_shell(command, CLAUDE_PLUGIN_DATA="")
    assert os.listdir(plugged.data.parent) == [plugged.data.name]
    return list(json.loads(done.stdout)["findings"])


def wrong(found: list[dict[str, Any]]) -> list[tuple[str, str, str]]:
    return [(e["level"], e["check"], e["what"]) for e in found if e["level"] != "ok"]


def test_the_doctor_looks_at_the_hooks_that_run(listed: Plugged) -> None:
    found = doctor(listed)
    assert wrong(found) == []
    own, commands = str(REPO / "hooks" / "hooks.json"), list_commands(found)
    assert commands == [own] * len(HOOKS)
    path = places(listed)["project"]
    install_hooks(path, listed.sandbox.home)
    found = doctor(listed)
    assert wrong(found) == []
    assert set(list_commands(found)) == {str(path)}
    # They are the settings of a teammate, which do nothing on this machine.
    shutil.rmtree(listed.sandbox.home / ".local")
    found = doctor(listed)
    assert wrong(found) == []
    assert set(list_commands(found)) == {own}


def list_commands(found: list[dict[str, Any]]) -> list[str]:
    return [each["where"] for each in found if each["check"] == "command"]


def test_a_link_to_the_command_is_followed(plugged: Plugged, tmp_path: Path) -> None:
    borrow_environment(plugged.data)
    (tmp_path / "first").symlink_to(REPO / "bin" / "agent-memory")
    (tmp_path / "with blanks").mkdir()
    (tmp_path / "with blanks" / "second").symlink_to(Path("..") / "first")
    done = plugged.run_shell(f'"{tmp_path}/with blanks/second" --version')
    assert (done.returncode, done.stderr) == (0, "")


def test_the_page_agrees_with_the_plugin() -> None:
    page = (REPO / "docs" / "plugin.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`/agent-memory:(\w+)", page))
    assert named == {path.stem for path in (REPO / "commands").glob("*.md")}
    assert plugin_environment.BUILD_STARTED.partition(". ")[0] in page
    assert f"up to {plugin_environment.COMMAND_WAIT:.0f} s" in page
    for word in ("environments/", "venv", "python", plugin_environment.LOG_NAME):
        assert f"`{word}`" in page
