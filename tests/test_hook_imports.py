"""Modules that a hook must not import."""

from __future__ import annotations

import pytest

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
    arrivals.look(find_project(str(sandbox.root), sandbox.env))  # else git has to be asked
    imported = {name.split(".")[0] for name in list_hook_imports(sandbox, hook, event)}
    assert "memory_core" in imported
    assert sandbox.read_log("agent.memory.loaded", "agent.memory.learned")
    assert not imported & EXPENSIVE_MODULES


HISTORY_MODULES = {
    *("memory_core.history.performance", "memory_core.delegation.run_outcomes"),
    *("memory_core.storage.store", "memory_core.storage.history_file"),
}


def test_an_answer_without_learnings_loads_no_history(sandbox: Sandbox) -> None:
    sandbox.switch_selection_on()
    content = [{"type": "text", "text": "Done."}]
    response = {**ANSWER["tool_response"], "content": content, "totalTokens": 7}
    event = {**ANSWER, "tool_response": response}
    assert not HISTORY_MODULES & set(list_hook_imports(sandbox, "post_tool_use", event))
    assert list((sandbox.state / "spool" / "engineer").iterdir())


def test_the_report_of_a_clean_run_loads_no_weights_of_words(sandbox: Sandbox) -> None:
    imported = list_hook_imports(sandbox, "subagent_stop", STOP)
    assert sandbox.read_log("agent.memory.learned")
    assert "memory_core.origin.forms" in imported
    assert "memory_core.origin.word_weights" not in imported
