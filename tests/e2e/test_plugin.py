"""The plugin from a marketplace folder, for a user who never runs install.sh."""

import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from memory_core.setup import plugin_environment
from support.command_line import install_hooks
from support.paths import REPO
from support.plugin import FALLBACK_FOLDER, borrow_environment
from support.processes import run_text, wait_until
from support.ways import UNUSED

from .api import call_engineer, say, use
from .client import Desk
from .product import FACT, NEWS, assert_memory_given, assert_quiet, assert_unseen, lesson, versions

# From this version on plugins have a data folder, and their bin/ is on the shell's PATH.
CURRENT = "2.1.300"


def read_install_commands() -> list[list[str]]:
    """Return the install commands of docs/plugin.md."""
    text = (REPO / "docs" / "plugin.md").read_text(encoding="utf-8")
    block = text.split("```console\n")[1].split("```")[0]
    lines = [line.split("#")[0].split() for line in block.splitlines()]
    assert [words[:2] for words in lines] == [["$", "claude"]] * 2
    return [words[2:] for words in lines]


def data_folder(desk: Desk) -> Path:
    """Return the data folder of the plugin, or the fallback that old clients need."""
    name = "agent-memory-agent-memory" if desk.claude.since(CURRENT) else FALLBACK_FOLDER
    return desk.home / ".claude" / "plugins" / "data" / name


@pytest.fixture
def plugged(new_desk: Callable[..., Desk]) -> Desk:
    """Create a machine with the plugin installed, but without its Python environment."""
    desk = new_desk("a person's desk", hooks=False)
    shelf = shutil.copytree(REPO, desk.home.parent / "agent memory", ignore=UNUSED)
    for words in read_install_commands():
        desk.run_command(*[word.replace("./agent-memory", str(shelf)) for word in words])
    # The hooks run on the machine's Python with only the standard library.
    data_folder(desk).mkdir(parents=True)
    (data_folder(desk) / "python").write_text(os.path.realpath(sys.executable))
    return desk


def prevent_build(desk: Desk) -> None:
    """Put a file where the environment would be built."""
    (data_folder(desk) / "environments").touch()


def test_memory_works_from_the_first_delegation_on(plugged: Desk) -> None:
    """It works without its environment, and later with it, like an installation."""
    prevent_build(plugged)
    first = plugged.run(call_engineer(lesson(FACT)))
    assert_quiet(first)
    assert plugged.list_known_items("engineer") == [FACT]
    assert not (data_folder(plugged) / "venv").exists()
    (data_folder(plugged) / "environments").unlink()
    borrow_environment(data_folder(plugged))
    (data_folder(plugged) / "python").unlink()
    second = plugged.run(call_engineer(lesson(NEWS)))
    assert_quiet(second)
    assert_memory_given(second.requests_by("TASK-1"), FACT)
    if plugged.claude.since(CURRENT):  # before 2.1.121 hooks cannot change a report
        assert_unseen([*first.requests_by("MAIN"), *second.requests_by("MAIN")], FACT, NEWS)
    assert plugged.list_known_items("engineer") == [FACT, NEWS]
    assert len(plugged.read_log("agent.memory.delivered")) == 2
    plugged.run_command("plugin", "uninstall", "agent-memory@agent-memory")
    assert_unseen(plugged.run(call_engineer("Fine.")).requests_by("TASK-1"), FACT)
    assert plugged.list_known_items("engineer") == [FACT, NEWS]
    # Current clients delete the plugin's data with it, which contains no memory.
    assert data_folder(plugged).exists() != plugged.claude.since(CURRENT)


@versions(CURRENT)
def test_the_next_session_runs_an_update(plugged: Desk) -> None:
    """Update a marketplace folder with the commands of docs/plugin.md."""
    prevent_build(plugged)
    shelf = plugged.home.parent / "agent memory"
    manifest = shelf / ".claude-plugin" / "plugin.json"
    fields = json.loads(manifest.read_text())
    manifest.write_text(json.dumps({**fields, "version": "0.1.1"}))
    page = (REPO / "docs" / "plugin.md").read_text(encoding="utf-8")
    block = page.split("## Updating")[1].split("```sh\n")[1].split("```")[0]
    for line in block.splitlines():
        plugged.run_command(*line.split()[1:])
    assert "0.1.1" in plugged.run_command("plugin", "list")
    assert_quiet(plugged.run(call_engineer(lesson(FACT))))
    assert plugged.list_known_items("engineer") == [FACT]


@pytest.mark.parametrize("level", ["user", "project"])
def test_with_an_installation_nothing_is_done_twice(plugged: Desk, level: str) -> None:
    prevent_build(plugged)
    folder = plugged.home if level == "user" else plugged.root
    install_hooks(folder / ".claude" / "settings.json", plugged.home)
    assert_quiet(plugged.run(call_engineer(lesson(FACT))))
    assert plugged.list_known_items("engineer") == [FACT]
    assert [event["items"] for event in plugged.read_log("agent.memory.learned")] == [1]
    assert_memory_given(plugged.run(call_engineer(lesson(FACT))).requests_by("TASK-1"), FACT)
    assert len(plugged.read_log("agent.memory.loaded")) == 2
    assert plugged.read_log("agent.memory.doubled") == []


