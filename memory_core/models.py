"""The contract of what enters, as pydantic models: events and config.yml.

Hooks do not import this module: it would cost ten interpreter starts.  They use
`shapes.py`, which `python -m memory_core.models` writes from these classes.
One test compares the two as data, another their verdicts on mutated events.

Field names and types are those of the real Claude Code, versions 2.0.30 to
2.1.329, as recorded in tests/events.  Only what the hooks read is typed; every
other field is kept as it is, so that an event of a later version loses nothing.
"""

from __future__ import annotations

import fnmatch
import json
import pprint
import re
import types
import typing
from pathlib import Path
from typing import Annotated, Any, Literal, Union

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)

from memory_core import invisible
from memory_core.past import USUAL

Text = str | None


class Part(BaseModel):
    """Strict in what is typed, open to everything else."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)


class Event(Part):
    """What every event has.  All of it may be absent in an event piped in by hand."""

    hook_event_name: Text = None
    session_id: Text = None
    transcript_path: Text = None
    cwd: Text = None
    permission_mode: Text = None
    agent_id: Text = None
    agent_type: Text = None


class DelegationInput(Part):
    """`tool_input` of Task (up to 2.1.62) and Agent (from 2.1.63)."""

    prompt: str
    subagent_type: Text = None


class HandbackInput(Part):
    """`tool_input` of SubagentHandback, auto mode from 2.1.267."""

    message: str


class HandbackReport(Part):
    """A handed-back report as the foreground PostToolUse shows it."""

    text: Text = None


class ToolResponse(Part):
    """`tool_response` of a delegation or of a skill that ran as a fork."""

    status: Text = None
    agentId: Text = None
    agentType: Text = None
    content: list[Any] | str | None = None
    handbackReport: HandbackReport | None = None
    result: Text = None


Response = ToolResponse | list[Any] | str | None


class PreDelegation(Event):
    """PreToolUse of Task or Agent."""

    tool_name: str
    tool_input: DelegationInput
    tool_use_id: Text = None


class PreHandback(Event):
    """PreToolUse of SubagentHandback: the report, before it is handed back."""

    tool_name: str
    tool_input: HandbackInput
    tool_use_id: Text = None


class PostDelegation(PreDelegation):
    """PostToolUse of Task or Agent: the result, or the launch in the background."""

    tool_response: Response = None


class PostHandback(PreHandback):
    """PostToolUse of SubagentHandback."""


class PostSkill(Event):
    """PostToolUse of Skill; a report is there when the skill ran as a fork."""

    tool_name: str
    tool_response: Response = None
    tool_use_id: Text = None


class Failure(PreDelegation):
    """PostToolUseFailure of Task or Agent."""

    error: Text = None
    is_interrupt: bool | None = None


class ToolUse(Event):
    """PostToolUse of a tool by which tasks may be moved: Bash, or Backlog.md's MCP server."""

    tool_name: str
    tool_use_id: Text = None


class ToolFailure(Event):
    """PostToolUseFailure of a tool; within an agent's run it names the agent (not in 2.1.63)."""

    tool_name: str
    tool_use_id: Text = None
    error: Text = None
    is_interrupt: bool | None = None


class SubagentStart(Event):
    """An agent starts; `agent_type` is its canonical name."""

    agent_id: str
    agent_type: str


class SubagentStop(Event):
    """An agent ends; up to 2.0.76 without name and text."""

    agent_id: Text = None
    agent_transcript_path: Text = None
    last_assistant_message: Text = None


class SessionStart(Event):
    """The main session starts: startup, resume, clear, compact or fork."""

    source: Text = None


EVENTS: dict[str, type[Event]] = {
    "PreToolUse:Agent": PreDelegation,
    "PreToolUse:SubagentHandback": PreHandback,
    "PostToolUse:Agent": PostDelegation,
    "PostToolUse:SubagentHandback": PostHandback,
    "PostToolUse:Skill": PostSkill,
    "PostToolUse:Bash": ToolUse,
    "PostToolUseFailure:Agent": Failure,
    "PostToolUseFailure:Bash": ToolFailure,
    "SubagentStart": SubagentStart,
    "SubagentStop": SubagentStop,
    "SessionStart": SessionStart,
}


LARGEST_KB = 1024


