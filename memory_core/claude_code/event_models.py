"""The events of Claude Code that hooks read, as pydantic models.

Hooks do not import this module: that would take as long as ten interpreter starts.  They check
events against event_shapes.py, which is generated from these classes.  One test compares the
two as data, another one compares their verdicts on mutated events.

Field names and types are those of Claude Code 2.0.30 to 2.1.329, as recorded in tests/events.
Only the fields that hooks read are typed.  All others are kept unchanged, so that an event of a
later version loses nothing.
"""

from __future__ import annotations

import types
import typing
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

OptionalText = str | None


class EventPart(BaseModel):
    """Part of an event: typed fields are checked strictly, other fields are kept."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)


class BaseEvent(EventPart):
    """What every event has.  All of it may be absent in an event piped in by hand."""

    hook_event_name: OptionalText = None
    session_id: OptionalText = None
    transcript_path: OptionalText = None
    cwd: OptionalText = None
    permission_mode: OptionalText = None
    agent_id: OptionalText = None
    agent_type: OptionalText = None


class DelegationInput(EventPart):
    """`tool_input` of Task (up to 2.1.62) and Agent (from 2.1.63)."""

    prompt: str
    subagent_type: OptionalText = None


class HandbackInput(EventPart):
    """`tool_input` of SubagentHandback, auto mode from 2.1.267."""

    message: str


class HandbackReport(EventPart):
    """A handed-back report as the foreground PostToolUse shows it."""

    text: OptionalText = None


class ToolResponse(EventPart):
    """`tool_response` of a delegation or of a skill that ran as a fork."""

    status: OptionalText = None
    agentId: OptionalText = None
    agentType: OptionalText = None
    content: list[Any] | str | None = None
    handbackReport: HandbackReport | None = None
    result: OptionalText = None


Response = ToolResponse | list[Any] | str | None


class PreDelegation(BaseEvent):
    """PreToolUse of Task or Agent."""

    tool_name: str
    tool_input: DelegationInput
    tool_use_id: OptionalText = None


class PreHandback(BaseEvent):
    """PreToolUse of SubagentHandback: the report, before it is handed back."""

    tool_name: str
    tool_input: HandbackInput
    tool_use_id: OptionalText = None


class PostDelegation(PreDelegation):
    """PostToolUse of Task or Agent: the result, or the launch in the background."""

    tool_response: Response = None


class PostHandback(PreHandback):
    """PostToolUse of SubagentHandback."""


class PostSkill(BaseEvent):
    """PostToolUse of Skill; a report is there when the skill ran as a fork."""

    tool_name: str
    tool_response: Response = None
    tool_use_id: OptionalText = None


class DelegationFailure(PreDelegation):
    """PostToolUseFailure of Task or Agent."""

    error: OptionalText = None
    is_interrupt: bool | None = None


class ToolUse(BaseEvent):
    """PostToolUse of a tool by which tasks may be moved: Bash, or Backlog.md's MCP server."""

    tool_name: str
    tool_use_id: OptionalText = None


class ToolFailure(BaseEvent):
    """PostToolUseFailure of a tool; within an agent's run it names the agent (not in 2.1.63)."""

    tool_name: str
    tool_use_id: OptionalText = None
    error: OptionalText = None
    is_interrupt: bool | None = None


class SubagentStart(BaseEvent):
    """An agent starts; `agent_type` is its canonical name."""

    agent_id: str
    agent_type: str


class SubagentStop(BaseEvent):
    """An agent ends; up to 2.0.76 without name and text."""

    agent_id: OptionalText = None
    agent_transcript_path: OptionalText = None
    last_assistant_message: OptionalText = None


class SessionStart(BaseEvent):
    """The main session starts: startup, resume, clear, compact or fork."""

    source: OptionalText = None


EVENTS: dict[str, type[BaseEvent]] = {
    "PreToolUse:Agent": PreDelegation,
    "PreToolUse:SubagentHandback": PreHandback,
    "PostToolUse:Agent": PostDelegation,
    "PostToolUse:SubagentHandback": PostHandback,
    "PostToolUse:Skill": PostSkill,
    "PostToolUse:Bash": ToolUse,
    "PostToolUseFailure:Agent": DelegationFailure,
    "PostToolUseFailure:Bash": ToolFailure,
    "SubagentStart": SubagentStart,
    "SubagentStop": SubagentStop,
    "SessionStart": SessionStart,
}


HEADER = '''"""The shapes of the events that hooks read, as plain data.

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

'''

Shape = dict[str, tuple[bool, tuple[type, ...], Any]]


def build_shape(model: type[BaseModel]) -> Shape:
    """Return a model as plain data: field -> (required, types, shape of the value)."""
    return {
        name: (field.is_required(), *_describe_type(field.annotation))
        for name, field in model.model_fields.items()
    }


def _describe_type(annotation: Any) -> tuple[tuple[type, ...], Shape | None]:
    is_union = isinstance(annotation, types.UnionType)
    parts = typing.get_args(annotation) if is_union else (annotation,)
    plain, shape = [], None
    for part in parts:
        if isinstance(part, type) and issubclass(part, BaseModel):
            plain.append(dict)
            shape = build_shape(part)
        else:
            plain.append(typing.get_origin(part) or part)
    return tuple(plain), shape


def render_shapes() -> str:
    """Return the text of event_shapes.py; `ruff format` lays it out."""
    common = build_shape(BaseEvent)
    text = f"{HEADER}COMMON: dict[str, Any] = {{{_render_fields(common)}}}\n\n"
    text += "EVENTS: dict[str, Any] = {\n"
    for name, model in EVENTS.items():
        shape = build_shape(model)
        own = {field: rule for field, rule in shape.items() if common.get(field) != rule}
        text += f'    "{name}": {{**COMMON, {_render_fields(own)}}},\n'
    return text + "}\n"


def _render_fields(shape: Shape) -> str:
    return ", ".join(f'"{name}": {_render_rule(*rule)}' for name, rule in shape.items())


def _render_rule(is_required: bool, plain: tuple[type, ...], nested: Shape | None) -> str:
    if plain == ((str,) if is_required else (str, type(None))):
        return "TEXT" if is_required else "OPTIONAL_TEXT"
    names = ", ".join("NONE" if part is type(None) else part.__name__ for part in plain)
    inner = f"{{{_render_fields(nested)}}}" if nested else None
    return f"({is_required}, ({names}{',' * (len(plain) == 1)}), {inner})"


if __name__ == "__main__":
    Path(__file__).with_name("event_shapes.py").write_text(render_shapes(), encoding="utf-8")
