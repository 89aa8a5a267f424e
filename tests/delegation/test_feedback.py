"""Used and wrong items of runs, through the real hooks: counted once, removed from the report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memory_core.history.item_history import id_of
from memory_core.memory import index_building
from memory_core.memory.project import Project, find_project
from memory_core.storage import run_history
from support.command_line import Person
from support.events import make_post_event, make_pre_event, make_start_event, make_stop_event
from support.sandbox import Sandbox

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
        self.main = sandbox.home / ".claude" / "projects" / "shop" / "s1.jsonl"
        sandbox.write_memory("engineer", PERSONS)
        blocks = "".join(
            f"# Add To Memory:\nType: architecture\nContent: {text}\n#\n" for text in (RETRY, QUEUE)
        )
        sandbox.run_hook("subagent_stop", make_stop_event("a0", blocks))

    @property
    def project(self) -> Project:
        return find_project(str(self.sandbox.root), self.sandbox.env)

    def call(self, **more: Any) -> str:
        """Call the agent with TASK, and start it; return its prompt."""
        event = make_pre_event(**more)
        event["tool_input"]["prompt"] = TASK
        event["transcript_path"] = str(self.main)
        outcome = self.sandbox.run_hook("pre_tool_use", event)
        start = make_start_event(transcript_path=str(self.main))
        reply = self.sandbox.run_hook("subagent_start", start)
        if not outcome.stdout:
            return str(reply.reply["additionalContext"])
        return str(outcome.reply["updatedInput"]["prompt"])

    def stop(self, text: str | None) -> None:
        event = {**make_stop_event("a1", text), "transcript_path": str(self.main)}
        outcome = self.sandbox.run_hook("subagent_stop", event)
        assert (outcome.status, outcome.stderr) == (0, b"")

    def answer(self, prompt: str, text: str) -> str | None:
        """End a run in the foreground; return what the main agent reads instead, if anything."""
        self.stop(text)
        outcome = self.sandbox.run_hook("post_tool_use", make_post_event(prompt, text))
        assert (outcome.status, outcome.stderr) == (0, b"")
        if not outcome.stdout:
            return None
        return str(outcome.reply["updatedToolOutput"]["content"][0]["text"])

    def launch(self) -> None:
        event = make_post_event(TASK, "")
        event["tool_response"] = {"status": "async_launched", "isAsync": True, "agentId": "a1"}
        self.sandbox.run_hook("post_tool_use", event)

    def write_transcript(self, *calls: dict[str, Any], text: str = "") -> Path:
        """Write the transcript of the run: its task, its tool calls, and its last message."""
        blocks = [{"type": "tool_use", "name": "Bash", "id": "t", "input": call} for call in calls]
        blocks += [{"type": "text", "text": text}] if text else []
        messages = [{"role": "user", "content": TASK}]
        messages += [{"role": "assistant", "content": [block]} for block in blocks]
        ids = {"agentId": "a1", "sessionId": "s1", "cwd": str(self.sandbox.root)}
        path = self.main.with_suffix("") / "subagents" / "agent-a1.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = [
            json.dumps({**ids, "type": message["role"], "message": message}) for message in messages
        ]
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return path

    def begin_session(self, session: str) -> None:
        path = str(self.main.with_name(f"{session}.jsonl"))
        event = {"hook_event_name": "SessionStart", "session_id": session, "source": "startup"}
        self.sandbox.run_hook("session_start", {**event, "transcript_path": path})

    def counts(self) -> dict[str, tuple[int, int, int]]:
        """Return (given, used, failed) of each item by its first words, from all records."""
        from memory_core.selection import item_notes

        records = run_history.read_records(self.project.store, "engineer")
        counts = item_notes.count_runs(records, {})
        return {name: counts.get(id_of(name), (0, 0, 0)) for name in (RETRY, QUEUE, PERSONS)}

    def records(self, kind: str) -> list[dict[str, Any]]:
        records = run_history.read_records(self.project.store, "engineer")
        return [record for record in records if record["kind"] == kind]


@pytest.fixture
def runs(sandbox: Sandbox) -> Delegations:
    return Delegations(sandbox)


def short(text: str) -> str:
    return id_of(text)[:4]


USED = f"Used: {short(RETRY)}"


def test_a_used_line_counts_and_leaves_the_report(runs: Delegations) -> None:
    prompt = runs.call()
    assert f"[{short(RETRY)}]" in prompt
    assert runs.answer(prompt, f"Done.\n\n{USED}\n") == "Done."
    assert runs.counts() == {RETRY: (1, 1, 0), QUEUE: (1, 0, 0), PERSONS: (1, 0, 0)}
    (task,) = [task for task in runs.records("task") if task["run"] == "a1"]
    assert set(task["given"].split()) == {id_of(RETRY), id_of(QUEUE), id_of(PERSONS)}
    assert task["used"] == id_of(RETRY)


def test_two_runs_that_start_at_once_judge_their_own_items(sandbox: Sandbox) -> None:
    """Each run claims the receipt of the other one's call."""
    sandbox.switch_selection_on()
    tasks = {"a1": (RETRY, "Payments are retried twice"), "a2": (COLORS, "Change the colors")}
    sandbox.write_memory("engineer", *(item for item, _task in tasks.values()))
    for run, (_item, task) in tasks.items():
        event = {**make_pre_event(), "tool_use_id": f"toolu_{run}"}
        event["tool_input"]["prompt"] = task
        sandbox.run_hook("pre_tool_use", event)
    for run in ("a2", "a1"):
        sandbox.run_hook("subagent_start", {**make_start_event(), "agent_id": run})
    for run, (item, task) in tasks.items():
        text = f"Done.\n\nUsed: {short(item)}\n"
        sandbox.run_hook("subagent_stop", make_stop_event(run, text))
        event = {**make_post_event(task, text), "tool_use_id": f"toolu_{run}"}
        event["tool_response"]["agentId"] = run
        output = sandbox.run_hook("post_tool_use", event).reply["updatedToolOutput"]
        assert output["content"][0]["text"] == "Done."
    project = find_project(str(sandbox.root), sandbox.env)
    records = run_history.read_records(project.store, "engineer")
    used = {record["run"]: record.get("used") for record in records if record["kind"] == "task"}
    assert used == {run: id_of(item) for run, (item, _task) in tasks.items()}


