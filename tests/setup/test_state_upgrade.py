"""The state that the release before wrote is taken over: nothing is lost, nothing asked twice."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from support import ways
from support.calls import SESSION, end_agent
from support.command_line import Person
from support.events import make_report, make_stop_event
from support.sandbox import Sandbox

# The last version without `state.db`, and an older one; what they call a typed line.
PREVIOUS = {"e35611f3": "hand", "36d6e55": "import"}

REPLACED = ("arrivals.json", "decided", "made", "review", "versions", "sequence")


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
    names = ("text", "tier", "pinned", "confidence")
    items = [{name: one[name] for name in names} for one in shown]
    return {  # the confidence of what is from elsewhere got a limit
        "items": [
            {**one, "confidence": one["tier"] != "import" and one["confidence"]} for one in items
        ],
        "review": json.loads(run("review", "--list", "--json")),
        "new": [one["text"] for one in json.loads(run("review", "--new", "--json"))["items"]],
        "exported": json.loads(run("export", "engineer"))["agents"]["engineer"]["review"],
    }


@pytest.mark.slow
@pytest.mark.skipif(sys.version_info < (3, 12), reason="once is enough, and tarfile has a filter")
@pytest.mark.parametrize("commit", PREVIOUS)
def test_the_state_of_the_release_before_is_taken_over(
    person: Person, tmp_path: Path, commit: str
) -> None:
    sandbox, old = person.sandbox, OldProgram(person, tmp_path / "before", commit)
    write_state(sandbox, old)
    before = read_knowledge(old.run)
    assert len(before["review"]) == 2
    tiers = {one["tier"] for one in before["items"]}
    assert tiers >= {"person", "agent", PREVIOUS[commit], "reviewed"}
    asked = old.hook("session_start", SESSION) + old.hook("session_start", SESSION)

    notices = [sandbox.run_hook("session_start", SESSION).stdout.decode() for _ in range(3)]
    assert read_knowledge(lambda *words: person.run(*words).stdout) == before
    for question in ("learnings wait", "from elsewhere"):
        assert sum(question in one for one in [asked, *notices]) <= 1, (question, asked, notices)
    (sandbox.state / "state.db").unlink()
    assert read_knowledge(lambda *words: person.run(*words).stdout) == before, "review.jsonl has it"
    assert [name for name in REPLACED[1:] if (sandbox.state / name).exists()] == []
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
