"""The Claude Code plugin without Claude Code: its manifests, its hooks, its environment.

One environment is built for real, with pip from the package index; the rest uses one that
borrows the packages of the tests' own.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import subprocess
import sys
import sysconfig
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from memory_core.claude_code import sample_events, settings_json
from memory_core.setup import installation, mcp_placeholder, plugin, plugin_environment
from support.paths import REPO
from support.plugin import borrow_environment
from support.sandbox import Sandbox

ITEM = "Services talk through the event bus, never directly"
HOOKS = json.loads((REPO / "hooks" / "hooks.json").read_text(encoding="utf-8"))["hooks"]
TEMPLATE = json.loads(installation.read_template())["hooks"]
MANIFEST = json.loads((REPO / ".claude-plugin" / "plugin.json").read_text(encoding="utf-8"))
MARKET = json.loads((REPO / ".claude-plugin" / "marketplace.json").read_text(encoding="utf-8"))

Done = subprocess.CompletedProcess[str]


class Plugged:
    """Somebody whose Claude Code has the plugin: what it runs, and with which variables."""

    def __init__(self, sandbox: Sandbox, folder: Path, root: Path = REPO) -> None:
        self.sandbox = sandbox
        self.folder = root
        self.data = sandbox.home / ".claude" / "plugins" / "data" / "agent-memory-agent-memory"
        self.bin = folder / "bin"
        self.bin.mkdir()
        # A machine with one Python, and none of the tests' packages.
        self.add_program("python3", f'exec "{base_python()}" "$@"')
        for name in ("sh", "env", "mkdir", "mv", "dirname", "readlink", "cat"):
            (self.bin / name).symlink_to(str(shutil.which(name)))

    def add_program(self, name: str, script: str) -> None:
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

    def run_shell(self, command: str, data: bytes = b"", **env: str) -> Done:
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
        return self.run_shell(command_of(name, at), self.make_sample(kind), **env)

    def make_sample(self, kind: str) -> bytes:
        return json.dumps(
            sample_events.build(kind, "engineer", str(self.sandbox.root), "1")
        ).encode()

    def setup(self, **env: str) -> str:
        """Start a session; return what the person is message."""
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

    def memory_line(self, **env: str) -> bool:
        """Have an agent report; say whether that was kept."""
        done = self.event("PostToolUse", "post", **env)
        assert (done.returncode, done.stderr) == (0, "")
        path = self.sandbox.memories / "engineer.md"
        return path.exists() and sample_events.LEARNING in path.read_text(encoding="utf-8")


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
    assert not (REPO / ".mcp.json").exists()  # who opens this repository would get it
    (server,) = MANIFEST["mcpServers"].values()
    assert server["args"] == ["${CLAUDE_PLUGIN_ROOT}/hooks/plugin.sh", "mcp"]


def test_what_is_said_twice_is_the_same() -> None:
    script = (REPO / "hooks" / "plugin.sh").read_text(encoding="utf-8")
    assert f"\ndoor='{plugin.LAUNCH_CODE}'\n" in script
    assert f"/plugins/data/{plugin.FALLBACK_FOLDER}}}\n" in script
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
def test_a_command_runs_what_there_is(plugged: Plugged, path: Path) -> None:
    """Each is for people, and names only commands that exist, by the plugin's own program."""
    borrow_environment(plugged.data)
    text = path.read_text(encoding="utf-8")
    assert "disable-model-invocation: true" in text
    own = r'"\$\{CLAUDE_PLUGIN_ROOT\}/bin/agent-memory" (\w+)'
    verbs = set(re.findall(own, text))
    assert verbs
    for verb in verbs:
        done = plugged.run_shell(f'"$CLAUDE_PLUGIN_ROOT/bin/agent-memory" {verb} --help')
        assert done.returncode == 0, done.stderr
    # A `!` command would run what the arguments of a person, or a file, say.
    assert "!`" not in text


# Hooks, before and after there is an environment.


def test_the_first_delegation_receives_and_learns(plugged: Plugged) -> None:
    """On the system's Python alone, which is asked for once."""
    plugged.add_program("python3", f'echo >> "$HOME/asked"; exec "{base_python()}" "$@"')
    assert plugged.memory_line()
    assert sample_events.LEARNING in plugged.given()
    assert (plugged.data / "python").read_text().strip() == base_python()
    assert (plugged.sandbox.home / "asked").read_text() == "\n"
    assert not (plugged.data / "venv").exists()


def test_with_its_environment_it_needs_no_other_python(plugged: Plugged) -> None:
    borrow_environment(plugged.data)
    plugged.add_program("python3", "exit 1")
    assert plugged.memory_line()
    assert sample_events.LEARNING in plugged.given()
    assert plugged.setup() == ""


