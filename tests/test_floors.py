"""The house's floors: who may import whom, and what a hook must not import at all."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import REPO, Sandbox

PACKAGE = REPO / "memory_core"

# Kept equal to the table in docs/design.md by a test below.
FLOORS = {
    0: "agents aside backlog_format blocks choice clusters contradiction digests edits"
    " error_text events fastjson fences front_matter imports insertion invisible"
    " json_objects judging learnings lines markdown merge naming outline past performance"
    " plain_config preferences rewind samples selection settings shapes similarity"
    " task_document threeway times trust union weave",
    1: "backlog common_errors config config_file history locks log models places plugin"
    " plugin_hooks runs spool store task_templates transcripts versions",
    2: "archive beginning cleaning client delegation diagnosis editing exchange file_checks"
    " hook_checks installation knowledge live memory mending optimizing outcomes overview"
    " patient people plugin_environment plugin_lobby pruning recording rehearsal roster"
    " searching sharing sweep task_checks task_delivery task_events task_journal task_life"
    " task_overview task_watch tasks team timeline upkeep writing",
    3: "api cli hook mcp_server",
}
FLOOR = {name: floor for floor, names in FLOORS.items() for name in names.split()}

# Who alone may see a library.
LIBRARIES = {
    "yaml": {"config_file"},
    "pydantic": {"models", "config_file", "mcp_server"},
    "typer": {"cli"},
    "rich": {"cli"},
    "filelock": {"cli"},
    **{name: {"mcp_server"} for name in ("mcp", "mcp_types", "anyio", "starlette", "uvicorn")},
}

# The one door that another one opens: somebody has to start the server.
OPENS = {("cli/mcp.py", "mcp_server")}


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def name_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(path: Path) -> set[str]:
    """Return what a file imports: `memory_core.x` for ours, the top name for others."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            found |= {
                f"{base}.{alias.name}" if base == "memory_core" else base for alias in node.names
            }
    return found


def ours(path: Path) -> set[str]:
    parts = (name.split(".") for name in imports(path))
    return {
        part[1] for part in parts if part[0] == "memory_core" and len(part) > 1 and part[1] in FLOOR
    }


def test_every_module_has_a_floor() -> None:
    assert {name_of(path) for path in modules()} - {"__init__"} == set(FLOOR)


@pytest.mark.parametrize("path", modules(), ids=lambda path: path.stem)
def test_imports_go_downwards_only(path: Path) -> None:
    floor = FLOOR.get(name_of(path), 4)  # the package itself shows what is below
    for used in ours(path) - {name_of(path)}:
        if (path.relative_to(PACKAGE).as_posix(), used) in OPENS:
            continue
        assert FLOOR[used] < floor or (FLOOR[used] == floor < 3), f"{path.name} imports {used}"


@pytest.mark.parametrize("path", modules(), ids=lambda path: path.stem)
def test_a_library_is_seen_by_its_own_module_only(path: Path) -> None:
    tops = {name.split(".")[0] for name in imports(path)}
    for library, seen_by in LIBRARIES.items():
        assert library not in tops or name_of(path) in seen_by


def test_the_plan_of_the_house_says_the_same() -> None:
    plan = (REPO / "docs" / "design.md").read_text(encoding="utf-8")
    rows = [
        line.split("|")[2]
        for line in plan.splitlines()
        if line.startswith(("| 0", "| 1", "| 2", "| 3"))
    ]
    told = [sorted(word.strip("/") for word in row.split("`")[1::2]) for row in rows]
    assert told == [sorted(names.split()) for names in FLOORS.values()]


# What costs a hook a noticeable part of an interpreter's start.
DEAR = {
    *("re", "json", "typing", "dataclasses", "pathlib", "enum", "collections", "contextlib"),
    *("logging", "tempfile", "subprocess", "argparse", "hashlib", "datetime", "signal"),
    *("pydantic", "pydantic_core", "filelock", "typer", "rich", "yaml"),
}

PRE = {"tool_name": "Agent", "tool_input": {"prompt": "Add a retry.", "subagent_type": "engineer"}}
CALL = {"hook_event_name": "PreToolUse", "session_id": "s1", "tool_use_id": "toolu_1", **PRE}
REPORT = (
    "Done.\n\n# Add To Memory:\nType: pattern\nContent: The retry count is set in settings.py\n#\n"
)
ANSWER = {
    **CALL,
    "hook_event_name": "PostToolUse",
    "tool_response": {
        "status": "completed",
        "agentId": "a1",
        "content": [{"type": "text", "text": REPORT}],
    },
}
START = {
    "hook_event_name": "SubagentStart",
    "session_id": "s1",
    "agent_id": "a2",
    "agent_type": "engineer",
}
STOP = {**START, "hook_event_name": "SubagentStop", "last_assistant_message": REPORT}
SESSION = {"hook_event_name": "SessionStart", "session_id": "s1", "source": "startup"}


@pytest.mark.parametrize(
    ("hook", "event"),
    [
        ("pre_tool_use", CALL),
        ("subagent_start", START),
        ("session_start", SESSION),
        ("post_tool_use", ANSWER),
        ("subagent_stop", STOP),
    ],
)
def test_a_hook_imports_nothing_dear(sandbox: Sandbox, hook: str, event: dict[str, object]) -> None:
    sandbox.remembers("engineer", "Services talk through the event bus, never directly")
    sandbox.remembers("PM", "Releases go out on Tuesdays")
    # os._exit would hide what was imported: in its place, say it.
    path = str(REPO / "hooks" / f"{hook}.py")
    program = (
        "import os, sys\n"
        "os._exit = lambda status: (sys.stderr.write(' '.join(sys.modules)), sys.exit(status))\n"
        f"code = compile(open({path!r}).read(), {path!r}, 'exec')\n"
        f"exec(code, {{'__name__': '__main__', '__file__': {path!r}}})\n"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program],
        input=json.dumps(event),
        capture_output=True,
        text=True,
        env=sandbox.env,
        check=True,
    )
    imported = {name.split(".")[0] for name in done.stderr.split()}
    assert "memory_core" in imported
    assert sandbox.log("agent.memory.loaded", "agent.memory.learned"), done.stderr
    assert not imported & DEAR
