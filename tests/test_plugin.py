"""The Claude Code plugin without Claude Code: its manifests, its hooks, its environment.

One environment is built for real, with pip from the package index; the rest uses one that
borrows the packages of the tests' own.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import sysconfig
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import anyio
import pytest
from conftest import REPO, Sandbox
from mcp import Client, StdioServerParameters, stdio_client
from mcp_types import ToolListChangedNotification
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from memory_core import (
    client,
    installation,
    plugin,
    plugin_environment,
    plugin_lobby,
    samples,
    settings,
)

ITEM = "Services talk through the event bus, never directly"
HOOKS = json.loads((REPO / "hooks" / "hooks.json").read_text(encoding="utf-8"))["hooks"]
TEMPLATE = json.loads(installation.template())["hooks"]
MANIFEST = json.loads((REPO / ".claude-plugin" / "plugin.json").read_text(encoding="utf-8"))
MARKET = json.loads((REPO / ".claude-plugin" / "marketplace.json").read_text(encoding="utf-8"))

Done = subprocess.CompletedProcess[str]


def borrow(data: Path, key: str = "") -> Path:
    """Make an environment for a plugin's data folder, of the packages that the tests have."""
    name = f"{key or plugin_environment.key()}-borrowed"
    made = data / "environments" / name
    command = [sys.executable, "-I", "-m", "venv", "--without-pip", str(made)]
    subprocess.run(command, check=True)
    own = sysconfig.get_path("purelib")
    (packages,) = made.glob("lib/python*/site-packages")
    (packages / "borrowed.pth").write_text(f"{own}\n")
    (made / "packages").symlink_to(own)
    link = data / "venv"
    link.unlink(missing_ok=True)
    link.symlink_to(Path("environments") / name)
    return made


class Plugged:
    """Somebody whose Claude Code has the plugin: what it runs, and with which variables."""

    def __init__(self, sandbox: Sandbox, folder: Path, root: Path = REPO) -> None:
        self.sandbox = sandbox
        self.folder = root
        self.data = sandbox.home / ".claude" / "plugins" / "data" / "agent-memory-agent-memory"
        self.bin = folder / "bin"
        self.bin.mkdir()
        # A machine with one Python, and none of the tests' packages.
        self.program("python3", f'exec "{base_python()}" "$@"')
        for name in ("sh", "env", "mkdir", "mv", "dirname", "readlink", "cat"):
            (self.bin / name).symlink_to(str(shutil.which(name)))

    def program(self, name: str, script: str) -> None:
        path = self.bin / name
        path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        path.chmod(0o755)

    def env(self, **more: str) -> dict[str, str]:
        own = {
            "PATH": str(self.bin),
            "CLAUDE_PLUGIN_ROOT": str(self.folder),
            "CLAUDE_PLUGIN_DATA": str(self.data),
        }
        merged = {**self.sandbox.env, **own, **more}
        return {name: value for name, value in merged.items() if value}

    def shell(self, command: str, data: bytes = b"", **env: str) -> Done:
        done = subprocess.run(
            ["/bin/sh", "-c", command],
            input=data,
            capture_output=True,
            cwd=self.sandbox.root,
            env=self.env(**env),
            timeout=120,
            check=False,
        )
        return subprocess.CompletedProcess(
            command, done.returncode, done.stdout.decode(), done.stderr.decode()
        )

    def event(self, name: str, kind: str, at: int = 0, **env: str) -> Done:
        """Have an event answered as Claude Code does: by the command in hooks.json."""
        return self.shell(command_of(name, at), self.sample(kind), **env)

    def sample(self, kind: str) -> bytes:
        return json.dumps(samples.sample(kind, "engineer", str(self.sandbox.root), "1")).encode()

    def setup(self, **env: str) -> str:
        """Start a session; return what the person is told."""
        done = self.event("SessionStart", "session", at=1, **env)
        assert (done.returncode, done.stderr) == (0, "")
        return str(json.loads(done.stdout)["systemMessage"]) if done.stdout else ""

    def given(self, **env: str) -> str:
        """Return what an agent that is called now is given with its prompt."""
        done = self.event("PreToolUse", "pre", **env)
        assert (done.returncode, done.stderr) == (0, "")
        if not done.stdout:
            return ""
        reply = json.loads(done.stdout)["hookSpecificOutput"]
        return str(reply["updatedInput"]["prompt"])

    def learned(self, **env: str) -> bool:
        """Have an agent report; say whether that was kept."""
        done = self.event("PostToolUse", "post", **env)
        assert (done.returncode, done.stderr) == (0, "")
        path = self.sandbox.memories / "engineer.md"
        return path.exists() and samples.LEARNED in path.read_text(encoding="utf-8")


def base_python() -> str:
    return os.path.realpath(sys.executable)


def command_of(event: str, at: int = 0) -> str:
    hooks = [hook for group in HOOKS[event] for hook in group["hooks"]]
    return str(hooks[at]["command"])


