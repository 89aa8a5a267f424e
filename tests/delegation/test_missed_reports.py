"""Reports that no hook has seen are found in the transcripts, each once."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from memory_core.delegation import missed_reports
from memory_core.memory.project import Project
from support.events import BLOCK, LEARNED, make_post_event, make_start_event, make_stop_event
from support.paths import REPO
from support.sandbox import Sandbox


class Transcripts:
    """The transcript folder of a project, in the layout of Claude Code."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.sandbox = sandbox
        self.folder = sandbox.home / ".claude" / "projects" / "shop"
        self.main = self.folder / "s1.jsonl"

    def begin(self, session: str = "s2") -> None:
        """Run the SessionStart hook of a new session."""
        event = {
            "hook_event_name": "SessionStart",
            "session_id": session,
            "source": "startup",
            "transcript_path": str(self.folder / f"{session}.jsonl"),
        }
        outcome = self.sandbox.run_hook("session_start", event)
        assert (outcome.status, outcome.stderr) == (0, b"")

    def agent(self, run: str, *lines: dict[str, Any], where: str = "s1/subagents") -> Path:
        """Write the transcript of an agent; return its path."""
        path = self.folder / where / f"agent-{run}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        ids = {"agentId": run, "sessionId": "s1", "cwd": str(self.sandbox.root)}
        path.write_text("".join(json.dumps({**ids, **line}) + "\n" for line in lines))
        return path

    def start_run(self, run: str, agent: str = "engineer") -> None:
        self.sandbox.run_hook(
            "subagent_start", make_start_event(run, agent, transcript_path=str(self.main))
        )


@pytest.fixture
def transcripts(sandbox: Sandbox) -> Transcripts:
    """Return a project after its first session, so that later transcripts are swept."""
    new = Transcripts(sandbox)
    new.begin("s1")
    return new


def said(text: str) -> dict[str, Any]:
    content = [{"type": "text", "text": text}]
    return {"type": "assistant", "message": {"role": "assistant", "content": content}}


def given(text: str) -> dict[str, Any]:
    return {"type": "user", "message": {"role": "user", "content": text}}


def handed_back(text: str) -> dict[str, Any]:
    block = {"type": "tool_use", "name": "SubagentHandback", "input": {"message": text}}
    return {"type": "assistant", "message": {"role": "assistant", "content": [block]}}


WAYS = {
    "text": ("s1/subagents", [given("Add a retry."), said(f"So far:\n{BLOCK}")]),
    "hand-back": ("s1/subagents", [given("Add a retry."), handed_back(BLOCK)]),
    "older versions' folder": (".", [given("Add a retry."), said(BLOCK)]),
    "workflow": ("s1/subagents/workflows/wf_1", [given("Add a retry."), said(BLOCK)]),
}


@pytest.mark.parametrize(("where", "lines"), WAYS.values(), ids=WAYS)
def test_a_killed_runs_learnings_are_found(
    transcripts: Transcripts, where: str, lines: list[dict[str, Any]]
) -> None:
    transcripts.start_run("a1")
    transcripts.agent("a1", *lines, where=where)
    transcripts.begin()
    assert transcripts.sandbox.read_memory("engineer").count(LEARNED) == 1
    (event,) = transcripts.sandbox.read_log("agent.memory.learned")
    assert (event["source"], event["run"], event["session"]) == ("sweep", "a1", "s1")


def test_a_description_names_the_agent_of_a_missed_start(transcripts: Transcripts) -> None:
    path = transcripts.agent("a1", said(BLOCK))
    path.with_suffix(".meta.json").write_text(json.dumps({"agentType": "Engineer"}))
    transcripts.agent("a2", said(BLOCK.replace(LEARNED, "Nobody knows whose this is")))
    transcripts.begin()
    assert LEARNED in transcripts.sandbox.read_memory("engineer")
    assert transcripts.sandbox.read_memory("engineer").count("\n- ") == 1


