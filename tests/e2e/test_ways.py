"""For every way to start an agent: a first run learns, a run in a new session receives it."""

import re
import threading
from collections.abc import Callable

import pytest

from support.git import git
from support.processes import wait_until

from .api import Api, Reply, Request, Script, after, call_engineer, delegate, say, together, use
from .client import Desk, Run, agent
from .product import FACT, NEWS, assert_memory_given, assert_quiet, assert_unseen, lesson, versions

OTHER = "Staging has no message queue"
MARKER = "# Add To Memory"

# From this version on hooks may change the answer of a tool.
STRIPS = "2.1.121"
# From this version on the client reports background agents in `claude -p`.
BACKGROUND = "2.1.62"
# In auto mode agents hand back their report by a tool.
HANDBACK = "2.1.280"

Way = Callable[[str], Script]


def background(report: str) -> Script:
    return call_engineer(report, in_background=True)


def learn_and_get(desk: Desk, way: Way, *options: str, agent: str = "engineer") -> tuple[Run, Run]:
    """Run this script twice: the first run learns FACT, the second receives it and learns NEWS."""
    first = desk.run(way(lesson(FACT)), *options)
    assert_quiet(first)
    assert_memory_given(first.requests_by("TASK-1"))
    assert desk.list_known_items(agent) == [FACT]
    second = desk.run(way(lesson(NEWS)), *options)
    assert_quiet(second)
    assert_memory_given(second.requests_by("TASK-1"), FACT)
    assert desk.list_known_items(agent) == [FACT, NEWS]
    assert desk.open_receipts() == []
    assert_unseen(second.requests_by("MAIN"), FACT)
    return first, second


def test_foreground(desk: Desk) -> None:
    first, second = learn_and_get(desk, call_engineer)
    if desk.claude.since(STRIPS):
        assert_unseen(first.requests_by("MAIN"), MARKER, FACT)
        assert_unseen(second.requests_by("MAIN"), MARKER, NEWS)
    assert "The work is finished." in second.requests_by("MAIN")[-1].said
    assert [event["route"] for event in desk.read_log("agent.memory.loaded")] == ["prompt"] * 2
    assert desk.list_arrivals() == ["delivered"] * 2


@versions(BACKGROUND)
def test_background(desk: Desk) -> None:
    learn_and_get(desk, background)
    assert desk.list_arrivals()[-1] == "delivered"


@versions(before=BACKGROUND)
def test_unreported_background_run_is_swept(desk: Desk) -> None:
    """Old versions send no event with the report of a background agent: a sweep finds it."""

    def wait(request: Request) -> Reply:
        wait_until(lambda: desk.is_transcribed(FACT), "the report to be transcribed")
        return say("done")

    script = background(lesson(FACT))
    # 2.1.20 sometimes hangs after its last word.
    main = [script["MAIN"][0], wait]
    first = desk.watch({**script, "MAIN": main}, lambda _api: desk.is_transcribed(FACT))
    assert_memory_given(first.requests_by("TASK-1"))
    assert_memory_given(desk.run(call_engineer(lesson(NEWS))).requests_by("TASK-1"), FACT)
    assert desk.list_known_items("engineer") == [FACT, NEWS]


def three(in_background: bool, *reports: str) -> Script:
    """Return a script in which three agents are at work before any of them answers."""
    everyone, answers = threading.Barrier(3), Script()
    agents = {"TASK-1": "engineer", "TASK-2": "engineer", "TASK-3": "qa"}
    how = {"run_in_background": in_background}
    calls = [delegate(agent, f"{task} go", **how) for task, agent in agents.items()]
    for task, report in zip(agents, reports, strict=True):
        answers[task] = [after(everyone, say(report))]
    return {"MAIN": [together(*calls), say("fine")], **answers}


@pytest.mark.parametrize("in_background", [False, True], ids=["foreground", "background"])
def test_three_at_once(desk: Desk, in_background: bool) -> None:
    """Two of the three are the same agent; all learn a common item and one more each."""
    desk.claude.skip_unawaited(in_background)

    def is_over(api: Api) -> bool:
        last = api.requests_by("MAIN")[-1:]
        return in_background and any(each.said.count("</task-notification>") == 3 for each in last)

    reports = lesson(FACT, NEWS), lesson(FACT), lesson(OTHER)
    desk.watch(three(in_background, *reports), is_over)
    assert desk.list_known_items("engineer") == [FACT, NEWS]
    assert desk.list_known_items("qa") == [OTHER]
    second = desk.watch(three(in_background, *["Nothing new."] * 3), is_over)
    assert_memory_given(second.requests_by("TASK-1"), FACT, NEWS)
    assert_memory_given(second.requests_by("TASK-2"), FACT, NEWS)
    assert_memory_given(second.requests_by("TASK-3"), OTHER)
    assert_unseen(second.requests_by("MAIN"), FACT, NEWS, OTHER)
    assert FACT not in second.requests_by("TASK-3")[0].said
    assert OTHER not in second.requests_by("TASK-1")[0].said
    assert desk.open_receipts() == []


