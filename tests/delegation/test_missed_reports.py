"""Reports that no hook has seen are found in the transcripts, each once."""

import json
import os
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from memory_core.delegation import missed_reports
from support.calls import answer, end_agent
from support.database import change_note
from support.events import BLOCK, LEARNED
from support.life import write
from support.sandbox import Sandbox
from support.transcripts import Transcripts, asked, make_line, said, used


def read(transcripts: Transcripts) -> str:
    path = transcripts.sandbox.memories / "engineer.md"
    return path.read_text() if path.exists() else ""


def about(fact: str) -> dict[str, Any]:
    """Return the line of a report with this learning."""
    return said(BLOCK.replace(LEARNED, fact))


NAMED = {"agentType": "engineer"}
TASK = asked("Add a retry.")


WAYS = {
    "text": ("s1/subagents", [TASK, said(f"So far:\n{BLOCK}")]),
    "hand-back": ("s1/subagents", [TASK, used("SubagentHandback", message=BLOCK)]),
    "workflow": ("s1/subagents/workflows/wf_1", [TASK, said(BLOCK)]),
}


@pytest.mark.parametrize(("where", "lines"), WAYS.values(), ids=WAYS)
def test_a_killed_runs_learnings_are_found(
    transcripts: Transcripts, where: str, lines: list[dict[str, Any]]
) -> None:
    transcripts.start_run("a1")
    transcripts.write("a1", *lines, where=where)
    transcripts.begin()
    assert read(transcripts).count(LEARNED) == 1
    (event,) = transcripts.sandbox.read_log("agent.memory.learned")
    assert (event["source"], event["run"], event["session"]) == ("sweep", "a1", "s1")
    end_agent(transcripts.sandbox, "a1")
    assert read(transcripts).count(LEARNED) == 1, "a late event does not teach it again"


def test_a_description_names_the_agent_of_a_missed_start(transcripts: Transcripts) -> None:
    transcripts.write("a1", said(BLOCK), agentType="Engineer")
    transcripts.write("a2", about("Nobody knows whose this is"))
    transcripts.write("a3", about("A helper of Claude Code"), agentType="statusline-setup")
    transcripts.begin()
    assert LEARNED in read(transcripts)
    assert read(transcripts).count("\n- ") == 1
    assert not (transcripts.sandbox.memories / "statusline-setup.md").exists()


def test_each_line_is_read_once(transcripts: Transcripts) -> None:
    transcripts.start_run("a1")
    transcripts.write("a1", said(BLOCK))
    transcripts.begin()
    memory_file = transcripts.sandbox.memories / "engineer.md"
    memory_file.unlink()
    transcripts.begin("s3")
    assert not memory_file.exists()
    # The run had not ended, and continues.
    transcripts.write("a1", said(BLOCK), about("Migrations run before the tests"))
    transcripts.begin("s4")
    assert "Migrations run" in read(transcripts)
    assert LEARNED not in read(transcripts)


def test_a_run_with_a_seen_end_is_skipped(transcripts: Transcripts) -> None:
    for run in ("a1", "a2"):
        transcripts.start_run(run)
        transcripts.write(run, said(BLOCK))
    end_agent(transcripts.sandbox, "a1", "Done.")
    answer(transcripts.sandbox, text="Done.", run="a2")
    transcripts.begin()
    assert read(transcripts) == ""


def test_transcripts_older_than_the_memory_are_not_read(sandbox: Sandbox) -> None:
    transcripts = Transcripts(sandbox)
    os.utime(transcripts.write("a1", said(BLOCK), **NAMED), (1_700_000_000, 1_700_000_000))
    transcripts.begin()
    transcripts.begin("s3")
    assert not sandbox.memories.exists()


def test_a_prompt_in_a_transcript_teaches_nothing(transcripts: Transcripts) -> None:
    transcripts.start_run("a1")
    transcripts.write("a1", asked(BLOCK), make_line("user", {"type": "text", "text": BLOCK}))
    transcripts.begin()
    assert read(transcripts) == ""


def test_broken_transcripts_are_read_up_to_the_fault(transcripts: Transcripts) -> None:
    path = transcripts.write("a1", said(BLOCK), **NAMED)
    path.write_bytes(b'{"torn\n\xff\xfe\n[]\nnull\n' + path.read_bytes() + b'{"type": "assis')
    transcripts.write("a2", {"message": 3}, {"type": "assistant", "message": {"content": 3}})
    transcripts.begin()
    assert not transcripts.sandbox.read_log("agent.memory.error")