def test_a_report_without_feedback_is_unchanged(runs: Delegations) -> None:
    prompt = runs.call()
    assert runs.answer(prompt, "Done: I used the wrong branch first.\nUsed: 99999999") is None
    assert runs.counts()[RETRY] == (1, 0, 0)


def test_feedback_beside_learnings_is_not_a_part_of_them(runs: Delegations) -> None:
    prompt = runs.call()
    block = "# Add To Memory:\n- Payments have a timeout of 30 seconds"
    assert runs.answer(prompt, f"Done.\n\n{block}\n{USED}\n#\n") == "Done."
    assert "timeout of 30 seconds\n" in runs.sandbox.read_memory("engineer")
    assert runs.counts()[RETRY] == (1, 1, 0)


def test_strip_markers_keeps_the_lines(runs: Delegations) -> None:
    runs.sandbox.configure("memory: {strip_markers: false}")
    prompt = runs.call()
    assert runs.answer(prompt, f"Done.\n{USED}") is None
    assert runs.counts()[RETRY] == (1, 1, 0)


def test_a_background_run(runs: Delegations) -> None:
    runs.call()
    runs.launch()
    runs.write_transcript({"command": "cat src/queue.py"})
    runs.stop(f"Done.\n{USED}")
    assert runs.counts() == {RETRY: (1, 1, 0), QUEUE: (1, 1, 0), PERSONS: (1, 0, 0)}


def test_a_hand_back(runs: Delegations) -> None:
    event = {"type": "assistant", "message": {"content": [make_call()]}}
    runs.main.parent.mkdir(parents=True)
    runs.main.write_text(f"{json.dumps(event)}\n", encoding="utf-8")
    assert f"[{short(RETRY)}]" in runs.call(permission_mode="auto")
    message = {"message": f"Done.\n{USED}\nWrong: {short(QUEUE)} because it moved"}
    handback = {**make_start_event(), "tool_name": "SubagentHandback", "tool_input": message}
    outcome = runs.sandbox.run_hook("pre_tool_use", {**handback, "hook_event_name": "PreToolUse"})
    assert outcome.reply["updatedInput"] == {"message": "Done."}
    runs.sandbox.run_hook("post_tool_use", {**handback, "hook_event_name": "PostToolUse"})
    runs.stop(None)
    assert runs.counts() == {RETRY: (1, 1, 0), QUEUE: (1, 0, 0), PERSONS: (1, 0, 0)}
    assert QUEUE not in runs.sandbox.read_memory("engineer")


def make_call() -> dict[str, Any]:
    given = {"subagent_type": "engineer", "prompt": TASK}
    return {"type": "tool_use", "name": "Agent", "input": given}