@versions("2.1.63")
def test_nested(desk: Desk) -> None:
    """An agent delegates to another agent."""

    def script(outer: str, inner: str) -> Script:
        call = delegate("qa", "TASK-outer go", run_in_background=False)
        nested = delegate("engineer", "TASK-inner go", run_in_background=False)
        return {
            "MAIN": [call, say("done")],
            "TASK-outer": [nested, say(outer)],
            "TASK-inner": [say(inner)],
        }

    first = desk.run(script(lesson(FACT), lesson(NEWS)))
    assert_memory_given(first.requests_by("TASK-outer"))
    assert_memory_given(first.requests_by("TASK-inner"))
    assert desk.list_known_items("qa") == [FACT]
    assert desk.list_known_items("engineer") == [NEWS]
    second = desk.run(script("Fine.", "Fine too."))
    assert_memory_given(second.requests_by("TASK-outer"), FACT)
    assert_memory_given(second.requests_by("TASK-inner"), NEWS)
    assert NEWS not in second.requests_by("TASK-outer")[-1].said
    assert_unseen(second.requests_by("MAIN"), FACT, NEWS)
    if desk.claude.since(STRIPS):
        assert_unseen(first.requests_by("MAIN"), MARKER, FACT, NEWS)
        assert NEWS not in first.requests_by("TASK-outer")[-1].said


@versions(HANDBACK)
@pytest.mark.parametrize("check", ["server", "local"])
@pytest.mark.parametrize("in_background", [False, True], ids=["foreground", "background"])
def test_handback(desk: Desk, check: str, in_background: bool) -> None:
    """Auto mode with the safety check of the server, and with the local check."""

    def way(report: str) -> Script:
        report_back = use("SubagentHandback", message=report)
        return call_engineer(report_back, say(""), in_background=in_background)

    if check == "local":
        desk.env["CLAUDE_CODE_AUTO_MODE_SERVER"] = "0"
    first, second = learn_and_get(desk, way, "--permission-mode", "auto")
    assert_unseen(first.requests_by("MAIN"), MARKER, FACT)
    assert_unseen(second.requests_by("MAIN"), MARKER, NEWS)
    assert "The work is finished." in second.requests_by("MAIN")[-1].said


@versions(HANDBACK)
def test_nagging_for_a_handback(desk: Desk) -> None:
    """The client asks an agent for its report again and again: it is learned once."""
    run = desk.run(call_engineer(lesson(FACT)), "--permission-mode", "auto")
    assert len(run.requests_by("TASK-1")) > 1
    assert_memory_given(run.requests_by("TASK-1"))
    assert desk.list_known_items("engineer") == [FACT]


@versions("2.1.112")
def test_auto_mode(desk: Desk) -> None:
    """A delegation passes the safety check of the version as it does without hooks."""
    run = desk.run(call_engineer("Fine."), "--permission-mode", "auto")
    assert_memory_given(run.requests_by("TASK-1"))
    assert_unseen(run.requests_by("MAIN"))


def test_forked_skill(desk: Desk) -> None:
    def way(report: str) -> Script:
        return {"MAIN": [use("Skill", skill="survey"), say("done")], "TASK-1": [say(report)]}

    desk.write_skill("engineer", "TASK-1")
    if desk.claude.since(BACKGROUND):
        learn_and_get(desk, way)
    else:  # its events lack the report or the agent, so a sweep finds the report
        assert_memory_given(desk.run(way(lesson(FACT))).requests_by("TASK-1"))
        assert_memory_given(desk.run(way("Fine.")).requests_by("TASK-1"), FACT)
        assert desk.list_known_items("engineer") == [FACT]
    assert {event["route"] for event in desk.read_log("agent.memory.loaded")} == {"start"}


@versions("2.1.63")
def test_worktree(desk: Desk) -> None:
    """An agent in a worktree uses the memory of the main checkout."""
    for command in ("init -q", "add -A", "commit -q -m start"):
        git(desk.root, *command.split())

    def way(report: str) -> Script:
        work = use("Bash", command="pwd > here; cat here", description="x")
        return call_engineer(work, say(report), isolation="worktree")

    desk.settings(permissions={"allow": ["Bash"]})
    first, _ = learn_and_get(desk, way)
    assert "/.claude/worktrees/" in str(first.requests_by("TASK-1")[-1].results)


