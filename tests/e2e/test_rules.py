"""Permission rules, API errors and a killed client have the same effect as without hooks."""

import os
import re
import signal
import threading
from collections.abc import Callable

import pytest

from support.processes import wait_until

from .api import Line, Refusal, Reply, Request, Script, after, call_engineer, say, together, use
from .client import Desk, Run, Session
from .product import FACT, assert_memory_given, assert_unseen, lesson

NewDesk = Callable[..., Desk]

RULES = {
    "deny": {"deny": ["Agent(engineer)", "Task(engineer)"]},
    "ask": {"ask": ["Agent", "Task"]},
    "ask for one": {"ask": ["Agent(engineer)", "Task(engineer)"]},
    "allow": {"allow": ["Agent", "Task"]},
}


def script(*answers: Line) -> Script:
    return call_engineer(*answers or [say("Fine.")])


def outcome(run: Run) -> object:
    """Return the result that the main agent read, without the parts that vary between runs."""
    results = run.requests_by("MAIN")[-1].results
    varying = r"toolu_\w+|req_\w+|agentId: \w+|\b(?=\w*\d)\w+\b"
    masked = [(one.get("is_error"), re.sub(varying, "*", str(one["content"]))) for one in results]
    return run.code, run.out, run.err, len(run.requests_by("TASK-1")), masked


@pytest.mark.parametrize("rules", RULES)
def test_rules_have_the_same_effect_as_without_hooks(new_desk: NewDesk, rules: str) -> None:
    without = new_desk("without", hooks=False)
    desk = new_desk()
    desk.write_memory("engineer", FACT)
    for each in (without, desk):
        each.settings(permissions=RULES[rules])
    run = desk.run(script())
    assert outcome(run) == outcome(without.run(script()))
    assert_unseen(run.requests_by("MAIN"), FACT)
    desk.settings(permissions={})
    assert_memory_given(desk.run(script()).requests_by("TASK-1"), FACT)


def test_after_a_refused_delegation_the_memory_is_given(desk: Desk) -> None:
    """The same agent is called again in this session in a way that no rule forbids."""
    desk.write_memory("engineer", FACT)
    desk.settings(permissions=RULES["ask"])
    desk.write_skill("engineer", "TASK-2")

    def skill(request: Request) -> Reply:
        # A model needs a second for its next call; the transcript is written 0.1 s later.
        wait_until(lambda: desk.is_transcribed('"is_error":true'), "the refusal to be transcribed")
        return use("Skill", skill="survey")

    call, *_ = script()["MAIN"]
    run = desk.run({"MAIN": [call, skill, say("done")], "TASK-2": [say("Fine.")]})
    assert run.requests_by("TASK-1") == []
    assert_memory_given(run.requests_by("TASK-2"), FACT)


def test_an_api_error_fails_as_without_hooks(new_desk: NewDesk) -> None:
    without = new_desk("without", hooks=False)
    desk = new_desk()
    broken = script(Refusal(400, "this request is refused"))
    run = desk.run(broken)
    assert outcome(run) == outcome(without.run(broken))
    assert "this request is refused" in run.requests_by("MAIN")[-1].said
    assert desk.list_known_items("engineer") == []
    assert desk.read_log("agent.memory.learned") == []
    assert len(desk.read_log("agent.delegation.failed")) == 1
    assert desk.open_receipts() == []


def test_learnings_of_a_killed_client_are_swept(desk: Desk) -> None:
    """The client is killed while an agent works that has already written a learning."""
    never = threading.Event()
    work = together(say(lesson(FACT)), use("Bash", command="echo hello", description="x"))
    desk.settings(permissions={"allow": ["Bash"]})
    with desk.start(script(work, after(never, say("")))) as session:
        wait_until(lambda: len(session.api.requests_by("TASK-1")) == 2, "the agent to be at work")
        wait_until(lambda: desk.is_transcribed(FACT), "the learning to be transcribed")
        session.end()
        never.set()
    assert desk.list_known_items("engineer") == []
    desk.run({"MAIN": [say("done")]})
    assert desk.list_known_items("engineer") == [FACT]
    assert_memory_given(desk.run(script()).requests_by("TASK-1"), FACT)
    desk.run({"MAIN": [say("done")]})
    assert desk.list_known_items("engineer") == [FACT]


# The worker saves what a hook has collected, whatever becomes of the client.


BY_ITSELF = "by itself"
ENDS: dict[str, Callable[[Session], object]] = {
    BY_ITSELF: lambda session: session.process.wait(),
    "interrupted, as by Ctrl-C": lambda session: os.killpg(session.process.pid, signal.SIGINT),
    "terminated": lambda session: session.process.terminate(),
    "killed": lambda session: session.end(),
}


@pytest.mark.parametrize("end", ENDS)
def test_the_worker_outlives_the_client(desk: Desk, end: str) -> None:
    """While the memory file is locked, the worker cannot finish."""
    store = desk.open_project().store
    is_left = threading.Event()
    script = call_engineer(say(lesson(FACT)))
    if end != BY_ITSELF:
        script["MAIN"][1] = after(is_left, say("done"))
    with desk.start(script) as session, store.lock("engineer"):
        wait_until(lambda: len(session.api.requests_by("MAIN")) == 2, "the hooks to be done")
        ENDS[end](session)
        session.process.wait()
        is_left.set()
        assert desk.list_known_items("engineer") == []
    assert desk.list_known_items("engineer") == [FACT]