@pytest.fixture
def plugged(sandbox: Sandbox, tmp_path: Path) -> Plugged:
    return Plugged(sandbox, tmp_path)


# The manifests.


def without_commands(hooks: dict[str, Any]) -> dict[str, list[tuple[str, int]]]:
    """Return the matchers of each event, with the time that its memory's hook is given."""
    return {
        event: [(group.get("matcher", ""), group["hooks"][0]["timeout"]) for group in groups]
        for event, groups in hooks.items()
    }


def test_the_plugin_has_the_hooks_of_an_installation() -> None:
    """The same events, matchers and scripts; what else is there has to do with the plugin."""
    assert without_commands(HOOKS) == without_commands(TEMPLATE)
    for event, groups in TEMPLATE.items():
        for group, own in zip(groups, HOOKS[event], strict=True):
            script = re.fullmatch(r"\{command:(\w+)\}", group["hooks"][0]["command"])
            assert script
            assert own["hooks"][0]["command"] == plugin.command(script[1])
            assert (REPO / "hooks" / f"{script[1]}.py").exists()
    others = [
        hook["command"] for groups in HOOKS.values() for g in groups for hook in g["hooks"][1:]
    ]
    assert [command.split()[-2] for command in others] == ["setup;"]


def test_the_manifests_agree_with_the_project() -> None:
    project = (REPO / "pyproject.toml").read_text(encoding="utf-8")
    assert f'\nname = "{MANIFEST["name"]}"\nversion = "{MANIFEST["version"]}"\n' in project
    assert [each["name"] for each in MARKET["plugins"]] == [MANIFEST["name"]] == [plugin.NAME]
    assert not (REPO / ".mcp.json").exists()  # who opens this repository would get it
    (server,) = MANIFEST["mcpServers"].values()
    assert server["args"] == ["${CLAUDE_PLUGIN_ROOT}/hooks/plugin.sh", "mcp"]


def test_what_is_said_twice_is_the_same() -> None:
    script = (REPO / "hooks" / "plugin.sh").read_text(encoding="utf-8")
    assert f"\ndoor='{plugin.DOOR}'\n" in script
    assert f"/plugins/data/{plugin.UNNAMED}}}\n" in script
    assert f"AGENT_MEMORY_PLUGIN_DATA={'' or chr(34)}$data" in script
    assert plugin.DATA == "AGENT_MEMORY_PLUGIN_DATA"
    assert plugin.TAG == settings.TAG
    assert settings.command("x").startswith(f"{plugin.TAG}{plugin.FOLDER};")
    assert os.path.join(client.MANAGED, "managed-settings.json") in plugin.MANAGED
    assert plugin_environment.dependencies() == re.findall(
        r'^    "([^"]+)",$',
        (REPO / "pyproject.toml").read_text().split("\ndependencies = [")[1].split("\n]")[0],
        re.MULTILINE,
    )


@pytest.mark.parametrize("path", sorted((REPO / "commands").glob("*.md")), ids=lambda p: p.stem)
def test_a_command_runs_what_there_is(plugged: Plugged, path: Path) -> None:
    """Each is for people, and names only commands that exist, by the plugin's own program."""
    borrow(plugged.data)
    text = path.read_text(encoding="utf-8")
    assert "disable-model-invocation: true" in text
    own = r'"\$\{CLAUDE_PLUGIN_ROOT\}/bin/agent-memory" (\w+)'
    verbs = set(re.findall(own, text))
    assert verbs
    for verb in verbs:
        done = plugged.shell(f'"$CLAUDE_PLUGIN_ROOT/bin/agent-memory" {verb} --help')
        assert done.returncode == 0, done.stderr
    # A `!` command would run what the arguments of a person, or a file, say.
    assert "!`" not in text


# Hooks, before and after there is an environment.


def test_the_first_delegation_receives_and_learns(plugged: Plugged) -> None:
    """On the system's Python alone, which is asked for once."""
    plugged.program("python3", f'echo >> "$HOME/asked"; exec "{base_python()}" "$@"')
    assert plugged.learned()
    assert samples.LEARNED in plugged.given()
    assert (plugged.data / "python").read_text().strip() == base_python()
    assert (plugged.sandbox.home / "asked").read_text() == "\n"
    assert not (plugged.data / "venv").exists()


def test_with_its_environment_it_needs_no_other_python(plugged: Plugged) -> None:
    borrow(plugged.data)
    plugged.program("python3", "exit 1")
    assert plugged.learned()
    assert samples.LEARNED in plugged.given()
    assert plugged.setup() == ""


def test_plain_settings_count_at_once(plugged: Plugged) -> None:
    plugged.sandbox.remembers("engineer", ITEM)
    plugged.sandbox.configure("memory:\n  limits:\n    default_size_kb: 40\n")
    assert ITEM in plugged.given()
    plugged.sandbox.configure("memory:\n  enabled: false\n")
    assert plugged.given() == ""


