"""The client in a pseudo-terminal."""

from support.processes import wait_until

from .api import Script, call_engineer, delegate, say, use
from .client import Desk
from .product import (
    FACT,
    NEWS,
    assert_memory_given,
    assert_unseen,
    lesson,
    list_known_items,
    versions,
)

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
        return list_known_items(desk, "engineer") == [*items]

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