def test_a_failed_run(runs: Delegations) -> None:
    runs.call()
    runs.write_transcript({"command": "cat src/queue.py"})
    event = {**make_pre_event(), "hook_event_name": "PostToolUseFailure"}
    event |= {"error": "API Error: 500", "transcript_path": str(runs.main)}
    runs.sandbox.run_hook("post_tool_use", event)
    assert runs.counts() == {RETRY: (1, 0, 1), QUEUE: (1, 1, 1), PERSONS: (1, 0, 1)}


def test_a_run_that_no_hook_saw_end(runs: Delegations) -> None:
    runs.begin_session("s1")
    runs.call()
    text = f"Done.\n{USED}\nWrong: {short(QUEUE)} because src/queue.py is gone"
    runs.write_transcript({"file_path": "/home/u/shop/src/audit.py"}, text=text)
    runs.begin_session("s2")
    assert runs.counts() == {RETRY: (1, 1, 0), QUEUE: (1, 0, 0), PERSONS: (1, 1, 0)}
    assert QUEUE not in runs.sandbox.read_memory("engineer")
    runs.begin_session("s3")
    assert runs.counts()[RETRY] == (1, 1, 0)


TOOL_CALLS = [
    ({"command": "python -m pytest src/retry.py"}, {RETRY}),
    ({"file_path": "/home/u/shop/src/queue.py"}, {QUEUE}),
    ({"command": "make drain queue=pay"}, {QUEUE}),
    ({"pattern": "RETRY_LIMIT", "path": "src"}, {RETRY}),
    ({"edits": [{"old_string": "x = RETRY_LIMIT\n", "new_string": "x = 1"}]}, {RETRY}),
    ({"command": "cat src/retry.pyi src/my_RETRY_LIMIT src/xqueue.py"}, set()),
    ({"command": "grep -r payments retry queue"}, set()),
    ({"command": "make drain"}, set()),
]


@pytest.mark.parametrize(("call", "used"), TOOL_CALLS)
def test_a_tool_call_uses_what_only_the_item_names(
    runs: Delegations, call: dict[str, Any], used: set[str]
) -> None:
    prompt = runs.call()
    runs.write_transcript(call)
    runs.answer(prompt, "Done.")
    assert {text for text, counts in runs.counts().items() if counts[1]} == used


def test_what_the_task_names_is_not_used(runs: Delegations) -> None:
    event = make_pre_event()
    event["tool_input"]["prompt"] = "Fix payments in src/retry.py"
    runs.sandbox.run_hook("pre_tool_use", event)
    runs.sandbox.run_hook("subagent_start", make_start_event())
    runs.write_transcript({"command": "cat src/retry.py"})
    runs.answer("", "Done.")
    assert runs.counts()[RETRY] == (1, 0, 0)


# Wrong items


def review_of(person: Person) -> list[tuple[str, str]]:
    return [(one["content"], one["reason"]) for one in person.read_json("review", "--list")]


def do(person: Person, *words: str) -> None:
    done = person.run(*words)
    assert done.returncode == 0, done.stderr


def test_a_wrong_item_of_an_agent_waits_for_a_person(runs: Delegations, person: Person) -> None:
    before = runs.sandbox.read_memory("engineer")
    prompt = runs.call()
    assert runs.answer(prompt, f"Done.\nWrong: {short(QUEUE)} because it moved") == "Done."
    assert QUEUE not in runs.sandbox.read_memory("engineer")
    assert QUEUE not in runs.call(call="toolu_2")
    assert review_of(person) == [(QUEUE, "reported as wrong: it moved")]
    (record,) = runs.records("contradicted")
    assert record["confidence"] == 0.3
    assert "(reported as wrong: it moved)" in person.run("log").stdout
    do(person, "undo")
    assert strip_times(runs.sandbox.read_memory("engineer")) == strip_times(before)
    assert review_of(person) == []
    assert QUEUE in runs.call(call="toolu_3")
    do(person, "redo")
    assert review_of(person) == [(QUEUE, "reported as wrong: it moved")]
    assert QUEUE not in runs.sandbox.read_memory("engineer")


def strip_times(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if "Last Updated" not in line)


def test_a_wrong_item_of_a_person_stays_and_is_not_delivered(
    runs: Delegations, person: Person
) -> None:
    prompt = runs.call()
    runs.answer(prompt, f"Done.\nWrong: {short(PERSONS)}")
    assert PERSONS in runs.sandbox.read_memory("engineer")
    assert PERSONS not in runs.call(call="toolu_2")
    reason = "reported as wrong; it stays in the file, but agents do not receive it"
    assert review_of(person) == [(PERSONS, reason)]


