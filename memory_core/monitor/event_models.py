"""The events of the log, as pydantic models; docs/events.md has the same tables.

Hooks write plain dicts and never import this module; a test validates what real hooks write.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

from memory_core.storage.record_models import NonNegative, RecordKind, Timestamp

# The kinds of history records that are about items have an event each.
ITEM_KINDS = [kind for kind in get_args(RecordKind) if kind not in ("task", "error")]

TASK_CHANGES = (
    *("begun", "archived", "restored", "deleted"),
    *("brought_back", "link_failed", "unread", "refused"),
)

Text = str | None
Count = NonNegative | None

SESSION = Field(None, description="Claude Code's session id")
RUN = Field(None, description="Claude Code's agent id; at PreToolUse it is not known yet")
CALL = Field(None, description="Claude Code's tool use id of the delegation")
ROUTE = Field(description="`prompt`, `start` (of the agent) or `session` (its start)")
AGENT = Field(description="the agent, or `PM` for the main session")


class LoggedEvent(BaseModel):
    """What each event has; events of other versions may have other keys, too."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)
    names: ClassVar[list[str]] = []

    event: str = Field(description="the name")
    timestamp: Timestamp = Field(description="ISO 8601 in UTC with milliseconds")


class MemoryLoaded(LoggedEvent):
    """An agent receives its memory."""

    names = ["agent.memory.loaded"]
    agent_id: str = AGENT
    memory_source: Text = Field(description="the memory files, null if no item was given")
    memory_size: int = Field(ge=0, description="bytes of the items in the prompt")
    items: Count = Field(None, description="number of items")
    tokens_estimated: Count = Field(None, description="tokens of all that was added to the prompt")
    duration_ms: Count = Field(
        None, description="milliseconds since the hook began, without the start of Python"
    )
    route: Literal["prompt", "start", "session"] = ROUTE
    session: Text = SESSION
    run: Text = RUN
    call: Text = CALL


class MemoryDelivered(LoggedEvent):
    """The answer of a delegation shows whether the memory arrived once, twice or not at all."""

    names = [f"agent.memory.{verdict}" for verdict in ("delivered", "doubled", "lost")]
    agent_id: str = AGENT
    route: str = ROUTE
    session: Text = SESSION
    run: Text = RUN
    call: Text = CALL


class ItemsChanged(LoggedEvent):
    """Items changed, wait, were used or are wrong; one event for all items of a change."""

    names = [f"agent.memory.{kind}" for kind in (*ITEM_KINDS, "held", "used", "wrong")]
    agent_id: str = AGENT
    items: Count = Field(None, description="number of items")
    ids: list[str] = Field([], description="their ids, the first 100")
    texts: list[str] = Field([], description="their texts, only with `memory.log_text: true`")
    change: Text = Field(None, description="id of the change, as in `agent-memory log`")
    source: Text = Field(None, description="who changed it: `agent`, `hand`, `person`, `mcp`, ...")
    session: Text = SESSION
    run: Text = RUN
    call: Text = CALL


class LearningsWait(LoggedEvent):
    """Learnings are saved, but not in the memory file yet."""

    names = ["agent.memory.waiting"]
    agent_id: str = AGENT
    reason: str = Field(description="why the file could not be changed")
    run: Text = RUN


class PathRefused(LoggedEvent):
    """A path counts as absent; logged once."""

    names = ["agent.memory.refused"]
    file: str = Field(description="the path")
    reason: str = Field(description="a link, a pipe, too large, ...")


class DelegationFailed(LoggedEvent):
    """A delegation failed."""

    names = ["agent.delegation.failed"]
    agent_id: str = AGENT
    error: str = Field(description="the message: 200 characters, without secrets")
    session: Text = SESSION
    run: Text = RUN
    call: Text = CALL


class ErrorLogged(LoggedEvent):
    """A hook failed, or a part of its work (`agent.memory.error`)."""

    names = ["hook.error", "agent.memory.error"]
    error: str = Field(description="the message")
    hook: Text = Field(None, description="the hook")
    agent_id: Text = Field(None, description="the agent, if it is known")
    run: Text = RUN


class HookSlow(LoggedEvent):
    """A hook needed more than a second."""

    names = ["hook.slow"]
    hook: str = Field(description="the hook")
    duration_ms: NonNegative = Field(description="milliseconds, without the start of Python")


class TaskMemoryChanged(LoggedEvent):
    """The memory of a task changed, or it could not be read or changed."""

    names = [f"task.memory.{change}" for change in TASK_CHANGES]
    task_id: str = Field(description="the task")
    error: Text = Field(None, description="`refused`, `unread`, `link_failed`: the message")


MODELS: tuple[type[LoggedEvent], ...] = (
    *(MemoryLoaded, MemoryDelivered, ItemsChanged, LearningsWait, PathRefused),
    *(DelegationFailed, ErrorLogged, HookSlow, TaskMemoryChanged),
)

MODEL_OF = {name: model for model in MODELS for name in model.names}


def parse_event(value: dict[str, Any]) -> LoggedEvent:
    """Return an event of the log as a model; raises ValueError for any other value."""
    model = MODEL_OF.get(str(value.get("event")))
    if model is None:
        raise ValueError(f"unknown event {value.get('event')!r}")
    return model.model_validate(value)
