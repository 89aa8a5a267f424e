"""Modules that a hook must not import."""

from __future__ import annotations

import pytest

from memory_core.memory import preparing
from memory_core.origin import arrivals
from memory_core.storage.project import find_project
from support.imports import EXPENSIVE_MODULES, SESSION_EVENT, START_EVENT, list_hook_imports
from support.sandbox import Sandbox

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
STOP = {**START_EVENT, "hook_event_name": "SubagentStop", "last_assistant_message": REPORT}


@pytest.mark.parametrize(
    ("hook", "event"),
    [
        ("pre_tool_use", CALL),
        ("subagent_start", START_EVENT),
        ("session_start", SESSION_EVENT),
        ("post_tool_use", ANSWER),
        ("subagent_stop", STOP),
    ],
)
def test_a_hook_imports_no_slow_module(
    sandbox: Sandbox, hook: str, event: dict[str, object]
) -> None:
    sandbox.switch_selection_on()
    sandbox.write_memory("engineer", "Services talk through the event bus, never directly")
    sandbox.write_memory("PM", "Releases go out on Tuesdays")
    project = find_project(str(sandbox.root), sandbox.env)
    arrivals.look(project)  # else git has to be asked
    for agent in ("engineer", "PM"):
        preparing.prepare(project, agent)
    imported = {name.split(".")[0] for name in list_hook_imports(sandbox, hook, event)}
    assert "memory_core" in imported
    assert sandbox.read_log("agent.memory.loaded", "agent.memory.learned")
    assert not imported & EXPENSIVE_MODULES


# Of these the worker has need, and no hook that collects.
WORKER_MODULES = {
    *("memory_core.memory.transaction", "memory_core.delegation.inbox_batches"),
    *("memory_core.storage.store", "memory_core.storage.history_file"),
    *("memory_core.history.performance", "memory_core.origin.forms"),
}


@pytest.mark.parametrize(("hook", "event"), [("post_tool_use", ANSWER), ("subagent_stop", STOP)])
def test_a_hook_that_collects_merges_nothing(
    sandbox: Sandbox, hook: str, event: dict[str, object]
) -> None:
    sandbox.switch_selection_on()
    assert not WORKER_MODULES & set(list_hook_imports(sandbox, hook, event))
    assert sandbox.read_log("agent.memory.learned")