def test_settings_that_want_a_parser_wait_for_the_environment(plugged: Plugged) -> None:
    """Nobody can say what they are without it: memory might be switched off there."""
    plugged.sandbox.configure("memory: &all\n  limits:\n    default_size_kb: 40\n")
    plugged.sandbox.remembers("engineer", ITEM)
    assert plugged.given() == ""
    borrow(plugged.data)
    assert ITEM in plugged.given()
    shutil.rmtree(plugged.data)  # what was understood once is kept
    assert ITEM in plugged.given()


@pytest.mark.parametrize("python", ["", "exit 1", "echo nonsense; exit 3"])
def test_without_a_python_it_says_so_once(plugged: Plugged, python: str) -> None:
    (plugged.bin / "python3").unlink()
    if python:
        plugged.program("python3", python)
    assert plugged.given() == ""
    assert "no Python 3.10 or newer" in plugged.setup()
    assert plugged.setup() == ""
    done = plugged.shell('sh "$CLAUDE_PLUGIN_ROOT/hooks/plugin.sh" mcp')
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "agent-memory: no Python 3.10 or newer was found\n"


def test_a_plugin_that_was_taken_away_is_silent(plugged: Plugged, tmp_path: Path) -> None:
    done = plugged.event("PreToolUse", "pre", CLAUDE_PLUGIN_ROOT=str(tmp_path / "gone"))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    done = plugged.event("SessionStart", "session", at=1, CLAUDE_PLUGIN_ROOT=str(tmp_path / "gone"))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_damaged_plugin_stops_nobody(sandbox: Sandbox, tmp_path: Path) -> None:
    folder = tmp_path / "with blanks"
    copy_plugin(folder)
    (folder / "memory_core" / "delegation.py").unlink()
    (folder / "hooks" / "subagent_stop.py").unlink()
    plugged = Plugged(sandbox, tmp_path, folder)
    for event, kind in [("PreToolUse", "pre"), ("SubagentStop", "stop")]:
        done = plugged.event(event, kind)
        assert (done.returncode, done.stdout) == (0, "")


def test_a_home_that_nobody_may_write_to(plugged: Plugged) -> None:
    """There is a file where the folder should be: nothing can be kept, all works on."""
    plugged.data.parent.mkdir(parents=True)
    plugged.data.write_text("")
    assert plugged.learned()
    assert samples.LEARNED in plugged.given()
    assert plugged.setup() == ""


def test_somebody_without_a_home(plugged: Plugged) -> None:
    told = {"HOME": "", "CLAUDE_PLUGIN_DATA": ""}
    assert plugged.learned(**told)
    assert samples.LEARNED in plugged.given(**told)
    assert plugged.setup(**told) == ""


