"""The state that the release before wrote is taken over: nothing is lost, nothing asked twice."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest

from support.command_line import Person
from support.events import make_stop_event
from support.paths import REPO
from support.sandbox import Sandbox

# The last version without `state.db`.
PREVIOUS = "e35611f3"

START = {"hook_event_name": "SessionStart", "session_id": "s9", "source": "startup"}
REPLACED = ("arrivals.json", "decided", "made", "review", "tasks.json", "versions", "sequence")


class OldProgram:
    """The release before, with the interpreter of the tests."""

    def __init__(self, person: Person, folder: Path) -> None:
        done = subprocess.run(["git", "archive", PREVIOUS], cwd=REPO, capture_output=True)
        if done.returncode:
            pytest.skip(f"this clone lacks the commit {PREVIOUS}")
        with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
            archive.extractall(folder, filter="data")
        self.folder, self.root = folder, person.sandbox.root
        self.env = {**person.env, "PYTHONPATH": str(folder)}

    def run(self, *words: str) -> str:
        return self._run(["-m", "memory_core.cli", *words])

    def hook(self, name: str, event: dict[str, Any]) -> str:
        return self._run([str(self.folder / "hooks" / f"{name}.py")], json.dumps(event))

    def _run(self, words: list[str], data: str = "") -> str:
        command = [sys.executable, *words]
        place: dict[str, Any] = {"cwd": self.root, "env": self.env}
        done = subprocess.run(command, input=data, capture_output=True, text=True, **place)
        assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
        return done.stdout


def report(run: str, *contents: str) -> dict[str, Any]:
    blocks = [f"# Add To Memory:\nType: pattern\nContent: {one}\n#" for one in contents]
    return make_stop_event(run, "\n\n".join(blocks))


def read_knowledge(run: Any) -> dict[str, Any]:
    """Return all that a person decided, or that waits, as commands show it."""
    items = json.loads(run("list", "engineer", "--json"))
    rows = items["items"] if isinstance(items, dict) else items
    shown = [json.loads(run("show", row["id"], "--json")) for row in rows]
    names = ("text", "tier", "pinned", "confidence")
    return {
        "items": [{name: one[name] for name in names} for one in shown],
        "review": json.loads(run("review", "--list", "--json")),
        "new": json.loads(run("review", "--new", "--json"))["items"],
        "exported": json.loads(run("export", "engineer"))["agents"]["engineer"]["review"],
    }


@pytest.mark.slow
@pytest.mark.skipif(sys.version_info < (3, 12), reason="once is enough, and tarfile has a filter")
def test_the_state_of_the_release_before_is_taken_over(person: Person, tmp_path: Path) -> None:
    sandbox, old = person.sandbox, OldProgram(person, tmp_path / "before")
    write_state(sandbox, old)
    before = read_knowledge(old.run)
    assert len(before["review"]) == 2
    assert {one["tier"] for one in before["items"]} >= {"person", "agent", "hand", "reviewed"}
    old.hook("session_start", START)
    assert "learnings wait" not in old.hook("session_start", START)

    notices = sandbox.run_hook("session_start", START).stdout.decode()
    after = read_knowledge(lambda *words: person.run(*words).stdout)
    assert after == before
    (sandbox.state / "state.db").unlink()
    assert read_knowledge(lambda *words: person.run(*words).stdout) == before, "review.jsonl has it"
    assert (
        "learnings wait" not in notices + sandbox.run_hook("session_start", START).stdout.decode()
    )
    assert [name for name in REPLACED[1:] if (sandbox.state / name).exists()] == []
    sandbox.run_hook("subagent_stop", report("a9", "much too " + "wide " * 80))
    assert person.read_json("review", "--list") == before["review"], "it was rejected"
    for one in before["review"]:
        assert person.run("review", "--accept", one["id"]).returncode == 0
    assert person.read_json("review", "--list") == []


def write_state(sandbox: Sandbox, old: OldProgram) -> None:
    """Use the release before: each origin, decisions, and learnings that wait."""
    sandbox.write_memory("engineer", "It was there before", "Another one was there")
    old.hook("session_start", START)
    await_inbox(sandbox, old)
    rows = json.loads(old.run("review", "--new", "--json"))["items"]
    old.run("review", "--new", "--accept", rows[0]["id"])
    old.run("add", "engineer", "pattern", "Prices are in cents")
    waiting = ["far too " + "long " * 80, "much too " + "wide " * 80, "so very " + "vast " * 80]
    old.hook("subagent_stop", report("a1", "Staging has no queue", *waiting))
    await_inbox(sandbox, old)
    old.run("pin", "engineer", "Prices are in cents")
    (key,) = [
        one["id"] for one in json.loads(old.run("review", "--json")) if "wide" in one["content"]
    ]
    old.run("review", "--reject", key)
    path = sandbox.memories / "engineer.md"
    path.write_text(path.read_text() + "- A line that was typed\n")
    old.run("status")


def await_inbox(sandbox: Sandbox, old: OldProgram) -> None:
    """A command waits for the worker."""
    old.run("status")
    assert not [name for name in os.listdir(sandbox.state / "inbox") if "~" in name]