class Section(BaseModel):
    """One mapping of config.yml; a key that is not here is reported, not used."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _bare(cls, found: object) -> object:
        """Take a key without a value as not set: what was below it is commented out.

        Where null is a value, it stays: a project takes back with it what the user has set.
        """
        if not isinstance(found, dict):
            return {} if found is None else found
        fields = cls.model_fields
        bare = {key for key in found if key in fields and fields[key].default is not None}
        return {key: found[key] for key in found if found[key] is not None or key not in bare}


def _inside(directory: str) -> str:
    """Keep the memory in the project: a cloned config.yml is not trusted with more."""
    parts = [part for part in directory.split("/") if part not in ("", ".")]
    if directory.startswith(("/", "~", "\\")) or ".." in parts or not parts:
        raise ValueError("a folder below the project's root is expected")
    if min(directory) < " ":
        raise ValueError("a folder's name without control characters is expected")
    return directory


def _pattern(pattern: str) -> str:
    """Refuse what old versions of Python take for a pattern only to raise when it is used."""
    try:
        re.compile(fnmatch.translate(pattern.casefold()))
    except re.error:
        raise ValueError("a shell pattern is expected") from None
    return pattern


# File systems allow 255 bytes for a name.
Directory = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_inside)]
Pattern = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_pattern)]
Size = Annotated[int, Field(ge=1, le=LARGEST_KB)]
Count = Annotated[int, Field(ge=1, le=1000)]
Share = Annotated[float, Field(ge=0, le=1)]


class LimitsConfig(Section):
    """How large a memory may grow."""

    default_size_kb: Size = Field(8, description="size of a memory file in KB")
    max_sections: Count = Field(10, description="sections in a file")
    max_items_per_section: Count = Field(15, description="items in a section")
    max_line_length: Annotated[int, Field(ge=20, le=10_000)] = Field(
        120, description="characters in a line that is written"
    )


class AgentOverride(Section):
    """What differs for one agent."""

    size_kb: Size | None = Field(None, description="size of this agent's file in KB")
    max_sections: Count | None = Field(None, description="sections in this agent's file")
    max_items_per_section: Count | None = Field(None, description="items in its sections")
    auto_learning: bool | None = Field(None, description="whether this agent's reports teach")


class ConfidenceConfig(Section):
    """How sure an item is at first, and what changes that; `past.Weights` has the reasons."""

    agent: Share = Field(USUAL.agent, description="how sure an item is that one run reported")
    person: Share = Field(USUAL.person, description="one that a person wrote or approved")
    step: Share = Field(USUAL.step, description="what each further run or person adds")
    contradiction: Share = Field(
        USUAL.contradiction, description="what it takes to be called wrong once"
    )


class TasksConfig(Section):
    """The memory of tasks."""

    enabled: bool = Field(True, description="whether tasks have a memory")
    budget_tokens: Annotated[int, Field(ge=100, le=20_000)] = Field(
        2000, description="tokens of a task's memory that a session is given"
    )


class MemoryConfig(Section):
    """The keys below `memory:`."""

    enabled: bool = Field(True, description="false: no hook does anything")
    auto_learning: bool = Field(True, description="whether agents' reports teach")
    natural_language: bool = Field(
        False, description="whether sentences such as `Discovered pattern: ...` teach"
    )
    directory: Directory = Field(
        ".claude-mpm/memories", description="where the memory files are, from the project's root"
    )
    max_learning_length: Annotated[int, Field(ge=10, le=1000)] = Field(
        100, description="characters in a learning; a longer one waits for review"
    )
    strip_markers: bool = Field(
        True, description="whether recorded blocks are taken out of what the main agent reads"
    )
    user_level: Literal["append", "shadow", "off"] = Field(
        "append", description="what becomes of the user's own memory of the same agent"
    )
    include: list[Pattern] = Field([], description="patterns of agents with memory; empty: all")
    exclude: list[Pattern] = Field([], description="patterns of agents without memory")
    min_confidence: Share = Field(
        0.0, description="items that are less sure than this are not given to agents"
    )
    confidence: ConfidenceConfig = Field(ConfidenceConfig(), description="how sure items are")
    context_items: Count = Field(20, description="items that `agent-memory context` prints")
    give_performance: bool = Field(
        False, description="whether agents are given their own performance, too"
    )
    limits: LimitsConfig = Field(LimitsConfig(), description="how large a memory may grow")
    tasks: TasksConfig = Field(TasksConfig(), description="the memory of tasks")
    agent_overrides: dict[str, AgentOverride] = Field({}, description="limits for single agents")

    @field_validator("user_level", mode="before")
    @classmethod
    def _yaml_off(cls, level: object) -> object:
        """Read `off` as it is meant: YAML 1.1 takes the bare word for false."""
        return "off" if level is False else level


Id = Annotated[str, Field(min_length=1, max_length=64)]
Moment = Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")]
Name = Annotated[str, Field(min_length=1, max_length=200)]
Number = Annotated[int, Field(ge=0)]
Kind = Literal[
    "learned",
    "reinforced",
    "merged",
    "edited",
    "removed",
    "evicted",
    "archived",
    "restored",
    "returned",
    "imported",
    "approved",
    "rejected",
    "preference",
    "confirmed",
    "contradicted",
    "task",
    "error",
    "undone",
]


class HistoryRecord(BaseModel):
    """One line of history/AGENT.jsonl; docs/history.md says which kind has which keys."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)

    v: int = Field(1, ge=1, description="the version of this schema, 1")
    time: Moment = Field(description="when, ISO 8601 in UTC with milliseconds")
    kind: Kind = Field(description="what came about, see below")
    agent: str = Field("", description="whose memory it is about")
    id: Id = Field(
        description="of the item: ten hexadecimal digits, a hash of its words;"
        " of the run where the kind is `task`, of the change where it is `undone`"
    )
    text: str = Field("", description="the item's text where it is new, or the error's")
    section: str = Field("", description="the title of the section it stands in")
    nested: str = Field("", description="the lines nested in it, where there are some")
    was: str = Field("", description="the id of the item whose place it took")
    after: str = Field("", description="the id of the item it stood behind when it left")
    run: str = Field("", description="Claude Code's agent id")
    session: str = Field("", description="Claude Code's session id")
    source: str = Field(
        "", description="`agent`, `hand` (in the file), `person` (a command), `import`, `mcp`, ..."
    )
    origin: str = Field("", description="the agent or file that it was copied from")
    confidence: Share | None = Field(None, description="how sure the item is after it, 0 to 1")
    change: str = Field("", description="what all records of one write or command share")
    n: Number | None = Field(None, description="how many records of its write are before it")
    type: str = Field("", description="`task`: the type of the task")
    outcome: str = Field("", description="`task`: `done`, `failed` or `stopped`")
    duration_ms: Number | None = Field(None, description="`task`: how long it took")
    tokens: Number | None = Field(None, description="`task`: how many it used")
    tool_uses: Number | None = Field(None, description="`task`: how often it called a tool")
    tool: str = Field("", description="`error`: the tool that failed")
    resolution: str = Field("", description="`error`: what helped, where that is known")