def test_each_byte_is_read_once(transcripts: Transcripts) -> None:
    transcripts.start_run("a1")
    path = transcripts.agent("a1", said(BLOCK))
    transcripts.begin()
    memory_file = transcripts.sandbox.memories / "engineer.md"
    memory_file.unlink()
    transcripts.begin("s3")
    assert not memory_file.exists()
    # The run had not ended, and continues.
    more = said(BLOCK.replace(LEARNED, "Migrations run before the tests"))
    more["cwd"] = str(transcripts.sandbox.root)
    path.write_text(path.read_text() + json.dumps(more) + "\n")
    transcripts.begin("s4")
    assert "Migrations run" in memory_file.read_text()
    assert LEARNED not in memory_file.read_text()


def test_a_run_with_a_seen_end_is_skipped(transcripts: Transcripts) -> None:
    sandbox = transcripts.sandbox
    for run, event in (
        ("a1", make_stop_event("a1", "Done.")),
        ("a2", make_post_event(text="Done.", run="a2")),
    ):
        transcripts.start_run(run)
        transcripts.agent(run, said(BLOCK))
        sandbox.run_hook("subagent_stop" if run == "a1" else "post_tool_use", event)
    transcripts.begin()
    assert not (sandbox.memories / "engineer.md").exists()


def test_a_late_event_does_not_learn_a_swept_report_again(transcripts: Transcripts) -> None:
    transcripts.start_run("a1")
    transcripts.agent("a1", said(BLOCK))
    transcripts.begin()
    transcripts.sandbox.run_hook("subagent_stop", make_stop_event("a1"))
    assert transcripts.sandbox.read_memory("engineer").count(LEARNED) == 1


def test_transcripts_older_than_the_memory_are_not_read(sandbox: Sandbox) -> None:
    transcripts = Transcripts(sandbox)
    path = transcripts.agent("a1", said(BLOCK))
    path.with_suffix(".meta.json").write_text(json.dumps({"agentType": "engineer"}))
    os.utime(path, (1_700_000_000, 1_700_000_000))
    transcripts.begin()
    transcripts.begin("s3")
    assert not sandbox.memories.exists()


def test_a_prompt_in_a_transcript_teaches_nothing(transcripts: Transcripts) -> None:
    transcripts.start_run("a1")
    result = {
        "type": "user",
        "message": {"role": "user", "content": [{"type": "text", "text": BLOCK}]},
    }
    transcripts.agent("a1", given(BLOCK), result)
    transcripts.begin()
    assert not (transcripts.sandbox.memories / "engineer.md").exists()


def test_broken_transcripts_are_read_up_to_the_fault(transcripts: Transcripts) -> None:
    transcripts.start_run("a1")
    path = transcripts.agent("a1", said(BLOCK))
    path.write_bytes(b'{"torn\n\xff\xfe\n[]\nnull\n' + path.read_bytes() + b'{"type": "assis')
    transcripts.agent("a2", {"message": 3}, {"type": "assistant", "message": {"content": 3}})
    transcripts.begin()
    assert not transcripts.sandbox.read_log("agent.memory.error")


def test_a_sweep_is_bounded_and_continues_next_time(transcripts: Transcripts) -> None:
    sandbox = transcripts.sandbox
    for number in range(4):
        transcripts.start_run(f"a{number}")
        text = BLOCK.replace(LEARNED, f"Fact number {number} about file_{number}.py")
        transcripts.agent(f"a{number}", given("x" * 10_000), said(text))
    project = Project(sandbox.paths, sandbox.env)
    folders = [str(transcripts.folder)]
    first = missed_reports.sweep(project, folders, 15_000, 60)
    assert not first.complete
    assert 0 < first.learnings < 4
    rest = [missed_reports.sweep(project, folders, 15_000, 60) for _ in range(8)]
    assert rest[-1].complete
    assert rest[-1].bytes == 0
    assert first.learnings + sum(each.learnings for each in rest) == 4
    assert all(f"file_{number}.py" in sandbox.read_memory("engineer") for number in range(4))


