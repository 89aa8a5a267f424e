"""Install the product for a test, and read the files that it writes."""

import json
import re
import shlex
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

from memory_core.claude_code import settings_json
from support.runs import list_runs

from .api import Request
from .client import Desk, Run

REPO = Path(__file__).parent.parent.parent
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


def write_skill(desk: Desk, agent: str, task: str) -> None:
    """Write a skill that this agent runs."""
    head = f"name: survey\ndescription: surveys\ncontext: fork\nagent: {agent}"
    desk.write(".claude/skills/survey/SKILL.md", f"---\n{head}\n---\n{task} go\n")


def remember(desk: Desk, agent: str, *items: str) -> None:
    """Write these items into the agent's memory."""
    lines = "".join(f"- {item}\n" for item in items)
    text = f"# {agent} memory\n\n## Coding Patterns Learned\n{lines}"
    desk.write(f".claude-mpm/memories/{agent}.md", text)


def list_known_items(desk: Desk, agent: str) -> list[str]:
    """Return the items of the agent's memory file, sorted."""
    lines = desk.read(f".claude-mpm/memories/{agent}.md").splitlines()
    return sorted(line.removeprefix("- ") for line in lines if line.startswith("- "))


def read_records(desk: Desk, agent: str) -> list[dict[str, Any]]:
    """Return the records of the agent's history that teach an item."""
    lines = desk.read(f".claude-mpm/memories/history/{agent}.jsonl").splitlines()
    return [record for line in lines if (record := json.loads(line))["kind"] == "learned"]


def state_folder(desk: Desk) -> Path:
    """Return the folder with what the machine keeps about the project."""
    return Path(desk.open_project().paths.state.root)


def read_log(desk: Desk, event: str) -> list[dict[str, Any]]:
    path = state_folder(desk) / "events.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [record for line in lines if (record := json.loads(line))["event"] == event]


def list_arrivals(desk: Desk) -> list[str]:
    """Return how the memories of the engineer's runs arrived, oldest first."""
    return [str(run["arrived"]) for run in list_runs(desk.open_project().paths)]


def open_receipts(desk: Desk) -> list[Path]:
    """Return the receipts that a later run could take."""
    folder = state_folder(desk) / "receipts"
    return [path for path in folder.rglob("*.json") if "launched" not in path.read_text()]


def is_transcribed(desk: Desk, text: str) -> bool:
    """Say whether a transcript of the client contains the text."""
    paths = (desk.home / ".claude" / "projects").rglob("*.jsonl")
    return any(text in path.read_text(errors="replace") for path in paths)


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
