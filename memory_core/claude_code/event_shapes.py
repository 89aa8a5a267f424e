"""The shapes of the events that hooks read, as plain data.

Generated from event_models.py by `python -m memory_core.claude_code.event_models`; do not edit.

field -> (required, types, shape of the value if it is an object)
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

NONE = type(None)

TEXT = (True, (str,), None)
OPTIONAL_TEXT = (False, (str, NONE), None)

COMMON: dict[str, Any] = {
    "hook_event_name": OPTIONAL_TEXT,
    "session_id": OPTIONAL_TEXT,
    "transcript_path": OPTIONAL_TEXT,
    "cwd": OPTIONAL_TEXT,
    "permission_mode": OPTIONAL_TEXT,
    "agent_id": OPTIONAL_TEXT,
    "agent_type": OPTIONAL_TEXT,
}

EVENTS: dict[str, Any] = {
    "PreToolUse:Agent": {
        **COMMON,
        "tool_name": TEXT,
        "tool_input": (True, (dict,), {"prompt": TEXT, "subagent_type": OPTIONAL_TEXT}),
        "tool_use_id": OPTIONAL_TEXT,
    },
    "PreToolUse:SubagentHandback": {
        **COMMON,
        "tool_name": TEXT,
        "tool_input": (True, (dict,), {"message": TEXT}),
        "tool_use_id": OPTIONAL_TEXT,
    },
    "PostToolUse:Agent": {
        **COMMON,
        "tool_name": TEXT,
        "tool_input": (True, (dict,), {"prompt": TEXT, "subagent_type": OPTIONAL_TEXT}),
        "tool_use_id": OPTIONAL_TEXT,
        "tool_response": (
            False,
            (dict, list, str, NONE),
            {
                "status": OPTIONAL_TEXT,
                "agentId": OPTIONAL_TEXT,
                "agentType": OPTIONAL_TEXT,
                "content": (False, (list, str, NONE), None),
                "handbackReport": (False, (dict, NONE), {"text": OPTIONAL_TEXT}),
                "result": OPTIONAL_TEXT,
            },
        ),
    },
    "PostToolUse:SubagentHandback": {
        **COMMON,
        "tool_name": TEXT,
        "tool_input": (True, (dict,), {"message": TEXT}),
        "tool_use_id": OPTIONAL_TEXT,
    },
    "PostToolUse:Skill": {
        **COMMON,
        "tool_name": TEXT,
        "tool_response": (
            False,
            (dict, list, str, NONE),
            {
                "status": OPTIONAL_TEXT,
                "agentId": OPTIONAL_TEXT,
                "agentType": OPTIONAL_TEXT,
                "content": (False, (list, str, NONE), None),
                "handbackReport": (False, (dict, NONE), {"text": OPTIONAL_TEXT}),
                "result": OPTIONAL_TEXT,
            },
        ),
        "tool_use_id": OPTIONAL_TEXT,
    },
    "PostToolUse:Bash": {**COMMON, "tool_name": TEXT, "tool_use_id": OPTIONAL_TEXT},
    "PostToolUseFailure:Agent": {
        **COMMON,
        "tool_name": TEXT,
        "tool_input": (True, (dict,), {"prompt": TEXT, "subagent_type": OPTIONAL_TEXT}),
        "tool_use_id": OPTIONAL_TEXT,
        "error": OPTIONAL_TEXT,
        "is_interrupt": (False, (bool, NONE), None),
    },
    "PostToolUseFailure:Bash": {
        **COMMON,
        "tool_name": TEXT,
        "tool_use_id": OPTIONAL_TEXT,
        "error": OPTIONAL_TEXT,
        "is_interrupt": (False, (bool, NONE), None),
    },
    "SubagentStart": {**COMMON, "agent_id": TEXT, "agent_type": TEXT},
    "SubagentStop": {
        **COMMON,
        "agent_transcript_path": OPTIONAL_TEXT,
        "last_assistant_message": OPTIONAL_TEXT,
    },
    "SessionStart": {**COMMON, "source": OPTIONAL_TEXT},
}
