"""The shapes of the events that hooks read: field -> (types, shape of the value, if an object).

A field whose types include NONE may be missing.  Names and types are those of Claude Code 2.0.30
to 2.1.329, as recorded in tests/events.  Only the fields that hooks read are listed; an event
keeps all others, so that an event of a later version loses nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Shape = dict[str, tuple[tuple[type, ...], dict[str, Any] | None]]

NONE = type(None)

TEXT = ((str,), None)
OPTIONAL_TEXT = ((str, NONE), None)

# What every event has.  All of it may be missing in an event that a person pipes in.
COMMON: Shape = {
    "hook_event_name": OPTIONAL_TEXT,
    "session_id": OPTIONAL_TEXT,
    "transcript_path": OPTIONAL_TEXT,
    "cwd": OPTIONAL_TEXT,
    "permission_mode": OPTIONAL_TEXT,
    "agent_id": OPTIONAL_TEXT,
    "agent_type": OPTIONAL_TEXT,
}

TOOL: Shape = {**COMMON, "tool_name": TEXT, "tool_use_id": OPTIONAL_TEXT}

# A delegation: Task up to 2.1.62, Agent from 2.1.63.
CALL: Shape = {
    **TOOL,
    "tool_input": ((dict,), {"prompt": TEXT, "subagent_type": OPTIONAL_TEXT}),
}

# Auto mode's report from 2.1.267, before and after it is handed back.
HANDBACK: Shape = {**TOOL, "tool_input": ((dict,), {"message": TEXT})}

# The answer of a delegation, its launch in the background, or the report of a forked skill.
RESPONSE: Shape = {
    "tool_response": (
        (dict, list, str, NONE),
        {
            "status": OPTIONAL_TEXT,
            "agentId": OPTIONAL_TEXT,
            "agentType": OPTIONAL_TEXT,
            "content": ((list, str, NONE), None),
            "handbackReport": ((dict, NONE), {"text": OPTIONAL_TEXT}),
            "result": OPTIONAL_TEXT,
        },
    )
}

FAILURE: Shape = {"error": OPTIONAL_TEXT, "is_interrupt": ((bool, NONE), None)}

# Bash stands for each tool that may change tasks, also those of Backlog.md's MCP server.  A
# failure within an agent's run names the agent (not in 2.1.63); up to 2.0.76 SubagentStop has
# neither name nor text.
EVENTS: dict[str, Shape] = {
    "PreToolUse:Agent": CALL,
    "PreToolUse:SubagentHandback": HANDBACK,
    "PostToolUse:Agent": {**CALL, **RESPONSE},
    "PostToolUse:SubagentHandback": HANDBACK,
    "PostToolUse:Skill": {**TOOL, **RESPONSE},
    "PostToolUse:Bash": TOOL,
    "PostToolUseFailure:Agent": {**CALL, **FAILURE},
    "PostToolUseFailure:Bash": {**TOOL, **FAILURE},
    "SubagentStart": {**COMMON, "agent_id": TEXT, "agent_type": TEXT},
    "SubagentStop": {
        **COMMON,
        "agent_transcript_path": OPTIONAL_TEXT,
        "last_assistant_message": OPTIONAL_TEXT,
    },
    "SessionStart": {**COMMON, "source": OPTIONAL_TEXT},
    "SessionEnd": COMMON,
}
