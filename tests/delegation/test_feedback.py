"""Used and wrong items of runs, through the real hooks: counted once, removed from the report."""

import json
from collections import Counter
from typing import Any

import pytest

from memory_core.history.item_history import id_of
from memory_core.memory import preparing, run_history
from memory_core.storage.project import Project
from support import events
from support.calls import answer, end_agent, start_agent
from support.command_line import Person
from support.events import make_report
from support.lessons import save_learnings
from support.life import write
from support.runs import list_runs
from support.sandbox import Sandbox
from support.transcripts import Transcripts, asked, said, used

RETRY = "The retry of payments is set in src/retry.py by RETRY_LIMIT"
QUEUE = "Payments wait in the queue of src/queue.py; run `make drain queue=pay`"
PERSONS = "Payments must be logged by src/audit.py"
TASK = "Fix how payments retry, wait in their queue, and are logged."

COLORS = "The colors of the shop are in theme.css"


class Delegations:
    """A project whose agent knows two items of an earlier run and one of a person."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.sandbox = sandbox
        sandbox.switch_selection_on()
        sandbox.configure("memory: {notices: off}\n")
        self.transcripts = Transcripts(sandbox)
        self.main = self.transcripts.folder / "s1.jsonl"
        sandbox.write_memory("engineer", PERSONS)
        end_agent(sandbox, "a0", make_report(RETRY, QUEUE))

    @property
    def project(self) -> Project:
        return self.sandbox.open_project()

    def read(self) -> str:
        return self.sandbox.read_memory("engineer")

    def call(self, call: str = "toolu_1", task: str = TASK, **more: Any) -> str:
        """Call the agent with a task, and start it; return its prompt."""
        event = events.make_pre_event(call, prompt=task, **more)
        event["transcript_path"] = str(self.main)
        outcome = self.sandbox.run_hook("pre_tool_use", event)
        told = start_agent(self.sandbox, transcript_path=str(self.main))
        if b"updatedInput" not in outcome.stdout:
            return told
        return str(outcome.reply["updatedInput"]["prompt"])

    def stop(self, text: str | None) -> None:
        end_agent(self.sandbox, "a1", text, transcript_path=str(self.main))

    def answer(self, prompt: str, text: str) -> str | None:
        """End a run in the foreground; return what the main agent reads instead, if anything."""
        self.stop(text)
        outcome = answer(self.sandbox, prompt, text)
        if not outcome.stdout:
            return None
        return str(outcome.reply["updatedToolOutput"]["content"][0]["text"])

    def doubt(self, text: str) -> None:
        """Let an earlier run report an item as wrong, too."""
        save_learnings(self.project, "engineer", [], "a9", wrong={id_of(text): ""})

    def report(self, text: str) -> str | None:
        """Call the agent, which reports this; return what the main agent reads instead."""
        return self.answer(self.call(), f"Done.\n{text}")

    def write_transcript(self, *calls: dict[str, Any], text: str = "") -> None:
        """Write the transcript of the run: its task, its tool calls, and its last message."""
        lines = [asked(TASK), *(used("Bash", **call) for call in calls)]
        self.transcripts.write("a1", *lines, *([said(text)] if text else []))

    def counts(self) -> tuple[tuple[int, int, int], ...]:
        """Return (given, used, failed) of RETRY, QUEUE and PERSONS, from all records."""
        uses, _abouts = run_history.read_use(self.project.store, "engineer")
        found = [uses.get(id_of(text), Counter()) for text in (RETRY, QUEUE, PERSONS)]
        return tuple((one["given"], one["used"], one["failed"]) for one in found)

    def records(self, kind: str = "") -> list[dict[str, Any]]:
        records = self.project.store.history("engineer").read()
        return [record for record in records if kind in ("", record["kind"])]


@pytest.fixture
def runs(sandbox: Sandbox) -> Delegations:
    return Delegations(sandbox)


def short(text: str) -> str:
    return id_of(text)[:4]


USED = f"Used: {short(RETRY)}"
WRONG = f"Wrong: {short(QUEUE)} because it moved"


def test_a_used_line_counts_and_leaves_the_report(runs: Delegations) -> None:
    prompt = runs.call()
    assert f"[{short(RETRY)}]" in prompt
    assert runs.answer(prompt, f"Done.\n\n{USED}\n") == "Done."
    assert runs.counts() == ((1, 1, 0), (1, 0, 0), (1, 0, 0))
    (run,) = [run for run in list_runs(runs.project.paths) if run["run"] == "a1"]
    assert set(run["given"].split()) == {id_of(RETRY), id_of(QUEUE), id_of(PERSONS)}
    assert run["used"] == id_of(RETRY)


def test_two_runs_that_start_at_once_judge_their_own_items(sandbox: Sandbox) -> None:
    """Each run claims the receipt of the other one's call."""
    sandbox.switch_selection_on()
    tasks = {"a1": (RETRY, "Payments are retried twice"), "a2": (COLORS, "Change the colors")}
    sandbox.write_memory("engineer", RETRY, COLORS)
    for run, (_item, task) in tasks.items():
        sandbox.run_hook("pre_tool_use", events.make_pre_event(f"toolu_{run}", prompt=task))
    for run in ("a2", "a1"):
        start_agent(sandbox, run)
    for run, (item, task) in tasks.items():
        text = f"Done.\n\nUsed: {short(item)}\n"
        end_agent(sandbox, run, text)
        output = answer(sandbox, task, text, run, f"toolu_{run}").reply["updatedToolOutput"]
        assert output["content"][0]["text"] == "Done."
    used = {run["run"]: run["used"] for run in list_runs(sandbox.paths)}
    assert used == {run: id_of(item) for run, (item, _task) in tasks.items()}


