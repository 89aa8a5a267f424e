"""The default settings as plain data: the models of config_models need pydantic."""

from __future__ import annotations

from typing import Any

DEFAULTS: dict[str, Any] = {
    "enabled": True,
    "learning": "auto",
    "auto_learning": True,
    "natural_language": False,
    "command_errors": False,
    "directory": ".claude-mpm/memories",
    "max_learning_length": 300,
    "strip_markers": True,
    "user_level": "append",
    "trust": "scored",
    "notices": "changes",
    "hold_tainted": False,
    "hold_outside": False,
    "trusted_signers": [],
    "include": [],
    "exclude": [],
    "min_confidence": 0.0,
    "expire_after": "off",
    "confidence": {"agent": 0.5, "person": 0.8, "step": 0.1, "contradiction": 0.2},
    "context_items": 20,
    "give_performance": False,
    "log_text": False,
    "limits": {
        "default_size_kb": 8,
        "max_sections": 10,
        "max_items_per_section": 15,
        "max_line_length": 400,
    },
    "selection": {"enabled": True, "budget_tokens": 1000, "whole_below_tokens": 400},
    "experiment": {"hold_out": 0.0},
    "tasks": {"enabled": True, "budget_tokens": 2000},
    "agent_overrides": {},
}
