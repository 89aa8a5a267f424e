"""The client in a pseudo-terminal."""

from support.processes import wait_until

from .api import Script, delegate, say, use
from .client import Desk
from .product import assert_memory_given, assert_unseen, lesson, list_known_items, versions

FACT = "Orders are numbered per warehouse and never reused"
NEWS = "The invoice service rounds half to even"


def test_terminal(desk: Desk) -> None:
    def script(report: str) -> Script:
        call = delegate("engineer", "TASK-1 go", run_in_background=False)
        return {"MAIN": [call, say("fine")], "TASK-1": [say(report)]}

    first, second = script(lesson(FACT)), script(lesson(NEWS))
    check_terminal(desk, first, second, "--permission-mode", "default")


@versions("2.1.280")
def test_terminal_in_its_default_mode(desk: Desk) -> None:
    """Without an option the client uses auto mode, in which agents hand back reports."""

    def script(report: str) -> Script:
        hand_back = use("SubagentHandback", message=report)
        return {"MAIN": [delegate("engineer", "TASK-1 go"), say("fine")], "TASK-1": [hand_back]}

    check_terminal(desk, script(lesson(FACT)), script(lesson(NEWS)), hidden=["# Add To Memory"])


def check_terminal(
    desk: Desk, first: Script, second: Script, *options: str, hidden: list[str] | None = None
) -> None:
    with desk.terminal(first, *options) as terminal:
        terminal.ask("MAIN go")
        wait_until(
            lambda: list_known_items(desk, "engineer") == [FACT], "the agent to have learned"
        )
        wait_until(
            lambda: said(terminal.api.requests_by("MAIN"), "The work is finished."), "the report"
        )
        assert_memory_given(terminal.api.requests_by("TASK-1"))
        assert_unseen(terminal.api.requests_by("MAIN"), *(hidden or []))
    with desk.terminal(second, *options) as terminal:
        # Of an agent in the background only the next session can say what it learned.
        if desk.claude.since("2.1.329"):
            wait_until(lambda: b"undo" in terminal.screen, "the line for the person")
        terminal.ask("MAIN go")
        wait_until(
            lambda: list_known_items(desk, "engineer") == [FACT, NEWS],
            "the agent to have learned more",
        )
        assert_memory_given(terminal.api.requests_by("TASK-1"), FACT)
        assert_unseen(terminal.api.requests_by("MAIN"), FACT)


def said(requests: list, text: str) -> bool:
    return any(text in request.said for request in requests)
