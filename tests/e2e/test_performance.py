"""Records of the real client's runs: one row per finished run, with its errors."""

import pytest

from memory_core.claude_code import settings_json
from memory_core.history.performance import Row
from support.runs import list_errors, list_runs

from .api import Line, Refusal, Script, delegate, say, use
from .client import Desk
from .product import install, versions

# These tests check agent-memory, not the client, so only the newest client runs them.
VERSIONS = ("2.1.300", "999")

# From this version on tool events within a run name the agent; in 2.1.63 they do not.
NAMED = "2.1.329"
BACKGROUND = "2.1.62"
AUTO = "2.1.280"

COMMAND = "echo looking; echo 'no such table: users' >&2; exit 3"


def script(in_background: bool, *answers: Line) -> Script:
    work = use("Bash", command=COMMAND, description="look")
    call = delegate("engineer", "TASK-1 Fix the login.", run_in_background=in_background)
    return {"MAIN": [call, say("waiting"), say("done")], "TASK-1": [work, *answers]}


def the_run(desk: Desk) -> Row:
    (run,) = list_runs(desk.open_project().paths)
    assert 0 < run["duration_ms"] < 60_000
    return run


def check(desk: Desk, outcome: str, tool_uses: int | None) -> None:
    run = the_run(desk)
    assert (run["outcome"], run.get("tool_uses"), run["type"]) == (outcome, tool_uses, "bugfix")
    errors = list_errors(desk.open_project().paths)
    told = [each["text"] for each in errors if each["tool"] == "Bash"]
    if desk.claude.since(NAMED):
        assert told == ["Exit code 3: no such table: users"]
    failures = [each["text"] for each in errors if each["tool"] == "Agent"]
    assert len(failures) == (outcome == "failed")


def allow(desk: Desk) -> None:
    install(desk, settings_json.TASKS)
    desk.settings(permissions={"allow": ["Bash"]})


def test_foreground(desk: Desk) -> None:
    allow(desk)
    desk.run(script(False, say("Done.")))
    check(desk, "done", 1)
    assert "tokens" in the_run(desk)


@versions(BACKGROUND)
def test_background(desk: Desk) -> None:
    """The end of a background run has no numbers; the next session's start finds them."""
    allow(desk)
    desk.run(script(True, say("Done.")))
    check(desk, "done", None)
    desk.run({"MAIN": [say("done")]})
    check(desk, "done", 1)
    assert the_run(desk)["tokens"] == 20


@pytest.mark.parametrize("in_background", [False, True])
@versions(BACKGROUND)
def test_a_failed_run_is_recorded(desk: Desk, in_background: bool) -> None:
    allow(desk)
    desk.run(script(in_background, Refusal(400, "this request is refused")))
    desk.run({"MAIN": [say("done")]})
    assert the_run(desk)["outcome"] == "failed"
    errors = list_errors(desk.open_project().paths)
    (told,) = [each["text"] for each in errors if each["tool"] == "Agent"]
    assert told.startswith("API Error: 400 ")
    assert "this request is refused" in told


@versions(AUTO)
def test_a_report_that_is_handed_back(desk: Desk) -> None:
    allow(desk)
    hand_back = use("SubagentHandback", message="Done.")
    desk.run(script(False, hand_back), "--permission-mode", "auto")
    desk.run({"MAIN": [say("done")]})
    check(desk, "done", 1)


def test_a_denied_delegation_is_not_a_run(desk: Desk) -> None:
    desk.settings(permissions={"deny": ["Agent(engineer)", "Task(engineer)"]})
    desk.run(script(False, say("Done.")))
    desk.run({"MAIN": [say("done")]})
    paths = desk.open_project().paths
    assert list_runs(paths) == list_errors(paths) == []