def test_the_budget_may_end_anywhere(transcripts: Transcripts) -> None:
    """Each learning is found at any position where the budget of a sweep ends."""
    sandbox = transcripts.sandbox
    sandbox.configure("memory: {limits: {max_items_per_section: 100}}")
    chance = random.Random(7)
    facts = [f"Fact number {number} about file_{number}.py" for number in range(30)]
    for number, fact in enumerate(facts):
        transcripts.start_run(f"a{number}")
        padding = [given("x" * chance.randrange(4000)) for _ in range(chance.randrange(3))]
        transcripts.agent(f"a{number}", *padding, said(BLOCK.replace(LEARNED, fact)))
    project = Project(sandbox.paths, sandbox.env)
    for _ in range(200):
        if missed_reports.sweep(
            project, [str(transcripts.folder)], chance.randrange(4500, 9000), 60
        ).complete:
            break
    assert [sandbox.read_memory("engineer").count(f"- {fact}\n") for fact in facts] == [1] * 30


def test_a_link_or_pipe_is_no_transcript(transcripts: Transcripts, tmp_path: Path) -> None:
    for run in ("a1", "a2", "a3"):
        transcripts.start_run(run)
    linked = transcripts.agent("a1", said(BLOCK.replace(LEARNED, "A fact behind a link")))
    linked.rename(tmp_path / "elsewhere.jsonl")
    linked.symlink_to(tmp_path / "elsewhere.jsonl")
    os.mkfifo(linked.with_name("agent-a2.jsonl"))
    transcripts.agent("a3", said(BLOCK))
    transcripts.begin()
    memory = transcripts.sandbox.read_memory("engineer")
    assert (LEARNED in memory, "behind a link" in memory) == (True, False)
    assert not transcripts.sandbox.read_log("agent.memory.error")


def test_lines_of_another_project_teach_nothing(transcripts: Transcripts) -> None:
    """Claude Code names one folder for the transcripts of `code/shop-api` and `code/shop/api`."""
    root = transcripts.sandbox.root
    strangers = [f"{root}-api", str(root.parent), "/", "", "shop", f"{root}/../other", 3]
    lines = [
        {**said(BLOCK.replace(LEARNED, f"Fact {number} of a stranger")), "cwd": cwd}
        for number, cwd in enumerate(strangers)
    ]
    path = transcripts.agent("a1", *lines)
    path.with_suffix(".meta.json").write_text(json.dumps({"agentType": "engineer"}))
    transcripts.begin()
    assert not transcripts.sandbox.memories.exists()
    assert not transcripts.sandbox.read_log("agent.memory.error")


def test_folders_and_working_trees_are_of_the_project(transcripts: Transcripts) -> None:
    root = transcripts.sandbox.root
    git = ["git", "-C", root, "-c", "user.name=A", "-c", "user.email=a@b.c"]
    for arguments in (["init", "-q"], ["commit", "-qm", "First", "--allow-empty"]):
        subprocess.run([*git, *arguments], check=True)
    subprocess.run([*git, "worktree", "add", "-q", "../tree"], check=True)
    (root.parent / "link").symlink_to(root)
    folders = ["shop", "shop/src", "shop/.claude/worktrees/deleted", "tree", "link", "shop/../shop"]
    facts = [f"Fact {number} about file_{number}.py" for number in range(len(folders))]
    lines = [
        {**said(BLOCK.replace(LEARNED, fact)), "cwd": str(root.parent / folder)}
        for fact, folder in zip(facts, folders, strict=True)
    ]
    path = transcripts.agent("a1", *lines)
    path.with_suffix(".meta.json").write_text(json.dumps({"agentType": "engineer"}))
    transcripts.begin()
    memory = transcripts.sandbox.read_memory("engineer")
    assert [fact for fact in facts if fact not in memory] == []


def test_the_outcome_of_another_projects_run_is_not_recorded(transcripts: Transcripts) -> None:
    history = transcripts.sandbox.memories / "history" / "engineer.jsonl"
    for session, cwd in (("s2", "/elsewhere"), ("s3", str(transcripts.sandbox.root))):
        path = transcripts.agent(f"of-{session}", {**said("Done."), "cwd": cwd})
        path.with_suffix(".meta.json").write_text(json.dumps({"agentType": "engineer"}))
        transcripts.begin(session)
        assert history.exists() == (cwd != "/elsewhere")


