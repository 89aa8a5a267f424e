"""What enters, as plain data.  Written by `python -m memory_core.models`; do not edit.

field -> (required, types, shape of the value where it is an object)
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

NONE = type(None)

EVENTS: dict[str, Any] = {
    "PreToolUse:Agent": {
        "hook_event_name": (False, (str, NONE), None),
        "session_id": (False, (str, NONE), None),
        "transcript_path": (False, (str, NONE), None),
        "cwd": (False, (str, NONE), None),
        "permission_mode": (False, (str, NONE), None),
        "agent_id": (False, (str, NONE), None),
        "agent_type": (False, (str, NONE), None),
        "tool_name": (True, (str,), None),
        "tool_input": (
            True,
            (dict,),
            {"prompt": (True, (str,), None), "subagent_type": (False, (str, NONE), None)},
        ),
        "tool_use_id": (False, (str, NONE), None),
    },
    "PreToolUse:SubagentHandback": {
        "hook_event_name": (False, (str, NONE), None),
        "session_id": (False, (str, NONE), None),
        "transcript_path": (False, (str, NONE), None),
        "cwd": (False, (str, NONE), None),
        "permission_mode": (False, (str, NONE), None),
        "agent_id": (False, (str, NONE), None),
        "agent_type": (False, (str, NONE), None),
        "tool_name": (True, (str,), None),
        "tool_input": (True, (dict,), {"message": (True, (str,), None)}),
        "tool_use_id": (False, (str, NONE), None),
    },
    "PostToolUse:Agent": {
        "hook_event_name": (False, (str, NONE), None),
        "session_id": (False, (str, NONE), None),
        "transcript_path": (False, (str, NONE), None),
        "cwd": (False, (str, NONE), None),
        "permission_mode": (False, (str, NONE), None),
        "agent_id": (False, (str, NONE), None),
        "agent_type": (False, (str, NONE), None),
        "tool_name": (True, (str,), None),
        "tool_input": (
            True,
            (dict,),
            {"prompt": (True, (str,), None), "subagent_type": (False, (str, NONE), None)},
        ),
        "tool_use_id": (False, (str, NONE), None),
        "tool_response": (
            False,
            (dict, list, str, NONE),
            {
                "status": (False, (str, NONE), None),
                "agentId": (False, (str, NONE), None),
                "agentType": (False, (str, NONE), None),
                "content": (False, (list, str, NONE), None),
                "handbackReport": (False, (dict, NONE), {"text": (False, (str, NONE), None)}),
                "result": (False, (str, NONE), None),
            },
        ),
    },
    "PostToolUse:SubagentHandback": {
        "hook_event_name": (False, (str, NONE), None),
        "session_id": (False, (str, NONE), None),
        "transcript_path": (False, (str, NONE), None),
        "cwd": (False, (str, NONE), None),
        "permission_mode": (False, (str, NONE), None),
        "agent_id": (False, (str, NONE), None),
        "agent_type": (False, (str, NONE), None),
        "tool_name": (True, (str,), None),
        "tool_input": (True, (dict,), {"message": (True, (str,), None)}),
        "tool_use_id": (False, (str, NONE), None),
    },
    "PostToolUse:Skill": {
        "hook_event_name": (False, (str, NONE), None),
        "session_id": (False, (str, NONE), None),
        "transcript_path": (False, (str, NONE), None),
        "cwd": (False, (str, NONE), None),
        "permission_mode": (False, (str, NONE), None),
        "agent_id": (False, (str, NONE), None),
        "agent_type": (False, (str, NONE), None),
        "tool_name": (True, (str,), None),
        "tool_response": (
            False,
            (dict, list, str, NONE),
            {
                "status": (False, (str, NONE), None),
                "agentId": (False, (str, NONE), None),
                "agentType": (False, (str, NONE), None),
                "content": (False, (list, str, NONE), None),
                "handbackReport": (False, (dict, NONE), {"text": (False, (str, NONE), None)}),
                "result": (False, (str, NONE), None),
            },
        ),
        "tool_use_id": (False, (str, NONE), None),
    },
    "PostToolUse:Bash": {
        "hook_event_name": (False, (str, NONE), None),
        "session_id": (False, (str, NONE), None),
        "transcript_path": (False, (str, NONE), None),
        "cwd": (False, (str, NONE), None),
        "permission_mode": (False, (str, NONE), None),
        "agent_id": (False, (str, NONE), None),
        "agent_type": (False, (str, NONE), None),
        "tool_name": (True, (str,), None),
        "tool_use_id": (False, (str, NONE), None),
    },
    "PostToolUseFailure:Agent": {
        "hook_event_name": (False, (str, NONE), None),
        "session_id": (False, (str, NONE), None),
        "transcript_path": (False, (str, NONE), None),
        "cwd": (False, (str, NONE), None),
        "permission_mode": (False, (str, NONE), None),
        "agent_id": (False, (str, NONE), None),
        "agent_type": (False, (str, NONE), None),
        "tool_name": (True, (str,), None),
        "tool_input": (
            True,
            (dict,),
            {"prompt": (True, (str,), None), "subagent_type": (False, (str, NONE), None)},
        ),
        "tool_use_id": (False, (str, NONE), None),
        "error": (False, (str, NONE), None),
        "is_interrupt": (False, (bool, NONE), None),
    },
    "PostToolUseFailure:Bash": {
        "hook_event_name": (False, (str, NONE), None),
        "session_id": (False, (str, NONE), None),
        "transcript_path": (False, (str, NONE), None),
        "cwd": (False, (str, NONE), None),
        "permission_mode": (False, (str, NONE), None),
        "agent_id": (False, (str, NONE), None),
        "agent_type": (False, (str, NONE), None),
        "tool_name": (True, (str,), None),
        "tool_use_id": (False, (str, NONE), None),
        "error": (False, (str, NONE), None),
        "is_interrupt": (False, (bool, NONE), None),
    },
    "SubagentStart": {
        "hook_event_name": (False, (str, NONE), None),
        "session_id": (False, (str, NONE), None),
        "transcript_path": (False, (str, NONE), None),
        "cwd": (False, (str, NONE), None),
        "permission_mode": (False, (str, NONE), None),
        "agent_id": (True, (str,), None),
        "agent_type": (True, (str,), None),
    },
    "SubagentStop": {
        "hook_event_name": (False, (str, NONE), None),
        "session_id": (False, (str, NONE), None),
        "transcript_path": (False, (str, NONE), None),
        "cwd": (False, (str, NONE), None),
        "permission_mode": (False, (str, NONE), None),
        "agent_id": (False, (str, NONE), None),
        "agent_type": (False, (str, NONE), None),
        "agent_transcript_path": (False, (str, NONE), None),
        "last_assistant_message": (False, (str, NONE), None),
    },
    "SessionStart": {
        "hook_event_name": (False, (str, NONE), None),
        "session_id": (False, (str, NONE), None),
        "transcript_path": (False, (str, NONE), None),
        "cwd": (False, (str, NONE), None),
        "permission_mode": (False, (str, NONE), None),
        "agent_id": (False, (str, NONE), None),
        "agent_type": (False, (str, NONE), None),
        "source": (False, (str, NONE), None),
    },
}

CONFIG: dict[str, Any] = {
    "enabled": True,
    "auto_learning": True,
    "natural_language": False,
    "directory": ".claude-mpm/memories",
    "max_learning_length": 100,
    "strip_markers": True,
    "user_level": "append",
    "include": [],
    "exclude": [],
    "min_confidence": 0.0,
    "confidence": {"agent": 0.5, "person": 0.8, "step": 0.1, "contradiction": 0.2},
    "context_items": 20,
    "give_performance": False,
    "limits": {
        "default_size_kb": 8,
        "max_sections": 10,
        "max_items_per_section": 15,
        "max_line_length": 120,
    },
    "tasks": {"enabled": True, "budget_tokens": 2000},
    "agent_overrides": {},
}

LARGEST_KB = 1024

OVERRIDE: dict[str, Any] = {
    "size_kb": None,
    "max_sections": None,
    "max_items_per_section": None,
    "auto_learning": None,
}

RANGES = {
    "max_learning_length": (10, 1000),
    "min_confidence": (0, 1),
    "context_items": (1, 1000),
    "size_kb": (1, 1024),
    "max_sections": (1, 1000),
    "max_items_per_section": (1, 1000),
    "agent": (0, 1),
    "person": (0, 1),
    "step": (0, 1),
    "contradiction": (0, 1),
    "default_size_kb": (1, 1024),
    "max_line_length": (20, 10000),
    "budget_tokens": (100, 20000),
}
