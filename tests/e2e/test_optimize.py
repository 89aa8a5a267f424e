"""`agent-memory optimize --with claude` with the real client; the API answers from a script."""

import json
import os
import sys
import time
from collections.abc import Callable

from support import processes
from support.files import read_files, write
from support.paths import REPO

from .api import Api, Line, say
from .client import Desk, Run
from .product import make_group

# These tests check agent-memory, not the client, so only the newest client runs them.
VERSIONS = ("2.1.300", "999")

LONG = "The payment client must always be retried 3 times whenever a partner answers with 503"
SHORT = "Retry the payment client 3 times whenever a partner answers with 503"
ASIDE = ""  # the speaker of requests without tools


def optimize(desk: Desk, line: Line, **env: str) -> Run:
    """Run the command with only the client and its server on PATH."""
    command = [sys.executable, "-m", "memory_core.cli", "optimize", "--with", "claude"]
    with Api({ASIDE: [line]}) as api:
        own = desk.environment(api)
        path = f"{os.path.dirname(desk.claude.program)}:{own['PATH']}"
        own |= {"PATH": path, "PYTHONPATH": str(REPO), **env}
        done = processes.run(command, timeout=150, cwd=desk.root, env=own)
        return Run(done.returncode, done.stdout.decode(), done.stderr.decode(), api)


def answer(items: list[int], text: str) -> Line:
    """Return a typical answer of a model: a sentence, and JSON in a fence."""
    result = {"proposals": [{"items": items, "text": text}]}
    return say(f"Here are my proposals.\n\n```json\n{json.dumps(result, indent=2)}\n```")


def test_the_client_has_no_tools_no_hooks_and_leaves_nothing(new_desk: Callable[..., Desk]) -> None:
    """Also within a session of Claude Code, and with the hooks in the user's settings."""
    desk = new_desk("apart", hooks=False)
    desk.write_memory("engineer", LONG)
    desk.write_memory("PM", "Releases go out on Tuesdays")
    year_ago = time.time() - 365 * 86400
    os.utime(desk.root / ".claude-mpm" / "memories" / "engineer.md", (year_ago, year_ago))
    mark = desk.home / "hooked"
    other = {"hooks": [{"type": "command", "command": f"touch {mark}"}]}
    ours = make_group("session_start", None)
    hooks = {"SessionStart": [ours, other], "Stop": [other], "SessionEnd": [other]}
    for folder in (desk.home, desk.root):
        write(folder / ".claude" / "settings.json", json.dumps({"hooks": hooks}))
    desk.write("CLAUDE.md", "The project's own word.")
    (desk.home / "tmp" / "CLAUDE.md").write_text("Somebody else's word.")
    before = read_files(desk.root / ".claude-mpm")
    result = optimize(desk, answer([1], SHORT), CLAUDECODE="1", CLAUDE_CODE_ENTRYPOINT="cli")
    assert result.code == 0
    assert f"-- {LONG}\n+- {SHORT}\n" in result.out
    asked = [request for request in result.api.requests if LONG in request.said]
    assert len(asked) == 1
    for request in result.api.requests:
        assert request.tools == []
        assert "own word" not in request.said
        assert "else's word" not in request.said
        assert "<agent-memory" not in request.said
    assert not mark.exists()
    assert read_files(desk.root / ".claude-mpm") == before
    transcripts = list((desk.home / ".claude").rglob("*.jsonl"))
    assert not any(LONG in path.read_text(errors="replace") for path in transcripts)