def test_helper_agents_of_claude_code_are_not_swept(transcripts: Transcripts) -> None:
    path = transcripts.agent("a1", said(BLOCK))
    path.with_suffix(".meta.json").write_text(json.dumps({"agentType": "statusline-setup"}))
    transcripts.begin()
    assert not (transcripts.sandbox.memories / "engineer.md").exists()


def test_sessions_that_start_at_once_all_get_their_memory(transcripts: Transcripts) -> None:
    sandbox = transcripts.sandbox
    sandbox.write_memory("PM", "Releases go out on Tuesdays")
    entry = {"session": "s1", "source": "agent", "rejected": []}
    for agent in ("engineer", "qa", "ops"):
        folder = sandbox.state / "spool" / agent
        folder.mkdir(parents=True)
        told = {**entry, "agent": agent, "run": agent, "learnings": [["pattern", LEARNED]]}
        (folder / "1-1.json").write_text(json.dumps(told))
    event = {"hook_event_name": "SessionStart", "session_id": "s2", "source": "startup"}
    command = [sys.executable, "-I", str(REPO / "hooks" / "session_start.py")]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    started = [subprocess.Popen(command, env=sandbox.env, **pipes) for _ in range(6)]
    outputs = [each.communicate(json.dumps(event).encode(), timeout=60)[0] for each in started]
    assert all(b"Tuesdays" in output for output in outputs)
    assert all(LEARNED in sandbox.read_memory(agent) for agent in ("engineer", "qa", "ops"))
    assert not sandbox.read_log("agent.memory.error")


def test_lines_without_a_report_are_skipped(transcripts: Transcripts) -> None:
    transcripts.start_run("a1")
    transcripts.agent("a1", given("x" * 5_000_000), said(BLOCK))
    project = Project(transcripts.sandbox.paths, transcripts.sandbox.env)
    folders = [str(transcripts.folder)]
    assert not missed_reports.sweep(project, folders, 4_000_000, 60).complete
    assert missed_reports.sweep(project, folders, 4_000_000, 60).complete
    assert LEARNED in transcripts.sandbox.read_memory("engineer")


def test_the_spool_is_merged_at_a_sessions_start(transcripts: Transcripts) -> None:
    folder = transcripts.sandbox.state / "spool" / "engineer"
    folder.mkdir(parents=True)
    entry = {"agent": "engineer", "run": "a1", "session": "s1", "source": "agent"}
    entry |= {"learnings": [["pattern", LEARNED]], "rejected": []}
    (folder / "1-1.json").write_text(json.dumps(entry))
    (folder / "2-1.json").write_text("torn")
    (folder / "3-1.json").write_text(json.dumps({**entry, "learnings": [3]}))
    transcripts.begin()
    assert transcripts.sandbox.read_memory("engineer").count(LEARNED) == 1
    assert sorted(path.name for path in folder.iterdir()) == ["2-1.json", "3-1.json"]


def test_a_sweep_under_a_clock_that_ran_ahead_skips_no_later_report(
    transcripts: Transcripts,
) -> None:
    path = transcripts.sandbox.state / "sweep.json"
    state = json.loads(path.read_text())
    path.write_text(json.dumps({**state, "since": state["since"] + 365 * 86400}))
    transcripts.start_run("a1")
    transcripts.agent("a1", said(BLOCK))
    transcripts.begin()
    assert transcripts.sandbox.read_memory("engineer").count(LEARNED) == 1


def test_a_transcript_that_could_not_be_read_is_read_later(transcripts: Transcripts) -> None:
    transcripts.start_run("a1")
    path = transcripts.agent("a1", said(BLOCK))
    spool = transcripts.sandbox.state / "spool"
    spool.write_text("not a folder")
    memories = transcripts.sandbox.memories
    memories.parent.mkdir(exist_ok=True)
    memories.write_text("not a folder")
    transcripts.begin()
    assert path.exists()
    spool.unlink()
    memories.unlink()
    transcripts.begin("s3")
    assert transcripts.sandbox.read_memory("engineer").count(LEARNED) == 1