class AgentExport(BaseModel):
    """What an export holds of one agent; texts are those of its files."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    document: str = Field("", description="AGENT.md")
    preferences: dict[str, str] = Field({}, description="value by key; they stand in it, too")
    history: list[HistoryRecord] = Field([], description="history/AGENT.jsonl, record by record")
    archive: str = Field("", description="archive/AGENT.md")
    quarantine: str = Field("", description="quarantine/AGENT.md")


class Export(BaseModel):
    """A file of `agent-memory export`."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    format: Literal["agent-memory"] = Field(description="always `agent-memory`")
    version: int = Field(ge=1, le=1, description="of this schema, 1")
    exported: str = Field("", description="when, ISO 8601 in UTC")
    project: str = Field("", description="the name of the project's folder")
    agents: dict[Name, AgentExport] = Field(description="by agent id; `PM` is the main session")


def problem_of_export(value: Any) -> str:
    """Return what keeps a value from being an Export, with the place; "" for nothing.

    What may be left out is put into it where it is.
    """
    try:
        found = Export.model_validate(_writable(value))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(_seen(each) for each in first["loc"]) or "the file"
        return f"{place}: {_seen(first['msg'])}"
    for name in found.agents:
        for field, known in AgentExport.model_fields.items():
            value["agents"][name].setdefault(field, known.get_default(call_default_factory=True))
    return ""