def test_settings_wait_for_the_environment(plugged: Plugged) -> None:
    """Without a YAML parser memory is off: the settings may switch it off."""
    plugged.sandbox.configure("memory:\n  limits:\n    default_size_kb: 40\n")
    plugged.sandbox.write_memory("engineer", ITEM)
    assert plugged.given() == ""
    borrow_environment(plugged.data)
    assert ITEM in plugged.given()
    shutil.rmtree(plugged.data)  # the compiled settings count
    assert ITEM in plugged.given()


@pytest.mark.parametrize("python", ["", "exit 1", "echo nonsense; exit 3"])
def test_without_a_python_it_says_so_once(plugged: Plugged, python: str) -> None:
    (plugged.bin / "python3").unlink()
    if python:
        plugged.add_program("python3", python)
    assert plugged.given() == ""
    assert "no Python 3.10 or newer" in plugged.setup()
    assert plugged.setup() == ""
    done = plugged.run_shell('sh "$CLAUDE_PLUGIN_ROOT/hooks/plugin.sh" mcp')
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
    (folder / "memory_core" / "hook.py").unlink()
    (folder / "hooks" / "subagent_stop.py").unlink()
    plugged = Plugged(sandbox, tmp_path, folder)
    for event, kind in [("PreToolUse", "pre"), ("SubagentStop", "stop")]:
        done = plugged.event(event, kind)
        assert (done.returncode, done.stdout) == (0, "")


def test_a_home_that_nobody_may_write_to(plugged: Plugged) -> None:
    """There is a file where the folder should be: nothing can be kept, all works on."""
    plugged.data.parent.mkdir(parents=True)
    plugged.data.write_text("")
    assert plugged.memory_line()
    assert sample_events.LEARNING in plugged.given()
    assert plugged.setup() == ""


def test_somebody_without_a_home(plugged: Plugged) -> None:
    message = {"HOME": "", "CLAUDE_PLUGIN_DATA": ""}
    assert plugged.memory_line(**message)
    assert sample_events.LEARNING in plugged.given(**message)
    assert plugged.setup(**message) == ""


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
def test_it_stands_down_beside_an_installation(plugged: Plugged, level: str) -> None:
    plugged.sandbox.write_memory("engineer", ITEM)
    assert ITEM in plugged.given()
    install(plugged, places(plugged)[level])
    assert plugged.given() == ""
    assert not plugged.memory_line()
    assert plugged.sandbox.read_log("agent.memory.learned") == []


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
    plugged.sandbox.write_memory("engineer", ITEM)
    path = places(plugged)["project"]
    install(plugged, path)
    env = happen(plugged, path)
    assert (ITEM in plugged.given(**env)) != stands_down


# The environment.


def builder(plugged: Plugged, script: str) -> None:
    """Have `uv` build the environment: it is a script here."""
    plugged.add_program("uv", script)
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
    is_there = plugin_environment.is_ready(data) or plugin.read_failure(data)
    return bool(is_there) and not plugin_environment.is_building(data)


def test_it_is_made_in_the_background_and_that_is_said_once(plugged: Plugged) -> None:
    builder(plugged, f'while [ ! -e "$HOME/go" ]; do sleep 0.05; done\n{borrowing(plugged)}')
    began = time.monotonic()
    assert plugged.setup() == plugin_environment.BUILD_STARTED
    assert plugged.setup() == ""  # a second session meanwhile
    assert time.monotonic() - began < 30
    assert plugged.memory_line()
    (plugged.sandbox.home / "go").touch()
    until(lambda: is_over(plugged))
    (left,) = (plugged.data / "environments").iterdir()
    assert (plugged.data / "venv").resolve() == left.resolve()
    assert (left / "packages").is_dir()
    assert len((plugged.sandbox.home / "uv").read_text().splitlines()) == 2  # one built
    assert plugged.setup() == ""
    done = plugged.run_shell('"$CLAUDE_PLUGIN_ROOT/bin/agent-memory" list', CLAUDE_PLUGIN_DATA="")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("engineer")