# The build is slow, and is the same for all versions.
@pytest.mark.slow
@versions(CURRENT)
def test_its_environment_is_made_while_the_first_session_works(plugged: Desk) -> None:
    plugged.env |= {k: v for k, v in os.environ.items() if k.startswith("PIP_")}
    plugged.env["HTTPS_PROXY"] = os.environ.get("HTTPS_PROXY", "")
    first = plugged.run(call_engineer(lesson(FACT)), "--output-format", "stream-json", "--verbose")
    assert first.out.count(plugin_environment.BUILD_STARTED) >= 1
    assert plugged.list_known_items("engineer") == [FACT]
    data = str(data_folder(plugged))
    wait_until(lambda: plugin_environment.is_ready(data), "the end of the build", 300)
    second = plugged.run(call_engineer("Fine."), "--output-format", "stream-json", "--verbose")
    assert plugin_environment.BUILD_STARTED not in second.out
    assert_memory_given(second.requests_by("TASK-1"), FACT)


@versions(CURRENT)
def test_its_mcp_server_answers(plugged: Desk) -> None:
    """The tools have the names that Claude Code gives to tools of a plugin."""
    borrow_environment(data_folder(plugged))
    plugged.write_memory("engineer", FACT)
    tool = "mcp__plugin_agent-memory_agent-memory__recall"
    call = use(tool, agent="engineer")
    run = plugged.run({"MAIN": [call, say("done")]}, "--allowedTools", tool)
    assert_quiet(run)
    assert FACT in str(run.requests_by("MAIN")[-1].results)


@versions(CURRENT)
def test_the_commands_need_no_permission(plugged: Desk) -> None:
    """The programs of a command may run, because the command allows them."""
    borrow_environment(data_folder(plugged))
    plugged.write_memory("engineer", FACT)
    shelf = plugged.home.parent / "agent memory"

    def asked(command: str, prompt: str) -> str:
        call = use("Bash", command=f'"{shelf}/bin/agent-memory" {command}', description="x")
        run = plugged.run({"MAIN": [call, say("done")]}, prompt=prompt)
        assert_quiet(run)
        (result,) = run.requests_by("MAIN")[-1].results
        assert not result.get("is_error"), result
        return str(result["content"])

    assert "engineer" in asked("status", "/agent-memory:status MAIN")
    asked(f"add engineer pattern '{NEWS}'", f"/agent-memory:remember MAIN engineer {NEWS}")
    assert NEWS in asked("list engineer", "/agent-memory:review MAIN engineer")


def test_the_client_finds_the_plugin_valid(plugged: Desk) -> None:
    options = ("--strict", "--profile", "directory") if plugged.claude.since(CURRENT) else ()
    shelf = plugged.home.parent / "agent memory"
    told = plugged.run_command("plugin", "validate", *options, str(shelf))
    assert "Validation passed" in told
    assert "warning" not in told


# A whole installation: ./install.sh, two sessions, ./install.sh --uninstall.


def run_installer(desk: Desk, *arguments: str) -> None:
    """Run install.sh from another folder, with the home of this machine."""
    others = [name for name in os.environ if not name.startswith(("XDG_", "CLAUDE"))]
    environ = {**{name: os.environ[name] for name in others}, "HOME": str(desk.home)}
    command = [REPO / "install.sh", *arguments, desk.root]
    done = run_text(command, cwd=desk.home, env=environ)
    assert done.returncode == 0, done.stdout + done.stderr


# Building the environment is slow, and the hooks are the same for all versions.
@pytest.mark.slow
@versions("2.1.300")
def test_install_two_sessions_and_uninstall(new_desk: Callable[..., Desk]) -> None:
    desk = new_desk("a person's desk", hooks=False)
    desk.settings(permissions={"allow": ["Bash(ls:*)"]})
    before = desk.read(".claude/settings.json")
    run_installer(desk)
    first = desk.run(call_engineer(lesson(FACT)))
    assert_quiet(first)
    assert desk.list_known_items("engineer") == [FACT]
    second = desk.run(call_engineer(lesson(NEWS)))
    assert_memory_given(second.requests_by("TASK-1"), FACT)
    assert_unseen([*first.requests_by("MAIN"), *second.requests_by("MAIN")], FACT, NEWS)
    run_installer(desk, "--uninstall")
    assert desk.read(".claude/settings.json") == before
    assert_unseen(desk.run(call_engineer("Fine.")).api.requests, FACT)
    assert desk.list_known_items("engineer") == [FACT, NEWS]
