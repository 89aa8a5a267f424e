"""Sample events of each step of a delegation, to try a hook with.

They have the fields of the recorded events in tests/events that hooks read, except
`transcript_path`: the hook would store it, and sweep the transcripts there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from memory_core.claude_code.events import DEFAULT_AGENT, HANDBACK_TOOL

Event = dict[str, Any]

AGENT = "engineer"
PROMPT = "Add a retry to the payment client."

# Easy to recognise if it ends up in a memory that is really used.
LEARNING = "This line was learned from a sample event"

REPORT = (
    f"The payment client retries now.\n\n# Add To Memory:\nType: context\nContent: {LEARNING}\n#"
)


def build(kind: str, agent: str, root: str, run: str) -> Event:
    """Return an event of one of KINDS for a delegation to `agent` in the project at `root`.

    `run` must be new for each delegation, because a hook gives and learns once a run.
    """
    common = {"session_id": f"sample-{run}", "cwd": root, "permission_mode": "default"}
    return {**common, **KINDS[kind](agent or DEFAULT_AGENT, f"sample{run}")}


def _call(event: str, agent: str, run: str, **fields: Any) -> Event:
    return {
        "hook_event_name": event,
        "tool_name": "Agent",
        "tool_input": {"description": "Add a retry", "prompt": PROMPT, "subagent_type": agent},
        "tool_use_id": f"toolu_{run}",
        **fields,
    }


def _pre(agent: str, run: str) -> Event:
    return _call("PreToolUse", agent, run)


def _post(agent: str, run: str) -> Event:
    response = {
        "status": "completed",
        "prompt": PROMPT,
        "agentId": run,
        "agentType": agent,
        "content": [{"type": "text", "text": REPORT}],
    }
    return _call("PostToolUse", agent, run, tool_response=response)


def _failure(agent: str, run: str) -> Event:
    error = "API Error: a sample of a failure"
    return _call("PostToolUseFailure", agent, run, error=error, is_interrupt=False)


def _agent(event: str, agent: str, run: str, **fields: Any) -> Event:
    return {"hook_event_name": event, "agent_id": run, "agent_type": agent, **fields}


def _start(agent: str, run: str) -> Event:
    return _agent("SubagentStart", agent, run)


def _stop(agent: str, run: str) -> Event:
    report = {"stop_hook_active": False, "last_assistant_message": REPORT}
    return _agent("SubagentStop", agent, run, **report)


def _handback(agent: str, run: str) -> Event:
    call = {
        "tool_name": HANDBACK_TOOL,
        "tool_input": {"message": REPORT},
        "tool_use_id": f"toolu_{run}",
    }
    return _agent("PreToolUse", agent, run, **call)


def _session(_agent: str, _run: str) -> Event:
    return {"hook_event_name": "SessionStart", "source": "startup"}


KINDS: dict[str, Callable[[str, str], Event]] = {
    "pre": _pre,
    "start": _start,
    "post": _post,
    "stop": _stop,
    "session": _session,
    "handback": _handback,
    "failure": _failure,
}
