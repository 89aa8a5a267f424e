"""`agent-memory optimize --with claude` with the real client; the API answers from a script."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from .api import Api, Line, Request, say
from .client import Desk
from .product import REPO, make_group, remember

# These tests check agent-memory, not the client, so only the newest client runs them.
VERSIONS = ("2.1.300", "999")

LONG = "The payment client must always be retried 3 times whenever a partner answers with 503"
SHORT = "Retry the payment client 3 times whenever a partner answers with 503"
ASIDE = ""  # the speaker of requests without tools


class CommandResult(NamedTuple):
    """The result of the command, and the API requests of the client."""

    code: int
    out: str
    err: str
    requests: list[Request]


def optimize(desk: Desk, line: Line, *options: str, **env: str) -> CommandResult:
    """Run the command with only the client and its server on PATH."""
    command = [sys.executable, "-m", "memory_core.cli", "optimize", "--with", "claude", *options]
    with Api({ASIDE: [line]}) as api:
        own = desk.environment(api)
        path = f"{os.path.dirname(desk.claude.program)}:{own['PATH']}"
        done = subprocess.run(
            command,
            cwd=desk.project,
            env={**own, "PATH": path, "PYTHONPATH": str(REPO), **env},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=150,
            check=False,
        )
        return CommandResult(done.returncode, done.stdout, done.stderr, api.requests)


def answer(*wordings: tuple[list[int], str]) -> Line:
    """Return a typical answer of a model: a sentence, and JSON in a fence."""
    result = {"proposals": [{"items": items, "text": text} for items, text in wordings]}
    return say(f"Here are my proposals.\n\n```json\n{json.dumps(result, indent=2)}\n```")


def make_old(desk: Desk) -> None:
    year_ago = time.time() - 365 * 86400
    os.utime(desk.project / ".claude-mpm" / "memories" / "engineer.md", (year_ago, year_ago))


def files(desk: Desk) -> dict[str, bytes]:
    folder = desk.project / ".claude-mpm"
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_client_has_no_tools_no_hooks_and_leaves_nothing(new_desk: Callable[..., Desk]) -> None:
    """Also within a session of Claude Code, and with the hooks in the user's settings."""
    desk = new_desk("apart", hooks=False)
    remember(desk, "engineer", LONG)
    remember(desk, "PM", "Releases go out on Tuesdays")
    make_old(desk)
    mark = desk.home / "hooked"
    other = {"hooks": [{"type": "command", "command": f"touch {mark}"}]}
    hooks: dict[str, Any] = {
        "SessionStart": [make_group("session_start", None), other],
        "Stop": [other],
        "SessionEnd": [other],
    }
    for folder in (desk.home, desk.project):
        (folder / ".claude").mkdir(exist_ok=True)
        (folder / ".claude" / "settings.json").write_text(json.dumps({"hooks": hooks}))
    desk.write("CLAUDE.md", "The project's own word.")
    (desk.home / "tmp" / "CLAUDE.md").write_text("Somebody else's word.")
    before = files(desk)
    result = optimize(
        desk,
        answer(([1], SHORT)),
        CLAUDECODE="1",
        CLAUDE_CODE_ENTRYPOINT="cli",
    )
    assert result.code == 0
    assert f"-- {LONG}\n+- {SHORT}\n" in result.out
    asked = [request for request in result.requests if LONG in request.said]
    assert len(asked) == 1
    for request in result.requests:
        assert request.tools == []
        assert "own word" not in request.said
        assert "else's word" not in request.said
        assert "<agent-memory" not in request.said
    assert not mark.exists()
    assert files(desk) == before
    transcripts = list((desk.home / ".claude").rglob("*.jsonl"))
    assert not any(LONG in path.read_text(errors="replace") for path in transcripts)