def test_a_report_without_feedback_is_unchanged(runs: Delegations) -> None:
    assert runs.report("I used the wrong branch first.\nUsed: 99999999") is None
    assert runs.counts()[0] == (1, 0, 0)


def test_feedback_beside_learnings_is_not_a_part_of_them(runs: Delegations) -> None:
    block = "# Add To Memory:\n- Payments have a timeout of 30 seconds"
    assert runs.report(f"\n{block}\n{USED}\n#\n") == "Done."
    assert "timeout of 30 seconds\n" in runs.read()
    assert runs.counts()[0] == (1, 1, 0)


def test_a_background_run(runs: Delegations) -> None:
    runs.call()
    runs.sandbox.run_hook("post_tool_use", events.make_launch_event(TASK))
    runs.write_transcript({"command": "cat src/queue.py"})
    runs.stop(f"Done.\n{USED}")
    assert runs.counts() == ((1, 1, 0), (1, 1, 0), (1, 0, 0))


def test_a_hand_back(runs: Delegations) -> None:
    call = {"type": "tool_use", "name": "Agent"}
    call |= {"input": {"subagent_type": "engineer", "prompt": TASK}}
    write(runs.main, json.dumps({"type": "assistant", "message": {"content": [call]}}) + "\n")
    runs.doubt(QUEUE)
    assert f"[{short(RETRY)}]" in runs.call(permission_mode="auto")
    handback = events.make_handback_event(f"Done.\n{USED}\n{WRONG}")
    outcome = runs.sandbox.run_hook("pre_tool_use", handback)
    assert outcome.reply["updatedInput"] == {"message": "Done."}
    runs.sandbox.run_hook("post_tool_use", {**handback, "hook_event_name": "PostToolUse"})
    runs.stop(None)
    assert runs.counts() == ((1, 1, 0), (1, 0, 0), (1, 0, 0))
    assert QUEUE not in runs.read()


def test_a_failed_run(runs: Delegations) -> None:
    runs.call()
    runs.write_transcript({"command": "cat src/queue.py"})
    event = events.make_failed_call("API Error: 500", transcript_path=str(runs.main))
    runs.sandbox.run_hook("post_tool_use", event)
    assert runs.counts() == ((1, 0, 1), (1, 1, 1), (1, 0, 1))


def test_a_run_that_no_hook_saw_end(runs: Delegations) -> None:
    runs.transcripts.begin("s1")
    runs.doubt(QUEUE)
    runs.call()
    text = f"Done.\n{USED}\nWrong: {short(QUEUE)} because src/queue.py is gone"
    runs.write_transcript({"file_path": "/home/u/shop/src/audit.py"}, text=text)
    for session in ("s2", "s3"):
        runs.transcripts.begin(session)
        assert runs.counts() == ((1, 1, 0), (1, 0, 0), (1, 1, 0))
    assert QUEUE not in runs.read()


TOOL_CALLS = [
    ({"command": "python -m pytest src/retry.py"}, (1, 0)),
    ({"file_path": "/home/u/shop/src/queue.py"}, (0, 1)),
    ({"command": "make drain queue=pay"}, (0, 1)),
    ({"pattern": "RETRY_LIMIT", "path": "src"}, (1, 0)),
    ({"edits": [{"old_string": "x = RETRY_LIMIT\n", "new_string": "x = 1"}]}, (1, 0)),
    ({"command": "cat src/retry.pyi src/my_RETRY_LIMIT src/xqueue.py"}, (0, 0)),
    ({"command": "grep -r payments retry queue; make drain"}, (0, 0)),
]