def copy_plugin(folder: Path) -> None:
    """Copy what a clone has of the plugin."""
    shutil.copytree(
        REPO / "memory_core",
        folder / "memory_core",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    for name in ("hooks", "bin", ".claude-plugin", "commands"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(REPO / name, folder / name, ignore=ignored)
    for name in ("pyproject.toml", "settings.template.json"):
        shutil.copy2(REPO / name, folder / name)


# Beside an installation.


def install(plugged: Plugged, path: Path) -> None:
    """Put the hooks of an installation into a settings file, and their program on the machine."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(settings.merge("", settings.block(installation.template())))
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
def test_it_stands_down_beside_an_installation(plugged: Plugged, level: str) -> None:
    plugged.sandbox.remembers("engineer", ITEM)
    assert ITEM in plugged.given()
    install(plugged, places(plugged)[level])
    assert plugged.given() == ""
    assert not plugged.learned()
    assert plugged.sandbox.log("agent.memory.learned") == []


def moved(plugged: Plugged, path: Path) -> dict[str, str]:
    """The installation's data are elsewhere."""
    shutil.move(plugged.sandbox.home / ".local" / "share", plugged.sandbox.home / "data")
    return {"XDG_DATA_HOME": str(plugged.sandbox.home / "data")}


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
    """A teammate's settings, on a machine without the program."""
    shutil.rmtree(plugged.sandbox.home / ".local")
    return {}


def older(plugged: Plugged, path: Path) -> dict[str, str]:
    """Settings of a version that had no such hook."""
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
    ("happen", "stands_down"),
    [
        (moved, True),
        (absolute, True),
        (bom, True),
        (not_here, False),
        (older, False),
        (torn, False),
        (odd, False),
    ],
)
def test_it_stands_down_only_where_that_works(
    plugged: Plugged, happen: Any, stands_down: bool
) -> None:
    plugged.sandbox.remembers("engineer", ITEM)
    path = places(plugged)["project"]
    install(plugged, path)
    env = happen(plugged, path)
    assert (ITEM in plugged.given(**env)) != stands_down


# The environment.


def builder(plugged: Plugged, script: str) -> None:
    """Have `uv` build the environment: it is a script here."""
    plugged.program("uv", script)
    for name in ("rm", "touch", "sleep"):
        (plugged.bin / name).symlink_to(str(shutil.which(name)))


def borrowing(plugged: Plugged) -> str:
    """Return the script of a `uv` that makes an environment of the tests' packages."""
    own = sysconfig.get_path("purelib")
    return (
        'echo "$@" >> "$HOME/uv"\n'
        "for last; do :; done\n"
        '[ "$1" = venv ] || exit 0\n'
        f'"{base_python()}" -I -m venv --without-pip "$last"\n'
        f'for each in "$last"/lib/python*/site-packages; do echo "{own}" > "$each/b.pth"; done\n'
    )


def until(condition: Any, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def is_over(plugged: Plugged) -> bool:
    data = str(plugged.data)
    is_there = plugin_environment.is_ready(data) or plugin.failure(data)
    return bool(is_there) and not plugin_environment.is_building(data)


def test_it_is_made_in_the_background_and_that_is_said_once(plugged: Plugged) -> None:
    builder(plugged, f'while [ ! -e "$HOME/go" ]; do sleep 0.05; done\n{borrowing(plugged)}')
    began = time.monotonic()
    assert plugged.setup() == plugin_environment.BEGUN
    assert plugged.setup() == ""  # a second session meanwhile
    assert time.monotonic() - began < 5
    assert plugged.learned()
    (plugged.sandbox.home / "go").touch()
    until(lambda: is_over(plugged))
    (left,) = (plugged.data / "environments").iterdir()
    assert (plugged.data / "venv").resolve() == left.resolve()
    assert (left / "packages").is_dir()
    assert len((plugged.sandbox.home / "uv").read_text().splitlines()) == 2  # one built
    assert plugged.setup() == ""
    done = plugged.shell('"$CLAUDE_PLUGIN_ROOT/bin/agent-memory" list', CLAUDE_PLUGIN_DATA="")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("engineer")


def test_a_failure_is_told_once_and_tried_again_later(plugged: Plugged) -> None:
    builder(plugged, 'echo >> "$HOME/uv"; echo no network; exit 1')
    assert plugged.setup(PIP_NO_INDEX="1") == plugin_environment.BEGUN  # nor has pip a network
    until(lambda: is_over(plugged))
    told = plugged.setup()
    assert "could not be made: " in told
    assert str(plugged.data / "build.log") in told
    assert plugged.setup() == ""
    assert "no network" in (plugged.data / "build.log").read_text()
    assert plugged.learned()
    assert os.listdir(plugged.data / "environments") == []
    asked = (plugged.sandbox.home / "uv").read_text()
    done = plugged.shell('sh "$CLAUDE_PLUGIN_ROOT/hooks/plugin.sh" mcp')
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
    assert (plugged.sandbox.home / "uv").read_text() == asked
    # An hour later, with a network.
    failed = plugin.failure(str(plugged.data))
    late = {**failed, "when": failed["when"] - plugin_environment.RETRY}
    (plugged.data / "failed.json").write_text(json.dumps(late))
    plugged.program("uv", borrowing(plugged))
    plugged.setup()
    until(lambda: plugin_environment.is_ready(str(plugged.data)))
    assert plugin.failure(str(plugged.data)) == {}


def test_a_command_waits_for_it_and_tries_again(plugged: Plugged) -> None:
    plugged.data.mkdir(parents=True)
    failed = {"key": plugin_environment.key(), "when": time.time(), "reason": "x.", "told": True}
    (plugged.data / "failed.json").write_text(json.dumps(failed))
    builder(plugged, f"sleep 1\n{borrowing(plugged)}")
    done = plugged.shell('"$CLAUDE_PLUGIN_ROOT/bin/agent-memory" version')
    assert (done.returncode, done.stderr) == (0, "")


def test_of_sessions_that_start_at_once_one_is_told(plugged: Plugged) -> None:
    builder(plugged, f"sleep 1\n{borrowing(plugged)}")
    with ThreadPoolExecutor(8) as pool:
        told = list(pool.map(lambda _: plugged.setup(), range(8)))
    assert sorted(filter(None, told)) == [plugin_environment.BEGUN]
    until(lambda: is_over(plugged))


def test_a_shell_of_the_client_waits_for_the_one_in_the_making(plugged: Plugged) -> None:
    """It is not told which folder is ours, and must not have a second environment made."""
    builder(plugged, f"sleep 1\n{borrowing(plugged)}")
    assert plugged.setup() == plugin_environment.BEGUN
    done = plugged.shell('"$CLAUDE_PLUGIN_ROOT/bin/agent-memory" version', CLAUDE_PLUGIN_DATA="")
    assert (done.returncode, done.stderr) == (0, "")
    assert os.listdir(plugged.data.parent) == [plugged.data.name]


def test_what_a_killed_builder_left_is_swept(plugged: Plugged) -> None:
    torn_one = plugged.data / "environments" / f"{plugin_environment.key()}-1-1"
    (torn_one / "bin").mkdir(parents=True)
    (plugged.data / "build.lock").touch()
    used = borrow(plugged.data, key="other")
    builder(plugged, borrowing(plugged))
    assert plugged.setup() == plugin_environment.BEGUN
    assert ITEM not in plugged.given()  # the one in use goes on meanwhile
    until(lambda: is_over(plugged))
    names = {path.name for path in (plugged.data / "environments").iterdir()}
    assert used.name in names  # a hook may just run in it
    assert torn_one.name not in names
    assert len(names) == 2


def test_other_dependencies_make_another(sandbox: Sandbox, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    copy_plugin(folder)
    plugged = Plugged(sandbox, tmp_path, folder)
    builder(plugged, borrowing(plugged))
    borrow(plugged.data)
    assert plugged.setup() == ""
    project = folder / "pyproject.toml"
    project.write_text(project.read_text().replace('"pyyaml>=6.0.1"', '"pyyaml>=6.0.2"'))
    assert plugged.setup() == plugin_environment.BEGUN
    until(lambda: plugin_environment.is_ready(str(plugged.data), str(folder)))
    assert '"' not in (sandbox.home / "uv").read_text().splitlines()[-1]
    assert "pyyaml>=6.0.2" in (sandbox.home / "uv").read_text()


def test_a_newer_python_in_its_place_makes_another(plugged: Plugged) -> None:
    """A system's Python that is upgraded finds nothing in the environment any more."""
    builder(plugged, borrowing(plugged))
    packages = borrow(plugged.data) / "packages"
    assert plugged.setup() == ""
    packages.unlink()
    packages.symlink_to("lib/python3.9/site-packages")
    assert plugged.setup() == plugin_environment.BEGUN
    until(lambda: is_over(plugged))
    assert plugged.setup() == ""


def test_switched_off_it_makes_none(plugged: Plugged) -> None:
    builder(plugged, borrowing(plugged))
    assert plugged.setup(AGENT_MEMORY="off") == ""
    assert not (plugged.data / "environments").exists()


# The MCP server, while there is no environment.

SLOW = 'while [ ! -e "$HOME/go" ]; do sleep 0.05; done\n'
ASKED = {"name": "recall", "arguments": {"agent": "engineer"}}


class Talk:
    """A client of the plugin's MCP server that speaks in lines.

    A class because a process and the numbers of its requests belong together.
    """

    def __init__(self, plugged: Plugged, command: list[str] | None = None, **env: str) -> None:
        self.process = subprocess.Popen(
            command or ["/bin/sh", str(plugged.folder / "hooks" / "plugin.sh"), "mcp"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            cwd=plugged.sandbox.root,
            env=plugged.env(**env),
        )
        assert self.process.stdin
        assert self.process.stdout
        self.stdin, self.stdout = self.process.stdin, self.process.stdout
        self._number = 0
        self._guard = threading.Timer(60, self.process.kill)
        self._guard.start()

    def send(self, line: bytes) -> None:
        self.stdin.write(line + b"\n")

    def tell(self, method: str, **params: Any) -> None:
        self.send(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode())

    def ask(self, method: str, **params: Any) -> int:
        self._number += 1
        told = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        self.send(json.dumps(told).encode())
        return self._number

    def hear(self) -> dict[str, Any]:
        told = json.loads(self.stdout.readline())
        assert told.pop("jsonrpc") == "2.0"
        return dict(told)

    def answered(self, method: str, **params: Any) -> Any:
        """Ask, and return what is answered next."""
        number = self.ask(method, **params)
        told = self.hear()
        assert told["id"] == number
        return told.get("result", told.get("error"))

    def greet(self, version: str = "2025-06-18") -> dict[str, Any]:
        who = {"name": "test", "version": "1"}
        told = self.answered("initialize", protocolVersion=version, capabilities={}, clientInfo=who)
        self.tell("notifications/initialized")
        return dict(told)

    def changed(self, *numbers: int) -> dict[int, dict[str, Any]]:
        """Hear that all lists have changed, and the answers to these requests."""
        told = [self.hear() for _ in range(3 + len(numbers))]
        methods = {each["method"] for each in told if "method" in each}
        kinds = ("tools", "resources", "prompts")
        assert methods == {f"notifications/{kind}/list_changed" for kind in kinds}
        answers = {each["id"]: each for each in told if "id" in each}
        assert set(answers) == set(numbers)
        return answers

    def end(self) -> tuple[int, str, str]:
        """Say no more; return the status, and what was still said."""
        if not self.stdin.closed:
            self.stdin.close()
        out = b"" if self.stdout.closed else self.stdout.read()
        self.stdout.close()
        assert self.process.stderr
        with self.process.stderr as errors:
            told = (self.process.wait(60), out.decode(), errors.read().decode())
        self._guard.cancel()
        return told


def waiting(plugged: Plugged) -> Callable[[], None]:
    """Have the environment be made for as long as until what is returned is called."""
    plugged.sandbox.remembers("engineer", ITEM)
    builder(plugged, SLOW + borrowing(plugged))
    return (plugged.sandbox.home / "go").touch


def behind(talk: Talk) -> list[int]:
    """Return the real server's process; another one that it has made builds the environment."""
    told = subprocess.run(
        ["ps", "-ww", "-o", "pid=,args=", "--ppid", str(talk.process.pid)],
        capture_output=True,
        text=True,
        check=False,
    )
    return [int(line.split()[0]) for line in told.stdout.splitlines() if line.endswith(" mcp")]


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().split(") ")[1][0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False


def test_the_server_answers_while_its_environment_is_made(plugged: Plugged) -> None:
    """At once, with nothing yet; a call is held, and answered by the real server behind it."""
    go = waiting(plugged)
    talk = Talk(plugged)
    assert talk.answered("server/discover")["code"] == plugin_lobby.METHOD_NOT_FOUND
    assert talk.greet()["protocolVersion"] == "2025-06-18"
    for method, kind in plugin_lobby.EMPTY.items():
        assert talk.answered(method) == {kind: []}
    asked = talk.ask("tools/call", **ASKED)
    assert talk.answered("ping") == {}
    assert not plugin_environment.is_ready(str(plugged.data))
    go()
    answer = talk.changed(asked)[asked]
    assert ITEM in answer["result"]["content"][0]["text"]
    names = [tool["name"] for tool in talk.answered("tools/list")["tools"]]
    assert "recall" in names
    assert ITEM in talk.answered("tools/call", **ASKED)["content"][0]["text"]
    assert talk.answered("prompts/list")["prompts"]
    assert talk.end() == (0, "", "")


def test_an_old_client_does_not_wait_for_the_server(plugged: Plugged) -> None:
    """2.1.63 gives plugins no folder, and holds the first prompt until its servers answer."""
    go = waiting(plugged)
    talk = Talk(plugged, CLAUDE_PLUGIN_DATA="")
    talk.greet()
    data = plugged.sandbox.home / ".claude" / "plugins" / "data" / plugin.UNNAMED
    assert not plugin_environment.is_ready(str(data))
    go()
    talk.changed()
    assert plugin_environment.is_ready(str(data))
    assert talk.end() == (0, "", "")


@pytest.mark.parametrize("mode", ["legacy", "auto", "2026-07-28"])
def test_a_client_of_the_sdk_is_served_all_along(plugged: Plugged, mode: Any) -> None:
    """The newest, which asks nothing before, waits."""
    go = waiting(plugged)
    how = StdioServerParameters(
        command="/bin/sh",
        args=[str(plugged.folder / "hooks" / "plugin.sh"), "mcp"],
        env=plugged.env(),
        cwd=plugged.sandbox.root,
    )

    async def main() -> None:
        changed = anyio.Event()

        async def hear(message: Any) -> None:
            if isinstance(message, ToolListChangedNotification):
                changed.set()

        async with Client(stdio_client(how), mode=mode, message_handler=hear) as client:
            if mode == "2026-07-28":
                go()
            else:
                assert (await client.list_tools()).tools == []
                go()
                await changed.wait()
            assert "recall" in [tool.name for tool in (await client.list_tools()).tools]
            assert ITEM in str(await client.call_tool("recall", {"agent": "engineer"}))

    async def in_time() -> None:
        with anyio.fail_after(60):
            await main()

    anyio.run(in_time)


@pytest.mark.parametrize("version", [*HANDSHAKE_PROTOCOL_VERSIONS, "2031-01-01"])
def test_the_lobby_greets_as_the_real_server_does(plugged: Plugged, version: str) -> None:
    """But for lists, which change once."""
    go = waiting(plugged)
    lobby = Talk(plugged)
    early = lobby.greet(version)
    go()
    lobby.changed()
    real = Talk(plugged)
    late = real.greet(version)
    for kind in ("tools", "resources", "prompts"):
        assert early["capabilities"][kind].pop("listChanged")
        late["capabilities"][kind].pop("listChanged", None)
    assert early == late
    assert (lobby.end(), real.end()) == ((0, "", ""), (0, "", ""))


def test_with_its_environment_the_server_is_itself(plugged: Plugged) -> None:
    borrow(plugged.data)
    talk = Talk(plugged)
    talk.greet()
    assert behind(talk) == []
    assert talk.end() == (0, "", "")


def test_what_is_held_is_answered_when_the_build_fails(plugged: Plugged) -> None:
    """With the reason; and when somebody has mended it, the server is there all the same."""
    builder(plugged, f"{SLOW}echo no network; exit 1")
    plugged.sandbox.remembers("engineer", ITEM)
    talk = Talk(plugged, PIP_NO_INDEX="1")
    talk.greet()
    asked = talk.ask("tools/call", **ASKED)
    assert talk.answered("ping") == {}
    (plugged.sandbox.home / "go").touch()
    told = talk.hear()
    assert told["id"] == asked
    reason = plugin.failure(str(plugged.data))["reason"]
    sentence = f"agent-memory: its Python environment could not be made: {reason}"
    assert told["error"]["message"].startswith(sentence)
    assert talk.answered("tools/call", **ASKED)["message"].startswith(sentence)
    assert talk.answered("tools/list") == {"tools": []}
    plugged.program("uv", borrowing(plugged))
    done = plugged.shell('"$CLAUDE_PLUGIN_ROOT/bin/agent-memory" version')
    assert (done.returncode, done.stderr) == (0, "")
    talk.changed()
    assert ITEM in talk.answered("tools/call", **ASKED)["content"][0]["text"]
    status, out, err = talk.end()
    assert (status, out, err.count("\n")) == (0, "", 1)


def test_nothing_is_held_for_ever(plugged: Plugged) -> None:
    waiting(plugged)
    program = (
        f"import sys, os; sys.path.append({str(REPO)!r})\n"
        "from memory_core import plugin_lobby\n"
        "plugin_lobby.PATIENCE = 0\n"
        "sys.exit(plugin_lobby.serve(os.environ))"
    )
    command = [base_python(), "-I", "-c", program]
    talk = Talk(plugged, command, **{plugin.DATA: str(plugged.data)})
    talk.greet()
    told = talk.answered("tools/call", **ASKED)
    assert told["message"] == f"agent-memory: {plugin_environment.UNFINISHED}"
    assert talk.end() == (0, "", "")
    (plugged.sandbox.home / "go").touch()
    until(lambda: is_over(plugged))


def test_what_was_cancelled_is_not_done(plugged: Plugged) -> None:
    go = waiting(plugged)
    talk = Talk(plugged)
    talk.greet()
    kept = {"agent": "engineer", "text": "Prices are kept in cents"}
    number = talk.ask("tools/call", name="remember", arguments=kept)
    talk.tell("notifications/cancelled", requestId=number)
    asked = talk.ask("tools/call", **ASKED)
    go()
    answer = talk.changed(asked)[asked]
    assert kept["text"] not in str(answer)
    assert kept["text"] not in str(talk.answered("tools/call", **ASKED))
    assert talk.end() == (0, "", "")


def test_what_is_no_message_is_left_to_the_real_server(plugged: Plugged) -> None:
    go = waiting(plugged)
    talk = Talk(plugged)
    talk.greet()
    for line in (b"", b"\xff", b"{", b"[]", b"7", b'{"method": 5, "id": 1}', b'{"id": {}}'):
        talk.send(line)
    assert talk.answered("ping") == {}
    go()
    while talk.hear() != {"method": "notifications/prompts/list_changed"}:
        pass
    number = talk.ask("ping")
    while talk.hear() != {"id": number, "result": {}}:
        pass
    assert talk.end()[0::2] == (0, "")


@pytest.mark.parametrize("is_there", [False, True])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_server_and_the_one_behind(
    plugged: Plugged, number: signal.Signals, is_there: bool
) -> None:
    go = waiting(plugged)
    talk = Talk(plugged)
    talk.greet()
    if is_there:
        go()
        talk.changed()
    servers = behind(talk)
    assert len(servers) == is_there
    talk.process.send_signal(number)
    assert talk.process.wait(60) == 128 + number
    until(lambda: not any(map(is_alive, servers)))
    assert talk.end() == (128 + number, "", "")
    go()
    until(lambda: is_over(plugged))


def test_who_goes_before_it_is_there_ends_it(plugged: Plugged) -> None:
    go = waiting(plugged)
    talk = Talk(plugged)
    talk.greet()
    talk.ask("tools/call", **ASKED)
    assert talk.end() == (0, "", "")
    go()
    until(lambda: is_over(plugged))


def test_the_end_of_the_server_behind_is_the_end(plugged: Plugged) -> None:
    go = waiting(plugged)
    talk = Talk(plugged)
    talk.greet()
    go()
    talk.changed()
    (server,) = behind(talk)
    os.kill(server, signal.SIGKILL)
    assert talk.process.wait(60) == 128 + signal.SIGKILL
    assert talk.end() == (128 + signal.SIGKILL, "", "")


def test_who_reads_no_more_ends_it(plugged: Plugged) -> None:
    go = waiting(plugged)
    talk = Talk(plugged)
    talk.greet()
    go()
    talk.changed()
    (server,) = behind(talk)
    talk.stdout.close()
    talk.ask("ping")
    assert talk.process.wait(60) == 0
    until(lambda: not is_alive(server))
    assert talk.end() == (0, "", "")


def test_it_is_built_for_real(sandbox: Sandbox, tmp_path: Path) -> None:
    """By pip, from the package index, with nothing of the tests' own environment."""
    plugged = Plugged(sandbox, tmp_path)
    inherited = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
    done = plugged.shell('"$CLAUDE_PLUGIN_ROOT/bin/agent-memory" status --json', **inherited)
    assert done.returncode == 0, done.stderr + (plugged.data / "build.log").read_text()
    assert json.loads(done.stdout)["agents"] == []
    plugged.sandbox.configure("memory:\n  limits:\n    default_size_kb: 40\n")
    plugged.sandbox.remembers("engineer", ITEM)
    assert ITEM in plugged.given()


# What the doctor says.


@pytest.fixture
def listed(plugged: Plugged) -> Plugged:
    """Somebody whose Claude Code has the plugin installed from a local marketplace."""
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
    borrow(plugged.data)
    return plugged


def doctor(plugged: Plugged) -> list[dict[str, Any]]:
    plugged.sandbox.remembers("engineer", ITEM)
    done = plugged.shell('"$CLAUDE_PLUGIN_ROOT/bin/agent-memory" doctor --json')
    return list(json.loads(done.stdout)["findings"])


def wrong(found: list[dict[str, Any]]) -> list[tuple[str, str, str]]:
    return [(e["level"], e["check"], e["what"]) for e in found if e["level"] != "ok"]


def test_the_doctor_finds_nothing_wrong_with_the_plugin_alone(listed: Plugged) -> None:
    found = doctor(listed)
    assert wrong(found) == []
    commands = [each for each in found if each["check"] == "command"]
    assert len(commands) == len(HOOKS)
    assert all(each["where"] == str(REPO / "hooks" / "hooks.json") for each in commands)
    (told,) = [each for each in found if each["check"] == "plugin"]
    assert told["where"] == str(listed.data)


@pytest.mark.parametrize("level", ["user", "project"])
def test_the_doctor_names_an_installation_beside_it(listed: Plugged, level: str) -> None:
    path = places(listed)[level]
    before = json.loads(path.read_text()) if path.exists() else {}
    install(listed, path)
    path.write_text(json.dumps({**json.loads(path.read_text()), **before}))
    found = doctor(listed)
    name = f"{plugin.NAME}@{MARKET['name']}"
    what = f"our hooks are there twice: those of the plugin {name} stand down"
    assert wrong(found) == [("warning", "settings", what)]
    (mend,) = [each["mend"] for each in found if each["what"] == what]
    assert mend.startswith("agent-memory uninstall ")
    commands = [each for each in found if each["check"] == "command"]
    assert {each["where"] for each in commands} == {str(path)}


def test_the_doctor_knows_settings_of_teammates(listed: Plugged) -> None:
    """Their hooks do nothing on this machine, the plugin's do."""
    install(listed, places(listed)["project"])
    shutil.rmtree(listed.sandbox.home / ".local")
    found = doctor(listed)
    assert wrong(found) == []
    commands = {each["where"] for each in found if each["check"] == "command"}
    assert commands == {str(REPO / "hooks" / "hooks.json")}


def test_the_doctor_says_what_became_of_the_environment(listed: Plugged) -> None:
    (listed.data / "venv").unlink()
    failed = {"key": plugin_environment.key(), "when": time.time(), "reason": "No room left."}
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
    (told,) = [each for each in found if each["check"] == "plugin"]
    assert told["level"] == "warning"
    assert told["what"] == "the plugin's environment could not be made: No room left."
    assert str(listed.data / "build.log") in told["mend"]


def test_a_link_to_the_command_is_followed(plugged: Plugged, tmp_path: Path) -> None:
    borrow(plugged.data)
    (tmp_path / "first").symlink_to(REPO / "bin" / "agent-memory")
    (tmp_path / "with blanks").mkdir()
    (tmp_path / "with blanks" / "second").symlink_to(Path("..") / "first")
    for link in ("first", "with blanks/second"):
        done = plugged.shell(f'"{tmp_path}/{link}" version')
        assert (done.returncode, done.stderr) == (0, "")


def test_the_scripts_may_be_run() -> None:
    for path in (REPO / "bin" / "agent-memory", REPO / "hooks" / "plugin.sh"):
        assert path.stat().st_mode & stat.S_IXUSR


def test_the_page_says_what_there_is() -> None:
    page = (REPO / "docs" / "plugin.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`/agent-memory:(\w+)", page))
    assert named == {path.stem for path in (REPO / "commands").glob("*.md")}
    assert plugin_environment.BEGUN.partition(". ")[0] in page
    assert f"up to {plugin_environment.FOR_COMMAND:.0f} s" in page
    for word in ("environments/", "venv", "python", plugin_environment.LOG):
        assert f"`{word}`" in page