DECISIONS = [("--accept", True, True), ("--reject", False, False)]


@pytest.mark.parametrize(("decision", "is_kept", "is_given"), DECISIONS)
@pytest.mark.parametrize("text", [PERSONS, QUEUE])
def test_a_person_decides(
    runs: Delegations, person: Person, text: str, decision: str, is_kept: bool, is_given: bool
) -> None:
    runs.answer(runs.call(), f"Done.\nWrong: {short(text)} because it moved")
    before = (review_of(person), text in runs.sandbox.read_memory("engineer"))
    do(person, "review", decision, "--all")
    assert (text in runs.sandbox.read_memory("engineer")) == is_kept
    assert (text in runs.call(call="toolu_2")) == is_given
    assert review_of(person) == []
    do(person, "undo")
    assert (review_of(person), text in runs.sandbox.read_memory("engineer")) == before
    assert text not in runs.call(call="toolu_3")


def test_another_wording_replaces_a_wrong_item(runs: Delegations, person: Person) -> None:
    runs.answer(runs.call(), f"Done.\nWrong: {short(PERSONS)} because it moved")
    do(person, "review", "--edit", "engineer", "--all", "--text", "Payments are logged by log.py")
    assert PERSONS not in runs.sandbox.read_memory("engineer")
    assert "Payments are logged by log.py" in runs.call(call="toolu_2")


def test_a_person_confirms_a_wrong_item(runs: Delegations, person: Person) -> None:
    runs.answer(runs.call(), f"Done.\nWrong: {short(PERSONS)} because it moved")
    do(person, "confirm", short(PERSONS))
    assert PERSONS in runs.call(call="toolu_2")
    assert review_of(person) == []
    do(person, "undo")
    assert PERSONS not in runs.call(call="toolu_3")
    assert len(review_of(person)) == 1


def test_with_ask_a_wrong_item_stays_until_a_person_decides(
    runs: Delegations, person: Person
) -> None:
    runs.sandbox.configure("memory: {learning: ask}")
    runs.answer(runs.call(), f"Done.\nWrong: {short(QUEUE)} because it moved")
    assert QUEUE in runs.sandbox.read_memory("engineer")
    assert QUEUE not in runs.call(call="toolu_2")
    do(person, "review", "--reject", "--all")
    assert QUEUE not in runs.sandbox.read_memory("engineer")


def test_a_wrong_item_is_not_learned_again_before_the_decision(
    runs: Delegations, person: Person
) -> None:
    runs.answer(runs.call(), f"Done.\nWrong: {short(QUEUE)} because it moved")
    block = f"# Add To Memory:\nType: architecture\nContent: {QUEUE}\n#\n"
    runs.sandbox.run_hook("subagent_stop", make_stop_event("a3", block))
    assert QUEUE not in runs.sandbox.read_memory("engineer")
    assert len(review_of(person)) == 1


def test_ids_of_other_items_are_ignored(runs: Delegations, person: Person) -> None:
    text = "Billing is in a service of its own"
    block = f"# Add To Memory:\nType: architecture\nContent: {text}\n#\n"
    prompt = runs.call()
    runs.sandbox.run_hook("subagent_stop", make_stop_event("a2", block))
    report = f"Done.\nUsed: {short(text)}\nWrong: {short(text)} because it moved"
    assert runs.answer(prompt, report) is None
    assert text in runs.sandbox.read_memory("engineer")
    assert review_of(person) == []


def test_show_counts_the_runs_of_an_item(runs: Delegations, person: Person) -> None:
    runs.answer(runs.call(), f"Done.\n{USED}")
    runs.sandbox.run_hook("subagent_stop", make_stop_event("a3"))  # merges the spool
    counts = person.read_json("show", short(RETRY))["runs"]
    assert counts == {"given": 1, "used": 1, "failed": 0, "wrong": 0}
    assert "runs 1 given, 1 used" in " ".join(person.run("show", short(RETRY)).stdout.split())


def test_the_notes_for_delivery_have_the_counts(runs: Delegations) -> None:
    runs.answer(runs.call(), f"Done.\n{USED}\nWrong: {short(PERSONS)} because it moved")
    runs.sandbox.run_hook("subagent_stop", make_stop_event("a3"))  # merges the spool
    project = runs.project
    notes = index_building.read_notes(project, project.store, "engineer")
    note = notes[RETRY]
    assert (note.given, note.used, note.failed, note.is_doubted) == (1, 1, 0, False)
    assert (notes[PERSONS].wrong, notes[PERSONS].is_doubted) == (1, True)