def test_plugin_agent(desk: Desk) -> None:
    plugin = desk.home / "tools"
    manifest = '{"name": "tools", "version": "1.0.0", "description": "d"}'
    desk.write("../home/tools/.claude-plugin/plugin.json", manifest)
    desk.write("../home/tools/agents/reviewer.md", agent("reviewer"))

    def way(report: str) -> Script:
        call = delegate("tools:reviewer", "TASK-1 go", run_in_background=False)
        return {"MAIN": [call, say("done")], "TASK-1": [say(report)]}

    learn_and_get(desk, way, "--plugin-dir", str(plugin), agent="tools--reviewer")


@versions("2.1.200")
def test_workflow(desk: Desk) -> None:
    source = (
        "export const meta = { name: 'w', description: 'd', phases: [{title: 'p'}] }\n"
        "return await agent('TASK-1 go', {label: 'x', agentType: 'engineer'})\n"
    )

    def way(report: str) -> Script:
        start = use("Workflow", script=source)
        return {"MAIN": [start, say("waiting"), say("done")], "TASK-1": [say(report)]}

    desk.settings(permissions={"allow": ["Workflow"]})
    learn_and_get(desk, way)


@versions("2.1.200")
def test_resumed_by_a_message(desk: Desk) -> None:
    """A resumed agent does not get its memory twice, and still learns."""

    def resume(request: Request) -> Reply:
        launched = re.findall(r"agentId: (\w+)", request.said)[-1]
        message = "TASK-1 again"
        return use("SendMessage", to=launched, summary="there is more to do", message=message)

    def report(request: Request) -> Reply:
        return say(lesson(NEWS if "TASK-1 again" in request.said else FACT))

    call = delegate("engineer", "TASK-1 go", run_in_background=False)
    first = desk.run({"MAIN": [call, resume, say("waiting"), say("done")], "TASK-1": [report]})
    assert len(first.requests_by("TASK-1")) == 2
    assert_memory_given(first.requests_by("TASK-1"))
    assert desk.list_known_items("engineer") == [FACT, NEWS]
    second = desk.run({"MAIN": [call, resume, say("waiting"), say("done")], "TASK-1": [report]})
    assert len(second.requests_by("TASK-1")) == 2
    given = second.requests_by("TASK-1")[0]
    assert_memory_given([given], FACT, NEWS)
    assert second.requests_by("TASK-1")[1].said.count("<agent-memory") == 1
    assert desk.list_known_items("engineer") == [FACT, NEWS]


# The client in a pseudo-terminal.


DONE = "The work is finished."


def test_terminal(desk: Desk) -> None:
    first, second = (call_engineer(say(lesson(text))) for text in (FACT, NEWS))
    check_terminal(desk, first, second, "--permission-mode", "default")


@versions("2.1.280")
def test_terminal_in_its_default_mode(desk: Desk) -> None:
    """Without an option the client uses auto mode, in which agents hand back reports."""

    def script(report: str) -> Script:
        hand_back = use("SubagentHandback", message=report)
        return {"MAIN": [delegate("engineer", "TASK-1 go"), say("fine")], "TASK-1": [hand_back]}

    check_terminal(desk, script(lesson(FACT)), script(lesson(NEWS)))


def check_terminal(desk: Desk, first: Script, second: Script, *options: str) -> None:
    def knows(*items: str) -> bool:
        return desk.list_known_items("engineer") == [*items]

    with desk.terminal(first, *options) as terminal:
        terminal.ask("MAIN go")
        wait_until(lambda: knows(FACT), "the agent to have learned")
        api = terminal.api
        wait_until(lambda: any(DONE in one.said for one in api.requests_by("MAIN")), "the report")
        assert_memory_given(api.requests_by("TASK-1"))
        assert_unseen(api.requests_by("MAIN"), *([] if options else ["# Add To Memory"]))
    with desk.terminal(second, *options) as terminal:
        # Of an agent in the background only the next session can say what it learned.
        if desk.claude.since("2.1.329"):
            wait_until(lambda: b"undo" in terminal.screen, "the line for the person")
        terminal.ask("MAIN go")
        wait_until(lambda: knows(FACT, NEWS), "the agent to have learned more")
        assert_memory_given(terminal.api.requests_by("TASK-1"), FACT)
        assert_unseen(terminal.api.requests_by("MAIN"), FACT)
