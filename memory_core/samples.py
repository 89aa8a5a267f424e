"""Sample events: what Claude Code says at each point of a delegation, to try a hook with.

The fields are those of the recorded events in tests/events, as far as a hook reads
them.  There is no `transcript_path`: what it names would be remembered and swept.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from memory_core.events import DEFAULT_AGENT, HANDBACK

Event = dict[str, Any]

AGENT = "engineer"
TASK = "Add a retry to the payment client."

# Recognisable wherever somebody tries it out on a memory that is really used.
LEARNED = "This line was learned from a sample event"

REPORT = (
    f"The payment client retries now.\n\n# Add To Memory:\nType: context\nContent: {LEARNED}\n#"
)


def sample(kind: str, agent: str, root: str, run: str) -> Event:
    """Return an event of one of KINDS, about a delegation to `agent` in the project at `root`.

    `run` keeps the delegations of several calls apart: a hook gives and learns once a run.
    """
    common = {"session_id": f"sample-{run}", "cwd": root, "permission_mode": "default"}
    return {**common, **KINDS[kind](agent or DEFAULT_AGENT, f"sample{run}")}


def _call(event: str, agent: str, run: str, **fields: Any) -> Event:
    return {
        "hook_event_name": event,
        "tool_name": "Agent",
        "tool_input": {"description": "Add a retry", "prompt": TASK, "subagent_type": agent},
        "tool_use_id": f"toolu_{run}",
        **fields,
    }


def _pre(agent: str, run: str) -> Event:
    return _call("PreToolUse", agent, run)


def _post(agent: str, run: str) -> Event:
    response = {
        "status": "completed",
        "prompt": TASK,
        "agentId": run,
        "agentType": agent,
        "content": [{"type": "text", "text": REPORT}],
    }
    return _call("PostToolUse", agent, run, tool_response=response)


def _failure(agent: str, run: str) -> Event:
    told = "API Error: a sample of a failure"
    return _call("PostToolUseFailure", agent, run, error=told, is_interrupt=False)


def _agent(event: str, agent: str, run: str, **fields: Any) -> Event:
    return {"hook_event_name": event, "agent_id": run, "agent_type": agent, **fields}


def _start(agent: str, run: str) -> Event:
    return _agent("SubagentStart", agent, run)


def _stop(agent: str, run: str) -> Event:
    report = {"stop_hook_active": False, "last_assistant_message": REPORT}
    return _agent("SubagentStop", agent, run, **report)


def _handback(agent: str, run: str) -> Event:
    call = {"tool_name": HANDBACK, "tool_input": {"message": REPORT}, "tool_use_id": f"toolu_{run}"}
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
