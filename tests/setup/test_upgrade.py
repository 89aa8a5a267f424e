"""An upgrade from the release before breaks nothing; with real git and install.sh."""

import json
import os
import sys
from pathlib import Path

import pytest

from memory_core.claude_code import settings_json
from memory_core.setup import builder, program, upgrade
from support import ways
from support.events import make_report, make_stop_event
from support.paths import REPO

# The last version whose git configuration named an environment by its date, and the last one
# whose program came with the MCP server and did not note how it was installed.
PREVIOUS = ["7067a6e", "36d6e55"]

SETTINGS = '{\n  "model": "opus"\n}\n'


class Home:
    """A user with two clones of one project."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "my home"
        self.data = self.home / ".local" / "share" / "agent-memory"
        self.home.mkdir()
        (self.home / ".bashrc").write_text("alias cafe=ls\n")
        author = "[user]\n\tname = A\n\temail = a@example.org\n[init]\n\tdefaultBranch = main\n"
        (self.home / ".gitconfig").write_text(author)

    def run(self, *command: object, cwd: Path | None = None, stdin: str = "") -> str:
        inherited = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
        path = f"{self.home}/.local/bin{os.pathsep}{os.environ['PATH']}"
        env = {**inherited, "HOME": str(self.home), "PATH": path}
        return ways.run(list(command), env, cwd or self.home, stdin)

    def install(self, source: Path, *arguments: object) -> str:
        return self.run(source / "install.sh", "--python", sys.executable, *arguments)

    def learn(self, clone: Path, fact: str) -> None:
        """Let an agent report a fact, and commit its memory."""
        event = {**make_stop_event(fact, make_report(fact)), "session_id": fact, "cwd": str(clone)}
        text = (clone / ".claude" / "settings.json").read_text()
        entries = settings_json.find_entries(text)
        commands = {entry.event: entry.value["command"] for entry in entries}
        self.run("sh", "-c", commands["SubagentStop"], cwd=clone, stdin=json.dumps(event))
        self.run("agent-memory", "status", cwd=clone)  # it waits for the worker
        self.run("git", "add", "-A", cwd=clone)
        self.run("git", "commit", "-qm", fact, cwd=clone)

    def merge(self, mine: Path, theirs: Path, fact: str) -> list[str]:
        """Let both clones learn at the same place, merge, and return the learnings."""
        self.learn(mine, f"{fact} of the one")
        self.learn(theirs, f"{fact} of the other")
        self.run("git", "pull", "-q", "--no-rebase", theirs, "HEAD", cwd=mine)
        self.run("git", "pull", "-q", "--no-rebase", mine, "HEAD", cwd=theirs)
        text = (mine / ".claude-mpm" / "memories" / "engineer.md").read_text()
        return sorted(line[2:] for line in text.splitlines() if line.startswith(f"- {fact}"))


@pytest.fixture(params=PREVIOUS)
def previous(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """The release before, unpacked."""
    return ways.unpack_release(request.param, tmp_path / "release before")


@pytest.mark.slow
@pytest.mark.skipif(sys.version_info < (3, 12), reason="once is enough, and tarfile has a filter")
def test_an_upgrade_breaks_nothing(tmp_path: Path, previous: Path) -> None:
    user = Home(tmp_path)
    one, two = tmp_path / "my shop", tmp_path / "the same shop"
    (one / ".claude").mkdir(parents=True)
    (one / ".claude" / "settings.json").write_text(SETTINGS)
    user.run("git", "init", "-q", cwd=one)
    user.install(previous, one)
    user.run("agent-memory", "git", "install", cwd=one)
    user.run("agent-memory", "completion", "bash", "--install")
    user.learn(one, "Orders are numbered per warehouse")
    user.run("git", "clone", "-q", one, two)
    user.run("agent-memory", "git", "install", cwd=two)
    assert user.merge(one, two, "Before") == ["Before of the one", "Before of the other"]
    (dated,) = (user.data / "environments").iterdir()
    config_before = (one / ".git" / "config").read_text()

    output = user.install(REPO, one)

    # Git merges by item, in the clone that the installer knows and in the one that it does not.
    assert user.merge(one, two, "After") == ["After of the one", "After of the other"]
    config = (one / ".git" / "config").read_text()
    assert "environments/" not in config
    assert str(user.data / "venv" / "bin" / "python") in config
    updated = f"Updated the merge driver in the git configuration of {one}.\n"
    assert (updated in output) == ("environments/" in config_before)
    # The settings have the hooks of today.
    assert "Bash" not in (one / ".claude" / "settings.json").read_text()
    (current,) = (path for path in (user.data / "environments").iterdir() if path != dated)
    assert (user.data / "venv").resolve() == current
    assert (current / "packages" / "mcp").is_dir()  # the version before had it, so clients use it
    packages = {path.name.partition("-")[0] for path in (current / "packages").resolve().iterdir()}
    assert not packages & {"pip", "setuptools", "pkg_resources"}
    assert "agent-memory" in user.run("bash", "-ic", "complete -p agent-memory")

    # Nothing is left but what people decided, and the other clone is named.
    output = user.run("agent-memory", "uninstall", "--all", "--yes", one)
    assert f"\n  {two / '.claude' / 'settings.json'}\n" in output
    assert (one / ".claude" / "settings.json").read_text() == SETTINGS
    assert (user.home / ".bashrc").read_text() == "alias cafe=ls\n"
    left = [path for path in user.home.rglob("*") if "agent-memory" in path.name]
    assert left == [user.home / ".local" / "state" / "agent-memory"]
    assert "agent-memory" not in (one / ".git" / "config").read_text()


def test_a_clone_without_a_branch_to_follow_is_refused(tmp_path: Path) -> None:
    user = Home(tmp_path)
    origin, clone = tmp_path / "origin", tmp_path / "clone"
    user.run("git", "init", "-q", origin)
    (origin / "pyproject.toml").write_text('version = "1.2"\n')
    user.run("git", "-C", origin, "add", "-A")
    user.run("git", "-C", origin, "commit", "-qm", "Release")
    user.run("git", "clone", "-q", origin, clone)
    way = program.Way("clone", str(clone))
    assert upgrade.find_newest(way) == "1.2"
    user.run("git", "-C", clone, "checkout", "-q", "--detach")
    with pytest.raises(builder.InstallRefused, match="run `git switch main` there"):
        upgrade.find_newest(way)