def test_a_failure_is_told_once_and_tried_again_later(plugged: Plugged) -> None:
    builder(plugged, 'echo >> "$HOME/uv"; echo no network; exit 1')
    assert (
        plugged.setup(PIP_NO_INDEX="1") == plugin_environment.BUILD_STARTED
    )  # nor has pip a network
    until(lambda: is_over(plugged))
    message = plugged.setup()
    assert "could not build" in message
    assert str(plugged.data / "build.log") in message
    assert plugged.setup() == ""
    assert "no network" in (plugged.data / "build.log").read_text()
    assert plugged.memory_line()
    assert os.listdir(plugged.data / "environments") == []
    asked = (plugged.sandbox.home / "uv").read_text()
    done = plugged.run_shell('sh "$CLAUDE_PLUGIN_ROOT/hooks/plugin.sh" mcp')
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (plugged.sandbox.home / "uv").read_text() == asked
    # An hour later, with a network.
    failed = plugin.read_failure(str(plugged.data))
    late = {**failed, "when": failed["when"] - plugin_environment.RETRY_AFTER}
    (plugged.data / "failed.json").write_text(json.dumps(late))
    plugged.add_program("uv", borrowing(plugged))
    plugged.setup()
    until(lambda: plugin_environment.is_ready(str(plugged.data)))
    assert plugin.read_failure(str(plugged.data)) == {}


def test_a_command_waits_for_it_and_tries_again(plugged: Plugged) -> None:
    plugged.data.mkdir(parents=True)
    failed = {
        "key": plugin_environment.hash_dependencies(),
        "when": time.time(),
        "reason": "x.",
        "told": True,
    }
    (plugged.data / "failed.json").write_text(json.dumps(failed))
    builder(plugged, f"sleep 1\n{borrowing(plugged)}")
    done = plugged.run_shell('"$CLAUDE_PLUGIN_ROOT/bin/agent-memory" version')
    assert (done.returncode, done.stderr) == (0, "")


def test_of_sessions_that_start_at_once_one_is_told(plugged: Plugged) -> None:
    builder(plugged, f"sleep 1\n{borrowing(plugged)}")
    with ThreadPoolExecutor(8) as pool:
        message = list(pool.map(lambda _: plugged.setup(), range(8)))
    assert sorted(filter(None, message)) == [plugin_environment.BUILD_STARTED]
    until(lambda: is_over(plugged))


