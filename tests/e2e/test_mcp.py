"""The real client with the MCP server, added to its settings by `claude mcp add`."""

import json
import subprocess
import sys

from .api import Api, Request, Script, say, use
from .client import Desk
from .product import REPO, list_known_items, remember

FACT = "Orders are numbered per warehouse and never reused"
NEWS = "The invoice service rounds half to even"
SERVER = "agent-memory"


def add_server(desk: Desk) -> None:
    """Add the server as docs/mcp.md describes, with this checkout's program."""
    program = [sys.executable, "-m", "memory_core.cli", "mcp"]
    with Api({}) as api:
        done = subprocess.run(
            [desk.claude.program, "mcp", "add", SERVER, "-e", f"PYTHONPATH={REPO}", "--", *program],
            cwd=desk.project,
            env=desk.environment(api),
            capture_output=True,
            text=True,
            timeout=60,
        )
    assert done.returncode == 0, done.stdout + done.stderr


def call(tool: str, **arguments: object) -> Script:
    return {"MAIN": [use(f"mcp__{SERVER}__{tool}", **arguments), say("done")]}


def result(requests: list[Request]) -> str:
    """Return the text of the tool result that the model received."""
    (block,) = requests[-1].results
    return json.dumps(block, ensure_ascii=False)


def allowed(*tools: str) -> list[str]:
    return ["--allowedTools", ",".join(f"mcp__{SERVER}__{tool}" for tool in tools)]


def test_recall_and_remember(desk: Desk) -> None:
    remember(desk, "engineer", FACT)
    add_server(desk)
    recall = desk.run(call("recall", agent="engineer", query="orders"), *allowed("recall"))
    assert FACT in result(recall.requests_by("MAIN"))
    content = {"agent": "engineer", "type": "pattern", "content": NEWS}
    told = desk.run(call("remember", **content), *allowed("remember"))
    assert NEWS in result(told.requests_by("MAIN"))
    assert list_known_items(desk, "engineer") == sorted([FACT, NEWS])


def test_an_error_reaches_the_model_as_one_sentence(desk: Desk) -> None:
    remember(desk, "engineer", FACT)
    add_server(desk)
    run = desk.run(call("recall", agent="enginer"), *allowed("recall"))
    assert "no agent 'enginer' here; did you mean engineer?" in result(run.requests_by("MAIN"))
    (block,) = run.requests_by("MAIN")[-1].results
    assert block["is_error"]
