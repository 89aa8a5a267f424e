"""Install the product for a test, and check what agents receive of it."""

import re
import shlex
import sys
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from memory_core.claude_code import settings_json
from support.paths import REPO

from .api import Request
from .client import Desk, Run

FACT = "Orders are numbered per warehouse and never reused"
NEWS = "The invoice service rounds half to even"

Test = TypeVar("Test", bound=Callable[..., None])


def versions(first: str = "0", before: str = "999") -> Callable[[Test], Test]:
    """Run a test only on versions of Claude Code with `first` <= version < `before`."""

    def mark(test: Test) -> Test:
        test.versions = (first, before)  # type: ignore[attr-defined]
        return test

    return mark


def install(desk: Desk, *more: str) -> None:
    """Put the hooks of this checkout into the project's settings; `more` parts of the template."""
    template = (REPO / "settings.template.json").read_text(encoding="utf-8")
    hooks = settings_json.build_hooks(template, parts=(settings_json.BASIC, *more))
    for group in (group for groups in hooks.values() for group in groups):
        (script,) = set(re.findall(r"/hooks/(\w+)\.py", group["hooks"][0]["command"]))
        group["hooks"][0]["command"] = format_command(script)
    desk.settings(hooks=hooks)


def format_command(script: str) -> str:
    return shlex.join([sys.executable, "-I", "-S", str(REPO / "hooks" / f"{script}.py")])


def make_group(script: str, matcher: str | None) -> dict[str, Any]:
    chosen = {} if matcher is None else {"matcher": matcher}
    hook = {"type": "command", "command": format_command(script), "timeout": 10}
    return {**chosen, "hooks": [hook]}


def lesson(*facts: str) -> str:
    """Return a report that teaches these facts."""
    blocks = [f"# Add To Memory:\nType: pattern\nContent: {fact}\n#" for fact in facts]
    return "\n\n".join(["The work is finished.", *blocks])


def assert_memory_given(requests: list[Request], *facts: str) -> None:
    """Check that each request has one memory block, with each fact once."""
    assert requests, "the agent did not start"
    for request in requests:
        assert_fenced(request)
        block = request.said.split("<agent-memory-")[1].split("</agent-memory-")[0]
        for fact in facts:
            assert block.count(f"- {fact}\n") == 1, request
            assert request.said.count(fact) == 1, request


def assert_fenced(request: Request) -> None:
    fence = (request.said.count("<agent-memory"), request.said.count("</agent-memory-"))
    assert fence == (1, 1), request


def assert_unseen(requests: Iterable[Request], *texts: str) -> None:
    """Check that no request contains a memory block or any of the texts."""
    for request in requests:
        for text in (*texts, "<agent-memory-"):
            assert text not in request.said, (text, request)


def assert_quiet(run: Run) -> None:
    """Check that the run succeeded without errors on stderr."""
    assert (run.code, run.err) == (0, ""), run