@pytest.mark.parametrize(("call", "used"), TOOL_CALLS)
def test_a_tool_call_uses_what_only_the_item_names(
    runs: Delegations, call: dict[str, Any], used: tuple[int, int]
) -> None:
    prompt = runs.call()
    runs.write_transcript(call)
    runs.answer(prompt, "Done.")
    assert tuple(counts[1] for counts in runs.counts()) == (*used, 0)


def test_what_the_task_names_is_not_used(runs: Delegations) -> None:
    prompt = runs.call(task="Fix payments in src/retry.py")
    runs.write_transcript({"command": "cat src/retry.py"})
    runs.answer(prompt, "Done.")
    assert runs.counts()[0] == (1, 0, 0)


# Wrong items


def review_of(person: Person) -> list[tuple[str, str]]:
    return [(one["content"], one["reason"]) for one in person.read_json("review", "--list")]


def test_a_wrong_item_of_an_agent_waits_for_a_person(runs: Delegations, person: Person) -> None:
    runs.doubt(QUEUE)
    before = runs.read()
    assert runs.report(WRONG) == "Done."
    assert QUEUE not in runs.read()
    assert QUEUE not in runs.call("toolu_2")
    assert review_of(person) == [(QUEUE, "reported as wrong: it moved")]
    assert [one["confidence"] for one in runs.records("contradicted")] == [0.3, 0.1]
    assert "(reported as wrong: it moved)" in person.run("log").stdout
    person.succeed("undo")
    assert strip_times(runs.read()) == strip_times(before)
    assert review_of(person) == []
    assert QUEUE in runs.call("toolu_3")
    person.succeed("redo")
    assert review_of(person) == [(QUEUE, "reported as wrong: it moved")]
    assert QUEUE not in runs.read()
    end_agent(runs.sandbox, "a3", make_report(QUEUE))
    assert QUEUE not in runs.read(), "it is not learned again before the decision"
    assert len(review_of(person)) == 1


def strip_times(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if "Last Updated" not in line)


@pytest.mark.parametrize(("decision", "is_kept"), [("--accept", True), ("--reject", False)])
@pytest.mark.parametrize("text", [PERSONS, QUEUE])
def test_a_person_decides(
    runs: Delegations, person: Person, text: str, decision: str, is_kept: bool
) -> None:
    runs.doubt(QUEUE)
    runs.report(f"Wrong: {short(text)} because it moved")
    before = (review_of(person), text in runs.read())
    person.succeed("review", decision, "--all")
    assert (text in runs.read()) == (text in runs.call("toolu_2")) == is_kept
    assert review_of(person) == []
    person.succeed("undo")
    assert (review_of(person), text in runs.read()) == before
    assert (text in runs.call("toolu_3")) == (text == PERSONS)


def test_another_wording_replaces_a_wrong_item(runs: Delegations, person: Person) -> None:
    runs.report(f"Wrong: {short(PERSONS)} because it moved")
    person.succeed("edit", short(PERSONS), "Payments are logged by log.py")
    assert PERSONS not in runs.read()
    assert "Payments are logged by log.py" in runs.call("toolu_2")


def test_with_ask_a_wrong_item_stays_until_a_decision(runs: Delegations, person: Person) -> None:
    runs.sandbox.configure("memory: {learning: ask}")
    runs.doubt(QUEUE)
    runs.report(WRONG)
    assert QUEUE in runs.read()
    assert QUEUE not in runs.call("toolu_2")
    person.succeed("review", "--reject", "--all")
    assert QUEUE not in runs.read()


def test_ids_of_other_items_are_ignored(runs: Delegations, person: Person) -> None:
    text = "Billing is in a service of its own"
    prompt = runs.call()
    end_agent(runs.sandbox, "a2", make_report(text))
    report = f"Done.\nUsed: {short(text)}\nWrong: {short(text)} because it moved"
    assert runs.answer(prompt, report) is None
    assert text in runs.read()
    assert review_of(person) == []


def test_the_counts_are_shown_and_used_for_delivery(runs: Delegations, person: Person) -> None:
    runs.report(f"{USED}\nWrong: {short(PERSONS)} because it moved")
    end_agent(runs.sandbox, "a3")
    counts = person.read_json("show", short(RETRY))["runs"]
    assert counts == {"given": 1, "used": 1, "failed": 0, "wrong": 0}
    assert "runs 1 given, 1 used" in " ".join(person.run("show", short(RETRY)).stdout.split())
    notes = preparing.read_notes(runs.project, runs.project.store, "engineer")
    note = notes[RETRY]
    assert (note.given, note.used, note.failed, note.is_doubted) == (1, 1, 0, False)
    assert (notes[PERSONS].wrong, notes[PERSONS].is_doubted) == (1, True)
