"""What the tests know of the product: how it is installed, where it keeps what it learned."""

import json
import shlex
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

from .api import Request
from .client import Desk, Run

REPO = Path(__file__).parent.parent.parent

MATCHED = {
    "PreToolUse": ("pre_tool_use", "Task|Agent|SubagentHandback"),
    "PostToolUse": ("post_tool_use", "^(Task|Agent|Skill|SubagentHandback|Bash|mcp__backlog__.*)$"),
    "PostToolUseFailure": ("post_tool_use", "^(Task|Agent|Bash|mcp__backlog__.*)$"),
    "SubagentStart": ("subagent_start", None),
    "SubagentStop": ("subagent_stop", None),
    "SessionStart": ("session_start", None),
}

Test = TypeVar("Test", bound=Callable[..., None])


def versions(first: str = "0", before: str = "999") -> Callable[[Test], Test]:
    """Run a test only on versions of Claude Code from `first` on, up to but not `before`."""

    def mark(test: Test) -> Test:
        test.versions = (first, before)  # type: ignore[attr-defined]
        return test

    return mark


def install(desk: Desk) -> None:
    """Put our hooks into the project's settings, as they run from a checkout."""
    desk.settings(hooks={event: [group(*entry)] for event, entry in MATCHED.items()})


def group(hook: str, matcher: str | None) -> dict[str, Any]:
    command = shlex.join([sys.executable, "-I", "-S", str(REPO / "hooks" / f"{hook}.py")])
    chosen = {} if matcher is None else {"matcher": matcher}
    return {**chosen, "hooks": [{"type": "command", "command": command, "timeout": 10}]}


def lesson(*facts: str) -> str:
    """A report that teaches these facts."""
    blocks = [f"# Add To Memory:\nType: pattern\nContent: {fact}\n#" for fact in facts]
    return "\n\n".join(["The work is finished.", *blocks])


def remember(desk: Desk, agent: str, *items: str) -> None:
    """Have the agent know these items from earlier."""
    lines = "".join(f"- {item}\n" for item in items)
    text = f"# {agent} memory\n\n## Coding Patterns Learned\n{lines}"
    desk.write(f".claude-mpm/memories/{agent}.md", text)


def known(desk: Desk, agent: str) -> list[str]:
    """The items in the agent's memory file, in order."""
    lines = desk.read(f".claude-mpm/memories/{agent}.md").splitlines()
    return sorted(line.removeprefix("- ") for line in lines if line.startswith("- "))


def logged(desk: Desk, event: str) -> list[dict[str, Any]]:
    lines = desk.read(".claude-mpm/logs/events.jsonl").splitlines()
    return [record for line in lines if (record := json.loads(line))["event"] == event]


def open_receipts(desk: Desk) -> list[Path]:
    """The receipts that a later run could take for its own."""
    folder = desk.project / ".claude-mpm" / "state" / "receipts"
    return [path for path in folder.rglob("*.json") if "launched" not in path.read_text()]


def transcribed(desk: Desk, text: str) -> bool:
    """Say whether the text stands in one of the client's transcripts by now."""
    paths = (desk.home / ".claude" / "projects").rglob("*.jsonl")
    return any(text in path.read_text(errors="replace") for path in paths)


def assert_given(requests: list[Request], *facts: str) -> None:
    """Every request of an agent holds one block of ours, and in it each fact once."""
    assert requests, "the agent did not start"
    for request in requests:
        assert_fenced(request)
        block = request.said.split("<agent-memory ")[1].split("</agent-memory>")[0]
        for fact in facts:
            assert block.count(f"- {fact}\n") == 1, request
            assert request.said.count(fact) == 1, request


def assert_fenced(request: Request) -> None:
    fence = (request.said.count("<agent-memory"), request.said.count("</agent-memory>"))
    assert fence == (1, 1), request


def assert_unseen(requests: Iterable[Request], *texts: str) -> None:
    """No request holds any of the texts, nor a block of ours."""
    for request in requests:
        for text in (*texts, "<agent-memory agent="):
            assert text not in request.said, (text, request)


def assert_quiet(run: Run) -> None:
    """The run went as one without hooks goes: no error, no noise."""
    assert (run.code, run.err) == (0, ""), run
