"""The default settings as plain data, for hooks; a test compares them with config_models."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MAX_SIZE_KB = 1024

DEFAULTS: dict[str, Any] = {
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
