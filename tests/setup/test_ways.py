"""All ways to install and upgrade the program lead to the same files, with the real tools."""

import os
import subprocess
from pathlib import Path

import pytest

from support.command_line import read_stderr
from support.files import read_files, write
from support.processes import run_text
from support.ways import NEXT, VERSION, WAYS, Home, Index, run

SETTINGS = '{\n  "model": "opus"\n}\n'


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    return Index(tmp_path_factory.mktemp("index"))


@pytest.fixture(scope="module")
def expected(index: Index, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files of a program that came with uvx."""
    home = Home(index, tmp_path_factory.mktemp("expected") / "user", "uvx")
    home.install()
    return home.read_program()


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_a_way_from_installation_to_removal(
    index: Index, expected: dict[str, bytes], tmp_path: Path, way: str
) -> None:
    home = Home(index, tmp_path / "user", way)
    settings = home.project / ".claude" / "settings.json"
    write(settings, SETTINGS)
    home.install()
    assert home.read_program() == expected
    assert home.count_megabytes() < 30
    for part in (".claude-plugin", "bin", "commands", "hooks"):
        assert read_files(home.plugin / part) == read_files(index.source / part)
    assert (home.plugin / "memory_core" / "setup" / "plugin_environment.py").exists()
    assert os.access(home.plugin / "bin" / "agent-memory", os.X_OK)

    with subprocess.Popen(
        [home.command, "dashboard", "--port", "0"],
        env=home.env, cwd=home.project, stdout=subprocess.PIPE, text=True,
    ) as dashboard:  # fmt: skip
        assert dashboard.stdout
        assert dashboard.stdout.readline().startswith("http://127.0.0.1:")
        dashboard.terminate()

    # A second project uses the same copy.
    other = home.project.parent / "blog"
    other.mkdir()
    before = (home.data / "venv").readlink()
    home.run(
        "agent-memory" if way != "pip" else home.home / "env/bin/agent-memory", "install", other
    )
    assert (home.data / "venv").readlink() == before
    assert "is the newest version" in upgrade(home)

    index.add_version(NEXT)
    home.publish(NEXT)
    assert upgrade(home).endswith(f"agent-memory {NEXT} is installed.\n")
    assert home.run(home.command, "--version") == f"agent-memory {NEXT}\n"
    words = [home.command, "upgrade", "--to", VERSION]
    refused = read_stderr(run_text(words, env=home.env, cwd=home.project), 1)
    assert f"agent-memory {NEXT} is installed, and {VERSION} is older" in refused
    next(index.wheels.glob(f"agent_memory-{NEXT}-*")).unlink()

    output = home.run(home.command, "uninstall", "--all", "--yes", home.project)
    assert f"  {other / '.claude' / 'settings.json'}\n" in output
    tool = {"pipx": "pipx uninstall", "uv tool": "uv tool uninstall", "pip": "pip uninstall"}
    assert (f"to remove it: {tool.get(way)} agent-memory\n" in output) == (way in tool)
    assert settings.read_text() == SETTINGS
    assert [path.name for path in home.project.rglob("*")] == [".claude", "settings.json"]
    assert not home.data.exists()


def upgrade(home: Home) -> str:
    return home.run(home.command, "upgrade")


@pytest.mark.slow
def test_the_mcp_server_is_an_extra(index: Index, tmp_path: Path) -> None:
    """Its packages come from the index, or from the environment that has them."""
    home = Home(index, tmp_path / "user", "uvx")
    home.install()
    call = '{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n'
    said = read_stderr(run_text([home.command, "mcp"], call, env=home.env), 1)
    assert said.startswith("agent-memory: the MCP server needs more packages (23 MB): run ")
    assert said.endswith(" mcp --install\n")
    answer = run([home.command, "mcp", "--install"], home.env, home.project, call)
    assert '"id":1' in answer.replace(" ", "")
    fetched = home.read_program()
    again = Home(index, tmp_path / "other", "uvx")
    again.run("uvx", "--from", "agent-memory[mcp]", "agent-memory", "install", again.project)
    assert again.read_program().keys() >= fetched.keys()
    home.run("uvx", "agent-memory", "install", home.project)
    assert (home.data / "venv" / "packages" / "mcp").exists(), "an installation keeps the extra"