def test_a_sweep_that_ran_out_of_time_is_continued(transcripts: Transcripts) -> None:
    sandbox = transcripts.sandbox
    sandbox.configure("memory: {limits: {max_items_per_section: 100}}")
    facts = [f"Fact number {number} about file_{number}.py" for number in range(9)]
    for number, fact in enumerate(facts):
        transcripts.write(f"a{number}", about(fact), **NAMED)
    sweep = partial(missed_reports.sweep, sandbox.open_project(), [str(transcripts.folder)])
    assert [sweep(0).learnings for _ in facts] == [1] * 9
    assert sweep().transcripts == 0
    assert [read(transcripts).count(f"- {fact}\n") for fact in facts] == [1] * 9


def test_a_link_or_pipe_is_no_transcript(transcripts: Transcripts, tmp_path: Path) -> None:
    for run in ("a1", "a2", "a3"):
        transcripts.start_run(run)
    linked = transcripts.write("a1", about("A fact behind a link"))
    linked.rename(tmp_path / "elsewhere.jsonl")
    linked.symlink_to(tmp_path / "elsewhere.jsonl")
    os.mkfifo(linked.with_name("agent-a2.jsonl"))
    transcripts.write("a3", said(BLOCK))
    transcripts.begin()
    assert (LEARNED in read(transcripts), "behind a link" in read(transcripts)) == (True, False)
    assert not transcripts.sandbox.read_log("agent.memory.error")


def test_lines_of_another_project_teach_nothing(transcripts: Transcripts) -> None:
    """Claude Code names one folder for the transcripts of `code/shop-api` and `code/shop/api`."""
    root = transcripts.sandbox.root
    strangers = [f"{root}-api", str(root.parent), "/", "", "shop", f"{root}/../other", 3]
    lines = [{**about(f"Fact {n} of a stranger"), "cwd": cwd} for n, cwd in enumerate(strangers)]
    transcripts.write("a1", *lines, **NAMED)
    transcripts.begin()
    assert not transcripts.sandbox.memories.exists(), "neither an item nor an outcome"
    assert not transcripts.sandbox.read_log("agent.memory.error")


def test_lines_without_a_report_are_skipped(transcripts: Transcripts) -> None:
    transcripts.write("a1", asked("x" * 5_000_000), said(BLOCK), **NAMED)
    transcripts.begin()
    assert LEARNED in read(transcripts)


def test_what_an_older_version_left_is_merged_at_a_sessions_start(transcripts: Transcripts) -> None:
    folder = transcripts.sandbox.state / "spool" / "engineer"
    entry = {"agent": "engineer", "run": "a1", "session": "s1", "source": "agent"}
    entry |= {"learnings": [["pattern", LEARNED]], "rejected": []}
    write(folder / "1-1.json", json.dumps(entry))
    write(folder / "2-1.json", "torn")
    write(folder / "3-1.json", json.dumps({**entry, "learnings": [3]}))
    write(folder / "4-1.json", json.dumps({**entry, "records": [3]}))
    transcripts.begin()
    assert read(transcripts).count(LEARNED) == 1
    assert not folder.parent.exists()
    left = {path.name for path in (transcripts.sandbox.state / "inbox" / "unreadable").iterdir()}
    assert left == {f"engineer~{n}-1.json" for n in (2, 3, 4)}, "for a person to look at"


def test_a_sweep_under_a_clock_that_ran_ahead_skips_no_report(transcripts: Transcripts) -> None:
    ahead = time.time() + 365 * 86400
    change_note(transcripts.sandbox.state, "sweep", {"since": ahead})
    transcripts.write("a1", said(BLOCK), **NAMED)
    transcripts.begin()
    assert LEARNED in read(transcripts)


def test_a_transcript_that_could_not_be_read_is_read_later(transcripts: Transcripts) -> None:
    transcripts.start_run("a1")
    transcripts.write("a1", said(BLOCK))
    write(transcripts.sandbox.memories, "not a folder")
    transcripts.begin()
    transcripts.sandbox.memories.unlink()
    transcripts.begin("s3")
    assert LEARNED in read(transcripts)