def is_record(value: Any) -> bool:
    """Say whether a value is a record of this version of the schema."""
    try:
        HistoryRecord.model_validate(_writable(value))
    except ValidationError:
        return False
    return True


def _seen(part: object) -> str:
    """Return what can be seen of a key or message, as one line of at most 100 characters."""
    text = " ".join(invisible.take_out(str(part)).split())
    return text if len(text) <= 100 else f"{text[:100]}..."


def _writable(value: Any) -> Any:
    """Return a value without lone surrogates, which stand for bytes that are not UTF-8."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, list):
        return [_writable(each) for each in value]
    if isinstance(value, dict):
        return {key: _writable(each) for key, each in value.items()}
    return value


class Config(Section):
    """The whole of config.yml."""

    memory: MemoryConfig = MemoryConfig()


def described(model: type[BaseModel] = MemoryConfig, prefix: str = "memory") -> list[list[str]]:
    """Return [key, default, description] of each setting, for people."""
    rows = []
    for name, field in model.model_fields.items():
        nested = field.annotation
        if isinstance(nested, type) and issubclass(nested, BaseModel):
            rows += described(nested, f"{prefix}.{name}")
        else:
            default = json.dumps(field.get_default())
            rows.append([f"{prefix}.{name}", default, field.description or ""])
    if model is MemoryConfig:
        rows += described(AgentOverride, f"{prefix}.agent_overrides.AGENT")
    return rows


Shape = dict[str, tuple[bool, tuple[type, ...], Any]]


def shape(model: type[BaseModel]) -> Shape:
    """Return `model` as plain data: field -> (required, types, shape of the value)."""
    return {
        name: (field.is_required(), *_types(field.annotation))
        for name, field in model.model_fields.items()
    }


def _types(annotation: Any) -> tuple[tuple[type, ...], Shape | None]:
    parts = _parts(annotation)
    nested = next((shape(part) for part in parts if _is_model(part)), None)
    names = [dict if _is_model(part) else typing.get_origin(part) or part for part in parts]
    return tuple(names), nested


def _parts(annotation: Any) -> tuple[Any, ...]:
    if typing.get_origin(annotation) in (Union, types.UnionType):
        return typing.get_args(annotation)
    return (annotation,)


def _is_model(part: Any) -> bool:
    return isinstance(part, type) and issubclass(part, BaseModel)


class _Name(str):
    """A type's name that prints without quotes in the generated module."""

    def __repr__(self) -> str:
        return str(self)


def _named(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _named(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return tuple(_named(item) for item in value)
    if value is type(None):
        return _Name("NONE")
    return _Name(value.__name__) if isinstance(value, type) else value


HEAD = '''"""What enters, as plain data.  Written by `python -m memory_core.models`; do not edit.

field -> (required, types, shape of the value where it is an object)
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

NONE = type(None)

'''


def source() -> str:
    """Return the text of shapes.py."""
    events = {name: _named(shape(model)) for name, model in EVENTS.items()}
    defaults = MemoryConfig().model_dump()
    return (
        f"{HEAD}EVENTS: dict[str, Any] = {pprint.pformat(events, sort_dicts=False, width=96)}\n\n"
        f"CONFIG: dict[str, Any] = {pprint.pformat(defaults, sort_dicts=False, width=96)}\n\n"
        f"LARGEST_KB = {LARGEST_KB}\n\n"
        f"OVERRIDE: dict[str, Any] = {AgentOverride().model_dump()}\n\n"
        f"RANGES = {pprint.pformat(_ranges(), sort_dicts=False, width=96)}\n"
    )


def _ranges() -> dict[str, tuple[float, float]]:
    """Return the least and the largest value of each number in the settings."""
    schema = MemoryConfig.model_json_schema()
    parts = [schema, *schema["$defs"].values()]
    fields = (field for part in parts for field in part["properties"].items())
    told = ((name, next(iter(field.get("anyOf", [field])))) for name, field in fields)
    return {name: (f["minimum"], f["maximum"]) for name, f in told if "minimum" in f}


if __name__ == "__main__":
    Path(__file__).with_name("shapes.py").write_text(source(), encoding="utf-8")
