"""Hook events of Claude Code: built for a test, recorded, or randomly mutated."""

import copy
import json
import random
from typing import Any

from memory_core.claude_code import events
from support.paths import EVENTS
from support.sandbox import Outcome

FACT = "Services talk through the event bus, never directly"
LEARNED = "The retry count is set in settings.py"
BLOCK = f"# Add To Memory:\nType: pattern\nContent: {LEARNED}\n#"
REPORT = f"Done.\n\n{BLOCK}\n"

# `spoil` replaces a field by one of these values.
STRANGE_VALUES: list[Any] = [None, True, 0, -1, 1.5, "", "x" * 70_000, "\ud800", "\0"]
STRANGE_VALUES += [[], {}, [[]], {"": 1}]


def make_pre_event(
    call: str = "toolu_1", agent: str | None = "engineer", prompt: str = "Add a retry.", **more: Any
) -> dict[str, Any]:
    """Return the event that is sent before the main session calls an agent."""
    given = {"description": "a job", "prompt": prompt, "run_in_background": False}
    if agent is not None:
        given["subagent_type"] = agent
    event = {"hook_event_name": "PreToolUse", "session_id": "s1", "tool_name": "Agent"}
    return {**event, "tool_use_id": call, "tool_input": given, **more}


def make_start_event(run: str = "a1", agent: str = "engineer", **more: Any) -> dict[str, Any]:
    """Return the event of an agent that starts."""
    event = {"hook_event_name": "SubagentStart", "session_id": "s1"}
    return {**event, "agent_id": run, "agent_type": agent, **more}


def make_report(*contents: str) -> str:
    """Return the text of a report that teaches these patterns."""
    blocks = (f"# Add To Memory:\nType: pattern\nContent: {text}\n#\n" for text in contents)
    return "Done.\n\n" + "\n".join(blocks)


def make_stop_event(
    run: str = "a1", text: str | None = REPORT, agent: str = "engineer", **more: Any
) -> dict[str, Any]:
    """Return the event of an agent that ends with this report."""
    start = make_start_event(run, agent, **more)
    event = {**start, "hook_event_name": "SubagentStop", "stop_hook_active": False}
    return event if text is None else {**event, "last_assistant_message": text}


def make_post_event(
    prompt: str = "Add a retry.",
    text: str = REPORT,
    run: str = "a1",
    call: str = "toolu_1",
    **response: Any,
) -> dict[str, Any]:
    """Return the event that is sent after an agent has answered the main session."""
    event = make_pre_event(call, prompt=prompt)
    ids = {"agentId": run, "agentType": "engineer"}
    answer: dict[str, Any] = {"status": "completed", "prompt": prompt, **ids}
    answer |= {"content": [{"type": "text", "text": text}], **response}
    return {**event, "hook_event_name": "PostToolUse", "tool_response": answer}


def make_launch_event(prompt: str, run: str = "a1", call: str = "toolu_1") -> dict[str, Any]:
    """Return the event that is sent after an agent was launched in the background."""
    event = make_post_event(prompt, "", run, call)
    launched = {"isAsync": True, "status": "async_launched", "agentId": run}
    return {**event, "tool_response": launched}


def make_handback_event(text: str = REPORT, run: str = "a1", **more: Any) -> dict[str, Any]:
    """Return the event that is sent before an agent hands back its report by a tool."""
    event = {**make_start_event(run), "hook_event_name": "PreToolUse", "tool_use_id": "toolu_h"}
    return {**event, "tool_name": "SubagentHandback", "tool_input": {"message": text}, **more}


def make_failed_call(error: str, *call: str, **more: Any) -> dict[str, Any]:
    """Return the event that is sent after a delegation has failed; `call` is as before it."""
    failure = {"hook_event_name": "PostToolUseFailure", "error": error, "is_interrupt": False}
    return {**make_pre_event(*call), **failure, **more}


def make_failure_event(run: str | None = "a1", **more: Any) -> dict[str, Any]:
    """Return the event that is sent after a command of an agent has failed."""
    inside = {"agent_id": run, "agent_type": "engineer"} if run else {}
    failure = {"error": "Exit code 2\nno such table: users", "is_interrupt": False, **more}
    event = {"hook_event_name": "PostToolUseFailure", "session_id": "s1", "tool_name": "Bash"}
    return {**event, **inside, **failure, "tool_use_id": "toolu_b"}


def is_silent(outcome: Outcome) -> bool:
    """Say whether a hook succeeded without any output."""
    return outcome == Outcome(0, b"", b"")


def read_recorded_events() -> list[dict[str, Any]]:
    """Return the recorded events of the kinds that the hooks read."""
    values = [json.loads(path.read_text(encoding="utf-8")) for path in EVENTS]
    return [value for value in values if name_kind(value) in events.EVENTS]


def name_kind(value: dict[str, Any]) -> str:
    """Return the name of this kind of event in events."""
    return events._key(value["hook_event_name"], value)


def spoil(value: Any, chance: random.Random) -> Any:
    """Return a copy in which one random field is changed, removed or added."""
    copied = copy.deepcopy(value)
    place = copied
    while True:
        inner = [item for item in place.values() if isinstance(item, dict) and item]
        if not inner or chance.random() < 0.4:
            break
        place = chance.choice(inner)
    name = chance.choice([*place, "new_field"])
    if chance.random() < 0.25:
        place.pop(name, None)
    else:
        place[name] = copy.deepcopy(chance.choice(STRANGE_VALUES))
    return copied
