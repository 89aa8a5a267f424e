"""The ways to install the program, from a local folder as the package index.

`scripts/install-ways` prints the table of docs/install.md with them.
"""

import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import time
from pathlib import Path

import pytest

from support.git import name_author
from support.paths import REPO
from support.processes import run_text

WAYS = ("uvx", "pipx", "uv tool", "pip", "clone")
VERSION, NEXT = "0.1.0", "9.9.9"

# Of a clone, what no way installs.
UNUSED = shutil.ignore_patterns(
    *(".[!c]*", ".claude-code", "tests", "bench", "build", "dist", "__pycache__")
)


def base_python() -> str:
    return os.path.realpath(sys.executable)


def run(command: list[object], env: dict[str, str], cwd: Path, stdin: str = "") -> str:
    """Run a command that succeeds; return its output."""
    done = run_text(command, stdin, env=env, cwd=cwd)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


def unpack_release(commit: str, folder: Path) -> Path:
    """Unpack an older version of this repository; skip the test in a clone that lacks it."""
    done = subprocess.run(["git", "archive", commit], cwd=REPO, capture_output=True)
    if done.returncode:
        pytest.skip(f"this clone lacks the commit {commit}")
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return folder


class Index:
    """A folder with the wheels of the program and all that it needs, and a folder of tools."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.wheels, self.tools = folder / "wheels", folder / "tools"
        self.source = folder / "source"
        shutil.copytree(REPO, self.source, ignore=UNUSED)
        self._pip("download", "--dest", self.wheels, f"{self.source}[mcp]", "hatchling")
        self.add_version(VERSION)
        self.uv_settings = folder / "uv.toml"
        self.uv_settings.write_text(f'no-index = true\nfind-links = ["{self.wheels}"]\n')
        run([base_python(), "-m", "venv", self.tools], dict(os.environ), folder)
        self._pip("--python", self.tools / "bin" / "python", "install", "uv", "pipx")

    def add_version(self, version: str) -> None:
        """Add a wheel of this version of the program."""
        set_version(self.source, version)
        self._pip("wheel", "--no-deps", "--wheel-dir", self.wheels, self.source)

    def _pip(self, *words: object) -> None:
        run([sys.executable, "-m", "pip", "--quiet", *words], dict(os.environ), self.folder)


def set_version(source: Path, version: str) -> None:
    for name in ("pyproject.toml", "memory_core/__init__.py"):
        text = (source / name).read_text()
        line = re.compile("^(version|__version__) = .*", re.MULTILINE)
        (source / name).write_text(line.sub(rf'\1 = "{version}"', text))


class Home:
    """The home of a user who installs the program in one way."""

    def __init__(self, index: Index, folder: Path, way: str) -> None:
        self.index, self.way = index, way
        self.home, self.project = folder / "my home", folder / "my shop"
        self.home.mkdir(parents=True)
        self.project.mkdir()
        self.data = self.home / ".local" / "share" / "agent-memory"
        self.command = self.data / "venv" / "bin" / "agent-memory"
        self.plugin = self.data / "venv" / "plugin"
        folders = (index.tools / "bin", self.home / ".local" / "bin", "/usr/bin", "/bin")
        self.env = {
            "HOME": str(self.home),
            "PATH": os.pathsep.join(map(str, folders)),
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": str(index.wheels),
            "PIP_CONFIG_FILE": os.devnull,
            "UV_CONFIG_FILE": str(index.uv_settings),
            "UV_PYTHON": base_python(),
            **name_author("A"),
        }

    def run(self, *command: object) -> str:
        return run(list(command), self.env, self.project)

    def install(self) -> str:
        """Install the program and the hooks of the project."""
        python, project = base_python(), self.project
        if self.way == "uvx":
            return self.run("uvx", "agent-memory", "install", project)
        if self.way == "clone":
            self.clone_source()
            return self.run(self.home / "clone" / "install.sh", project, "--python", python)
        command: object = "agent-memory"
        if self.way == "pipx":
            self.run("pipx", "install", "--python", python, "agent-memory")
        elif self.way == "uv tool":
            self.run("uv", "tool", "install", "agent-memory")
        else:
            environment = self.home / "env"
            self.run(python, "-m", "venv", environment)
            self.run(environment / "bin" / "pip", "install", "agent-memory")
            command = environment / "bin" / "agent-memory"
        return self.run(command, "install", project)

    def clone_source(self) -> None:
        origin = self.home / "origin"
        shutil.copytree(self.index.source, origin)
        set_version(origin, VERSION)
        self.run("git", "init", "-q", origin)
        self.commit()
        self.run("git", "clone", "-q", origin, self.home / "clone")

    def commit(self) -> None:
        origin = self.home / "origin"
        self.run("git", "-C", origin, "add", "-A")
        self.run("git", "-C", origin, "commit", "-qm", "Release")

    def publish(self, version: str) -> None:
        """Make a version the newest one: it is in the index already, but not in the clone."""
        if self.way == "clone":
            set_version(self.home / "origin", version)
            self.commit()

    def read_program(self) -> dict[str, bytes]:
        """Return the files of the program, without compiled ones and installers' notes."""
        packages = (self.data / "venv" / "packages").resolve()
        return {
            str(path.relative_to(packages)): path.read_bytes()
            for path in sorted(packages.rglob("*"))
            if path.is_file()
            and "__pycache__" not in path.parts
            and (path.name == "METADATA" or not path.parent.name.endswith(".dist-info"))
        }

    def count_megabytes(self) -> float:
        output = self.run("du", "-sk", (self.data / "venv").resolve())
        return int(output.split()[0]) / 1024


def measure(home: Home) -> tuple[float, float]:
    """Install the program; return the seconds and megabytes that it takes."""
    began = time.perf_counter()
    home.install()
    return time.perf_counter() - began, home.count_megabytes()
