"""Sample events of each step of a delegation, to try a hook with.

They have the fields of the recorded events in tests/events that hooks read, except
`transcript_path`: the hook would store it, and sweep the transcripts there.
"""

from __future__ import annotations

from typing import Any

from memory_core.claude_code.events import DEFAULT_AGENT, HANDBACK_TOOL

Event = dict[str, Any]

AGENT = "engineer"
PROMPT = "Add a retry to the payment client."

# Easy to recognise if it ends up in a memory that is really used.
LEARNING = "The payment client of the sample event retries three times"

REPORT = (
    f"The payment client retries now.\n\n# Add To Memory:\nType: context\nContent: {LEARNING}\n#"
)


# The kinds of samples, and the name of their event.
KINDS = {
    "pre": "PreToolUse",
    "start": "SubagentStart",
    "post": "PostToolUse",
    "stop": "SubagentStop",
    "session": "SessionStart",
    "end": "SessionEnd",
    "handback": "PreToolUse",
    "failure": "PostToolUseFailure",
}


def build(
    kind: str, agent: str, root: str, run: str, prompt: str = PROMPT, report: str = REPORT
) -> Event:
    """Return an event of one of KINDS for a delegation to `agent` in the project at `root`.

    `run` must be new for each delegation, because a hook gives and learns once a run.
    """
    own = {"agent_id": f"sample{run}", "agent_type": agent or DEFAULT_AGENT}
    call_id = {"tool_use_id": f"toolu_sample{run}"}
    task = {"description": "Add a retry", "prompt": prompt, "subagent_type": own["agent_type"]}
    call = {"tool_name": "Agent", "tool_input": task, **call_id}
    response = {
        "status": "completed",
        "prompt": prompt,
        "agentId": own["agent_id"],
        "agentType": own["agent_type"],
        "content": [{"type": "text", "text": report}],
    }
    fields: dict[str, Event] = {
        "pre": call,
        "start": own,
        "post": {**call, "tool_response": response},
        "stop": {**own, "stop_hook_active": False, "last_assistant_message": report},
        "session": {"source": "startup"},
        "end": {"reason": "other"},
        "handback": {
            **own,
            **call_id,
            "tool_name": HANDBACK_TOOL,
            "tool_input": {"message": report},
        },
        "failure": {**call, "error": "API Error: a sample of a failure", "is_interrupt": False},
    }
    return {
        "session_id": f"sample-{run}",
        "cwd": root,
        "permission_mode": "default",
        "hook_event_name": KINDS[kind],
        **fields[kind],
    }