def test_a_shell_of_the_client_waits_for_the_one_in_the_making(plugged: Plugged) -> None:
    """It is not message which folder is ours, and must not have a second environment made."""
    builder(plugged, f"sleep 1\n{borrowing(plugged)}")
    assert plugged.setup() == plugin_environment.BUILD_STARTED
    done = plugged.run_shell(
        '"$CLAUDE_PLUGIN_ROOT/bin/agent-memory" version', CLAUDE_PLUGIN_DATA=""
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert os.listdir(plugged.data.parent) == [plugged.data.name]


def test_what_a_killed_builder_left_is_swept(plugged: Plugged) -> None:
    torn_one = plugged.data / "environments" / f"{plugin_environment.hash_dependencies()}-1-1"
    (torn_one / "bin").mkdir(parents=True)
    (plugged.data / "build.lock").touch()
    used = borrow_environment(plugged.data, key="other")
    builder(plugged, borrowing(plugged))
    assert plugged.setup() == plugin_environment.BUILD_STARTED
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
    borrow_environment(plugged.data)
    assert plugged.setup() == ""
    project = folder / "pyproject.toml"
    project.write_text(project.read_text().replace('"pyyaml>=6.0.1"', '"pyyaml>=6.0.2"'))
    assert plugged.setup() == plugin_environment.BUILD_STARTED
    until(lambda: plugin_environment.is_ready(str(plugged.data), str(folder)))
    assert '"' not in (sandbox.home / "uv").read_text().splitlines()[-1]
    assert "pyyaml>=6.0.2" in (sandbox.home / "uv").read_text()


def test_a_newer_python_in_its_place_makes_another(plugged: Plugged) -> None:
    """A system's Python that is upgraded finds nothing in the environment any more."""
    builder(plugged, borrowing(plugged))
    packages = borrow_environment(plugged.data) / "packages"
    assert plugged.setup() == ""
    packages.unlink()
    packages.symlink_to("lib/python3.9/site-packages")
    assert plugged.setup() == plugin_environment.BUILD_STARTED
    until(lambda: is_over(plugged))
    assert plugged.setup() == ""


def test_switched_off_it_makes_none(plugged: Plugged) -> None:
    builder(plugged, borrowing(plugged))
    assert plugged.setup(AGENT_MEMORY="off") == ""
    assert not (plugged.data / "environments").exists()


# The MCP server.

RECALL = {"name": "recall", "arguments": {"agent": "engineer"}}


class McpClient:
    """A client of the plugin's MCP server; each message is one line."""

    def __init__(self, plugged: Plugged, command: list[str] | None = None, **env: str) -> None:
        self._process = subprocess.Popen(
            command or ["/bin/sh", str(plugged.folder / "hooks" / "plugin.sh"), "mcp"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            cwd=plugged.sandbox.root,
            env=plugged.env(**env),
        )
        self._number = 0

    def send(self, **message: Any) -> None:
        assert self._process.stdin
        line = json.dumps({"jsonrpc": "2.0", **message})
        self._process.stdin.write(f"{line}\n".encode())

    def ask(self, method: str, **params: Any) -> Any:
        """Send a request, and return the result or the error."""
        assert self._process.stdout
        self._number += 1
        self.send(id=self._number, method=method, params=params)
        reply = json.loads(self._process.stdout.readline())
        assert (reply["jsonrpc"], reply["id"]) == ("2.0", self._number)
        return reply.get("result", reply.get("error"))

    def connect(self) -> Any:
        result = self.ask(
            "initialize",
            protocolVersion="2025-06-18",
            capabilities={},
            clientInfo={"name": "test", "version": "1"},
        )
        self.send(method="notifications/initialized")
        return result

    def end(self) -> tuple[int, bytes, bytes]:
        """Disconnect; return the exit status and the remaining output."""
        out, err = self._process.communicate(timeout=60)
        return self._process.returncode, out, err


def test_the_server_waits_for_the_environment(plugged: Plugged) -> None:
    plugged.sandbox.write_memory("engineer", ITEM)
    builder(plugged, f"sleep 1\n{borrowing(plugged)}")
    mcp = McpClient(plugged)
    assert mcp.connect()["protocolVersion"] == "2025-06-18"
    assert "recall" in [tool["name"] for tool in mcp.ask("tools/list")["tools"]]
    assert ITEM in mcp.ask("tools/call", **RECALL)["content"][0]["text"]
    assert mcp.end() == (0, b"", b"")


def test_a_placeholder_connects_while_the_build_takes_longer(plugged: Plugged) -> None:
    """Claude Code 2.1.329 would not start a server that failed again for 15 minutes."""
    builder(plugged, f'until [ -e "$HOME/go" ]; do sleep 0.05; done\n{borrowing(plugged)}')
    program = (
        f"import sys; sys.path += [{str(REPO)!r}, {str(REPO / 'hooks')!r}]\n"
        "import agent_memory_plugin\n"
        "from memory_core.setup import plugin_environment\n"
        "plugin_environment.SERVER_WAIT = 0\n"
        "sys.exit(agent_memory_plugin.serve_mcp())"
    )
    command = [base_python(), "-I", "-c", program]
    mcp = McpClient(plugged, command, **{plugin.DATA_VARIABLE: str(plugged.data)})
    mcp.send(method="notifications/early")
    result = mcp.connect()
    assert (result["capabilities"], result["protocolVersion"]) == ({}, "2025-06-18")
    assert mcp.ask("ping") == {}
    error = mcp.ask("tools/list")
    assert error["code"] == mcp_placeholder.METHOD_NOT_FOUND
    assert error["message"] == f"agent-memory: {plugin_environment.STILL_BUILDING}"
    assert mcp.end() == (0, b"", b"")
    (plugged.sandbox.home / "go").touch()
    until(lambda: is_over(plugged))


def test_it_is_built_for_real(sandbox: Sandbox, tmp_path: Path) -> None:
    """By pip, from the package index, with nothing of the tests' own environment."""
    plugged = Plugged(sandbox, tmp_path)
    inherited = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
    done = plugged.run_shell('"$CLAUDE_PLUGIN_ROOT/bin/agent-memory" status --json', **inherited)
    assert done.returncode == 0, done.stderr + (plugged.data / "build.log").read_text()
    assert json.loads(done.stdout)["agents"] == []
    plugged.sandbox.configure("memory:\n  limits:\n    default_size_kb: 40\n")
    plugged.sandbox.write_memory("engineer", ITEM)
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
def test_the_doctor_names_an_installation_beside_it(listed: Plugged, level: str) -> None:
    path = places(listed)[level]
    before = json.loads(path.read_text()) if path.exists() else {}
    install(listed, path)
    path.write_text(json.dumps({**json.loads(path.read_text()), **before}))
    found = doctor(listed)
    name = f"{plugin.NAME}@{MARKET['name']}"
    what = f"the plugin {name} has the same hooks"
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


def test_the_scripts_may_be_run() -> None:
    for path in (REPO / "bin" / "agent-memory", REPO / "hooks" / "plugin.sh"):
        assert path.stat().st_mode & stat.S_IXUSR


def test_the_page_says_what_there_is() -> None:
    page = (REPO / "docs" / "plugin.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`/agent-memory:(\w+)", page))
    assert named == {path.stem for path in (REPO / "commands").glob("*.md")}
    assert plugin_environment.BUILD_STARTED.partition(". ")[0] in page
    assert f"up to {plugin_environment.COMMAND_WAIT:.0f} s" in page
    for word in ("environments/", "venv", "python", plugin_environment.LOG_NAME):
        assert f"`{word}`" in page
