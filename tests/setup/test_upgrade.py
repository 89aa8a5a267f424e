"""An upgrade from the release before breaks nothing: with real git and install.sh, and its state.

The state is taken over: nothing is lost, and nothing is asked twice.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from memory_core.claude_code import settings_json
from support import ways
from support.calls import SESSION, end_agent
from support.command_line import Person
from support.events import make_report, make_stop_event
from support.files import write
from support.git import name_author
from support.paths import REPO
from support.sandbox import Sandbox

# The last version whose git configuration named an environment by its date, and the last one
# whose program came with the MCP server and did not note how it was installed.
PREVIOUS = ["7067a6e", "36d6e55"]

SETTINGS = '{\n  "model": "opus"\n}\n'


class Home:
    """A user with two clones of one project."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "my home"
        self.data = self.home / ".local" / "share" / "agent-memory"
        write(self.home / ".bashrc", "alias cafe=ls\n")

    def run(self, *command: object, cwd: Path | None = None, stdin: str = "") -> str:
        inherited = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
        path = f"{self.home}/.local/bin{os.pathsep}{os.environ['PATH']}"
        env = {**inherited, "HOME": str(self.home), "PATH": path, **name_author("A")}
        return ways.run(list(command), env, cwd or self.home, stdin)

    def install(self, source: Path, *arguments: object) -> str:
        return self.run(source / "install.sh", "--python", sys.executable, *arguments)

    def learn(self, clone: Path, fact: str) -> None:
        """Let an agent report a fact, and commit its memory."""
        event = {**make_stop_event(fact, make_report(fact)), "session_id": fact, "cwd": str(clone)}
        text = (clone / ".claude" / "settings.json").read_text()
        entries = settings_json.find_entries(text)
        commands = {entry.event: entry.command for entry in entries}
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
    write(one / ".claude" / "settings.json", SETTINGS)
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


# The state that the release before wrote.

# The last version with notes in files, the last one without `state.db`, and an older one; what they
# call a typed line.
WITH_OLD_STATE = {"697d6412": "hand", "e35611f3": "hand", "36d6e55": "import"}

REPLACED = ("arrivals.json", "sweep.json", "decided", "made", "review", "versions", "sequence")


class OldProgram:
    """The release before, with the interpreter of the tests."""

    def __init__(self, person: Person, folder: Path, commit: str) -> None:
        ways.unpack_release(commit, folder)
        self.folder, self.root = folder, person.sandbox.root
        self.env = {**person.env, "PYTHONPATH": str(folder)}

    def run(self, *words: str) -> str:
        return self._run(["-m", "memory_core.cli", *words])

    def hook(self, name: str, event: dict[str, Any]) -> str:
        return self._run([str(self.folder / "hooks" / f"{name}.py")], json.dumps(event))

    def _run(self, words: list[str], data: str = "") -> str:
        return ways.run([sys.executable, *words], self.env, self.root, data)


def read_knowledge(run: Any) -> dict[str, Any]:
    """Return all that a person decided, or that waits, as commands show it."""
    items = json.loads(run("list", "engineer", "--json"))
    rows = items["items"] if isinstance(items, dict) else items
    shown = [json.loads(run("show", row["id"], "--json")) for row in rows]
    names = ("text", "origin", "pinned", "confidence")
    items = [{name: one[name] for name in names} for one in shown]
    return {  # the confidence of what is from elsewhere got a limit
        "items": [
            {**one, "confidence": one["origin"] != "import" and one["confidence"]} for one in items
        ],
        "review": json.loads(run("review", "--list", "--json")),
        "new": [one["text"] for one in json.loads(run("review", "--new", "--json"))["items"]],
        "exported": json.loads(run("export", "engineer"))["agents"]["engineer"]["review"],
    }


@pytest.mark.slow
@pytest.mark.skipif(sys.version_info < (3, 12), reason="once is enough, and tarfile has a filter")
@pytest.mark.parametrize("commit", WITH_OLD_STATE)
def test_the_state_of_a_release_is_taken_over(person: Person, tmp_path: Path, commit: str) -> None:
    sandbox, old = person.sandbox, OldProgram(person, tmp_path / "before", commit)
    write_state(sandbox, old)
    before = read_knowledge(lambda *words: old.run(*words).replace('"tier"', '"origin"'))
    assert len(before["review"]) == 2
    origins = {one["origin"] for one in before["items"]}
    assert origins >= {"person", "agent", WITH_OLD_STATE[commit], "reviewed"}
    asked = old.hook("session_start", SESSION) + old.hook("session_start", SESSION)

    notices = [sandbox.run_hook("session_start", SESSION).stdout.decode() for _ in range(3)]
    assert read_knowledge(lambda *words: person.run(*words).stdout) == before
    for question in ("learnings wait", "from elsewhere"):
        assert sum(question in one for one in [asked, *notices]) <= 1, (question, asked, notices)
    (sandbox.state / "state.db").unlink()
    assert read_knowledge(lambda *words: person.run(*words).stdout) == before, "review.jsonl has it"
    assert [name for name in REPLACED if (sandbox.state / name).exists()] == []
    end_agent(sandbox, "a9", make_report("much too " + "wide " * 80))
    assert person.read_json("review", "--list") == before["review"], "it was rejected"
    for one in before["review"]:
        assert person.run("review", "--accept", one["id"]).returncode == 0
    assert person.read_json("review", "--list") == []


def write_state(sandbox: Sandbox, old: OldProgram) -> None:
    """Use the release before: each origin, decisions, and learnings that wait."""
    sandbox.write_memory("engineer", "It was there before", "Another one was there")
    old.hook("session_start", SESSION)
    await_inbox(sandbox, old)
    rows = json.loads(old.run("review", "--new", "--json"))["items"]
    old.run("review", "--new", "--accept", rows[0]["id"])
    old.run("add", "engineer", "pattern", "Prices are in cents")
    waiting = ["far too " + "long " * 80, "much too " + "wide " * 80, "so very " + "vast " * 80]
    report = make_report("Orders are numbered per warehouse", *waiting)
    old.hook("subagent_stop", make_stop_event("a1", report))
    await_inbox(sandbox, old)
    old.run("pin", "engineer", "Prices are in cents")
    rows = json.loads(old.run("review", "--json"))
    (key,) = [one["id"] for one in rows if "wide" in one["content"]]
    old.run("review", "--reject", key)
    sandbox.append_to_memory("engineer", "- A line that was typed\n")
    old.run("status")


def await_inbox(sandbox: Sandbox, old: OldProgram) -> None:
    """A command waits for the worker."""
    old.run("status")
    assert not list(sandbox.state.glob("inbox/*~*"))
